package trial_test

import (
	"fmt"

	"kafkatrial/checker"
	"kafkatrial/scenarios/trial"
	"kafkatrial/sim"
)

// A statement about one's own settings: is it safe to run with two replicas and acks=1, if brokers crash? In a
// test one would call trial.Check(t, p), to have worlds drawn by rapid, or trial.Seek(t, p, 1000).
func Example() {
	p := trial.Property{
		Name: "two replicas and acks=1",
		Says: "With two replicas and acks=1 no acknowledged record is lost when a broker crashes.",
		Shape: trial.Shape{
			Kafka:    []string{"3.9"},
			Brokers:  []int{2},
			Replicas: []int{2},
			Producer: []trial.Setting{trial.Set("acks", "1"), trial.Set("enable.idempotence", "false"), trial.Set("linger.ms", "0", "5")},
			Sends:    []int{2, 3, 4},
			After:    []string{"5ms", "1s"},
			Quiet:    "20s",
			Faults:   sim.FaultModel{Node: sim.CanKill, Late: []sim.Time{20 * sim.Millisecond}, Budget: 2, MaxDown: 1},
		},
		Claims: trial.AtLog(checker.AtLeastOnce),
	}
	found, _ := p.Hunt(2000)
	if found == nil {
		fmt.Println("no run speaks against it")
		return
	}
	fmt.Println("not so:", found.Findings[0].What)
	// Output: not so: at-least-once at the log is violated
}
