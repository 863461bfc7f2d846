package pages

import (
	"errors"
	"fmt"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// mendings is a table of a scenario and its comparisons: how long after a broker has come to lead for the last time before it
// a record is acknowledged, in simulated time, and what available and at-least-once come to.
func mendings(args []string) (string, error) {
	if len(args) != 2 {
		return "", errors.New("expected the name of one scenario, and a record")
	}
	o, err := scenarios.Open(args[0])
	if err != nil {
		return "", err
	}
	rows := []string{"| run | the record is acknowledged after | at-least-once | available |\n|---|---|---|---|"}
	for _, f := range append([]*format.File{o.File}, scenarios.Variants(o.File)...) {
		r, err := scenarios.New(f, scenarios.Options{})
		if err != nil {
			return "", err
		}
		r.Finish()
		wait, ok := acknowledgedAfterElection(r, args[1])
		if !ok {
			return "", fmt.Errorf("%s: %s is not acknowledged after an election", args[0], args[1])
		}
		res := r.Result()
		label := "Kafka " + res.Kafka + ", as it is"
		if n := len(f.Features); n > 0 {
			label = "Kafka " + res.Kafka + " with `" + f.Features[n-1].Name.Text + "`"
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", label, wait, cell(&res, checker.AtLeastOnce), cell(&res, checker.Available)))
	}
	return caption(args[0], "", "kafkatrial run "+args[0], "") + strings.Join(rows, "\n"), nil
}

// acknowledgedAfterElection measures from when a leader takes up its last epoch before the record is acknowledged to when its producer
// learns of that.
func acknowledgedAfterElection(r *scenarios.Run, record string) (sim.Time, bool) {
	t := r.World.Trace()
	led := sim.Time(-1)
	for i := range t.Steps {
		for _, f := range t.EventsOf(i) {
			switch e := f.Event.(type) {
			case *event.BecameLeader:
				if !strings.HasPrefix(e.TP.Topic, "__") {
					led = t.Steps[i].At
				}
			case *event.BatchAcked:
				for _, rec := range e.Batch.Records {
					if rec.ID == record {
						return t.Steps[i].At - led, led >= 0
					}
				}
			}
		}
	}
	return 0, false
}
