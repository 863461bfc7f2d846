package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
	"kafkatrial/tui/view"
)

// stepper is what the stepper's screen shows and how keys change it. It draws nothing and knows no clock.
type stepper struct {
	view.Stepper
	c         *view.Context
	questions []session.Question
	typed     line           // the answer, so far
	goesOn    bool           // v put the question, and goes on when it is answered
	answers   map[int]string // by the question's number: what was answered; "" if it was skipped
	asking    bool           // predictions are asked for
	find      string         // what was searched for last
	chosen    bool           // the partition was chosen by hand
	seenEnd   bool           // the end of the run has been looked at
}

func newStepper(c *view.Context, s *session.Session, variant string) *stepper {
	v := &stepper{Stepper: view.Stepper{S: s, Variant: variant}, c: c, asking: true, answers: map[int]string{}}
	v.questions = s.Questions()
	v.settle()
	return v
}

// goTo stands at a moment and tidies up what belonged to the one before.
func (v *stepper) goTo(moment int) {
	v.S.GoTo(moment)
	if v.Ask = nil; v.Lower == view.ShowAsk {
		v.Lower = view.ShowNow
	}
	v.settle()
}

func (v *stepper) settle() {
	v.Selected, v.Trouble, v.Message, v.Scroll = 0, "", "", 0
	if v.Lower == view.ShowWhy {
		v.close()
	}
	v.seenEnd = v.seenEnd || v.S.AtEnd()
	for _, t := range v.troubles() {
		if v.S.OfStep(t.Step) == v.S.At() {
			v.Trouble = v.proves(t)
			break
		}
	}
	v.follow()
	v.score()
}

// waiting is the first question of the run that is still to be answered, nil if there is none: one that was neither
// answered nor skipped, and that the run has not answered yet.
func (v *stepper) waiting() *session.Question {
	for i := range v.questions {
		q := &v.questions[i]
		if _, done := v.answers[q.Number]; !done && (q.Known < 0 || q.Known > v.S.At()) {
			return q
		}
	}
	return nil
}

// told says that the whole run may be spoken of: its end has been seen, or no prediction waits for an answer.
func (v *stepper) told() bool { return v.seenEnd || !v.asking || v.waiting() == nil }

// troubles are the steps that prove violations: in the light of the whole run, or of what is known by then.
func (v *stepper) troubles() []session.Trouble {
	if v.told() {
		return v.S.Troubles()
	}
	return v.S.TroublesSoFar()
}

// proves says what a step proves. Beside it stands how the claims stand at that step: what is told in the light of the
// whole run says that it is.
func (v *stepper) proves(t session.Trouble) string {
	if v.told() && !v.S.AtEnd() {
		return "by the end, " + string(t.Claim) + " is violated: " + t.Sentence
	}
	return string(t.Claim) + ": " + t.Sentence
}

// violation goes to the next step that proves a violation, or (back) to the one before. While a prediction waits it
// goes no further than to the question.
func (v *stepper) violation(back bool) {
	q := v.waiting()
	switch i, ok := 0, false; {
	case back:
		i, _, ok = v.S.PrevViolation(v.troubles())
		v.jump(i, ok, v.noViolation("before"))
	case v.told():
		if i, _, ok = v.S.NextViolation(v.troubles()); !ok && !v.seenEnd {
			if i, ok = v.nextAnswer(); ok {
				v.goTo(i) // that nothing is violated would tell what the run is about to answer
				return
			}
		}
		v.jump(i, ok, v.noViolation("after"))
	case q.Asked <= v.S.At():
		v.question(q)
		v.Message, v.goesOn = v.first(), true
	default:
		if i, _, ok = v.S.NextViolation(v.troubles()); ok && i <= q.Asked {
			v.goTo(i)
			return
		}
		v.goTo(q.Asked)
		v.question(q)
		v.Message, v.goesOn = v.first(), true
	}
}

// nextAnswer is the first moment after this one at which the run answers a question.
func (v *stepper) nextAnswer() (at int, ok bool) {
	for i := range v.questions {
		if k := v.questions[i].Known; k > v.S.At() && (!ok || k < at) {
			at, ok = k, true
		}
	}
	return at, ok
}

// first says why there is a question in place of a violation.
func (v *stepper) first() string {
	how := "enter answers, esc skips"
	if n := len(v.Ask.Question.Choices); n > 0 {
		how = fmt.Sprintf("1-%d answers, enter skips", n)
	}
	return "First a prediction, then v goes on: " + how + "."
}

func (v *stepper) noViolation(where string) string {
	switch {
	case !v.told():
		return "No step " + where + " this one proves a violation so far."
	case len(v.S.Troubles()) == 0:
		return "No claim is violated in this run."
	}
	return "No step " + where + " this one proves a violation."
}

// follow shows the partition that was touched last, unless one was chosen by hand.
func (v *stepper) follow() {
	st := v.S.State()
	if len(st.Partitions) == 0 {
		return
	}
	if !v.chosen {
		v.Chosen = st.Partitions[0].TP
		entries := v.S.Story().Entries()
	search:
		for k := v.S.Here().Steps - 1; k >= 0 && entries[k].Kind != story.StartUp; k-- {
			for _, t := range entries[k].Touched {
				if st.Partition(t.TP) != nil {
					v.Chosen = t.TP
					break search
				}
			}
		}
	}
	if st.Partition(v.Chosen) == nil {
		v.Chosen = st.Partitions[0].TP
	}
}

// forward takes a step, or asks first what will come of it.
func (v *stepper) forward() {
	if v.S.AtEnd() {
		v.Message = "This is the end of the run. g goes back to its beginning."
		return
	}
	v.goTo(v.S.Next())
	v.ask()
}

func (v *stepper) back() {
	if v.S.At() == 0 {
		v.Message = "This is the beginning of the run."
		return
	}
	v.goTo(v.S.Prev())
}

// ask puts the question that the script asks here, unless it has been answered or skipped.
func (v *stepper) ask() {
	if !v.asking {
		return
	}
	for i := range v.questions {
		q := &v.questions[i]
		if _, done := v.answers[q.Number]; q.Asked == v.S.At() && !done {
			v.question(q)
			return
		}
	}
}

// question puts a question.
func (v *stepper) question(q *session.Question) {
	v.Lower, v.Ask, v.Playing, v.goesOn, v.typed = view.ShowAsk, &view.Asking{Question: *q, Typed: "_"}, false, false, newLine("")
}

// answer notes an answer, "" for none, and goes back to the run.
func (v *stepper) answer(text string) {
	v.answers[v.Ask.Question.Number] = text
	v.Lower, v.Ask = view.ShowNow, nil
	v.score()
	if text != "" {
		v.Message = "Your answer: " + text + ". The run will tell."
	}
	if v.goesOn {
		v.goesOn = false
		v.violation(false)
	}
}

// score counts the predictions whose answer is known at this moment, and says what became of those that
// become known right here.
func (v *stepper) score() {
	v.Score, v.Verdicts = "", nil
	right, known := 0, 0
	from := -1
	if v.S.At() > 0 {
		from = v.S.Prev()
	}
	for i := range v.questions {
		q := &v.questions[i]
		said := v.answers[q.Number]
		if said == "" || q.Known < 0 || q.Known > v.S.At() {
			continue
		}
		known++
		ok := q.Right(said)
		if ok {
			right++
		}
		if q.Known > from {
			word := "You were right"
			if !ok {
				word = "Not so"
			}
			v.Verdicts = append(v.Verdicts, fmt.Sprintf("%s: %s You said %s; the run says %s.", word, q.Ask, said, q.Answer))
		}
	}
	if known > 0 {
		v.Score = fmt.Sprintf("predictions right: %d of %d", right, known)
	}
}

// close leaves what the lower pane shows for what is below it: the question that waits, or what has just happened.
func (v *stepper) close() {
	if v.Lower = view.ShowNow; v.Ask != nil {
		v.Lower = view.ShowAsk
	}
	v.Scroll = 0
}

// step is the index of the step that is selected: a row of the time line, or the last one told here.
func (v *stepper) step() int {
	if r := v.Row(); r != nil {
		return r.Step
	}
	rows := v.S.Rows()
	if n := v.S.RowsUpTo(v.S.At()); n > 0 {
		return rows[n-1].Step
	}
	return v.S.Here().Steps - 1
}

func (v *stepper) why() {
	step := v.step()
	if step < 0 {
		v.Message = "Nothing has happened yet."
		return
	}
	v.Chain = v.S.Why(step)
	v.Lower, v.ChainAt = view.ShowWhy, len(v.Chain)-1
}

// notes shows the speaker's notes, or what is below them.
func (v *stepper) notes() {
	shown := v.Lower == view.ShowNotes
	if v.close(); !shown {
		v.Lower = view.ShowNotes
	}
}

// exactly says whether there is anything that exactly-once rests on.
func (v *stepper) exactly() bool {
	some := v.S.State().ExactlyOnce()
	if !some {
		v.Message = "No producer has a producer id here, and no log remembers one."
	}
	return some
}

// sentence is what y copies: what is selected, in full, with its place in the run.
func (v *stepper) sentence() string {
	step := v.step()
	if v.Lower == view.ShowWhy {
		step = v.Chain[v.ChainAt].Step - 1
	}
	if step < 0 {
		return ""
	}
	text := fmt.Sprintf("%s, Kafka %s, step %d, %v: %s", v.S.File.Name.Text, scenarios.Release(v.S.File.Kafka.Text), step+1, v.S.Trace().Steps[step].At, v.S.Words(step))
	if v.Trouble != "" && v.Lower != view.ShowWhy {
		text += "\n" + v.Trouble
	}
	return text
}

// jump goes where a search has led, or says that it led nowhere.
func (v *stepper) jump(moment int, ok bool, otherwise string) {
	if !ok {
		v.Message = otherwise
		return
	}
	v.goTo(moment)
}

func (v *stepper) search(text string, back bool) {
	if text == "" {
		v.Message = "Nothing was searched for yet: / asks for a text."
		return
	}
	v.find = text
	i, ok := v.S.Search(text, back)
	where := "after"
	if back {
		where = "before"
	}
	v.jump(i, ok, fmt.Sprintf("No step %s this one speaks of %q; the whole run has %d.", where, text, v.S.Matches(text)))
	if ok {
		v.Message = fmt.Sprintf("%q: n next, N the one before; %d steps in all", text, v.S.Matches(text))
	}
}

// move goes up (-1) or down (1) within the pane that has the focus.
func (v *stepper) move(by int) {
	switch {
	case v.Lower == view.ShowWhy:
		v.ChainAt = max(0, min(v.ChainAt+by, len(v.Chain)-1))
	case v.Lower == view.ShowNotes || v.Focus == view.NowPane:
		v.Scroll = max(0, min(v.Scroll+by, v.c.NowEnd(&v.Stepper)))
	case v.Focus == view.ClusterPane:
		v.choose(by)
	default:
		n := v.S.RowsUpTo(v.S.At())
		v.Selected = max(0, min(v.Selected-by, n-1))
		v.Scroll = 0
	}
}

func (v *stepper) choose(by int) {
	parts := v.S.State().Partitions
	i := slices.IndexFunc(parts, func(p session.Partition) bool { return p.TP == v.Chosen })
	if len(parts) == 0 || i < 0 {
		return
	}
	v.Chosen, v.chosen = parts[max(0, min(i+by, len(parts)-1))].TP, true
}

// enter goes to what is selected.
func (v *stepper) enter() {
	switch {
	case v.Lower == view.ShowWhy:
		v.goTo(v.S.OfStep(v.Chain[v.ChainAt].Step))
	case v.Row() != nil:
		v.goTo(v.Row().Moment)
	}
}

// escape goes one level up. It reports false if there is none left within the stepper.
func (v *stepper) escape() bool {
	switch {
	case v.Message != "":
		v.Message = ""
	case v.Lower == view.ShowAsk:
		v.answer("")
	case v.Lower != view.ShowNow:
		v.close()
	case v.Selected > 0:
		v.Selected = 0
	case v.Playing:
		v.Playing = false
	case v.chosen:
		v.chosen = false
		v.follow()
	case v.Focus != view.TimePane:
		v.Focus = view.TimePane
	default:
		return false
	}
	return true
}

// typeAnswer handles keys while a question waits. It reports whether the key was used up.
func (v *stepper) typeAnswer(p press, k *view.KeyMap) bool {
	choices := v.Ask.Question.Choices
	switch {
	case p.is(k.Enter) && len(choices) > 0, p.is(k.Escape):
		v.answer("")
	case p.is(k.Enter):
		v.answer(strings.TrimSpace(v.typed.Value()))
	case len(choices) == 0:
		v.typed.take(p)
		v.Ask.Typed = v.typed.typed()
	default:
		n, err := strconv.Atoi(p.String())
		if err != nil || n < 1 || n > len(choices) {
			return false
		}
		v.answer(choices[n-1])
	}
	return true
}

// command carries out a line typed after ':'.
func (v *stepper) command(line string) {
	line = strings.TrimSpace(line)
	if topic, ok := strings.CutPrefix(line, "partition "); ok {
		for _, p := range v.S.State().Partitions {
			if p.TP.String() == strings.TrimSpace(topic) {
				v.Chosen, v.chosen = p.TP, true
				return
			}
		}
		v.Message = fmt.Sprintf("There is no partition %q.", topic)
		return
	}
	i, err := v.S.Find(line)
	if err != nil {
		v.Message = strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + "."
		return
	}
	v.goTo(i)
}
