package sim

import "testing"

// A view tells what is on its way from what only seems to be.
func TestMessagesOfAResetConnectionAreOnTheirWayToNowhere(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 2})
	flights := func() (n, lost int) {
		for _, f := range w.InFlight() {
			n++
			if f.Lost {
				lost++
			}
		}
		return n, lost
	}
	if n, lost := flights(); n != 2 || lost != 0 {
		t.Fatalf("%d messages in flight, %d of them lost; want 2 and 0", n, lost)
	}
	w.Disconnect(0, 1)
	if n, lost := flights(); n != 2 || lost != 2 {
		t.Errorf("after the reset %d messages are in flight, %d of them lost; want 2 and 2", n, lost)
	}
	run(t, w)
	expect(t, w, 1, "start 1, disconnected")
}
