// Package story tells a run in words: every step as a few plain sentences with the state of the logs after
// it. The transcript, the linear text and the stepper are views of what is here, and all of it is a view of
// the run's one trace.
package story

import (
	"slices"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/projection"
	"kafkatrial/model/protocol"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Kind says what sort of step an Entry is, for folding, colours and headings.
type Kind uint8

// The kinds of entry.
const (
	Routine Kind = iota // nothing that a person would look at; folded
	StartUp             // the cluster comes up, before the script begins; folded
	Event               // somebody does something
	Fault               // something breaks, or is mended
	Act                 // a chapter begins
	Say                 // the narrator speaks
	Ask                 // a prediction is asked for
	Answer              // what the run answered
	Healed              // the phase of faults is over
	Stopped             // the script ended before its last step
)

// Options say how a run is told.
type Options struct {
	Lang     string // of the texts of the file: "en", "zh"; empty: the file's first choice
	Internal bool   // also tell what happens to Kafka's internal topics
	// Flights also notes which messages are on their way after a step. That shows only while the run stands at
	// the step: Observe must then follow every decision.
	Flights bool
}

// Entry is one step of the run.
type Entry struct {
	Step int // from 1, as people count: its place in the trace and one
	At   sim.Time
	Kind Kind
	Who  string // the node, "net", or "" for the script
	// What is said of the step: predicates that follow the name of the node, without a full stop. For Act, Say,
	// Ask, Answer, Healed and Stopped it is one text.
	What  []string
	Mends bool // a Fault that mends something
	signs []sign
	// Touched lists the replicas and partitions whose state the step changed.
	Touched []Touched
}

// Touched is a state that a step changed.
type Touched struct {
	TP     protocol.TopicPartition
	Broker protocol.BrokerID // NoBroker: the partition's leader or ISR, as the controller has them
	Cut    []string          // records that left the log with this step
	Leader bool              // with NoBroker: the leader was decided anew; otherwise the ISR
}

// Story tells one run. Observe takes in what the run has done since; everything else looks at what was
// observed.
type Story struct {
	Run     *scenarios.Run
	opts    Options
	entries []Entry
	flights [][]Flight
	now     *projection.State // after the last entry
	causes  *causes
	// elsewhere is the step (from 1) from which on the file's texts speak of another run than this, 0: of this one.
	elsewhere  int
	ownExplain string // the paragraph that was written for that run
	begins     int    // index of the first step of the script, -1 while it has not begun
	single     bool   // there is one partition to tell of: sentences need not name it
	only       protocol.TopicPartition
	past       *projection.State // cache of At
	pastAt     int
}

// New begins to tell a run, which may be at its beginning, on its way or at its end.
func New(r *scenarios.Run, o Options) *Story {
	s := &Story{Run: r, opts: o, now: projection.New(r.Cluster), causes: newCauses(r), begins: -1, pastAt: -1}
	tps := s.Partitions()
	if s.single = len(tps) == 1; s.single {
		s.only = tps[0]
	}
	s.Observe()
	return s
}

// Partitions lists the partitions that the story tells of: all but those of internal topics, unless those
// were asked for.
func (s *Story) Partitions() []protocol.TopicPartition {
	var all []protocol.TopicPartition
	for i := range s.now.Partitions {
		if tp := s.now.Partitions[i].TP; s.tells(tp.Topic) {
			all = append(all, tp)
		}
	}
	return all
}

func (s *Story) tells(topic string) bool {
	return s.opts.Internal || topic != groupcoordinator.TopicName && topic != transactioncoordinator.TopicName
}

// Observe takes in the steps that the run has taken since the last call.
func (s *Story) Observe() {
	t := s.Run.World.Trace()
	for i := len(s.entries); i < len(t.Steps); i++ {
		if s.begins < 0 && s.isScript(i) {
			s.begins = i
		}
		s.now.Step(&t.Steps[i])
		s.causes.step(i, &t.Steps[i], t.EventsOf(i), s.now)
		s.entries = append(s.entries, s.entry(i))
	}
	if s.opts.Flights && len(s.entries) > 0 {
		for len(s.flights) < len(s.entries) {
			s.flights = append(s.flights, nil)
		}
		s.flights[len(s.entries)-1] = s.inFlight()
	}
}

func (s *Story) isScript(i int) bool {
	st := &s.Run.World.Trace().Steps[i]
	return st.Kind == sim.StepScript || st.Kind == sim.StepFault
}

// Entries lists the steps observed. The caller must not change them.
func (s *Story) Entries() []Entry { return s.entries }

// Begins is the index of the first step of the script; before it the cluster comes up. It is -1 until then.
func (s *Story) Begins() int { return s.begins }

// After gives the state of every partition after step i (an index), computed from the trace. The caller must
// not change it.
func (s *Story) After(i int) *projection.State {
	if i == len(s.entries)-1 {
		return s.now
	}
	if s.past == nil || i < s.pastAt {
		s.past, s.pastAt = projection.New(s.Run.Cluster), -1
	}
	t := s.Run.World.Trace()
	for s.pastAt < i {
		s.pastAt++
		s.past.Step(&t.Steps[s.pastAt])
		events := t.EventsOf(s.pastAt)
		for j := range events {
			s.past.Event(&events[j])
		}
	}
	return s.past
}

// entry tells step i, and takes s.now through its events.
func (s *Story) entry(i int) Entry {
	t := s.Run.World.Trace()
	st := &t.Steps[i]
	e := Entry{Step: i + 1, At: st.At, Kind: Routine, Who: s.name(st.Node)}
	events := t.EventsOf(i)
	switch {
	case st.Kind == sim.StepScript && st.Node == sim.Nobody && len(events) > 0:
		s.note(&e, events[0].Event)
		return e
	case st.Kind == sim.StepFault && st.Op == sim.OpHeal && st.Node == sim.Nobody && i > 0 && s.entries[i-1].Kind == Healed:
		return e // said already
	case st.Kind == sim.StepFault:
		e.Kind, e.Mends = Fault, repairs(st.Op)
		who, what := s.faultSentence(st)
		e.Who, e.What = who, []string{what}
	case st.Kind == sim.StepLost:
		if text := s.lostSentence(st); text != "" {
			e.Kind, e.Who, e.What = Fault, net, []string{text}
		}
	}
	e.What = append(e.What, s.clauses(i)...)
	e.Touched = s.touched(events)
	if len(e.What) > 0 && e.Kind == Routine {
		e.Kind = Event
	}
	e.signs = s.signs(i)
	if e.Kind == Event && s.begins < 0 {
		e.Kind = StartUp
	}
	return e
}

// note tells a step of the script itself: in the story's language where the file has it.
func (s *Story) note(e *Entry, told sim.Event) {
	e.Who = ""
	text := scriptSentence(told)
	switch told := told.(type) {
	case *event.Act:
		e.Kind = Act
		if step := s.scriptStep(told.Step); step != nil {
			text = step.Act.In(s.opts.Lang)
		}
	case *event.Said:
		e.Kind = Say
		if step := s.scriptStep(told.Step); step != nil {
			text = step.Say.In(s.opts.Lang)
		}
	case *event.Asked:
		e.Kind = Ask
		if p := predict(s.scriptStep(told.Step)); p != nil {
			text = p.Ask.In(s.opts.Lang)
		}
	case *event.Answered:
		e.Kind = Answer
		if p := predict(s.scriptStep(told.Step)); p != nil {
			text = strings.TrimPrefix(text, p.Ask.In("")+" ")
		}
	case *event.Healed:
		e.Kind = Healed
	case *event.ScriptEnd, *event.DefectFound:
		e.Kind = Stopped
	case *event.Arranged:
		e.Kind, e.Who = Fault, net
		step := s.scriptStep(told.Step)
		e.Mends = step != nil && isRelease(step)
	}
	e.What = []string{text}
}

func (s *Story) scriptStep(number int64) *format.Step {
	script := s.Run.File.Script
	if number < 1 || number > int64(len(script)) {
		return nil
	}
	return &script[number-1]
}

func isRelease(st *format.Step) bool {
	_, ok := st.Do.(*format.Release)
	return ok
}

func predict(st *format.Step) *format.Predict {
	if st == nil {
		return nil
	}
	p, _ := st.Do.(*format.Predict)
	return p
}

func (s *Story) name(n sim.NodeID) string {
	if n == sim.Nobody {
		return ""
	}
	return s.Run.World.Name(n)
}

// touched lists the states that events changed, each once.
func (s *Story) touched(events []sim.Recorded) []Touched {
	var all []Touched
	add := func(t Touched) {
		i := slices.IndexFunc(all, func(o Touched) bool { return o.TP == t.TP && o.Broker == t.Broker })
		if i < 0 {
			all = append(all, t)
			return
		}
		all[i].Cut = append(all[i].Cut, t.Cut...)
		all[i].Leader = all[i].Leader || t.Leader
	}
	for j := range events {
		tp := event.Partition(events[j].Event)
		if tp.Topic == "" || tp.Partition < 0 || !s.tells(tp.Topic) {
			continue
		}
		broker := s.Run.Cluster.Directory.Broker(events[j].Node)
		switch e := events[j].Event.(type) {
		case *event.LeaderAppended, *event.FollowerAppended, *event.HighWatermark, *event.LogStart, *event.Recovered, *event.BecameLeader, *event.BecameFollower:
			add(Touched{TP: tp, Broker: broker})
		case *event.Truncated:
			add(Touched{TP: tp, Broker: broker, Cut: cutNames(e)})
		case *event.LeaderElected, *event.PartitionOffline:
			add(Touched{TP: tp, Broker: protocol.NoBroker, Leader: true})
		case *event.ISRChanged:
			add(Touched{TP: tp, Broker: protocol.NoBroker})
		}
	}
	return all
}
