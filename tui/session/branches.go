package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Branch is a run that a person has begun from a moment of another one.
type Branch struct {
	Name   string
	Parent int // place of the run it was begun from, -1 for the run that was opened
	Step   int // of that run, after which this one goes its own way
	S      *Session
	own    int // how many of its answers it had when it was begun
}

// Chosen lists what was decided in this branch itself, in order.
func (b *Branch) Chosen() []sim.Answer {
	return b.S.answers[min(b.own, len(b.S.answers)):]
}

// Branches is a run and everything that was begun from it. One of them is looked at.
type Branches struct {
	All []*Branch // the run that was opened comes first
	at  int
	was int // the one looked at before
}

// NewBranches begins with a run.
func NewBranches(s *Session) *Branches {
	return &Branches{All: []*Branch{{Name: "the run itself", Parent: -1, S: s}}}
}

// Here is the branch that is looked at, At its place.
func (t *Branches) Here() *Branch { return t.All[t.at] }

// At is the place of the branch that is looked at; 0 is the run that was opened.
func (t *Branches) At() int { return t.at }

// Go looks at another branch.
func (t *Branches) Go(i int) {
	if i != t.at {
		t.at, t.was = i, t.at
	}
}

// Before is the place of the branch that was looked at before.
func (t *Branches) Before() int { return t.was }

// Back looks at the branch that was looked at before, as "cd -" does. It reports false if there is only one.
func (t *Branches) Back() bool {
	if len(t.All) == 1 {
		return false
	}
	t.at, t.was = t.was, t.at
	return true
}

// NextName is the name that a new branch gets if nobody names it.
func (t *Branches) NextName() string {
	for n := len(t.All); ; n++ {
		name := fmt.Sprintf("branch %d", n)
		if t.named(name) < 0 {
			return name
		}
	}
}

func (t *Branches) named(name string) int {
	return slices.IndexFunc(t.All, func(b *Branch) bool { return strings.EqualFold(b.Name, name) })
}

// Fork begins a branch at the moment looked at: it has the decisions up to there, and none after. It is
// looked at from then on.
func (t *Branches) Fork(name string) error {
	name = strings.Join(strings.Fields(name), " ")
	switch {
	case name == "":
		return errors.New("a branch needs a name")
	case t.named(name) >= 0:
		return fmt.Errorf("there is a branch %q already", name)
	}
	s := t.Here().S
	answers := slices.Clone(s.run.Answers())
	return t.begin(name, answers, len(answers), s.at, s.Here().calls)
}

// Take lets a choice happen: the run goes the same way up to there, takes the choice, and then goes on calmly.
// In a branch in which nothing was decided after this moment, the choice is added to it; elsewhere it begins a
// branch, so that nothing is ever lost. begun says that it did.
func (t *Branches) Take(c *Choices, i int) (begun bool, err error) {
	s := t.Here().S
	begins, changes := t.Effect(c, i)
	if !changes {
		s.GoTo(s.ofCall(c.calls + 1))
		return false, nil
	}
	a, decided := c.answer(i)
	answers := slices.Clone(c.prefix)
	if decided {
		answers = append(answers, a)
	}
	if !begins {
		return false, t.extend(answers, c.calls+1)
	}
	return true, t.begin(t.NextName(), answers, len(c.prefix), s.at, c.calls+1)
}

// Effect says what it would be to take a choice: whether it would begin a branch, and whether it would change
// the run at all.
func (t *Branches) Effect(c *Choices, i int) (begins, changes bool) {
	s := t.Here().S
	a, decided := c.answer(i)
	if s.answersNext(c, a, decided) {
		return false, false
	}
	return t.at == 0 || len(s.answers) > len(c.prefix), true
}

// answersNext says that the run itself answers this decision so.
func (s *Session) answersNext(c *Choices, a sim.Answer, decided bool) bool {
	if n := len(c.prefix); n < len(s.answers) {
		if next := s.answers[n]; next.Step == a.Step && next.Kind == a.Kind && next.Before == a.Before {
			return decided && next.ID == a.ID
		}
	}
	return !decided
}

// begin adds a branch that follows answers, and stands in it behind a decision.
func (t *Branches) begin(name string, answers []sim.Answer, own, moment, calls int) error {
	parent := t.Here().S
	s, err := parent.branch(answers)
	if err != nil {
		return err
	}
	s.GoTo(s.ofCall(calls))
	t.All = append(t.All, &Branch{Name: name, Parent: t.at, Step: parent.moments[moment].Steps, S: s, own: own})
	t.Go(len(t.All) - 1)
	return nil
}

// extend replaces the run of the present branch by one with another decision at its end.
func (t *Branches) extend(answers []sim.Answer, calls int) error {
	s, err := t.Here().S.branch(answers)
	if err != nil {
		return err
	}
	s.GoTo(s.ofCall(calls))
	t.Here().S = s
	return nil
}

// branch carries out the same scenario by other answers, with every decision open to a person.
func (s *Session) branch(answers []sim.Answer) (*Session, error) {
	o := s.Options
	o.FaultModel = scenarios.Interactive(s.Options.FaultModel)
	replay := &sim.Replay{Answers: answers, ByName: true}
	o.Source = replay
	n, err := Open(s.Opened, o, s.lang)
	if err != nil {
		return nil, err
	}
	if err := n.final.Err(); err != nil {
		return nil, err
	}
	if left := replay.Unused(); len(left) > 0 {
		return nil, fmt.Errorf("the run ends before the decision of step %d (%s)", left[0].Step+1, left[0].ID)
	}
	if s.unfold {
		n.Unfold(true)
	}
	return n, nil
}

// ofCall is the first moment behind so many decisions.
func (s *Session) ofCall(calls int) int {
	for i := range s.moments {
		if s.moments[i].calls >= calls {
			return i
		}
	}
	return len(s.moments) - 1
}

// Record gives the answers file of the run, to be written to a path.
func (s *Session) Record(path string) *sim.Answers { return s.Opened.Record(path, s.final, s.Options) }
