package session

import (
	"sort"
	"strings"

	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// Row is one line of the time line: a step of the trace.
type Row struct {
	Moment int // at which it has just been taken
	Step   int // index in the trace
	At     sim.Time
	Who    string // a node, "net", or "" for the script
	Nodes  []sim.NodeID
	Kind   story.Kind
	Text   string
}

// Rows lists the whole time line, with routine or without. The caller must not change it.
func (s *Session) Rows() []Row {
	k := s.fold()
	if s.rows[k] == nil {
		s.rows[k] = s.makeRows()
	}
	return s.rows[k]
}

// RowsUpTo counts the rows up to and including a moment.
func (s *Session) RowsUpTo(moment int) int {
	rows := s.Rows()
	return sort.Search(len(rows), func(i int) bool { return rows[i].Moment > moment })
}

func (s *Session) makeRows() []Row {
	entries := s.Story().Entries()
	t := s.Trace()
	rows := []Row{}
	from := 0
	for i := range s.moments {
		m := &s.moments[i]
		for k := from; k < m.Steps; k++ {
			e := &entries[k]
			if (e.Kind == story.Routine || e.Kind == story.StartUp) && !s.unfold {
				continue
			}
			rows = append(rows, Row{i, k, e.At, e.Who, nodesOf(&t.Steps[k]), e.Kind, s.Words(k)})
		}
		from = m.Steps
	}
	return rows
}

// nodesOf lists the nodes that a step happens to.
func nodesOf(st *sim.Step) []sim.NodeID {
	var all []sim.NodeID
	if st.Node != sim.Nobody {
		all = append(all, st.Node)
	}
	if st.Kind == sim.StepFault && st.Peer != sim.Nobody {
		all = append(all, st.Peer)
	}
	return all
}

// Words says what a step of the trace is, in one sentence without its subject: what it changed or, if it
// changed nothing, what arrived.
func (s *Session) Words(step int) string {
	e := &s.Story().Entries()[step]
	if e.Kind == story.Answer {
		return "the run's answer: " + strings.Join(e.What, " ")
	}
	if len(e.What) > 0 {
		return strings.Join(e.What, "; ")
	}
	st := &s.Trace().Steps[step]
	w := s.World()
	switch st.Kind {
	case sim.StepDeliver:
		return "receives " + messageWords(w, st) + " from " + w.Name(st.Peer)
	case sim.StepLost:
		return messageWords(w, st) + " from " + w.Name(st.Peer) + " is lost"
	case sim.StepDisconnect:
		return "its connection to " + w.Name(st.Peer) + " is gone"
	case sim.StepTimer:
		return "is woken by its timer " + w.TimerName(st.Timer)
	case sim.StepStart:
		return "starts"
	case sim.StepScript:
		return "is told what to do by the script"
	}
	return ""
}

func messageWords(w *sim.World, st *sim.Step) string {
	words := w.MessageName(st.Msg.Type())
	if d := Detail(st.Msg); d != "" {
		words += " (" + d + ")"
	}
	return words
}
