// Package session is one run as a person looks at it: it can be taken to any of its steps, forward and back,
// and asked what was so there. It knows nothing of screens.
//
// The run is carried out once to its end, which gives its trace, its verdicts and its answers; to stand at a
// step is to carry it out again up to there, from the beginning or, in a long run, from a copy that was kept on
// the way (see checkpoints). Nothing is undone, and each time the hash must be what it was, so that every step
// back is also a test that the run is the same each time.
package session

import (
	"fmt"
	"sort"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// Moment is a place at which the run can stand: after one decision, or after what the run did by itself
// between two decisions (mending everything, answering a prediction).
type Moment struct {
	Steps  int      // steps of the trace taken; as people count them, the number of the last one
	Now    sim.Time // the run's clock
	Script int      // number of the script's step that was carried out here, 0 if none
	calls  int      // decisions taken
	after  bool     // and what came of its own accord after them
	hash   uint64   // of the run up to here
}

// Session is a run and the moment of it that is looked at.
type Session struct {
	Opened  *scenarios.Opened
	Options scenarios.Options // as asked for
	File    *format.File      // as run: with the options laid over it
	Result  scenarios.Result  // of the whole run
	Asked   []scenarios.Prediction

	final    *scenarios.Run // at its end
	lang     string
	answers  []sim.Answer
	moments  []Moment
	history  checker.History
	live     *checker.Live
	stories  [2]*story.Story // without and with internal topics
	stops    [2][]int        // moments at which something happened that a person looks at; every moment
	acts     []int           // the moment of each act
	ending   int             // the moment at which the script is over, -1 if it never was
	troubles []Trouble
	soFar    []Trouble // nil until it is asked for

	at     int
	run    *scenarios.Run // stands at moment at
	runAt  Moment
	kept   checkpoints
	unfold bool
	state  *State
	own    *story.Story // the run that the file's texts were written for, nil: this one
	before *State       // at the stop before, for what has just changed
	count  tallies
	rows   [2][]Row
}

// Open carries a scenario out to its end and stands at the beginning of its script. If o.Source is nil and
// the file is a record of answers, those decide. lang is the language of the scenario's texts, empty for the
// file's first choice.
func Open(opened *scenarios.Opened, o scenarios.Options, lang string) (*Session, error) {
	s := &Session{Opened: opened, Options: o, ending: -1, lang: lang, kept: newCheckpoints()}
	first := o
	if first.Source == nil && opened.Answers != nil {
		first.Source = &sim.Replay{Answers: opened.Answers.List}
	}
	r, err := scenarios.New(opened.File, first)
	if err != nil {
		return nil, err
	}
	s.final, s.File = r, r.File
	s.walk(r)
	s.answers = r.Answers()
	s.Result = r.Result()
	s.Asked = r.Predictions()
	s.history = r.History()
	s.live = checker.NewLive(&s.history)
	s.stories[0] = story.New(r, story.Options{Lang: lang})
	if err := s.findOwn(); err != nil {
		return nil, err
	}
	s.index()
	s.findTroubles()
	s.GoTo(s.Begin())
	return s, nil
}

// walk carries the run out and notes every moment at which it can stand.
func (s *Session) walk(r *scenarios.Run) {
	calls, seen, decided, kind := 0, 0, 0, sim.Fate
	note := func(script int, after bool) {
		if n := r.World.Steps(); n != seen || script > 0 {
			seen = n
			s.moments = append(s.moments, Moment{n, r.World.Now(), script, calls, after, r.World.Hash()})
		}
	}
	s.moments = append(s.moments, Moment{hash: r.World.Hash()})
	for {
		p, more := r.Pending()
		note(0, true)
		// A decision that makes no step, such as what survives a power loss, is a place to stand all the same: a
		// person may want to decide again behind it.
		n := len(r.Answers())
		silent := s.moments[len(s.moments)-1].calls != calls
		if silent && (p.Kind == sim.Tear || kind == sim.Tear || n != decided && kind == sim.Next) {
			s.moments = append(s.moments, Moment{seen, r.World.Now(), 0, calls, true, r.World.Hash()})
		}
		decided, kind = n, p.Kind
		if !more {
			return
		}
		script := 0
		if p.Site == "script" {
			script, _ = r.Progress()
		}
		if !r.Step() {
			return
		}
		calls++
		note(script, false)
		s.kept.pass(r, calls)
	}
}

// index finds the stops and the acts.
func (s *Session) index() {
	entries := s.stories[0].Entries()
	t := s.Trace()
	from, begin := 0, s.Begin()
	for i := range s.moments {
		m := &s.moments[i]
		news := i == 0 || i == begin || i == len(s.moments)-1
		for k := from; k < m.Steps; k++ {
			if e := &entries[k]; e.Kind != story.Routine && e.Kind != story.StartUp {
				news = true
			}
			for _, f := range t.EventsOf(k) {
				switch f.Event.(type) {
				case *event.Act:
					s.acts = append(s.acts, i)
				case *event.Healed:
					s.ending = i
				}
			}
		}
		if news {
			s.stops[0] = append(s.stops[0], i)
		}
		if i == 0 || m.Script > 0 || m.Steps > from {
			s.stops[1] = append(s.stops[1], i)
		}
		from = m.Steps
	}
}

// fresh begins the run anew: decided by the answers that were given the first time.
func (s *Session) fresh() *scenarios.Run {
	o := s.Options
	o.Source = &sim.Replay{Answers: s.answers}
	r, err := scenarios.New(s.Opened.File, o)
	if err != nil {
		panic(fmt.Sprintf("session: the run could be prepared before and can not be now: %v", err))
	}
	return r
}

// GoTo stands at a moment. Moments outside the run mean its first and its last.
func (s *Session) GoTo(i int) {
	i = max(0, min(i, len(s.moments)-1))
	if s.state != nil && i == s.at {
		return
	}
	before := s.stopBefore(i)
	if s.state == nil || s.at != before {
		s.stand(before)
		s.before = s.snapshot()
	} else {
		s.before = s.state
	}
	s.stand(i)
	s.at = i
	s.state = s.snapshot()
}

// At is the moment that is looked at.
func (s *Session) At() int { return s.at }

// Len is how many moments there are.
func (s *Session) Len() int { return len(s.moments) }

// Moment gives moment i.
func (s *Session) Moment(i int) Moment { return s.moments[i] }

// Here is the moment that is looked at.
func (s *Session) Here() Moment { return s.moments[s.at] }

// Total is the number of steps of the whole run.
func (s *Session) Total() int { return s.final.World.Steps() }

// Trace is that of the whole run. The caller must not change it.
func (s *Session) Trace() *sim.Trace { return s.final.World.Trace() }

// World is that of the whole run, for names.
func (s *Session) World() *sim.World { return s.final.World }

// State is how everything is at the moment looked at.
func (s *Session) State() *State { return s.state }

// Before is how everything was at the stop before it.
func (s *Session) Before() *State { return s.before }

// AtEnd says that nothing more happens.
func (s *Session) AtEnd() bool { return s.at == len(s.moments)-1 }

// Steps is the range of steps, as indices of the trace, that led from the stop before to here.
func (s *Session) Steps() (from, to int) {
	if s.at == 0 {
		return 0, 0
	}
	return s.moments[s.stopBefore(s.at)].Steps, s.moments[s.at].Steps
}

// Unfold says whether routine steps are stops too, and Kafka's internal topics are told of.
func (s *Session) Unfold(on bool) {
	s.unfold = on
	s.before = nil
	at := s.at
	s.state = nil
	s.GoTo(at)
}

// Unfolded says whether routine is shown.
func (s *Session) Unfolded() bool { return s.unfold }

// Story tells the whole run, with routine or without.
func (s *Session) Story() *story.Story {
	k := s.fold()
	if s.stories[k] == nil {
		s.stories[k] = story.New(s.final, story.Options{Lang: s.lang, Internal: k == 1})
		if s.own != nil {
			s.stories[k].WrittenFor(s.own)
		}
	}
	return s.stories[k]
}

func (s *Session) fold() int {
	if s.unfold {
		return 1
	}
	return 0
}

func (s *Session) stopList() []int { return s.stops[s.fold()] }

func (s *Session) stopBefore(i int) int {
	list := s.stopList()
	k := sort.SearchInts(list, i)
	if k == 0 {
		return 0
	}
	return list[k-1]
}
