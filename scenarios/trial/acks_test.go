package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/sim"
)

// acks is what an acknowledgement is worth with the given setting, when brokers are killed.
func acks(value string) Property {
	s := threeCopies()
	s.Kafka = []string{"4.0", "2.6", "0.11"}
	s.Producer = []Setting{Set("acks", value), Set("enable.idempotence", "false")}
	return Property{Name: "acks " + value, Says: "With acks=" + value + " no acknowledged record is lost.", Shape: s,
		Claims: AtLog(checker.AtLeastOnce), MayNotRest: true}
}

func TestAcksOneCanLose(t *testing.T)  { Seek(t, acks("1"), 2000) }
func TestAcksZeroCanLose(t *testing.T) { Seek(t, acks("0"), 500) }

// With a minimum of one, acks=all is acknowledged by a leader that is alone in the ISR: its disk is then all
// there is.
func TestAcksAllOfOneCanLose(t *testing.T) {
	p := acks("all")
	p.Name, p.Says = "acks all of one", "With acks=all and min.insync.replicas=1 no acknowledged record is lost, though one disk is."
	p.Shape.Topic = []Setting{Set("min.insync.replicas", "1")}
	p.Shape.Kafka = []string{"4.0", "2.6"}
	p.Shape.Sends, p.Shape.Records, p.Shape.After, p.Shape.Quiet = []int{3}, []int{1}, []string{"5s"}, "15s"
	p.Shape.Faults = sim.FaultModel{Node: sim.CanLoseDisk, Cut: true, Budget: 3}
	p.Weights = sim.Weights{Fault: 5_000, Repair: 500}
	p.Allow = notOf("k", "zk", "p", "c")
	p.Shape.Faults.MaxDown = 1
	Seek(t, p, 2000)
}
