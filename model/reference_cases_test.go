package model_test

import (
	"path/filepath"
	"testing"

	"kafkatrial/model/referencecase"
)

// ownCases is the copy of the reference cases in the repository.
var ownCases = filepath.Join("testdata", "kafka-cases")

var leaderEpochCases = map[string]referencecase.Runner{
	"epoch_cache":                     runEpochCacheCase,
	"follower_truncation":             runFollowerTruncationCase,
	"fetch_divergence":                runFetchDivergenceCase,
	"offset_for_leader_epoch_request": runOffsetForLeaderEpochCase,
}

func TestReferenceCasesLeaderEpoch(t *testing.T) { referencecase.Run(t, ownCases, leaderEpochCases) }

var replicationCases = map[string]referencecase.Runner{
	"isr":         runISRCase,
	"ack_check":   runAckCheckCase,
	"follower_hw": runFollowerHWCase,
	"fetch_state": runFetchStateCase,
	"min_isr":     runMinISRCase,
}

func TestReferenceCasesReplication(t *testing.T) { referencecase.Run(t, ownCases, replicationCases) }

// inTheirPackage are the kinds that are run beside what they are about (model/producer, model/groupcoordinator), since it is not
// exported there.
var inTheirPackage = []string{"accumulator", "partitioner_rule", "producer_rule", "offset_commit"}

// without says of the other kinds what the model lacks.
var without = map[string]string{
	"assignment":       "members do not choose the assignment themselves, a scenario's rebalance does",
	"clean":            "there is no log cleaner",
	"cleanable_range":  "there is no log cleaner",
	"pick_log":         "there is no log cleaner",
	"next_dirty":       "there is no log cleaner",
	"group_segments":   "there is no log cleaner",
	"offset_index":     "a log is one file, without segments and indexes",
	"time_index":       "a log is one file, without segments and indexes",
	"segment":          "a log is one file, without segments and indexes",
	"roll_base":        "a log is one file, without segments and indexes",
	"retention":        "nothing is deleted by itself, a scenario's delete-records does it",
	"classic_group":    "JoinGroup and SyncGroup are one request, and a scenario's rebalance stands in for the group's state machine",
	"join_check":       "a member's session time-out is not checked",
	"offset_expiry":    "positions do not expire",
	"delete_group":     "groups are not deleted",
	"group_transition": "a scenario's rebalance stands in for the group's state machine",
	"record_batches":   "batches are values, and have no encoding",
}

// TestReferenceCasesOthers names the cases that are not run, and says why.
func TestReferenceCasesOthers(t *testing.T) {
	elsewhere := map[string]bool{}
	for _, kind := range inTheirPackage {
		elsewhere[kind] = true
	}
	for _, runners := range []map[string]referencecase.Runner{leaderEpochCases, replicationCases, producerStateCases, readCommittedCases,
		transactionCases, keyCases, deletionCases} {
		for kind := range runners {
			elsewhere[kind] = true
		}
	}
	referencecase.RunOthers(t, ownCases, elsewhere, without)
}
