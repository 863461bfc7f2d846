package session

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// Begin is the moment before the script's first step: the cluster has come up.
func (s *Session) Begin() int {
	for i := range s.moments {
		if s.moments[i].Script > 0 {
			return i - 1
		}
	}
	return 0
}

// Next is the stop after the moment looked at, Prev the one before it; they stay at the ends.
func (s *Session) Next() int {
	list := s.stopList()
	k := sort.SearchInts(list, s.at+1)
	if k == len(list) {
		return len(s.moments) - 1
	}
	return list[k]
}

// Prev is the stop before.
func (s *Session) Prev() int { return s.stopBefore(s.at) }

// OfStep is the moment at which step n (from 1) has just been taken.
func (s *Session) OfStep(n int) int {
	i := sort.Search(len(s.moments), func(i int) bool { return s.moments[i].Steps >= n })
	return min(i, len(s.moments)-1)
}

// OfTime is the last moment at or before a time.
func (s *Session) OfTime(t sim.Time) int {
	i := sort.Search(len(s.moments), func(i int) bool { return s.moments[i].Now > t })
	return max(0, i-1)
}

// Acts is the number of chapters. OfAct is the moment at which chapter k (from 1) begins.
func (s *Session) Acts() int { return len(s.acts) }

// OfAct is the moment at which act k begins, from 1; ok is false if there is no such act.
func (s *Session) OfAct(k int) (i int, ok bool) {
	if k < 1 || k > len(s.acts) {
		return 0, false
	}
	return s.acts[k-1], true
}

// Act is the chapter that is on at the moment looked at, 0 before the first, and its title.
func (s *Session) Act() (k int, title string) {
	k = sort.SearchInts(s.acts, s.at+1)
	if k == 0 {
		return 0, ""
	}
	return k, s.title(s.acts[k-1])
}

// Find understands what a person types to name a moment: a step ("42"), a time ("120ms", "1.5s"), an act
// ("act 2"), "start", "begin" or "end".
func (s *Session) Find(where string) (int, error) {
	where = strings.TrimSpace(strings.ToLower(where))
	switch where {
	case "start":
		return 0, nil
	case "begin", "":
		return s.Begin(), nil
	case "end":
		return len(s.moments) - 1, nil
	}
	if rest, ok := strings.CutPrefix(where, "act"); ok {
		k, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil {
			return 0, fmt.Errorf("%q: expected a number after act", where)
		}
		i, ok := s.OfAct(k)
		if !ok {
			if len(s.acts) == 0 {
				return 0, fmt.Errorf("this scenario has no acts")
			}
			return 0, fmt.Errorf("there is no act %d; the last one is %d", k, len(s.acts))
		}
		return i, nil
	}
	where = strings.TrimSpace(strings.TrimPrefix(where, "step"))
	if n, err := strconv.Atoi(where); err == nil {
		if n < 0 || n > s.Total() {
			return 0, fmt.Errorf("there is no step %d; the last one is %d", n, s.Total())
		}
		return s.OfStep(n), nil
	}
	if t, ok := parseTime(where); ok {
		return s.OfTime(t), nil
	}
	return 0, fmt.Errorf("%q is no place in the run; expected 42, 120ms, act 2, start or end", where)
}

// parseTime reads a number with a unit.
func parseTime(s string) (sim.Time, bool) {
	for _, u := range []struct {
		suffix string
		unit   sim.Time
	}{{"ms", sim.Millisecond}, {"us", sim.Microsecond}, {"µs", sim.Microsecond}, {"s", sim.Second}, {"m", sim.Minute}} {
		number, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		whole, frac, _ := strings.Cut(strings.TrimSpace(number), ".")
		n, err := strconv.ParseInt(whole, 10, 40)
		if err != nil || n < 0 || len(frac) > 6 {
			return 0, false
		}
		t := sim.Time(n) * u.unit
		scale := u.unit
		for _, c := range frac {
			if c < '0' || c > '9' {
				return 0, false
			}
			scale /= 10
			t += sim.Time(c-'0') * scale
		}
		return t, true
	}
	return 0, false
}

// isFault says that a step of the trace breaks something.
func isFault(st *sim.Step) bool {
	switch st.Kind {
	case sim.StepLost:
		return !st.Msg.Routine() || st.Op == sim.OpLose
	case sim.StepFault:
		switch st.Op {
		case sim.OpResume, sim.OpRestart, sim.OpHeal, sim.OpRelease:
			return false
		}
		return true
	}
	return false
}

// NextFault is the next moment at which something breaks or a message is lost; ok is false if there is none.
func (s *Session) NextFault() (i int, ok bool) {
	t := s.Trace()
	for k := s.Here().Steps; k < len(t.Steps); k++ {
		if isFault(&t.Steps[k]) {
			return s.OfStep(k + 1), true
		}
	}
	return 0, false
}

// PrevFault is the fault before the moment looked at.
func (s *Session) PrevFault() (i int, ok bool) {
	t := s.Trace()
	for k := s.Here().Steps - 1; k >= 0; k-- {
		if isFault(&t.Steps[k]) {
			if m := s.OfStep(k + 1); m < s.at {
				return m, true
			}
		}
	}
	return 0, false
}

// Trouble is a step that proves, with others, that a claim is violated.
type Trouble struct {
	Step     int // from 1
	Claim    checker.Claim
	Sentence string // what is so
}

// findTroubles lists the steps that prove a violation.
func (s *Session) findTroubles() {
	for _, v := range s.Result.Report.Verdicts {
		if v.Ruling != checker.Violated || v.Evidence.As != "" {
			continue
		}
		for _, step := range v.Evidence.Steps {
			s.addTrouble(Trouble{step, v.Claim, v.Evidence.Sentence})
		}
	}
	if step := s.secondEffect(); step > 0 {
		for _, st := range s.live.At(step) {
			if st.Claim == checker.AtMostOnce && st.State == checker.ViolatedSoFar {
				s.addTrouble(Trouble{step, st.Claim, standingText(st)})
			}
		}
	}
	slices.SortStableFunc(s.troubles, func(a, b Trouble) int { return a.Step - b.Step })
}

// secondEffect is the first step in which an application processes a record again, 0 if none does.
func (s *Session) secondEffect() int {
	type once struct {
		app    string
		record checker.RecordID
	}
	seen := make(map[once]bool, len(s.history.Effects))
	for _, e := range s.history.Effects {
		k := once{e.Application, e.Record}
		if seen[k] {
			return e.Step
		}
		seen[k] = true
	}
	return 0
}

// addTrouble keeps the first reason for a step.
func (s *Session) addTrouble(t Trouble) {
	if t.Step > 0 && t.Step <= s.Total() && !slices.ContainsFunc(s.troubles, func(o Trouble) bool { return o.Step == t.Step }) {
		s.troubles = append(s.troubles, t)
	}
}

// standingText says how a claim stands, without its name.
func standingText(st checker.Standing) string {
	return strings.TrimPrefix(st.String(), string(st.Claim)+": ")
}

// NextViolation is the next step of a list of troubles.
func (s *Session) NextViolation(of []Trouble) (i int, t Trouble, ok bool) {
	for _, t := range of {
		if i := s.OfStep(t.Step); i > s.at {
			return i, t, true
		}
	}
	return 0, Trouble{}, false
}

// PrevViolation is the one before.
func (s *Session) PrevViolation(of []Trouble) (i int, t Trouble, ok bool) {
	for k := len(of) - 1; k >= 0; k-- {
		if i := s.OfStep(of[k].Step); i < s.at {
			return i, of[k], true
		}
	}
	return 0, Trouble{}, false
}

// Troubles lists the steps that prove violations, in the light of the whole run: the sentences tell what comes later.
func (s *Session) Troubles() []Trouble { return s.troubles }

// TroublesSoFar lists the steps at which a claim becomes violated for good, each told with what is known by then and no
// more.
func (s *Session) TroublesSoFar() []Trouble {
	if s.soFar != nil {
		return s.soFar
	}
	s.soFar = []Trouble{}
	live := checker.NewLive(&s.history)
	var known []checker.Claim
	for _, i := range s.stops[0] {
		for _, st := range live.At(s.moments[i].Steps) {
			if st.State == checker.ViolatedSoFar && !slices.Contains(known, st.Claim) {
				known = append(known, st.Claim)
				s.soFar = append(s.soFar, Trouble{s.moments[i].Steps, st.Claim, standingText(st)})
			}
		}
	}
	return s.soFar
}

// Search finds the next moment, or the one before, whose words hold a text; capitals do not matter. Only
// what is told, with routine or without, is searched.
func (s *Session) Search(text string, back bool) (i int, ok bool) {
	text = strings.ToLower(text)
	entries := s.Story().Entries()
	hit := func(k int) bool {
		e := &entries[k]
		if (e.Kind == story.Routine || e.Kind == story.StartUp) && !s.unfold {
			return false
		}
		return strings.Contains(strings.ToLower(s.Words(k)), text)
	}
	if back {
		for k := s.Here().Steps - 1; k >= 0; k-- {
			if m := s.OfStep(k + 1); m < s.at && hit(k) {
				return m, true
			}
		}
		return 0, false
	}
	for k := s.Here().Steps; k < len(entries); k++ {
		if hit(k) {
			return s.OfStep(k + 1), true
		}
	}
	return 0, false
}

// Matches counts the steps whose words hold a text.
func (s *Session) Matches(text string) int {
	n := 0
	text = strings.ToLower(text)
	for i := range s.Story().Entries() {
		e := &s.Story().Entries()[i]
		if (e.Kind != story.Routine && e.Kind != story.StartUp || s.unfold) && strings.Contains(strings.ToLower(s.Words(i)), text) {
			n++
		}
	}
	return n
}

// Why is the chain of causes of a step (an index of the trace), the first cause first, the step itself last.
func (s *Session) Why(step int) []story.Cause { return s.Story().Why(step) }

// Standing is how the three famous claims stand at the moment looked at.
func (s *Session) Standing() []checker.Standing { return s.live.At(s.Here().Steps) }
