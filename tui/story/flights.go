package story

import (
	"fmt"

	"kafkatrial/sim"
)

// Flight is a message on its way after a step.
type Flight struct {
	From, To string
	What     string // its kind, and the records in it
	At       sim.Time
	Held     bool // the script holds it back
	Cut      bool // it waits for the link to be mended
}

// String says it in a line: b1 to b2: FetchResponse with m2, held back.
func (f Flight) String() string {
	switch {
	case f.Held:
		return fmt.Sprintf("%s to %s: %s, held back", f.From, f.To, f.What)
	case f.Cut:
		return fmt.Sprintf("%s to %s: %s, waits for the link", f.From, f.To, f.What)
	}
	return fmt.Sprintf("%s to %s: %s", f.From, f.To, f.What)
}

// inFlight lists the messages now on their way that a person would look at: all that are stopped, and of the
// others those that are not routine.
func (s *Story) inFlight() []Flight {
	var all []Flight
	for _, f := range s.Run.World.InFlight() {
		if f.Msg.Routine() && !f.Held {
			continue
		}
		what := messageName(s.Run.World.MessageName(f.Msg.Type()))
		if ids := s.carried(f.Msg); len(ids) > 0 {
			what += " with " + few(ids)
		}
		all = append(all, Flight{s.name(f.From), s.name(f.To), what, f.At, f.Held, f.Cut})
	}
	return all
}
