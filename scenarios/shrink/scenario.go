package shrink

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Scenario writes a case as a scenario that a person can edit: its decisions have become steps of the script,
// each tied to what happened just before it or, where nothing did, to a time. If that can not be done with the
// decisions where they are, each is tried a little earlier or later. The scenario has been run, and it fails in
// the same way. The error says plainly why a case can not be written so.
func (c *Case) Scenario(name string) ([]byte, error) {
	src, err := c.asScripted(name)
	if err == nil {
		return src, nil
	}
	const near = 6
	for i, d := range c.Decisions {
		all := c.around(d)
		for _, moved := range all[1:min(len(all), 1+near)] {
			list := slices.Clone(c.Decisions)
			list[i] = moved
			if next, _, ok := c.replay(newGuide(list, false)); ok && len(next.Decisions) == len(c.Decisions) {
				if src, err := next.asScripted(name); err == nil {
					return src, nil
				}
			}
		}
	}
	return nil, err
}

// asScripted is Scenario with the decisions where they are.
func (c *Case) asScripted(name string) ([]byte, error) {
	b := &builder{c: c, name: name}
	if err := b.timeline(); err != nil {
		return nil, err
	}
	for _, best := range b.choices() {
		if src, ok := b.build(best); ok {
			return b.readable(best, src), nil
		}
	}
	return nil, fmt.Errorf("no placing of the %d decisions as steps of a script leads to the same failure: it depends on the order of things at the same moment, which a script can not set", len(c.Decisions))
}

// builder tries to place decisions in a script.
type builder struct {
	c     *Case
	name  string
	items []item // script steps and decisions, in the order of the run
}

// item is a step of the script with the time of its action, or a decision with the places it may have.
type item struct {
	step   *format.Step
	at     sim.Time
	moved  bool // a decision stands before it: its wait must count from elsewhere
	why    string
	action format.Action
	places []place
}

// place is how a step is tied to the run.
type place struct {
	at   format.Duration
	when *format.When
}

// choices are the ways to place all decisions, best first: each tied to what happened, each at its time, and
// every mixture of the two if they are not too many.
func (b *builder) choices() [][]int {
	var counts []int
	for _, it := range b.items {
		if it.action != nil {
			counts = append(counts, len(it.places))
		}
	}
	all := [][]int{make([]int, len(counts))}
	last := make([]int, len(counts))
	for i, n := range counts {
		last[i] = n - 1
	}
	all = append(all, last)
	const most = 256
	odo := make([]int, len(counts))
	for len(all) < most {
		i := 0
		for ; i < len(odo); i++ {
			if odo[i]++; odo[i] < counts[i] {
				break
			}
			odo[i] = 0
		}
		if i == len(odo) {
			break
		}
		all = append(all, slices.Clone(odo))
	}
	return all
}

// readable puts conditions in the place of times, one decision after the other, as long as the failure stays.
func (b *builder) readable(choice []int, src []byte) []byte {
	for i := range choice {
		for better := range choice[i] {
			next := slices.Clone(choice)
			next[i] = better
			if text, ok := b.build(next); ok {
				choice, src = next, text
				break
			}
		}
	}
	return src
}

// build writes the scenario with the decisions placed, runs it, and reports whether it fails in the same way.
func (b *builder) build(choice []int) ([]byte, bool) {
	f := *b.c.Run.File
	f.Script, f.Compare = nil, nil
	f.Name.Text = b.name
	comments := map[int]string{}
	n := 0
	for i := range b.items {
		it := &b.items[i]
		if it.action == nil {
			st := *it.step
			if it.moved {
				st.At, st.After = duration(it.at), format.Duration{}
				comments[len(f.Script)] = fmt.Sprintf("In the run that was found the script came to this step at %s. It is held to that time, since a fault now stands before it.", st.At.Text)
			}
			f.Script = append(f.Script, st)
			continue
		}
		p := it.places[choice[n]]
		n++
		comments[len(f.Script)] = it.why
		f.Script = append(f.Script, format.Step{At: p.at, When: p.when, Do: it.action})
	}
	b.words(&f)
	r, ok := b.run(&f, comments)
	if !ok {
		return nil, false
	}
	e, shown := b.c.Failure.In(r)
	if !shown || r.Stopped() != "" || b.c.Also != nil && !b.c.Also(r) {
		return nil, false
	}
	f.Explain = text(e.Sentence)
	f.Claims = claimsOf(r)
	failed, _ := checker.RowOf(b.c.Failure.Claim)
	if name := (format.Name{Text: string(failed.Name)}); failed.OnlyAsked && !f.Asks(name.Text) {
		f.Claims = append(f.Claims, format.Claim{Name: name, Stated: []format.Stated{{Verdict: format.Violated}}}) // a run is asked for it by its file
	}
	if r, ok = b.run(&f, comments); !ok {
		return nil, false
	}
	if res := r.Result(); len(res.Differs) > 0 {
		return nil, false
	}
	return format.Write(&f, comments), true
}

func (b *builder) run(f *format.File, comments map[int]string) (*scenarios.Run, bool) {
	loaded, ok := load(b.name+".yaml", format.Write(f, comments))
	if !ok {
		return nil, false
	}
	r, err := scenarios.New(loaded, scenarios.Options{Planted: b.c.Options.Planted, Invariants: b.c.Options.Invariants})
	if err != nil {
		return nil, false
	}
	r.Finish()
	return r, true
}

// words gives the scenario what a reader looks for. Which statements it puts on trial, if any, is for people to say.
func (b *builder) words(f *format.File) {
	f.Title = text(fmt.Sprintf("%s with %d faults, under Kafka %s", b.c.Failure, len(b.c.Decisions), scenarios.Release(f.Kafka.Text)))
	if len(b.c.Decisions) == 1 {
		f.Title = text(fmt.Sprintf("%s with one fault, under Kafka %s", b.c.Failure, scenarios.Release(f.Kafka.Text)))
	}
	if f.Source.IsZero() {
		f.Source = text("found by a hunt in " + b.c.Run.File.Name.Text)
	}
}

func text(s string) format.Text { return format.Text{Parts: []format.TextPart{{Text: s}}} }

// claimsOf states the verdicts that a run came to.
func claimsOf(r *scenarios.Run) format.Claims {
	report := r.Report()
	var all format.Claims
	for _, name := range format.ClaimNames() {
		c := format.Claim{Name: format.Name{Text: name}}
		log, ok := report.Find(checker.Claim(name), checker.AtLog)
		app, alsoApp := report.Find(checker.Claim(name), checker.AtApplication)
		add := func(l format.Level, v checker.Ruling) {
			c.Stated = append(c.Stated, format.Stated{Level: l, Verdict: format.Verdict(v)})
		}
		always := slices.Contains(checker.Famous(), checker.Claim(name))
		stated := func(v checker.Verdict, judged bool) bool {
			return judged && !v.NotObserved && (always || v.Ruling == checker.Violated)
		}
		switch {
		case format.StatedOnce(name):
			if v, judged := report.Overall(checker.Claim(name)); judged && v == checker.Violated {
				add("", v)
			}
		default:
			if stated(log, ok) {
				add(format.AtLog, log.Ruling)
			}
			if stated(app, alsoApp) {
				add(format.AtApp, app.Ruling)
			}
		}
		if len(c.Stated) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// duration spells a moment or a length of time: 3s, 19ms, 10.5ms.
func duration(t sim.Time) format.Duration {
	text := strconv.FormatInt(int64(t/sim.Second), 10) + "s"
	switch {
	case t%sim.Second == 0:
	case t%sim.Millisecond == 0:
		text = strconv.FormatInt(int64(t/sim.Millisecond), 10) + "ms"
	default:
		text = strconv.FormatInt(int64(t), 10) + "us"
	}
	return format.Duration{Duration: time.Duration(t) * time.Microsecond, Text: text}
}

// around lists a decision and the same at other places, the nearest first.
func (c *Case) around(d Decision) []Decision {
	all := []Decision{d}
	occasions, _ := c.occasions(nil)
	for _, o := range occasions {
		if o.ID == d.ID && o.Step != d.Step {
			all = append(all, o)
		}
	}
	distance := func(o Decision) int { return max(o.Step-d.Step, d.Step-o.Step) }
	slices.SortStableFunc(all, func(a, b Decision) int { return distance(a) - distance(b) })
	return all
}
