package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

func open(t testing.TB, o scenarios.Options) *Session {
	t.Helper()
	opened, err := scenarios.Open("../testdata/lost.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(opened, o, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The state at a moment is the same from wherever one comes to it.
func TestEveryMomentIsTheSameFromEverywhere(t *testing.T) {
	s := open(t, scenarios.Options{})
	var want []*State
	for i := range s.Len() {
		s.GoTo(i)
		want = append(want, s.State())
		if s.State().Step != s.Moment(i).Steps {
			t.Fatalf("at moment %d the run has taken %d steps, want %d", i, s.State().Step, s.Moment(i).Steps)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		i := r.IntN(s.Len())
		s.GoTo(i)
		if !reflect.DeepEqual(s.State(), want[i]) {
			t.Fatalf("moment %d differs when one jumps to it:\n%+v\n%+v", i, s.State(), want[i])
		}
	}
}

// A run that a source decides is carried out again by its answers, not by the source.
func TestADecidedRunIsTheSameEachTime(t *testing.T) {
	s := open(t, scenarios.Options{Source: &sim.Seeded{Seed: 7, Weights: sim.Weights{Late: 400_000}}, FaultModel: sim.FaultModel{Late: []sim.Time{3 * sim.Millisecond}}})
	if len(s.Answers()) == 0 {
		t.Fatal("nothing was decided")
	}
	for _, i := range []int{s.Len() - 1, 0, s.Len() / 2, s.Len() / 3} {
		s.GoTo(i) // panics if the number of steps differs
	}
	s.GoTo(s.Len() - 1)
	if got, want := s.run.World.Hash(), s.Result.Hash; got != want {
		t.Errorf("at its end the run has hash %016x, the first time it had %016x", got, want)
	}
}

// Going forward meets everything that is told, once.
func TestForwardMeetsEverythingOnce(t *testing.T) {
	s := open(t, scenarios.Options{})
	for _, unfold := range []bool{false, true} {
		s.Unfold(unfold)
		s.GoTo(0)
		told := 0
		for !s.AtEnd() {
			s.GoTo(s.Next())
			from, to := s.Steps()
			for k := from; k < to; k++ {
				if e := s.Story().Entries()[k]; e.Kind != story.Routine && e.Kind != story.StartUp {
					told++
				}
			}
		}
		want := 0
		for _, e := range s.Story().Entries() {
			if e.Kind != story.Routine && e.Kind != story.StartUp {
				want++
			}
		}
		if told != want {
			t.Errorf("unfolded %v: going forward meets %d steps that are told, the run has %d", unfold, told, want)
		}
	}
}

func TestFind(t *testing.T) {
	s := open(t, scenarios.Options{})
	for _, c := range []struct {
		where string
		want  func(Moment) bool
		fails string
	}{
		{where: "0", want: func(m Moment) bool { return m.Steps == 0 }},
		{where: "42", want: func(m Moment) bool { return m.Steps == 42 }},
		{where: "step 42", want: func(m Moment) bool { return m.Steps == 42 }},
		{where: "17ms", want: func(m Moment) bool { return m.Now <= 17*sim.Millisecond }},
		{where: "0.017s", want: func(m Moment) bool { return m.Now <= 17*sim.Millisecond }},
		{where: "end", want: func(m Moment) bool { return m.Steps == s.Total() }},
		{where: "act 1", want: func(m Moment) bool { return m.Script == 1 }},
		{where: "Act 2", want: func(m Moment) bool { return m.Script == 5 }},
		{where: "act 3", fails: "there is no act 3; the last one is 2"},
		{where: "act two", fails: "expected a number after act"},
		{where: "-1", fails: "there is no step -1"},
		{where: "99999", fails: "there is no step 99999; the last one is "},
		{where: "1.2.3ms", fails: "is no place in the run"},
		{where: "tomorrow", fails: "is no place in the run"},
	} {
		i, err := s.Find(c.where)
		switch {
		case err != nil && (c.fails == "" || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%q: %v, want %q", c.where, err, c.fails)
		case err == nil && c.fails != "":
			t.Errorf("%q leads to %+v, want an error", c.where, s.Moment(i))
		case err == nil && !c.want(s.Moment(i)):
			t.Errorf("%q leads to %+v", c.where, s.Moment(i))
		}
	}
	if i, _ := s.Find("17ms"); s.Moment(i+1).Now <= 17*sim.Millisecond {
		t.Errorf("17ms leads to a moment that is not the last one of that time")
	}
}

func TestTroublesAreStepsOfTheRun(t *testing.T) {
	s := open(t, scenarios.Options{})
	if len(s.Troubles()) == 0 {
		t.Fatal("a run that violates at-least-once has no step that proves it")
	}
	last := 0
	for _, x := range s.Troubles() {
		if x.Step < last || x.Step < 1 || x.Step > s.Total() || x.Sentence == "" {
			t.Errorf("trouble %+v after step %d", x, last)
		}
		last = x.Step
	}
}

func TestQuestions(t *testing.T) {
	s := open(t, scenarios.Options{})
	qs := s.Questions()
	if len(qs) != 1 || qs[0].Answer != "no" || qs[0].Known <= qs[0].Asked {
		t.Fatalf("questions %+v", qs)
	}
	if !qs[0].Right("no") || qs[0].Right("yes") {
		t.Error("no is right, yes is not")
	}
}

// generate writes a scenario whose run has about n steps: records in many sends.
func generate(sends, records int) []byte {
	var b strings.Builder
	fmt.Fprint(&b, `name: long
title: Many records, one after the other
kafka: "3.9"
topics:
  orders: {partitions: 3}
producers:
  p: {config: {acks: all}}
consumers:
  c: {topics: [orders], config: {auto.offset.reset: earliest}}
`)
	for i := range min(sends-1, 5) { // a file holds 10,000 records at most, so that more readers make the run longer
		fmt.Fprintf(&b, "  c%d: {topics: [orders], config: {auto.offset.reset: earliest}}\n", i+2)
	}
	fmt.Fprint(&b, "script:\n")
	for i := range sends {
		fmt.Fprintf(&b, "  - send: {count: %d, prefix: s%d-, every: 1ms}\n", records, i)
	}
	fmt.Fprint(&b, "claims: {at-least-once: holds}\n")
	return []byte(b.String())
}

func long(t testing.TB, steps int) *Session {
	t.Helper()
	src := generate(max(1, steps/10_000), min(steps/11, 930))
	f, problems := format.Load("long.yaml", src, scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s, err := Open(&scenarios.Opened{File: f, Path: "long.yaml", Source: src}, scenarios.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BenchmarkJump jumps to and fro in a long run: to a place behind the present one the run is carried out anew.
func BenchmarkJump(b *testing.B) {
	for _, steps := range []int{9_000, 100_000} {
		s := long(b, steps)
		for _, jump := range []struct {
			name string
			to   []int
		}{{"to-the-step-before-the-end", []int{s.Len() - 1, s.Len() - 2}}, {"anywhere", []int{s.Len() * 9 / 10, s.Len() / 7, s.Len() / 2, s.Len() * 2 / 3, 1}}} {
			b.Run(fmt.Sprintf("%d-steps/%s", s.Total(), jump.name), func(b *testing.B) {
				for i := range b.N {
					s.GoTo(jump.to[i%len(jump.to)])
				}
			})
		}
	}
}

// BenchmarkForward takes single steps forward.
func BenchmarkForward(b *testing.B) {
	s := long(b, 5_000)
	b.ResetTimer()
	for range b.N {
		if s.AtEnd() {
			s.GoTo(0)
		}
		s.GoTo(s.Next())
	}
}
