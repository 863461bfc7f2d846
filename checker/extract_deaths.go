package checker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/sim"
)

// Death is the end of a process that an application had work in: one of its consumers, or its database. Explanations
// name it, no claim asks for it.
type Death struct {
	Node string
	// Applications are those whose work was lost with it.
	Applications []string
	// Database: it is no consumer.
	Database bool
	// How says it in words: "crashed".
	How  string
	Step int
}

var deathWords = map[sim.Op]string{sim.OpKill: "crashed", sim.OpPowerLoss: "lost power", sim.OpDiskLoss: "lost its disk"}

// death notes a step in which a consumer or a database dies.
func (x *extractor) death(i int) {
	s := &x.trace.Steps[i]
	if s.Kind == sim.StepFault && deathWords[s.Op] != "" {
		x.died(s.Node, deathWords[s.Op], i+1)
	}
	events := x.trace.EventsOf(i)
	for j := range events {
		if _, failed := events[j].Event.(*event.ConsumerFailed); failed {
			x.died(events[j].Node, "ended with an exception", i+1)
		}
	}
}

func (x *extractor) died(n sim.NodeID, how string, step int) {
	d := Death{Node: x.c.World.Name(n), How: how, Step: step}
	if slices.Contains(x.c.Consumers(), n) {
		app, _ := x.application(n)
		d.Applications = []string{app}
	}
	if slices.Contains(x.c.Databases(), n) {
		d.Database = true
		for i, node := range x.c.Consumers() {
			if k := &x.c.Spec.Consumers[i]; k.App.Database != nil && k.App.Database.Name == d.Node {
				if app, _ := x.application(node); !slices.Contains(d.Applications, app) {
					d.Applications = append(d.Applications, app)
				}
			}
		}
	}
	if len(d.Applications) > 0 {
		x.h.Deaths = append(x.h.Deaths, d)
	}
}
