package scenarios

import "kafkatrial/sim"

// What a person who decides by hand may choose among.
var (
	// interactiveDelays: a hiccup; a second; more than a follower's replica.fetch.wait.max.ms and a broker's session
	// (9 s); more than a client waits for an answer (request.timeout.ms, 30 s).
	interactiveDelays = []sim.Time{100 * sim.Millisecond, sim.Second, 10 * sim.Second, 40 * sim.Second}
)

const (
	interactiveReorder = 64
	interactiveBudget  = 1000
)

// Interactive opens, beside what a fault model has already, every decision that a person may take between two
// events: to take another message first, to lose, double, hold or delay one on its way, to stop and start
// processes and machines, to cut and heal links. What becomes of messages as they are sent, and how late
// they may be, stays as it is: the calm run is the same with and without. To open twice is to open once.
func Interactive(a sim.FaultModel) sim.FaultModel {
	a.Node = sim.CanKill | sim.CanPause | sim.CanLosePower | sim.CanLoseDisk
	a.Cut, a.InFlight, a.Delays = true, true, interactiveDelays
	a.Reorder = max(a.Reorder, interactiveReorder)
	a.Budget = max(a.Budget, interactiveBudget)
	a.MaxDown, a.Among = 0, nil
	return a
}
