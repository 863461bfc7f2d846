package story

import (
	"fmt"
	"io"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
)

// Linear writes what the stepper's screens show, one thing a line and nothing in columns: for screen readers,
// logs and searches. Every step comes with what happened, the logs it changed, what is on its way, why it
// happened, and how the claims stand if that has changed.
func (e *Ending) Linear(w io.Writer, look Look) error {
	look.Color = false
	l := &linear{page: page{look: look}, s: e.Story}
	h := e.Story.Run.History()
	l.live = checker.NewLive(&h)
	l.header()
	l.steps()
	l.ending(e)
	return l.writeTo(w)
}

type linear struct {
	page
	s     *Story
	live  *checker.Live
	stand string // how the claims stood when last told
	fly   string // what was on its way when last told
}

// say writes one line. Lines are not wrapped: a screen reader reads on, and a log can be searched.
func (l *linear) say(format string, args ...any) {
	l.line(plain, fmt.Sprintf(format, args...))
}

// aloud writes the program's signs as words.
var aloud = strings.NewReplacer(" → ", " to ", "–", " to ", " … ", " to ", "HW ", "high watermark ", "ISR {", "in-sync replicas {")

// words makes a sentence of a text: a capital, and a full stop.
func words(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "？") {
		return s
	}
	return s + "."
}

func (l *linear) header() {
	f := l.s.Run.File
	l.say("Scenario: %s", f.Name.Text)
	l.say("Title: %s", f.Title.In(l.s.opts.Lang))
	l.say("Kafka: %s", scenarios.Release(f.Kafka.Text))
	l.say("Settings: %s", Settings(f))
	l.say("Seed: %d", l.s.Run.Seed)
	if src := f.Source.In(l.s.opts.Lang); src != "" {
		l.say("Source: %s", src)
	}
}

func (l *linear) steps() {
	for _, r := range l.s.rows(l.look.All) {
		if r.entry >= 0 && r.step(l.s) < l.look.From {
			continue
		}
		if r.hidden > 0 {
			l.say("%s left out.", Capital(strings.Trim(r.hiddenText(), "()")))
		}
		if r.entry < 0 {
			continue
		}
		l.step(&r)
	}
}

func (l *linear) step(r *row) {
	e := &l.s.entries[r.entry]
	switch e.Kind {
	case Act:
		l.say("")
		l.say("Act: %s", words(e.What[0]))
		return
	case Say:
		l.say("Narrator: %s", e.What[0])
		return
	case Ask:
		l.say("Question at step %d: %s", e.Step, words(e.What[0]))
		return
	case Answer:
		l.say("Answer at step %d: %s", e.Step, words(e.What[0]))
		return
	}
	text := r.text
	switch {
	case text == "":
		text = l.s.Sentence(r.entry)
	case e.Who != "" && e.Who != net:
		text = e.Who + " " + text
	}
	mark := ""
	if e.Kind == Fault && !e.Mends {
		mark = "fault: "
	}
	l.say("Step %d, %s, %s%s", e.Step, Clock(e.At), mark, words(aloud.Replace(text)))
	l.state(r.entry)
	if e.Kind == Event || e.Kind == Fault {
		l.flights(r.entry)
		l.why(r.entry)
	}
	l.claims(e.Step)
}

// state tells the logs that the step changed.
func (l *linear) state(i int) {
	e := &l.s.entries[i]
	if len(e.Touched) == 0 {
		return
	}
	after := l.s.After(i)
	for _, t := range e.Touched {
		p := after.Partition(t.TP)
		if p == nil {
			continue
		}
		if t.Broker == protocol.NoBroker {
			leader := "nobody"
			if p.Leader != protocol.NoBroker {
				leader = protocol.BrokerName(p.Leader)
			}
			l.say("  %v: leader %s, epoch %d, in-sync replicas %s.", t.TP, leader, p.LeaderEpoch, brokers(p.ISR))
			continue
		}
		r := p.Replica(t.Broker)
		if r == nil {
			continue
		}
		var ids []string
		for _, h := range r.Records {
			ids = append(ids, h.ID)
		}
		held := "no records"
		if len(ids) > 0 {
			held = aloud.Replace(few(ids))
		}
		l.say("  %v on %s: %s, high watermark %d, log end %d.", t.TP, protocol.BrokerName(r.Broker), held, r.HighWatermark, r.LogEnd)
		if len(t.Cut) > 0 {
			l.say("  Cut from the log of %s: %s.", protocol.BrokerName(r.Broker), aloud.Replace(few(t.Cut)))
		}
	}
}

func (l *linear) flights(i int) {
	if i >= len(l.s.flights) {
		return
	}
	var all []string
	for _, f := range l.s.flights[i] {
		all = append(all, f.String())
	}
	text := strings.Join(all, "; ")
	if text == l.fly {
		return
	}
	if l.fly = text; text == "" {
		text = "nothing but routine"
	}
	l.say("  On its way: %s.", text)
}

// why tells the causes of a step, at most three, the nearest last.
func (l *linear) why(i int) {
	causes := l.s.Why(i)
	if len(causes) < 2 {
		return
	}
	causes = causes[max(0, len(causes)-4) : len(causes)-1]
	var all []string
	for _, c := range causes {
		all = append(all, fmt.Sprintf("step %d, %s", c.Step, aloud.Replace(c.Text)))
	}
	l.say("  Why: %s.", strings.Join(all, "; then "))
}

// claims tells how the three famous claims stand, if that has changed.
func (l *linear) claims(step int) {
	var all []string
	for _, s := range l.live.At(step) {
		all = append(all, s.String())
	}
	text := strings.Join(all, "; ")
	if text != l.stand {
		l.stand = text
		l.say("  Claims: %s.", text)
	}
}

func (l *linear) ending(e *Ending) {
	l.say("")
	for _, v := range e.Result.Report.Verdicts {
		where := "at the log"
		if v.Level == checker.AtApplication {
			where = "at the application"
		}
		word := string(v.Ruling)
		switch {
		case v.NotObserved:
			word = "not observed"
		case v.Ruling == checker.Violated:
			word = strings.ToUpper(word)
		}
		l.say("Verdict: %s, %s: %s.", v.Claim, where, word)
		if v.Evidence.Sentence != "" && !v.NotObserved {
			l.say("  Evidence: %s", words(v.Evidence.Sentence))
		}
	}
	l.say("%s", Capital(words(e.stated())))
	if text := e.explanation(); text != "" {
		l.say("Explanation: %s", text)
	}
	for _, b := range e.Result.Broken {
		l.say("Invariant broken: %s", words(b))
	}
	for _, q := range e.Predictions {
		l.say("Question at step %d: %s", q.Step+1, q.Ask)
		l.say("  %s", words(Capital(answerText(q))))
	}
	for _, c := range e.Comparisons {
		l.say("Comparison: %s", words(c.sentence()))
		if c.Explain != "" {
			l.say("  %s", c.Explain)
		}
	}
	l.say("Open it: %s", e.Open)
}
