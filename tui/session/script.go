package session

import (
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// Said is what the narrator has said last in the present act; ok is false if that is nothing.
func (s *Session) Said() (text string, ok bool) {
	from := 0
	if k, _ := s.Act(); k > 0 {
		from = s.acts[k-1]
	}
	for i := s.at; i >= from && i >= 0; i-- {
		if text := s.said(i); text != "" {
			return text, true
		}
	}
	return "", false
}

// SaidHere says whether the narrator speaks at the moment looked at.
func (s *Session) SaidHere() bool { return s.said(s.at) != "" }

// ActHere is the title of the chapter that begins at the moment looked at, "" if none does.
func (s *Session) ActHere() string { return s.title(s.at) }

// title finds the title of the act that begins at a moment, "" if none does.
func (s *Session) title(i int) string {
	e := told[*event.Act](s, i)
	if e == nil {
		return ""
	}
	if step := s.scriptStep(e.Step); step != nil {
		return step.Act.In(s.lang)
	}
	return e.Text
}

// said finds what the narrator says at a moment, "" if nothing.
func (s *Session) said(i int) string {
	e := told[*event.Said](s, i)
	if e == nil {
		return ""
	}
	step := s.scriptStep(e.Step)
	if step == nil {
		return e.Text
	}
	text := step.Say.In(s.lang)
	if s.stories[0].Elsewhere(s.moments[i].Steps - 1) {
		return story.WrittenForOwn(text, s.lang)
	}
	return text
}

func (s *Session) scriptStep(n int64) *format.Step {
	if n < 1 || n > int64(len(s.File.Script)) {
		return nil
	}
	return &s.File.Script[n-1]
}

// findOwn carries out the run that the narration was written for, if it can be another one than this.
func (s *Session) findOwn() error {
	f, o := s.Opened.File, &s.Options
	if s.Opened.Base != nil {
		f = s.Opened.Base
	} else if o.Kafka == "" && len(o.Set) == 0 && o.Seed == 0 && o.Source == nil && s.Opened.Answers == nil {
		return nil
	}
	if f.Refused != nil { // it has no run of its own
		return nil
	}
	own, err := story.Own(f, story.Options{Lang: s.lang})
	if err != nil {
		return err
	}
	s.own = own
	s.stories[0].WrittenFor(own)
	return nil
}

// told gives the first event of a type at a moment, nil if there is none.
func told[E interface {
	comparable
	sim.Event
}](s *Session, i int) (none E) {
	if i == 0 {
		return none
	}
	t := s.Trace()
	for k := s.moments[i-1].Steps; k < s.moments[i].Steps; k++ {
		for _, r := range t.EventsOf(k) {
			if e, ok := r.Event.(E); ok {
				return e
			}
		}
	}
	return none
}

// ScriptStep is the script's step that was carried out last, 0 before the first.
func (s *Session) ScriptStep() int {
	for i := s.at; i > 0; i-- {
		if n := s.moments[i].Script; n > 0 {
			return n
		}
	}
	return 0
}

// Over says that the script is over and everything is mended.
func (s *Session) Over() bool { return s.ending >= 0 && s.at >= s.ending }

// Notes are the lecturer's notes: those of the scenario and those of the script's step that was carried out
// last, each empty if there are none.
func (s *Session) Notes() (general, here string) {
	if n := s.ScriptStep(); n > 0 {
		here = s.File.Script[n-1].Notes.In(s.lang)
	}
	return s.File.Notes.In(s.lang), here
}

// Question is a prediction that the script asks for.
type Question struct {
	Number  int // from 1, of those of the run
	Ask     string
	Choices []string // empty: any text
	Answer  string   // the run's
	Asked   int      // the moment at which it is asked
	Known   int      // the moment from which on the run's answer is known, -1 if the run never answers
	own     []string // the choices as the run spells them
}

// Right says whether what a person answered is what the run answered.
func (q *Question) Right(said string) bool {
	for i, c := range q.Choices {
		if c == said && i < len(q.own) {
			said = q.own[i]
			break
		}
	}
	return strings.EqualFold(strings.Join(strings.Fields(said), " "), q.Answer)
}

// Questions lists the predictions of the run.
func (s *Session) Questions() []Question {
	t := s.Trace()
	var all []Question
	for k, p := range s.Asked {
		q := Question{Number: k + 1, Ask: p.Ask, Choices: p.Choices, Answer: p.Answer, own: p.Choices, Asked: s.OfStep(p.Step + 1), Known: -1}
		number := 0
		for _, f := range t.EventsOf(p.Step) {
			if e, ok := f.Event.(*event.Asked); ok {
				number = int(e.Step)
			}
		}
		if st := s.predictStep(number); st != nil {
			q.Ask = st.Ask.In(s.lang)
			if len(st.Choices) > 0 {
				q.Choices = nil
				for _, c := range st.Choices {
					q.Choices = append(q.Choices, c.In(s.lang))
				}
			}
		}
		for i := p.Step; i < len(t.Steps) && q.Known < 0; i++ {
			for _, f := range t.EventsOf(i) {
				if e, ok := f.Event.(*event.Answered); ok && int(e.Step) == number {
					q.Known = s.OfStep(i + 1)
				}
			}
		}
		all = append(all, q)
	}
	return all
}

func (s *Session) predictStep(number int) *format.Predict {
	if number < 1 || number > len(s.File.Script) {
		return nil
	}
	p, _ := s.File.Script[number-1].Do.(*format.Predict)
	return p
}
