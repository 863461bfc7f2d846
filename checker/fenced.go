package checker

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

// officeOp is the passing of an office, or an act of somebody who claims to hold it.
type officeOp struct {
	grant bool
	// tenure is the place of the tenure that begins, or in which the actor held the office under the epoch that he names:
	// from 1, and none if he never did.
	tenure int
}

// none is the tenure of an act under an epoch that its actor was never given.
const none = -1

// officeModel lets only him act who holds the office, under an epoch of his present tenure. A tenure is the time in which
// an office is one process's without interruption: who has been given it again may act under an older epoch, for he
// merely has not heard of his own renewal; if another held it in between, he may not. Before the office was given to
// anybody nobody can be shut out of it. The state is the tenure that the office is in.
func officeModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, _ any) (bool, any) {
			now, op := state.(int), input.(officeOp)
			if op.grant {
				return op.tenure == now+1, op.tenure
			}
			return now == 0 || op.tenure == now, now
		},
	}
}

// holder is a process that holds an office. The life is 0 if it is not known, or makes no difference.
type holder struct {
	name string
	life int
}

func (a holder) is(b holder) bool {
	return a.name == b.name && (a.life == b.life || a.life == 0 || b.life == 0)
}

func (a holder) String() string {
	if a.life > 1 {
		return a.name + " (after restart " + strconv.Itoa(a.life-1) + ")"
	}
	return a.name
}

// tenure is an uninterrupted time in office: from the grant to another holder's.
type tenure struct {
	holder
	since     int // the first epoch
	call, ret int // of the grant that begins it
	told      int // the step that words name
	grant     *Grant
}

// words say that the office was given to the one who has it.
func (t *tenure) words() string {
	did := " was given " + t.grant.TP.String() + " in generation "
	switch t.grant.Office {
	case ProducerOffice:
		did = " was given " + t.grant.Name + " with producer epoch "
	case LeaderOffice:
		did = " became leader of " + t.grant.TP.String() + " in epoch "
	}
	return t.holder.String() + did + strconv.Itoa(t.grant.Epoch) + " " + inSteps(t.told)
}

// deed is an act in the name of an office, with the words for it: most are never asked for.
type deed struct {
	holder
	epoch  int
	step   int
	words  func() string
	record RecordID
	tp     TopicPartition
	offset int64
}

// post is one office with all that was done in its name.
type post struct {
	office  Office
	name    string
	tenures []tenure
	deeds   []deed
}

// posts lists the offices in the order in which they were first granted.
type posts struct {
	order []*post
	byKey map[postKey]*post
}

type postKey struct {
	office Office
	name   string
	tp     TopicPartition
}

// do adds a deed to an office that was granted at some time; what nobody was granted, nobody can be fenced from.
func (ps *posts) do(key postKey, d deed) {
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
	ps := x.grantedPosts(l)
	if l == AtLog {
		x.logDeeds(ps)
	} else {
		x.appDeeds(ps)
	}
	parts := make([]part, len(ps.order))
	deeds := make([][]int, len(ps.order))
	for i, p := range ps.order {
		parts[i], deeds[i] = p.line()
	}
	if bad := x.illegal(officeModel(), parts); len(bad) > 0 {
		p := ps.order[bad[0]]
		v.Ruling = Violated
		v.Evidence = p.explain(parts[bad[0]], deeds[bad[0]])
	}
	return v
}

// line puts the passing of an office and the acts in its name into the one order that is to be tried. A grant has the
// interval from where it was given to where its holder hears of it, an act the step in which it took effect: the request
// of a zombie may have been under way for long. whose gives for each operation the place of its deed, -1 for a grant.
//
// No order is missed. The grants of an office come in the order of their epochs, and each has passed at the latest when
// a later one has. An act is legal in one tenure alone, so where two grants could come is settled by the acts: a grant is
// put as late as it can, which is when it is over, or before the first act that needs it. To put it earlier could only
// make an act illegal that belongs to the tenure before; and acts of one step are sorted by their tenures, for they
// change nothing.
func (p *post) line() (pt part, whose []int) {
	pt = part{name: p.name, line: true}
	type act struct{ deed, tenure, step int }
	acts := make([]act, len(p.deeds))
	for i := range p.deeds {
		acts[i] = act{i, p.tenureOf(&p.deeds[i]), p.deeds[i].step}
	}
	slices.SortStableFunc(acts, func(a, b act) int { return cmp.Or(a.step-b.step, a.tenure-b.tenure) })
	now := 0
	pass := func() {
		t := &p.tenures[now]
		now++
		pt.ops = append(pt.ops, interval(t.call, t.ret, officeOp{true, now}))
		whose = append(whose, -1)
	}
	for _, a := range acts {
		for now < len(p.tenures) {
			if t := &p.tenures[now]; t.ret >= a.step && (now == 0 || a.tenure <= now || t.call > a.step) {
				break
			}
			pass()
		}
		pt.ops = append(pt.ops, instant(a.step, officeOp{false, a.tenure}))
		whose = append(whose, a.deed)
	}
	for now < len(p.tenures) {
		pass()
	}
	return pt, whose
}

// tenureOf is the place, from 1, of the tenure that an epoch belongs to, if the office was the actor's then.
func (p *post) tenureOf(d *deed) int {
	i, _ := slices.BinarySearchFunc(p.tenures, d.epoch+1, func(t tenure, epoch int) int { return t.since - epoch })
	for k := i; k > 0 && p.tenures[k-1].since == p.tenures[i-1].since; k-- { // more than one if an epoch was given twice
		if p.tenures[k-1].is(d.holder) {
			return k
		}
	}
	return none
}

// grantedPosts lists the offices and their tenures. A partition of a group passes for the coordinator, who accepts
// commits, in the step in which it gives it away; for the applications it is under way until the new owner hears of it,
// and one who never does has never come into office.
func (x *index) grantedPosts(l Level) *posts {
	ps := &posts{byKey: map[postKey]*post{}}
	terms := x.terms()
	for i := range x.h.Grants {
		g := &x.h.Grants[i]
		t := tenure{holder: holder{g.Holder, g.Incarnation}, since: g.Epoch, call: cmp.Or(g.Call, g.Step), ret: g.Step, grant: g}
		if g.Office == OwnerOffice && l == AtLog {
			t.ret = t.call
		}
		if t.ret == 0 {
			continue
		}
		if g.Office == ProducerOffice {
			t.since = terms[term{g.Name, g.ProducerID}] + g.Epoch
		}
		t.told = t.ret
		key := postKey{g.Office, g.Name, g.TP}
		if ps.byKey[key] == nil {
			p := &post{office: g.Office, name: g.Name}
			ps.byKey[key] = p
			ps.order = append(ps.order, p)
		}
		ps.byKey[key].tenures = append(ps.byKey[key].tenures, t)
	}
	for _, p := range ps.order {
		p.settle()
	}
	return ps
}

// settle puts the grants of an office in the order of their epochs and makes tenures of them.
func (p *post) settle() {
	slices.SortStableFunc(p.tenures, func(a, b tenure) int { return cmp.Or(a.since-b.since, a.ret-b.ret) })
	kept := p.tenures[:0]
	for _, t := range p.tenures {
		if n := len(kept); n > 0 && kept[n-1].is(t.holder) {
			if has := &kept[n-1]; t.ret < has.ret { // a renewal: who has heard of it holds the office
				has.ret, has.told, has.grant = t.ret, t.ret, t.grant
			}
			continue
		}
		kept = append(kept, t)
	}
	p.tenures = kept
	for i := len(kept) - 1; i >= 0; i-- {
		if i+1 < len(kept) {
			kept[i].ret = min(kept[i].ret, kept[i+1].ret)
		}
		kept[i].call = min(kept[i].call, kept[i].ret)
	}
}

// term is a transactional.id under one producer id.
type term struct {
	name       string
	producerID int64
}

// terms orders the epochs of a transactional.id over its producer ids: those of one that was given later come after all
// of one that was given before. A producer's epoch has 15 bits.
func (x *index) terms() map[term]int {
	if x.officeTerms == nil {
		x.officeTerms = make(map[term]int)
		given := make(map[string]int)
		for i := range x.h.Grants {
			g := &x.h.Grants[i]
			if t := (term{g.Name, g.ProducerID}); g.Office == ProducerOffice {
				if _, old := x.officeTerms[t]; !old {
					x.officeTerms[t] = given[g.Name] << 15
					given[g.Name]++
				}
			}
		}
	}
	return x.officeTerms
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
		ps.commitDeed(c.Group, holder{c.Consumer, c.Incarnation}, c.Generation, c.TP, c.Offset, cmp.Or(c.Written, c.Applied, c.Step), "")
	}
	for i := range x.h.Txns {
		for _, o := range x.h.Txns[i].Offsets {
			if o.Applied {
				ps.commitDeed(o.Group, holder{o.Consumer, o.Incarnation}, o.Generation, o.TP, o.Offset, cmp.Or(o.Written, o.Step), "in a transaction ")
			}
		}
	}
}

// commitDeed is a commit of a position that a coordinator accepted in a step.
func (ps *posts) commitDeed(group string, by holder, generation int, tp TopicPartition, offset int64, step int, how string) {
	if generation > 0 {
		words := func() string {
			return by.String() + " committed offset " + strconv.FormatInt(offset, 10) + " " + how + "in generation " + strconv.Itoa(generation) + " " + inSteps(step)
		}
		ps.do(postKey{OwnerOffice, group, tp}, deed{holder: by, epoch: generation, step: step, words: words, tp: tp, offset: offset})
	}
}

func (x *index) entryDeeds(ps *posts, tp TopicPartition, e Entry) {
	if e.Control {
		return
	}
	words := func(who, under string, epoch int) func() string {
		return func() string {
			return who + " appended " + string(e.Record) + under + strconv.Itoa(epoch) + " " + atOffsets(e.Offset) + " of " + tp.String() + " " + inSteps(e.Step)
		}
	}
	if s := x.bySub[e.Submission]; s != nil && s.TransactionalID != "" && e.inEffect() {
		by := holder{s.Producer, s.Incarnation}
		epoch := x.terms()[term{s.TransactionalID, s.ProducerID}] + s.ProducerEpoch
		ps.do(postKey{office: ProducerOffice, name: s.TransactionalID}, deed{by, epoch, e.Step,
			words(by.String(), " with producer epoch ", s.ProducerEpoch), e.Record, tp, e.Offset})
	}
	for _, a := range x.appended[e.Submission] {
		if a.AsLeader && a.TP == tp && a.Offset == e.Offset && a.Epoch == e.Epoch {
			by := holder{name: broker(a.Broker)}
			ps.do(postKey{office: LeaderOffice, tp: tp}, deed{by, a.Epoch, a.Step, words(by.name, " in epoch ", a.Epoch), e.Record, tp, e.Offset})
		}
	}
}

// appDeeds adds what applications processed under a generation.
func (x *index) appDeeds(ps *posts) {
	for i := range x.h.Effects {
		e := &x.h.Effects[i]
		if e.Generation > 0 && x.counts(e) {
			by, step := holder{e.Consumer, e.Incarnation}, cmp.Or(e.Asked, e.Step)
			words := func() string {
				did := " processed " + string(e.Record)
				if e.Output != "" {
					did = " wrote " + e.Output
				}
				if e.Asked > 0 {
					did = " committed " + e.Output
				}
				return by.String() + did + " in generation " + strconv.Itoa(e.Generation) + " " + inSteps(step)
			}
			ps.do(postKey{OwnerOffice, e.Application, e.TP}, deed{by, e.Generation, step, words, e.Record, e.TP, e.Offset})
		}
	}
}

// explain names the first act that porcupine found no place for, and who had the office since: the first after the actor
// that had been told, or whoever has it if the actor never had.
func (p *post) explain(pt part, whose []int) Evidence {
	wrong, _ := fault(officeModel(), pt.ops)
	if whose[wrong] < 0 {
		return Evidence{Sentence: p.tenures[pt.ops[wrong].Input.(officeOp).tenure-1].words() + ", out of turn."}
	}
	act, own := &p.deeds[whose[wrong]], pt.ops[wrong].Input.(officeOp).tenure
	now := 0
	for _, i := range whose[:wrong] {
		if i < 0 {
			now++
		}
	}
	since := &p.tenures[max(now, 1)-1]
	for i := own; own > 0 && i < now; i++ {
		if p.tenures[i].told <= act.step {
			since = &p.tenures[i]
			break
		}
	}
	ev := Evidence{Partition: act.tp.String(), Offsets: []int64{act.offset}, Steps: decisive(since.told, act.step)}
	if act.record != "" {
		ev.Records = []RecordID{act.record}
	}
	ev.Sentence = since.words() + ", and yet " + act.words()
	ev.Short = act.holder.String() + ", a zombie since step " + strconv.Itoa(since.told) + ", acted in step " + strconv.Itoa(act.step)
	if since.name == act.name && act.life < since.life {
		ev.Sentence += ", by a request of an earlier process"
		ev.Short = "an earlier process of " + act.name + ", a zombie since step " + strconv.Itoa(since.told) + ", acted in step " + strconv.Itoa(act.step)
	}
	ev.Sentence += "."
	return ev
}
