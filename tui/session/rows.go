package session

import (
	"sort"

	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

// Row is one line of the time line: a step of the trace.
type Row struct {
	Moment int // at which it has just been taken
	Step   int // index in the trace
	At     sim.Time
	Nodes  []sim.NodeID // to whom it happens
	Kind   story.Kind
	Text   string // a sentence, or what the script says
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
			rows = append(rows, Row{i, k, e.At, nodesOf(&t.Steps[k]), e.Kind, s.Words(k)})
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

// Words says what a step of the trace is, in one sentence: what it changed or, if it changed nothing, what
// arrived or ran out.
func (s *Session) Words(step int) string {
	st := s.Story()
	if e := &st.Entries()[step]; e.Kind == story.Answer {
		return "the run's answer: " + st.Sentence(step)
	} else if len(e.What) > 0 {
		return st.Sentence(step)
	}
	causes := st.Why(step)
	return causes[len(causes)-1].Text
}
