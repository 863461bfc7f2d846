package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
)

// question is a prediction that a step has asked for. The answer comes from the run.
type question struct {
	step   int // number of the script's step
	at     int // step of the trace at which it was asked
	ask    *format.Predict
	answer string // "" until it is known
}

// Prediction is a question with the run's answer.
type Prediction struct {
	Step    int    // of the trace
	Ask     string // the question
	Choices []string
	Answer  string // "" while the run has not answered it
}

// Predictions lists the questions asked so far.
func (r *Run) Predictions() []Prediction {
	var all []Prediction
	for _, q := range r.director.asks {
		p := Prediction{Step: q.at, Ask: q.ask.Ask.In(""), Answer: q.answer}
		for _, c := range q.ask.Choices {
			p.Choices = append(p.Choices, c.In(""))
		}
		if p.Choices == nil {
			p.Choices = r.choices(&q.ask.About)
		}
		all = append(all, p)
	}
	return all
}

func (d *director) ask(r *Run, p *format.Predict) {
	r.World.Note(&event.Asked{Text: p.Ask.In(""), Step: int64(d.script[d.at].Number)})
	d.asks = append(d.asks, question{step: d.script[d.at].Number, at: r.World.Steps() - 1, ask: p})
}

// answer resolves the questions that are due: those about now before the next step of the script, the
// others when the run has ended.
func (d *director) answer(r *Run, ended bool) {
	for i := range d.asks {
		q := &d.asks[i]
		if q.answer != "" || !ended && q.ask.About.At != format.AtNow {
			continue
		}
		q.answer = r.answerTo(&q.ask.About)
		r.World.Note(&event.Answered{Text: q.ask.Ask.In("") + " " + q.answer, Step: int64(q.step)})
	}
}

func (r *Run) answerTo(a *format.About) string {
	if r.World.Trace().Base > 0 { // a search, which has forgotten the past and asks nobody
		return "unknown"
	}
	switch a.What() {
	case "record":
		return yesNo(r.copies(a, a.Record.Text) > 0)
	case "copies":
		return strconv.Itoa(r.copies(a, a.Copies.Text))
	case "acked":
		return yesNo(r.director.ledger.acked[a.Acked.Text] > 0)
	case "order":
		return yesNo(r.inOrder(a))
	case "leader":
		if b := r.Cluster.Leader(topicPartition(a.Leader)); b != nil {
			return protocol.BrokerName(b.ID())
		}
		return "none"
	case "isr":
		s, known := r.Cluster.State(topicPartition(a.ISR))
		if !known {
			return "unknown"
		}
		var names []string
		for _, id := range s.ISR {
			names = append(names, protocol.BrokerName(id))
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	case "high-watermark":
		if p := r.replica(a.HighWatermark, format.Node{}); p != nil {
			return strconv.FormatInt(p.Log().HighWatermark(), 10)
		}
		return "no leader"
	case "log-end":
		if p := r.replica(a.LogEnd, format.Node{}); p != nil {
			return strconv.FormatInt(p.Log().LogEndOffset(), 10)
		}
		return "no leader"
	case "claim":
		level := checker.AtLog
		if a.In == format.AtApp {
			level = checker.AtApplication
		}
		for _, v := range r.Report().Verdicts {
			if string(v.Claim) == a.Claim.Text && v.Level == level {
				return string(v.Ruling)
			}
		}
		return "not judged"
	}
	return "unknown"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// sequence lists the records of a level in order: in the leaders' logs, partition by partition, or as the
// applications processed them.
func (r *Run) sequence(level format.Level) []string {
	if level == format.AtApp {
		var ids []string
		for i := range r.World.Trace().Events {
			f := &r.World.Trace().Events[i]
			if e, ok := f.Event.(*event.Processed); ok && !r.writesRows(f.Node) {
				ids = append(ids, e.Record.ID)
			}
			for _, row := range r.effectRows(f) {
				ids = append(ids, row.Record.ID)
			}
		}
		return ids
	}
	var ids []string
	for _, tp := range r.Cluster.Partitions() {
		if b := r.Cluster.Leader(tp); b != nil {
			for _, batch := range b.Replica(tp).Log().Batches() {
				ids = append(ids, recordIDs(batch)...)
			}
		}
	}
	return ids
}

func (r *Run) copies(a *format.About, id string) int {
	n := 0
	for _, other := range r.sequence(a.In) {
		if other == id {
			n++
		}
	}
	return n
}

func (r *Run) inOrder(a *format.About) bool {
	seq := r.sequence(a.In)
	last := -1
	for _, name := range a.Order {
		i := slices.Index(seq, name.Text)
		if i <= last {
			return false
		}
		last = i
	}
	return true
}

// choices offers answers to a question that has none of its own.
func (r *Run) choices(a *format.About) []string {
	switch a.What() {
	case "record", "acked", "order":
		return []string{"yes", "no"}
	case "leader":
		names := []string{}
		for id := range r.Cluster.Directory.Brokers {
			names = append(names, protocol.BrokerName(id+1))
		}
		return append(names, "none")
	case "claim":
		return []string{"holds", "violated"}
	case "copies":
		return []string{"0", "1", "2"}
	}
	return nil
}

// Report is the checker's ruling on what happened so far. A run whose script ended early, or that did not
// come to rest, is ruled on as far as it went.
func (r *Run) Report() checker.Report {
	return checker.Judge(r.History(), checker.Options{OrderBy: orders[r.File.OrderBy], Also: r.asked()})
}

// Hunted rules on some claims as a search does. Unless the file asks for another order, records are looked at within the
// session of a producer, and what may still be done is open: no verdict of a search is to rest on what nobody promises, or on how much
// time a run has.
func (r *Run) Hunted(claims ...checker.Claim) checker.Report {
	by := orders[r.File.OrderBy]
	if by == checker.PerProducer {
		by = checker.PerSession
	}
	h := r.History()
	h.Quiescence.TimeUp = false // with more of it the same might be done
	return checker.Judge(h, checker.Options{Claims: claims, OrderBy: by})
}

// asked lists the claims that are judged only where somebody asks, and that somebody asks for.
func (r *Run) asked() []checker.Claim {
	return checker.Which(func(row checker.Row) bool {
		return row.OnlyAsked && (r.File.Asks(string(row.Name)) || row.Name == checker.Recent && r.judgesRecent())
	})
}

// judgesRecent says that somebody asks for the claim recent: the file, or who began the run.
func (r *Run) judgesRecent() bool { return r.recent || r.File.Asks(string(checker.Recent)) }

var orders = map[format.OrderBy]checker.OrderBy{format.OrderByPartition: checker.PerProducer, format.OrderByKey: checker.PerKey, format.OrderByTopic: checker.PerTopic}
