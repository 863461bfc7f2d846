package checker

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

// officeOp is a grant of an office, or an act of somebody who claims to hold it.
type officeOp struct {
	grant  bool
	epoch  int
	holder string
}

// officeState is the newest grant.
type officeState struct {
	epoch  int
	holder string
}

// officeModel lets only the newest holder of an office act. A holder may act under an older epoch as long as nobody
// else was granted the office since: it then merely has not heard of its own renewal.
func officeModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return officeState{epoch: -1} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(officeState), input.(officeOp)
			if op.grant {
				if op.epoch > st.epoch {
					st = officeState{op.epoch, op.holder}
				}
				return true, st
			}
			return op.epoch >= st.epoch || op.holder == st.holder, st
		},
	}
}

// deed is a grant or an act with the words for it.
type deed struct {
	op     officeOp
	step   int
	words  string
	record RecordID
	tp     TopicPartition
	offset int64
}

// post is one office with all that was done in its name.
type post struct {
	office Office
	name   string
	deeds  []deed
}

// posts lists the offices in the order in which they were first granted.
type posts struct {
	order []*post
	byKey map[string]*post
}

func officeKey(o Office, name string, tp TopicPartition) string {
	return strconv.Itoa(int(o)) + "/" + name + "/" + tp.String()
}

// do adds a deed to an office that was granted at some time; what nobody was granted, nobody can be fenced from.
func (ps *posts) do(key string, d deed) {
	if p := ps.byKey[key]; p != nil {
		p.deeds = append(p.deeds, d)
	}
}

// judgeFenced rules that nothing which a zombie did has taken effect: no append of an older producer epoch, no entry of
// an older leader epoch, no commit and no processing by an owner whose partition was given to another. At the
// application it is the processing that counts: Kafka cannot fence effects outside of Kafka.
func judgeFenced(x *index, l Level) Verdict {
	v := Verdict{Claim: Fenced, Level: l, Ruling: Holds}
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	ps := x.grantedPosts()
	if l == AtLog {
		x.logDeeds(ps)
	} else {
		x.appDeeds(ps)
	}
	parts := make([]part, len(ps.order))
	for i, p := range ps.order {
		parts[i].name = p.name
		for _, d := range p.deeds {
			parts[i].ops = append(parts[i].ops, instant(d.step, d.op))
		}
	}
	if bad := x.illegal(officeModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = explainFenced(ps.order[bad[0]])
	}
	return v
}

func (x *index) grantedPosts() *posts {
	ps := &posts{byKey: map[string]*post{}}
	for _, g := range x.h.Grants {
		key := officeKey(g.Office, g.Name, g.TP)
		if ps.byKey[key] == nil {
			p := &post{office: g.Office, name: g.Name}
			ps.byKey[key] = p
			ps.order = append(ps.order, p)
		}
		words := ""
		switch g.Office {
		case ProducerOffice:
			words = g.Holder + " was given " + g.Name + " with producer epoch " + strconv.Itoa(g.Epoch) + " " + inSteps(g.Step)
		case OwnerOffice:
			words = g.Holder + " was given " + g.TP.String() + " in generation " + strconv.Itoa(g.Epoch) + " " + inSteps(g.Step)
		case LeaderOffice:
			words = g.Holder + " became leader of " + g.TP.String() + " in epoch " + strconv.Itoa(g.Epoch) + " " + inSteps(g.Step)
		}
		epoch := g.Epoch
		if g.Office == ProducerOffice {
			epoch = x.term(g.Name, g.ProducerID, g.Epoch)
		}
		ps.do(key, deed{op: officeOp{true, epoch, g.Holder}, step: g.Step, words: words})
	}
	return ps
}

// term orders the epochs of a transactional.id over its producer ids: those of one that was given later come after all
// of one that was given before. A producer's epoch has 15 bits.
func (x *index) term(name string, producerID int64, epoch int) int {
	var ids []int64
	for _, g := range x.h.Grants {
		if g.Office == ProducerOffice && g.Name == name {
			ids = appendNew(ids, g.ProducerID)
		}
	}
	return max(slices.Index(ids, producerID), 0)<<15 + epoch
}

// logDeeds adds what took effect in logs: entries of the final log, and offset commits the coordinator accepted.
func (x *index) logDeeds(ps *posts) {
	for _, tp := range x.partitions {
		if l := x.logs[tp]; l != nil {
			for _, e := range x.wholeLog(l) {
				x.entryDeeds(ps, tp, e)
			}
		}
	}
	for i := range x.h.OffsetCommits {
		c := &x.h.OffsetCommits[i]
		ps.commitDeed(c.Group, c.Consumer, c.Generation, c.TP, c.Offset, cmp.Or(c.Written, c.Step), "")
	}
	for i := range x.h.Txns {
		for _, o := range x.h.Txns[i].Offsets {
			if o.Applied {
				ps.commitDeed(o.Group, o.Consumer, o.Generation, o.TP, o.Offset, cmp.Or(o.Written, o.Step), "in a transaction ")
			}
		}
	}
}

// commitDeed is a commit of a position that a coordinator accepted in a step.
func (ps *posts) commitDeed(group, consumer string, generation int, tp TopicPartition, offset int64, step int, how string) {
	if generation > 0 {
		words := consumer + " committed offset " + strconv.FormatInt(offset, 10) + " " + how + "in generation " + strconv.Itoa(generation) + " " + inSteps(step)
		ps.do(officeKey(OwnerOffice, group, tp), deed{officeOp{false, generation, consumer}, step, words, "", tp, offset})
	}
}

func (x *index) entryDeeds(ps *posts, tp TopicPartition, e Entry) {
	if e.Control {
		return
	}
	where := " " + atOffsets(e.Offset) + " of " + tp.String() + " " + inSteps(e.Step)
	if s := x.bySub[e.Submission]; s != nil && s.TransactionalID != "" && e.inEffect() {
		words := s.Producer + " appended " + string(e.Record) + " with producer epoch " + strconv.Itoa(s.ProducerEpoch) + where
		ps.do(officeKey(ProducerOffice, s.TransactionalID, TopicPartition{}),
			deed{officeOp{false, x.term(s.TransactionalID, s.ProducerID, s.ProducerEpoch), s.Producer}, e.Step, words, e.Record, tp, e.Offset})
	}
	for _, a := range x.leaderAppends(e.Submission) {
		if a.TP == tp && a.Offset == e.Offset && a.Epoch == e.Epoch {
			words := broker(a.Broker) + " appended " + string(e.Record) + " in epoch " + strconv.Itoa(a.Epoch) + where
			ps.do(officeKey(LeaderOffice, "", tp), deed{officeOp{false, a.Epoch, broker(a.Broker)}, a.Step, words, e.Record, tp, e.Offset})
		}
	}
}

// appDeeds adds what applications processed under a generation.
func (x *index) appDeeds(ps *posts) {
	for i := range x.h.Effects {
		e := &x.h.Effects[i]
		if e.Generation > 0 && x.counts(e) {
			step, did := e.Step, " processed "+string(e.Record)
			if e.Output != "" {
				did = " wrote " + e.Output
			}
			if e.Asked > 0 {
				step, did = e.Asked, " committed "+e.Output
			}
			words := e.Consumer + did + " in generation " + strconv.Itoa(e.Generation) + " " + inSteps(step)
			ps.do(officeKey(OwnerOffice, e.Application, e.TP), deed{officeOp{false, e.Generation, e.Consumer}, step, words, e.Record, e.TP, e.Offset})
		}
	}
}

func explainFenced(p *post) Evidence {
	for _, act := range p.deeds {
		if act.op.grant {
			continue
		}
		for _, g := range p.deeds {
			if !g.op.grant || g.step >= act.step || g.op.epoch <= act.op.epoch || g.op.holder == act.op.holder {
				continue
			}
			ev := Evidence{Partition: act.tp.String(), Offsets: []int64{act.offset}, Steps: decisive(g.step, act.step)}
			if act.record != "" {
				ev.Records = []RecordID{act.record}
			}
			ev.Sentence = g.words + ", and yet " + act.words + "."
			ev.Short = act.op.holder + ", a zombie since step " + strconv.Itoa(g.step) + ", acted in step " + strconv.Itoa(act.step)
			return ev
		}
	}
	return Evidence{}
}
