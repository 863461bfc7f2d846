package model_test

import (
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/referencecase"
)

// deletionCases ask a leader where its log begins and ends.
var deletionCases = map[string]referencecase.Runner{
	"delete_records": runDeleteRecordsCase,
	"list_offsets":   runListOffsetsCase,
}

func TestReferenceCasesLogOffsets(t *testing.T) { referencecase.Run(t, ownCases, deletionCases) }

func runDeleteRecordsCase(t *testing.T, given, expect *referencecase.Fields) {
	l := logWith(t, []log.EpochEntry{{Epoch: 0}}, given.Must("log_end"))
	l.UpdateHighWatermark(given.Num("high_watermark", l.LogEndOffset()))
	l.MaybeIncrementLogStartOffset(given.Num("log_start", 0))
	p := leading(t, l, 1)
	if starts := given.Ints("follower_log_starts"); len(starts) > 0 {
		p.Replica(2).LogStartOffset = int64(starts[0])
	}
	got := map[string]any{}
	starts, errs := []int64{}, []string{}
	for _, offset := range given.Ints("requests") {
		low, err := p.DeleteRecords(int64(offset))
		starts, errs, got["low_watermark_answer"] = append(starts, l.LogStartOffset()), append(errs, err.String()), low
	}
	got["log_start"], got["errors"] = starts, errs
	given.Has("segments")
	given.Done()
	expect.Lacks("segments_left", "a log has no segments")
	expect.Lacks("completes_when", "a sentence")
	expect.Compare(got)
}

// runListOffsetsCase: of the special timestamps the model knows latest and earliest; it does not look an offset up by a
// timestamp. The epoch of the offset is not part of its answer.
func runListOffsetsCase(t *testing.T, given, expect *referencecase.Fields) {
	const latest, earliest = -1, -2
	timestamp := given.Must("timestamp")
	if timestamp != latest && timestamp != earliest {
		t.Skip("offsets are not looked up by a timestamp")
	}
	epochs := []log.EpochEntry{{Epoch: 0}}
	if given.Has("epoch_entries") {
		epochs = entries(t, given, "epoch_entries")
	}
	epoch := int(given.Num("current_leader_epoch", 0)) // its leader has written what lies in its epoch
	led := given.Must("log_end")
	if last := epochs[len(epochs)-1]; last.Epoch == epoch {
		epochs, led = epochs[:len(epochs)-1], last.StartOffset
	}
	l := logWith(t, epochs, led)
	p := leading(t, l, epoch)
	for l.LogEndOffset() < given.Must("log_end") {
		l.AppendAsLeader(records(1), epoch, 0)
	}
	l.UpdateHighWatermark(given.Must("high_watermark"))
	l.MaybeIncrementLogStartOffset(given.Num("log_start", 0))
	isolation := log.FetchLogEnd
	switch level := given.Text("isolation", "replica"); level {
	case "read_uncommitted":
		isolation = log.FetchHighWatermark
	case "read_committed":
		isolation = log.FetchTxnCommitted
		if stable := given.Num("last_stable", l.LastStableOffset()); stable != l.LastStableOffset() {
			t.Skip("a last stable offset is what the log's transactions make it")
		}
	case "replica":
	default:
		given.Unknown("isolation", level)
	}
	given.Has("last_stable")
	offset, err := p.EndOffset(isolation, partition.NoEpoch, true)
	if timestamp == earliest {
		offset, err = p.StartOffset(partition.NoEpoch, true)
	}
	given.Done()
	got := map[string]any{"offset": offset, "error": err.String(), "timestamp": -1}
	if err != protocol.None {
		got["offset"] = -1
	}
	expect.Lacks("epoch", "not part of the model's answer")
	expect.Compare(got)
}
