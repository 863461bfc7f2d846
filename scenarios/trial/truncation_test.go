package trial

import (
	"testing"

	"kafkatrial/checker"
)

// truncation is what a generation of the truncation rule is worth when nothing but processes and the
// network fail.
func truncation(kafka string, features ...string) Property {
	s := threeCopies()
	s.Kafka, s.Features, s.Metadata = []string{kafka}, features, []string{"zookeeper"}
	s.Brokers, s.Replicas = []int{2, 3}, []int{2, 3}
	s.Topic = []Setting{Set("min.insync.replicas", "1"), Set("unclean.leader.election.enable", "false")}
	s.Faults.Budget = 8
	return Property{Name: "truncation of " + kafka,
		Says:       "In Kafka " + kafka + " replicas agree below the high watermark, and nothing that is acknowledged is lost, as long as disks keep what they have.",
		Shape:      s,
		Claims:     AtLog(checker.AtLeastOnce),
		Invariants: []string{checker.CommittedOnISR, checker.LogMatching},
		MayNotRest: true,
	}
}

// Before KIP-101 a follower cuts its log to its own high watermark, which may be older than what is acknowledged.
func TestTruncationToTheHighWatermarkCanLose(t *testing.T) { Seek(t, truncation("0.10"), 5000) }

// The same release is sound with KIP-101, KIP-279 and KIP-320, and what else these rest on.
func TestTruncationToTheEpochEnd(t *testing.T) { Check(t, truncation("2.1")) }
