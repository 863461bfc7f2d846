package story

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Ending is what a run came to: verdicts, predictions, comparisons.
type Ending struct {
	Story       *Story
	Result      scenarios.Result
	Predictions []scenarios.Prediction
	Comparisons []Comparison
	Open        string // the command that opens the run where it was decided
	changed     bool   // the command line changes the run against its file
}

// Ending rules on the run, which must have ended. name and flags are those of the command line that opens
// it. It reports an error if a comparison can not be run.
func (s *Story) Ending(name string, flags []string, replay []sim.Answer) (*Ending, error) {
	e := &Ending{Story: s, Result: s.Run.Result(), Predictions: s.Run.Predictions()}
	var err error
	if e.Comparisons, err = s.Compare(replay); err != nil {
		return nil, err
	}
	for i := range e.Comparisons {
		e.Comparisons[i].main = &e.Result
	}
	for i := range e.Predictions {
		s.translate(&e.Predictions[i])
	}
	e.changed = len(flags) > 0
	words := append([]string{"kafkatrial", "step", name}, flags...)
	if at := e.Decisive(); at > 0 {
		words = append(words, "--at", fmt.Sprint(at))
	}
	for i := range words {
		words[i] = quote(words[i])
	}
	e.Open = strings.Join(words, " ")
	return e, nil
}

// translate puts a question and its choices into the story's language. The answer is the run's.
func (s *Story) translate(q *scenarios.Prediction) {
	for _, f := range s.Run.World.Trace().EventsOf(q.Step) {
		e, ok := f.Event.(*event.Asked)
		if !ok {
			continue
		}
		p := predict(s.scriptStep(e.Step))
		if p == nil {
			continue
		}
		q.Ask = p.Ask.In(s.opts.Lang)
		for i := range p.Choices {
			q.Choices[i] = p.Choices[i].In(s.opts.Lang)
		}
	}
}

// quote writes a word for a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Decisive is the step (from 1) at which a viewer should open. Each violated claim has its decisive steps; the
// first of them is where all was still well, a record acknowledged or processed, so that it is the second
// that counts. Of several claims the earliest one tells how it came about. In a run that a defect of the model ended, it is
// the step in which it was found. It is 0 if no claim is violated.
func (e *Ending) Decisive() int {
	if d := e.Result.Defect; d != nil {
		return min(d.Step, len(e.Story.entries))
	}
	first := 0
	for _, v := range e.Result.Report.Verdicts {
		if v.Ruling != checker.Violated || len(v.Evidence.Steps) == 0 || first > 0 && !slices.Contains(checker.Famous(), v.Claim) {
			continue
		}
		if at := v.Evidence.Steps[min(1, len(v.Evidence.Steps)-1)]; first == 0 || at < first {
			first = at
		}
	}
	return min(first, len(e.Story.entries))
}

// Undecided says that the run as a whole, or what differs from the file, is undecided.
func (e *Ending) Undecided() bool { return e.Result.Undecided != "" }

// Defective says that a defect of the model ended the run, or one of its comparisons.
func (e *Ending) Defective() bool {
	return e.Result.Defect != nil || slices.ContainsFunc(e.Comparisons, func(c Comparison) bool { return c.Result.Defect != nil })
}

// AsStated says that every verdict which the file states, of the run and of its comparisons, is what came out.
func (e *Ending) AsStated() bool {
	return e.Result.AsStated() && !slices.ContainsFunc(e.Comparisons, func(c Comparison) bool { return !c.Result.AsStated() })
}

// violated is how tables write it.
const violated = "VIOLATED"

// Text writes the transcript and the verdicts.
func (e *Ending) Text(w io.Writer, look Look) error {
	if err := e.Story.Transcript(w, look); err != nil {
		return err
	}
	p := &page{look: look}
	p.line(plain, "")
	for i, l := range strings.Split(strings.TrimSuffix(e.Result.Report.Table(), "\n"), "\n") {
		if i == 0 {
			p.line(dim, l)
			continue
		}
		var pieces []piece
		for k, part := range strings.Split(l, violated) {
			if k > 0 {
				pieces = append(pieces, piece{bad, violated})
			}
			pieces = append(pieces, piece{plain, part})
		}
		p.spans(pieces...)
	}
	if words := e.Result.Report.JepsenWords(); len(words) > 0 {
		p.wrapped(plain, "in Jepsen's words: "+strings.Join(words, ", "), "  ")
	}
	p.wrapped(plain, e.stated(), "  ")
	if text := e.explanation(); text != "" {
		p.line(plain, "")
		p.wrapped(plain, text, "")
	}
	for _, b := range e.Result.Broken {
		p.wrapped(bad, "invariant broken: "+b, "  ")
	}
	if len(e.Predictions) > 0 {
		p.line(plain, "")
		for _, q := range e.Predictions {
			p.wrapped(plain, "? "+q.Ask, "  ")
			p.wrapped(plain, "  "+answerText(q), "  ")
		}
	}
	if len(e.Comparisons) > 0 {
		p.line(plain, "")
		for _, c := range e.Comparisons {
			p.wrapped(plain, c.sentence(), "  ")
			if c.Explain != "" {
				p.wrapped(plain, "  "+c.Explain, "  ")
			}
		}
	}
	p.line(plain, "open it:  "+e.Open)
	return p.writeTo(w)
}

// explanation is the file's own paragraph on the verdicts, left out where the run does not come to them.
func (e *Ending) explanation() string {
	if !e.Result.AsStated() {
		return ""
	}
	return e.Story.Explain()
}

func answerText(p scenarios.Prediction) string {
	if p.Answer == "" {
		return "the run has no answer"
	}
	return "the run: " + p.Answer
}

// stated says whether the verdicts are as the file states.
func (e *Ending) stated() string {
	r := &e.Result
	switch {
	case r.Undecided != "":
		return "UNDECIDED: " + r.Undecided
	case r.Stated == 0:
		return "the file states no verdict"
	case r.AsStated():
		return "as stated in the file: yes"
	case e.changed:
		return "as stated in the file, for its own release and settings: no (" + strings.Join(r.Differs, "; ") + ")"
	}
	return "as stated in the file: no (" + strings.Join(r.Differs, "; ") + ")"
}

// sentence sums a comparison up.
func (c *Comparison) sentence() string {
	s := c.Label
	if c.Title != "" {
		s += " (" + c.Title + ")"
	}
	s += ": " + c.summary()
	switch {
	case c.Refused != "":
	case c.PartsAt > 0:
		s += fmt.Sprintf("; the runs part at step %d", c.PartsAt)
	default:
		s += "; " + NotParted
	}
	if !c.Result.AsStated() && c.Result.Undecided == "" {
		s += ". The file states otherwise: " + strings.Join(c.Result.Differs, "; ")
	}
	return s
}

// summary says how the three famous claims stand, and what else stands otherwise than in the main run: what is
// violated, and, if the three do not differ, what is the difference then.
func (c *Comparison) summary() string {
	r, famous := &c.Result, checker.Famous()
	if c.Refused != "" {
		return c.Refused
	}
	if r.Undecided != "" {
		return "UNDECIDED: " + r.Undecided
	}
	same := true // the three stand as in the main run: a difference, if there is one, is elsewhere
	for _, claim := range famous {
		v, _ := r.Report.Overall(claim)
		here, _ := c.main.Report.Overall(claim)
		same = same && v == here && maps.Equal(levels(&r.Report, claim), levels(&c.main.Report, claim))
	}
	holds, parts := 0, []string(nil)
	for _, claim := range checker.Claims() {
		v, judged := r.Report.Overall(claim)
		here, judgedHere := c.main.Report.Overall(claim)
		three := slices.Contains(famous, claim)
		if !judged || !three && (!judgedHere || here == v && maps.Equal(levels(&r.Report, claim), levels(&c.main.Report, claim)) || !same && v == checker.Holds) {
			continue
		}
		if three && v == checker.Holds {
			holds++
		}
		parts = append(parts, string(claim)+" "+verdictWords(v, levels(&r.Report, claim)))
	}
	if holds == len(famous) {
		parts = append([]string{"all three hold"}, parts[len(famous):]...)
	}
	return strings.Join(parts, ", ")
}

// levels gives the verdicts on a claim by the level, of those that somebody observes.
func levels(r *checker.Report, claim checker.Claim) map[checker.Level]checker.Ruling {
	all := map[checker.Level]checker.Ruling{}
	for _, l := range []checker.Level{checker.AtLog, checker.AtApplication} {
		if v, ok := r.Find(claim, l); ok && !v.NotObserved {
			all[l] = v.Ruling
		}
	}
	return all
}

// verdictWords is the one word for all levels, or, where these differ, a word for each.
func verdictWords(sum checker.Ruling, at map[checker.Level]checker.Ruling) string {
	word := func(v checker.Ruling) string {
		if v == checker.Violated {
			return violated
		}
		return string(v)
	}
	log, app := at[checker.AtLog], at[checker.AtApplication]
	if len(at) == 2 && log != app {
		return word(log) + " at the log and " + word(app) + " at the application"
	}
	return word(sum)
}
