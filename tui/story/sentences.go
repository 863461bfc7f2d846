package story

import (
	"fmt"
	"strings"

	"kafkatrial/model/fact"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Sentence says in plain words what a fact means: the predicate, to be read after the name of the node.
// Empty means that the fact adds nothing to what stands around it.
func Sentence(w *sim.World, f *sim.Fact) string {
	tp := fact.TP(f)
	switch f.Kind {
	// Logs and replicas.
	case fact.LeaderAppended:
		return fmt.Sprintf("appends %s at %s%s", records(f), span(f.A, f.B), of(tp))
	case fact.FollowerAppended:
		return fmt.Sprintf("copies %s to %s%s", records(f), span(f.A, f.B), of(tp))
	case fact.Truncated:
		cut := ""
		if bs, ok := f.Ref.([]*record.RecordBatch); ok && len(bs) > 0 {
			cut = ": " + names(bs...) + " cut"
		}
		return fmt.Sprintf("truncates %v from %d to %d, %s%s", tp, f.B, f.A, f.Text, cut)
	case fact.HighWatermark:
		if f.C == 1 {
			return fmt.Sprintf("high watermark%s %d → %d", of(tp), f.A, f.B)
		}
		if f.B < f.A {
			return fmt.Sprintf("its high watermark%s falls %d → %d", of(tp), f.A, f.B)
		}
		return fmt.Sprintf("learns the high watermark%s: %d → %d", of(tp), f.A, f.B)
	case fact.LogStart:
		return fmt.Sprintf("the log%s now starts at %d (was %d)", of(tp), f.B, f.A)
	case fact.BecameLeader:
		return fmt.Sprintf("leads %v in epoch %d, from offset %d on (its high watermark: %d)", tp, f.A, f.B, f.C)
	case fact.BecameFollower:
		if f.B <= 0 {
			return fmt.Sprintf("%v has no leader (epoch %d)", tp, f.A)
		}
		return fmt.Sprintf("follows b%d for %v in epoch %d", f.B, tp, f.A)
	case fact.Recovered:
		how := "after it was stopped without warning"
		if f.C == 1 {
			how = "after an orderly shutdown"
		}
		return fmt.Sprintf("finds %v on its disk %s: log end %d, high watermark %d", tp, how, f.A, f.B)
	case fact.Flushed:
		return fmt.Sprintf("%v is on the platter up to %d", tp, f.A)
	case fact.ISRProposed:
		verb := "shrink"
		if f.C == 1 {
			verb = "expand"
		}
		return fmt.Sprintf("asks to %s the ISR of %v to {%s}", verb, tp, f.Text)
	case fact.ISRCommitted:
		return fmt.Sprintf("learns that the ISR of %v is {%s}", tp, f.Text)
	case fact.ISRRefused:
		return fmt.Sprintf("is refused the ISR {%s} of %v: %s", f.Text, tp, protocol.Error(f.A))
	case fact.ProduceRefused:
		if f.C == 1 {
			return fmt.Sprintf("answers %s for %s, which it has appended%s", protocol.Error(f.A), records(f), of(tp))
		}
		return fmt.Sprintf("refuses %s%s: %s", records(f), of(tp), protocol.Error(f.A))
	case fact.ProduceAnswered:
		return fmt.Sprintf("acknowledges %s%s (acks=%s)", records(f), of(tp), protocol.Acks(f.B))
	case fact.FetchRefused:
		who := "a consumer"
		if f.B > 0 {
			who = protocol.BrokerName(int(f.B))
		}
		return fmt.Sprintf("refuses the fetch of %s from %d of %v: %s", who, f.C, tp, protocol.Error(f.A))
	case fact.EpochAnswered:
		if f.C < 0 {
			return fmt.Sprintf("is asked where epoch %d of %v ends, and says: at %d", f.A, tp, f.B)
		}
		return fmt.Sprintf("is asked where epoch %d of %v ends, and says: epoch %d ends at %d", f.A, tp, f.C, f.B)
	case fact.DivergenceFound:
		return fmt.Sprintf("tells b%d that their logs of %v part: here epoch %d ends at %d", f.C, tp, f.A, f.B)
	case fact.OffsetsCommitted:
		return fmt.Sprintf("group %s has committed position %d of %v", f.Text, f.A, tp)
	case fact.ShutdownBegan:
		if f.C == 1 {
			return fmt.Sprintf("stops itself: its log of %v ends at %d, its leader's at %d, and unclean elections are not allowed", tp, f.B, f.A)
		}
		return "begins an orderly shutdown"
	case fact.ShutdownDone:
		return "has shut down in order: everything flushed, high watermarks written down"
	case fact.BrokerRegistered:
		return fmt.Sprintf("is registered (broker epoch %d)", f.A)

	// Controller and ZooKeeper.
	case fact.BrokerFenced:
		return fmt.Sprintf("fences b%d: no heartbeat within the session time-out", f.A)
	case fact.BrokerUnfenced:
		return fmt.Sprintf("unfences b%d", f.A)
	case fact.BrokerJoined:
		if f.C == 1 {
			return fmt.Sprintf("registers b%d (broker epoch %d), which had not shut down in order", f.A, f.B)
		}
		return fmt.Sprintf("registers b%d (broker epoch %d)", f.A, f.B)
	case fact.BrokerGone:
		return fmt.Sprintf("b%d is gone", f.A)
	case fact.LeaderElected:
		how := ""
		if f.C == 1 {
			how = ", UNCLEANLY: it was not in sync"
		}
		return fmt.Sprintf("makes b%d the leader of %v in epoch %d%s; ISR {%s}", f.A, tp, f.B, how, f.Text)
	case fact.PartitionOffline:
		return fmt.Sprintf("%v has no leader (epoch %d); ISR {%s}", tp, f.A, f.Text)
	case fact.ISRChanged:
		return fmt.Sprintf("sets the ISR of %v to {%s}", tp, f.Text)
	case fact.ELRChanged:
		if f.Text == "" {
			return fmt.Sprintf("nobody is an eligible leader replica of %v any more", tp)
		}
		return fmt.Sprintf("eligible leader replicas of %v: {%s}", tp, f.Text)
	case fact.ISRChangeRefused:
		return fmt.Sprintf("refuses b%d the ISR {%s} of %v: %s", f.B, f.Text, tp, protocol.Error(f.A))
	case fact.ElectionRefused:
		return fmt.Sprintf("elects nobody for %v: %s", tp, protocol.Error(f.A))
	case fact.OrderRefused:
		return fmt.Sprintf("ZooKeeper refuses to %s: %s", f.Text, protocol.Error(f.B))
	case fact.ControllerElected:
		return fmt.Sprintf("becomes the active controller (epoch %d)", f.A)
	case fact.ControllerResigned:
		return "is no longer the controller"
	case fact.TopicChanged:
		return fmt.Sprintf("%s now has %d partitions", f.Subject, f.A)
	case fact.ConfigChanged:
		if f.Subject == "" {
			return "sets " + f.Text + " for the whole cluster"
		}
		return "sets " + f.Text + " for " + f.Subject
	case fact.SessionExpired:
		if f.A > 0 {
			return fmt.Sprintf("ends the session of b%d", f.A)
		}
		return fmt.Sprintf("ends the session of k%d", f.B)

	// Producers.
	case fact.RecordSent:
		return "calls send(" + f.Text + ")"
	case fact.RecordsBatched:
		if f.A > 1 {
			return fmt.Sprintf("sends %s again to b%d (attempt %d)", records(f), f.B, f.A)
		}
		return fmt.Sprintf("sends %s to b%d", records(f), f.B)
	case fact.BatchAcked:
		if f.B == 0 {
			return records(f) + " counts as sent (acks=0)"
		}
		return records(f) + " acknowledged"
	case fact.BatchFailed:
		if f.B == 1 {
			return fmt.Sprintf("%s failed: %s; it was not written", records(f), protocol.Error(f.A))
		}
		return fmt.Sprintf("%s failed: %s; it may have been written", records(f), protocol.Error(f.A))
	case fact.BatchRetried:
		return fmt.Sprintf("will send %s again: %s", records(f), protocol.Error(f.A))
	case fact.RecordRejected:
		return fmt.Sprintf("send(%s) failed: %s; nothing was sent", f.Text, protocol.Error(f.A))
	case fact.ClientMetadata:
		if f.A <= 0 {
			return fmt.Sprintf("learns that %v has no leader", tp)
		}
		return fmt.Sprintf("learns that b%d leads %v (epoch %d)", f.A, tp, f.B)
	case fact.ConnectionLost:
		return "loses its connection to " + w.Name(sim.NodeID(f.A))
	case fact.RequestGivenUp:
		return fmt.Sprintf("gives up waiting for %s to answer its %s", w.Name(sim.NodeID(f.B)), w.MessageName(sim.MsgType(f.A)))

	// Consumers.
	case fact.Assigned:
		return fmt.Sprintf("reads %v from %d on (%s)", tp, f.A, f.Text)
	case fact.Fetched:
		return fmt.Sprintf("fetches %s of %v", span(f.A, f.B), tp)
	case fact.Polled:
		var ids []string
		if cs, ok := f.Ref.([]fact.Consumed); ok {
			for _, c := range cs {
				ids = append(ids, c.Record.ID)
			}
		}
		return "poll() returns " + strings.Join(ids, " ")
	case fact.Processed:
		return "processes " + f.Text
	case fact.CommitSent:
		return fmt.Sprintf("commits position %d of %v …", f.A, tp)
	case fact.Committed:
		return fmt.Sprintf("position %d of %v is committed", f.A, tp)
	case fact.CommitFailed:
		return fmt.Sprintf("its commit of position %d of %v failed: %s", f.A, tp, protocol.Error(f.B))
	case fact.PositionReset:
		if f.A < 0 {
			return fmt.Sprintf("begins %v at %d (%s)", tp, f.B, f.Text)
		}
		return fmt.Sprintf("moves its position in %v from %d to %d (%s)", tp, f.A, f.B, f.Text)
	case fact.TruncationSeen:
		return fmt.Sprintf("notices that %v was truncated: it is at %d, the leader's epoch ends at %d", tp, f.A, f.B)
	case fact.EndOffset:
		return fmt.Sprintf("is told that %v ends at %d", tp, f.A)
	case fact.ConsumerFailed:
		if protocol.Error(f.B) == protocol.None {
			return "its own code throws"
		}
		return fmt.Sprintf("gets an exception: %s", protocol.Error(f.B))
	case fact.VerbBegan:
		return ""
	case fact.Healed:
		return "everything is mended; the run goes on until nothing moves"
	case fact.ScriptEnd:
		return "the script ends here: " + f.Text
	}
	return f.Text
}

// FaultSentence says what a fault did.
func FaultSentence(w *sim.World, s *sim.Step) (who, what string) {
	who = w.Name(s.Node)
	peer := w.Name(s.Peer)
	switch s.Op {
	case sim.OpKill:
		return who, "crashes: the process is gone, the page cache is not"
	case sim.OpPowerLoss:
		return who, "loses power: what was not flushed is at risk"
	case sim.OpDiskLoss:
		return who, "loses its disk: an empty one takes its place"
	case sim.OpPause:
		return who, "is paused: it keeps its memory and believes what it believed"
	case sim.OpResume:
		return who, "runs on"
	case sim.OpRestart:
		return who, "is started"
	case sim.OpCut:
		return "net", fmt.Sprintf("nothing gets from %s to %s any more", who, peer)
	case sim.OpCutBoth:
		return "net", fmt.Sprintf("%s and %s no longer reach each other", who, peer)
	case sim.OpHeal:
		if s.Node == sim.Nobody {
			return "net", "every link carries again"
		}
		if s.Arg != 0 {
			return "net", fmt.Sprintf("%s reaches %s again", who, peer)
		}
		return "net", fmt.Sprintf("%s and %s reach each other again", who, peer)
	case sim.OpDisconnect:
		return "net", fmt.Sprintf("the connections between %s and %s are reset; what was under way is lost", who, peer)
	case sim.OpSkew:
		return who, "its clock is now off by " + sim.Time(s.Arg).String()
	}
	return who, s.Op.String()
}

func records(f *sim.Fact) string {
	if b := fact.Batch(f); b != nil {
		return names(b)
	}
	return "?"
}

// names lists the records of batches: all of a few, the first and the last of many.
func names(batches ...*record.RecordBatch) string {
	var ids []string
	for _, b := range batches {
		for i := range b.Records {
			ids = append(ids, b.Records[i].ID)
		}
	}
	if len(ids) > 6 {
		return fmt.Sprintf("%s %s … %s (%d records)", ids[0], ids[1], ids[len(ids)-1], len(ids))
	}
	return strings.Join(ids, " ")
}

// span writes the offsets from a up to but not including b.
func span(a, b int64) string {
	if b-a <= 1 {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d–%d", a, b-1)
}

// of names the partition after a verb, unless it is the only one in sight.
func of(tp protocol.TopicPartition) string { return " of " + tp.String() }

// cutNames lists the records that a truncation took.
func cutNames(f *sim.Fact) []string {
	var ids []string
	bs, _ := f.Ref.([]*record.RecordBatch)
	for _, b := range bs {
		for i := range b.Records {
			ids = append(ids, recordName(b, i))
		}
	}
	return ids
}
