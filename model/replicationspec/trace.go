package replicationspec

import "kafkatrial/sim/explore"

type Trace struct {
	n     int
	steps []explore.Step[state, action]
}

func (m *model) trace(c Config, inv string, st []explore.Step[state, action]) *Trace {
	return &Trace{n: m.replicas, steps: st}
}
