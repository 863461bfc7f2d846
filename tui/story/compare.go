package story

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/consumer"
	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Comparison is the same script under another release or other settings, really run.
type Comparison struct {
	Label string // what differs: "under Kafka 0.11", "with acks=all"
	Title string // the file's own words for it; may be empty
	// Explain is the file's paragraph on it; empty if it has none, or if the run does not come to what it explains.
	Explain string
	Kafka   string
	Refused string // who refuses to start then, and why: there is no run; empty if there is one
	Result  scenarios.Result
	// InSomeRuns is not nil where a race goes the other way: how late messages are, and the seed.
	InSomeRuns *format.InSomeRuns
	// PartsAt is the step of the main run (from 1) at which the two first differ in what they tell; 0 if they
	// do not.
	PartsAt int

	main *scenarios.Result
}

// Compare runs the file's comparisons and finds where each parts from the run that is told. replay are the
// answers that the run followed; they are followed in the comparisons as far as they apply.
func (s *Story) Compare(replay []sim.Answer) ([]Comparison, error) {
	f := s.Run.File
	var all []Comparison
	for i, v := range f.Compare {
		o := scenarios.Options{}
		if s.Run.Seed != f.Seed && v.Seed == nil && v.InSomeRuns == nil {
			o.Seed = s.Run.Seed
		}
		if len(replay) > 0 {
			o.Source, o.FaultModel = &sim.Replay{Answers: replay, Lenient: true}, s.Run.FaultModel()
		}
		r, err := scenarios.Compared(f, i, o)
		if refusal, differs := scenarios.RefusedAs(v.Refused, err); refusal != nil {
			all = append(all, Comparison{Label: scenarios.Label(&v), Title: v.Title.In(s.opts.Lang), Kafka: f.With(v).Kafka.Text, Refused: refusal.Sentence(),
				Result: scenarios.Result{Stated: 1, Differs: differs}, Explain: strings.TrimSpace(v.Explain.In(s.opts.Lang))})
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Finish()
		other := New(r, s.opts)
		c := Comparison{Label: scenarios.Label(&v), Title: v.Title.In(s.opts.Lang), Kafka: scenarios.Release(r.File.Kafka.Text), Result: r.Result(), InSomeRuns: v.InSomeRuns, PartsAt: s.PartsFrom(other)}
		if c.Result.AsStated() {
			c.Explain = strings.TrimSpace(v.Explain.In(s.opts.Lang))
		}
		all = append(all, c)
	}
	return all, nil
}

// NotParted says that two runs never part. They may have other settings, and their nodes other things to say to each
// other: what counts is what signs lists.
const NotParted = "the runs part in nothing that is written, acknowledged, read or processed"

// sign is one thing that a node did, in a form that does not depend on when it did it, nor with what else.
type sign struct {
	lane, text string
	decided    bool // it is a fault that an answer has chosen
}

// signs lists what of step i tells one run from another: records written, cut, committed, sent, answered,
// read and processed, leaders and in-sync replicas, faults that were chosen. Who connects to whom and learns what when is left
// out: that differs between releases without meaning anything. So are the faults of the script, which is the same.
func (s *Story) signs(i int) []sign {
	t := s.Run.World.Trace()
	st := &t.Steps[i]
	var all []sign
	if st.Kind == sim.StepFault && st.Op != sim.OpHeal && s.chosen(i) {
		_, text := s.faultSentence(st)
		all = append(all, sign{s.name(st.Node), text, true})
	}
	events := t.EventsOf(i)
	for j := range events {
		f := &events[j]
		if topic := event.Topic(f.Event); topic == groupcoordinator.TopicName || topic == transactioncoordinator.TopicName {
			continue
		}
		who, about := s.name(f.Node), event.Partition(f.Event).String()
		add := func(lane, text string) { all = append(all, sign{lane: lane, text: about + " " + text}) }
		each := func(verb string) {
			for _, id := range idsOf(f) {
				add(who, verb+" "+id)
			}
		}
		switch e := f.Event.(type) {
		case *event.LeaderAppended, *event.FollowerAppended:
			each("append")
		case *event.Truncated:
			add(who, fmt.Sprint("truncate ", e.NewEnd, cutNames(e)))
		case *event.LogStart:
			add(who, fmt.Sprint("log start ", e.From, e.To))
		case *event.TruncationSeen:
			add(who, fmt.Sprint("truncation seen ", e.Position, e.EndOffset))
		case *event.DuplicateRecognised:
			each("recognise")
		case *event.ProduceRefused:
			each("refuse " + e.Err.String())
		case *event.ShutdownBegan:
			add(who, "shutdown")
		case *event.LeaderElected:
			if s.begins < 0 {
				continue // as the file places the replicas; not every release tells of it
			}
			add("leader "+about, fmt.Sprint(e.Leader, e.Unclean))
		case *event.PartitionOffline:
			add("leader "+about, "none")
		case *event.RecordsBatched:
			each(fmt.Sprint("send ", e.Attempt))
		case *event.BatchAcked:
			each("acked")
		case *event.BatchFailed:
			each(fmt.Sprint("failed ", e.Err, e.NotWritten))
		case *event.RecordRejected:
			add(who, "rejected "+e.Record)
		case *event.Polled:
			for _, c := range e.Records {
				add(who, "polled "+c.Record.ID)
			}
		case *event.Processed:
			add(who, "processed "+e.Record.ID)
		case *event.PositionReset:
			if e.From >= 0 {
				add(who, fmt.Sprint("reset ", e.From, e.To))
			}
		case *event.CommitSent:
			if s.commitsByVerb(f.Node) {
				add(who, "commit")
			}
		case *event.RowInserted, *event.RowUnchanged, *event.DatabaseCommitted, *event.DatabaseRolledBack, *event.DatabasePrepared, *event.PositionStored, *event.DatabaseRefused:
			all = append(all, sign{lane: who, text: databaseSign(f)})
		case *event.ConsumerFailed:
			add(who, fmt.Sprint("exception ", e.Err))
		}
	}
	return all
}

// chosen says that step i is what an answer has decided.
func (s *Story) chosen(i int) bool {
	return slices.ContainsFunc(s.Run.Answers(), func(a sim.Answer) bool { return a.Step == i })
}

// commitsByVerb says that a consuming application commits at a place in its loop, and not by the clock.
func (s *Story) commitsByVerb(n sim.NodeID) bool {
	k := slices.Index(s.Run.Cluster.Consumers(), n)
	return k >= 0 && slices.Contains(s.Run.Cluster.Spec.Consumers[k].App.Loop, consumer.Commit)
}

// lane is what one node did, in order.
type lane struct {
	name    string
	steps   []int
	texts   []string
	decided []bool
}

func (s *Story) lanes() []lane {
	var lanes []lane
	for i := range s.entries {
		for _, g := range s.entries[i].signs {
			k := slices.IndexFunc(lanes, func(l lane) bool { return l.name == g.lane })
			if k < 0 {
				k = len(lanes)
				lanes = append(lanes, lane{name: g.lane})
			}
			lanes[k].steps = append(lanes[k].steps, i+1)
			lanes[k].texts = append(lanes[k].texts, g.text)
			lanes[k].decided = append(lanes[k].decided, g.decided)
		}
	}
	return lanes
}

// PartsFrom gives the first step (from 1) of this run at which some node does what it does not do in the
// other run, 0 if there is none. Each node is compared with itself, so that a mere difference in timing does
// not count. Where only the other run goes on, or a fault is chosen in it, it is the first step of any weight that this run
// takes from then on.
func (s *Story) PartsFrom(other *Story) int {
	first := 0
	earlier := func(step int) {
		if first == 0 || step < first {
			first = step
		}
	}
	find := func(in []lane, name string) lane {
		if k := slices.IndexFunc(in, func(l lane) bool { return l.name == name }); k >= 0 {
			return in[k]
		}
		return lane{}
	}
	here, there := s.lanes(), other.lanes()
	for _, l := range here {
		o := find(there, l.name)
		k := 0
		for k < min(len(l.texts), len(o.texts)) && l.texts[k] == o.texts[k] {
			k++
		}
		if k < len(l.texts) {
			earlier(l.steps[k])
		}
		if k < len(o.texts) && (k == len(l.texts) || o.decided[k]) {
			same := 0
			if k > 0 && o.decided[k] {
				same = l.steps[k-1]
			}
			earlier(s.toldFrom(other.entries[o.steps[k]-1].At, same))
		}
	}
	for _, o := range there {
		if len(find(here, o.name).texts) == 0 {
			earlier(s.toldFrom(other.entries[o.steps[0]-1].At, 0))
		}
	}
	return first
}

// toldFrom is the first step (from 1) behind another one, and at a time or later, that bears a sign; else the last one.
func (s *Story) toldFrom(at sim.Time, behind int) int {
	for i := behind; i < len(s.entries); i++ {
		if e := &s.entries[i]; e.At >= at && len(e.signs) > 0 {
			return e.Step
		}
	}
	return len(s.entries)
}
