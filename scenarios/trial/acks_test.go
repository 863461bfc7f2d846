package trial

import (
	"testing"

	"kafkatrial/checker"
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
	p.Says = "With acks=all and min.insync.replicas=1 no acknowledged record is lost, though a disk is."
	p.Shape.Topic = []Setting{Set("min.insync.replicas", "1"), Set("unclean.leader.election.enable", "true")}
	p.Shape.Kafka = []string{"2.6", "3.9"}
	Seek(t, p, 3000)
}
