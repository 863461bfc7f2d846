package trial

import (
	"fmt"
	"slices"

	"kafkatrial/model/probe"
)

// met counts in how many runs a rare situation was met.
type met map[string]int

func (m met) note(t *Trial) {
	for _, one := range t.Run.World.Probes() {
		m[one.Name]++
	}
}

// missed lists which of the situations no run has met. One that the model does not know is a mistake in the
// property, and panics.
func (m met) missed(names []string) (missed []string) {
	for _, name := range names {
		if !slices.ContainsFunc(probe.All(), func(k probe.Probe) bool { return k.Name == name }) {
			panic(fmt.Sprintf("trial: the model has no probe %q", name))
		}
		if m[name] == 0 {
			missed = append(missed, name)
		}
	}
	return missed
}
