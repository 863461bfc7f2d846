package shrink

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/sim"
)

// Decisive lists the steps that a person must be told of to understand a failure, as indices into the trace, in
// order: the faults and repairs that were chosen, the elections and cuts of logs that follow from them, and the
// steps that the evidence names.
func Decisive(c *Case) []int {
	t := c.Run.World.Trace()
	var all []int
	add := func(i int) {
		if i >= 0 && i < len(t.Steps) && !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	healed := len(t.Steps)
	for i := range t.Steps {
		for _, f := range t.EventsOf(i) {
			switch f.Event.(type) {
			case *event.Healed:
				healed = min(healed, i)
			case *event.LeaderElected, *event.Truncated:
				if len(c.Decisions) > 0 && i >= c.Decisions[0].Step {
					add(i)
				}
			}
		}
		if k := t.Steps[i].Kind; i < healed && (k == sim.StepFault || k == sim.StepLost && chosen(c, i)) {
			add(i)
		}
	}
	for _, step := range c.Evidence.Steps {
		add(step - 1)
	}
	slices.Sort(all)
	return all
}

// chosen says that a message was lost by a decision, and not because the node or the connection was gone.
func chosen(c *Case, i int) bool {
	s := &c.Run.World.Trace().Steps[i]
	return slices.ContainsFunc(c.Decisions, func(d Decision) bool {
		return d.Chosen.Op == sim.OpLose && d.Chosen.Seq == s.N && d.Chosen.Node == s.Peer && d.Chosen.Peer == s.Node
	})
}
