package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/sim"
)

// application is a consuming application with a loop of verbs, which crashes, as brokers do.
func application(loop string) Shape {
	s := threeCopies()
	s.Topic = append(s.Topic, Set("unclean.leader.election.enable", "false"))
	s.Producer = []Setting{Set("acks", "all"), Set("enable.idempotence", "false"), Set("retries", "0")}
	s.Consumer = []Setting{Set("auto.offset.reset", "earliest"), Set("enable.auto.commit", "false"), Set("max.poll.records", "", "1")}
	s.Loop = []string{loop}
	s.Takes = []string{"0", "20ms", "2s"}
	s.Records = []int{1, 2, 4}
	s.Faults.Budget = 6
	s.Faults.Duplicate = false // or a record would be in the log twice
	return s
}

func TestCommitAfterProcessingNeverLoses(t *testing.T) {
	Check(t, Property{
		Name:   "commit after processing",
		Says:   "An application that commits after processing misses no acknowledged record.",
		Shape:  application("poll, process, commit"),
		Claims: AtApplication(checker.AtLeastOnce),
	})
}

func TestCommitAfterProcessingCanRepeat(t *testing.T) {
	Seek(t, Property{
		Name:    "commit after processing repeats",
		Says:    "An application that commits after processing processes no record twice.",
		Shape:   application("poll, process, commit"),
		Claims:  AtApplication(checker.AtMostOnce),
		Weights: sim.Weights{Fault: 10_000, Repair: 10_000, Late: 100_000, Lost: 2_000},
	}, 3000)
}

func TestCommitBeforeProcessingNeverRepeats(t *testing.T) {
	Check(t, Property{
		Name:   "commit before processing",
		Says:   "An application that commits before processing processes no record twice.",
		Shape:  application("poll, commit, process"),
		Claims: AtApplication(checker.AtMostOnce),
	})
}

func TestCommitBeforeProcessingCanLose(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	Seek(t, Property{
		Name:    "commit before processing loses",
		Says:    "An application that commits before processing misses no acknowledged record.",
		Shape:   application("poll, commit, process"),
		Claims:  AtApplication(checker.AtLeastOnce),
		Weights: sim.Weights{Fault: 10_000, Repair: 10_000, Late: 100_000, Lost: 2_000},
	}, 3000)
}
