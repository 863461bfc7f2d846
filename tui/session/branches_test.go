package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// calm gives the calm scenario, at a moment of which the words tell.
func calm(t *testing.T, words string) *Branches {
	t.Helper()
	opened, err := scenarios.Open("calm")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(opened, scenarios.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	s.GoTo(0)
	i, ok := s.Search(words, false)
	if !ok {
		t.Fatalf("the run does not tell of %q", words)
	}
	s.GoTo(i)
	return NewBranches(s)
}

func choices(t *testing.T, b *Branches) *Choices {
	t.Helper()
	c, err := b.Here().S.Choices()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// takeID takes the choice whose ID begins so.
func takeID(t *testing.T, b *Branches, id string) (begun bool) {
	t.Helper()
	c := choices(t, b)
	i := slices.IndexFunc(c.All, func(c Choice) bool { return strings.HasPrefix(c.ID, id) })
	if i < 0 {
		var ids []string
		for _, x := range c.All {
			ids = append(ids, x.ID)
		}
		t.Fatalf("there is no choice %q among\n%s", id, strings.Join(ids, "\n"))
	}
	begun, err := b.Take(c, i)
	if err != nil {
		t.Fatal(err)
	}
	return begun
}

// replayed writes the run to a file, opens the file and replays it strictly.
func replayed(t *testing.T, s *Session) *scenarios.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "branch.answers")
	if err := os.WriteFile(path, []byte(s.Record(path).Text()), 0o644); err != nil {
		t.Fatal(err)
	}
	o, err := scenarios.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var opts scenarios.Options
	if err := opts.Follow(o.File, o.Answers); err != nil {
		t.Fatal(err)
	}
	replay := &sim.Replay{Answers: o.Answers.List}
	opts.Source = replay
	r, err := scenarios.New(o.File, opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if r.Err() != nil || len(replay.Unused()) > 0 {
		t.Errorf("%v; %d answers are not used", r.Err(), len(replay.Unused()))
	}
	return r
}

// Whatever is on the list can be taken: the run then differs where it was chosen, goes on to its end, and is
// the same run when its file is replayed.
func TestEveryChoiceCanBeTaken(t *testing.T) {
	b := calm(t, "appends m2")
	main := b.Here().S
	c := choices(t, b)
	for !slices.ContainsFunc(c.All, func(c Choice) bool { return c.Group == OutOfTurn }) {
		main.GoTo(main.At() + 1)
		c = choices(t, b)
	}
	ops := map[sim.Op]bool{}
	groups := map[Group]int{}
	for i, ch := range c.All {
		groups[ch.Group]++
		if ch.Text == "" || strings.HasSuffix(ch.Text, ".") || strings.Contains(ch.Text, "  ") {
			t.Errorf("%s is told as %q", ch.ID, ch.Text)
		}
		if ops[ch.Op] {
			continue
		}
		ops[ch.Op] = true
		b.Go(0)
		begun, err := b.Take(c, i)
		if err != nil {
			t.Errorf("%s: %v", ch.ID, err)
			continue
		}
		if begun != (i > 0) {
			t.Errorf("%s: a branch begins: %v", ch.ID, begun)
		}
		if i == 0 {
			main.GoTo(main.OfStep(c.Moment.Steps))
			continue
		}
		s := b.Here().S
		last := s.answers[len(s.answers)-1]
		if len(s.answers) != 1 || last.ID != ch.ID || last.Step != c.point.Step {
			t.Errorf("%s: the answers are %v", ch.ID, s.answers)
		}
		if got := s.Here().Steps; got != c.point.Step+1 {
			t.Errorf("%s: the branch stands at step %d, want %d", ch.ID, got, c.point.Step+1)
		}
		if r := replayed(t, s); r.World.Hash() != s.Result.Hash {
			t.Errorf("%s: the file leads to another run", ch.ID)
		}
	}
	for g := range NumGroups {
		if (groups[g] == 0) != (g == Unflushed) {
			t.Errorf("%d choices in group %d", groups[g], g)
		}
	}
	if groups[ByItself] != 1 || c.All[0].Group != ByItself {
		t.Error("the calm choice is not the first of its own group")
	}
}

// A failure built by hand: the leader is alone with a record, and dies.
func TestAFailureBuiltInteractive(t *testing.T) {
	b := calm(t, "appends m1")
	first := b.Here().S
	if !takeID(t, b, "disk-loss b1") {
		t.Error("a choice in the run itself begins no branch")
	}
	if b.At() != 1 || b.Here().Name != "branch 1" || b.Here().Parent != 0 || b.Here().Step != first.Here().Steps {
		t.Errorf("the branch is %+v", b.Here())
	}
	if takeID(t, b, "restart b1") {
		t.Error("a choice at the end of a branch's decisions begins another branch")
	}
	s := b.Here().S
	if got := b.Here().Chosen(); len(got) != 2 || got[0].ID != "disk-loss b1" || got[1].ID != "restart b1" {
		t.Errorf("chosen: %v", got)
	}
	if r := replayed(t, s); r.World.Hash() != s.Result.Hash || r.World.Steps() != s.Total() {
		t.Error("the file of the branch leads to another run")
	}
	if first.Total() == s.Total() || len(first.answers) != 0 {
		t.Error("the run itself has changed")
	}

	// Before the last decision another one drops it, so that a branch begins.
	s.GoTo(s.OfStep(s.answers[1].Step))
	if !takeID(t, b, "cut k1>b2") {
		t.Error("a choice that drops another one begins no branch")
	}
	if got := b.Here(); got.Parent != 1 || len(got.Chosen()) != 1 || len(got.S.answers) != 2 || b.All[1].S != s {
		t.Errorf("the branch is %+v", got)
	}
	b.Go(1)
	s.GoTo(s.OfStep(s.answers[1].Step))
	if takeID(t, b, "restart b1") || b.At() != 1 || b.Here().S != s {
		t.Error("to choose what the run does anyway is no new run")
	}
	if s.Here().Steps != s.answers[1].Step+1 {
		t.Errorf("it stands at step %d, want %d", s.Here().Steps, s.answers[1].Step+1)
	}
	s.GoTo(s.OfStep(s.answers[1].Step))
	c := choices(t, b)
	if begun, err := b.Take(c, 0); err != nil || !begun || len(b.Here().S.answers) != 1 {
		t.Errorf("to choose the calm answer where another was given: begun %v, %v", begun, err)
	}
}

func TestForkAndBack(t *testing.T) {
	b := calm(t, "appends m1")
	if b.Back() {
		t.Error("there is only one run, and it goes back")
	}
	takeID(t, b, "kill b1")
	at := b.Here().S.At()
	takeID(t, b, "restart b1")
	b.Here().S.GoTo(at)
	if err := b.Fork(" what  if "); err != nil {
		t.Fatal(err)
	}
	f := b.Here()
	if f.Name != "what if" || f.Parent != 1 || len(f.S.answers) != 1 || len(f.Chosen()) != 0 || f.S.Here().Steps != f.Step {
		t.Errorf("the fork is %+v with %d answers", f, len(f.S.answers))
	}
	if err := b.Fork("What if"); err == nil || b.At() != 2 {
		t.Error("two branches of one name")
	}
	if err := b.Fork("  "); err == nil {
		t.Error("a branch without a name")
	}
	b.Back()
	if b.At() != 1 {
		t.Errorf("back leads to %d, want 1", b.At())
	}
	b.Back()
	if b.At() != 2 {
		t.Errorf("back again leads to %d, want 2", b.At())
	}
	if got := b.NextName(); got != "branch 3" {
		t.Errorf("the next name is %q", got)
	}
}

// How much of what was not flushed survives a loss of power is chosen file by file.
func TestWhatSurvivesAPowerLossIsChosen(t *testing.T) {
	b := calm(t, "processes m4")
	takeID(t, b, "power-loss b1")
	files := 0
	for {
		c := choices(t, b)
		if c.All[0].Group != Unflushed {
			break
		}
		files++
		if files > 9 {
			t.Fatal("there is no end to the files")
		}
		if c.All[0].Op != sim.OpKeep || !strings.Contains(c.All[0].Text, "all of it survives") {
			t.Errorf("the calm choice is %q", c.All[0].Text)
		}
		last := c.All[len(c.All)-1]
		if !strings.Contains(last.Text, "only what was flushed survives") {
			t.Errorf("the last choice is %q", last.Text)
		}
		if begun, err := b.Take(c, len(c.All)-1); err != nil || begun {
			t.Fatalf("begun %v, %v", begun, err)
		}
	}
	if files < 2 {
		t.Errorf("%d files were at risk, want orders-0 and __consumer_offsets-0", files)
	}
	s := b.Here().S
	if got := len(b.Here().Chosen()); got != files+1 {
		t.Errorf("%d decisions, want %d", got, files+1)
	}
	for _, p := range s.State().Partitions {
		if r := p.Replica(1); r != nil && r.End != r.Flushed {
			t.Errorf("%v: broker 1 has a log up to %d, flushed is %d", p.TP, r.End, r.Flushed)
		}
	}
	if r := replayed(t, s); r.World.Hash() != s.Result.Hash {
		t.Error("the file of the branch leads to another run")
	}
}

// Where everything is mended nothing can be chosen, and the list says so; where the script acts first, it says
// that too.
func TestWhereTheListHasANote(t *testing.T) {
	b := calm(t, "appends m1")
	s := b.Here().S
	for _, c := range []struct {
		moment int
		note   string
		some   bool
	}{{s.Begin(), "First the script goes on with its steps 1 to 2 (lines 17 to 22 of the file)", true}, {s.Begin() + 4, "", true}, {0, "", true},
		{s.Len() - 1, "The run is over", false}, {s.ending, "the run comes to rest", false}, {s.ending - 1, "everything is mended next", false}} {
		s.GoTo(c.moment)
		got := choices(t, b)
		if len(got.All) > 1 != c.some || !strings.Contains(got.Note, c.note) || c.note == "" && got.Note != "" {
			t.Errorf("at moment %d: %d choices, %q; want %q", c.moment, len(got.All), got.Note, c.note)
		}
	}
	s.GoTo(s.Begin())
	takeID(t, b, "kill b1")
	n := b.Here().S
	k := n.Here().Steps - 1
	if n.Words(k) == s.Words(k) || !strings.Contains(n.Words(k), "b1 crashes") || n.Moment(n.At()-1).Script != 2 {
		t.Errorf("after the script's first step comes %q", n.Words(k))
	}
}

// A run that was decided by others can be taken further by hand.
func TestChoicesAfterAnswersOfAnotherFaultModel(t *testing.T) {
	opened, err := scenarios.Open("calm")
	if err != nil {
		t.Fatal(err)
	}
	o := scenarios.Options{Source: &sim.Seeded{Seed: 3, Weights: sim.Weights{Late: 300_000, Fault: 3_000}},
		FaultModel: sim.FaultModel{Late: []sim.Time{3 * sim.Millisecond}, Node: sim.CanPause, Budget: 2, Among: []string{"b2"}}}
	s, err := Open(opened, o, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Answers()) < 5 {
		t.Fatalf("%d answers", len(s.Answers()))
	}
	s.GoTo(s.ending / 2)
	b := NewBranches(s)
	c := choices(t, b)
	if len(c.prefix) == 0 || len(c.prefix) < len(s.run.Answers()) || c.point.Kind != sim.Next {
		t.Errorf("%d answers come before the choice, %d before the moment", len(c.prefix), len(s.run.Answers()))
	}
	takeID(t, b, "kill b1")
	n := b.Here().S
	if len(n.answers) != len(c.prefix)+1 {
		t.Errorf("%d answers, want %d and one more", len(n.answers), len(c.prefix))
	}
	if r := replayed(t, n); r.World.Hash() != n.Result.Hash {
		t.Error("the file of the branch leads to another run")
	}
	for k := range s.moments[s.at].Steps {
		if s.Words(k) != n.Words(k) {
			t.Fatalf("step %d is %q in the run and %q in the branch", k+1, s.Words(k), n.Words(k))
		}
	}
}
