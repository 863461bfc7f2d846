package story

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/sim"
)

// row is one row of a transcript: an entry, and how many steps before it are folded.
type row struct {
	hidden  int
	startUp bool // the hidden steps are those in which the cluster comes up
	entry   int  // index of the entry, -1 for what is folded at the end
	text    string
	key     string // what the row says, for finding repetitions; empty for a row that none may contain
}

func (r *row) step(s *Story) int { return s.entries[r.entry].Step }

func (r *row) hiddenText() string {
	what := "routine step"
	if r.hidden != 1 {
		what += "s"
	}
	if r.startUp {
		return fmt.Sprintf("(%d steps in which the cluster comes up)", r.hidden)
	}
	return fmt.Sprintf("(%d %s)", r.hidden, what)
}

// rows chooses what a transcript shows: with all, every step.
func (s *Story) rows(all bool) []row {
	var rows []row
	hidden, startUp, healed := 0, s.begins != 0, false
	for i := 0; i < len(s.entries); i++ {
		e := &s.entries[i]
		healed = healed || e.Kind == Healed
		fold := e.Kind == Routine || e.Kind == StartUp
		if e.Kind == Answer && healed {
			continue // it stands among the predictions
		}
		if fold && !all {
			hidden++
			continue
		}
		r := row{hidden: hidden, startUp: startUp && hidden > 0, entry: i}
		if fold && len(e.What) == 0 {
			r.text = s.routineText(i)
		}
		if e.Kind == Fault {
			if n, text := s.links(i); n > 1 && !all {
				r.text = text
				i += n - 1
			}
		}
		if e.Kind == Event || s.Run.World.Trace().Steps[i].Kind == sim.StepLost {
			r.key = e.Who + ": " + strings.Join(e.What, "; ")
		}
		rows = append(rows, r)
		hidden, startUp = 0, false
	}
	if hidden > 0 {
		rows = append(rows, row{hidden: hidden, startUp: startUp, entry: -1})
	}
	return rows
}

// routineText says what a routine step was.
func (s *Story) routineText(i int) string {
	text := s.causeText(i)
	return strings.TrimPrefix(text, s.entries[i].Who+" ")
}

// longestPeriod bounds how many rows a repetition may have.
const longestPeriod = 8

// repeats says whether the rows begin with a repetition, client that tries again and again: of how many rows it
// consists, and how often it comes, one after the other.
func repeats(rows []row) (period, times int) {
	for period = 1; period <= longestPeriod && 3*period <= len(rows); period++ {
		if rows[period-1].key == "" {
			return 0, 0
		}
		times = 1
		for k := period; k+period <= len(rows); k += period {
			same := true
			for j := range period {
				a, b := &rows[j], &rows[k+j]
				same = same && a.key == b.key
			}
			if !same {
				break
			}
			times++
		}
		if times >= 3 {
			return period, times
		}
	}
	return 0, 0
}

// links puts cuts, or repairs, of single directions that follow each other at the same moment into one
// sentence: a script cuts a node off by cutting each of its links.
func (s *Story) links(i int) (n int, text string) {
	steps := s.Run.World.Trace().Steps
	first := &steps[i]
	if first.Kind != sim.StepFault || first.Op != sim.OpCut && (first.Op != sim.OpHeal || first.Node == sim.Nobody || first.Arg == 0) {
		return 1, ""
	}
	reach := map[sim.NodeID][]sim.NodeID{}
	var from []sim.NodeID
	for n = 0; i+n < len(steps); n++ {
		st := &steps[i+n]
		if st.Kind != sim.StepFault || st.Op != first.Op || st.At != first.At || st.Node == sim.Nobody {
			break
		}
		if _, known := reach[st.Node]; !known {
			from = append(from, st.Node)
		}
		reach[st.Node] = append(reach[st.Node], st.Peer)
	}
	for _, to := range reach {
		slices.Sort(to)
	}
	slices.Sort(from)
	left, right := from[:0:0], reach[from[0]]
	var rest []sim.NodeID
	for _, f := range from {
		if slices.Equal(reach[f], right) {
			left = append(left, f)
		} else {
			rest = append(rest, f)
		}
	}
	both := len(rest) > 0 && slices.Equal(rest, right)
	for _, f := range rest {
		both = both && slices.Equal(reach[f], left)
	}
	a, b := s.these(left), s.these(right)
	switch {
	case both && len(left)+len(right) == len(s.Run.Cluster.Nodes()) && len(left) == 1:
		b = "all others"
	case both && len(left)+len(right) == len(s.Run.Cluster.Nodes()) && len(right) == 1:
		a, b = b, "all others"
	case !both && len(rest) > 0:
		return 1, "" // no simple shape: link by link
	}
	switch {
	case both && first.Op == sim.OpCut:
		return n, fmt.Sprintf("nothing passes between %s and %s any more", a, b)
	case both:
		return n, fmt.Sprintf("messages pass between %s and %s again", a, b)
	case first.Op == sim.OpCut:
		return n, fmt.Sprintf("nothing gets from %s to %s any more", a, b)
	}
	return n, fmt.Sprintf("%s can be heard by %s again", a, b)
}

// these lists nodes: b1, p, k1.
func (s *Story) these(nodes []sim.NodeID) string {
	var names []string
	for _, n := range nodes {
		names = append(names, s.name(n))
	}
	return strings.Join(names, ", ")
}
