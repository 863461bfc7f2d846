package model_test

import (
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/referencecase"
	"kafkatrial/sim"
)

var producerStateCases = map[string]referencecase.Runner{"producer_state": runProducerStateCase}

func TestReferenceCasesProducerState(t *testing.T) {
	referencecase.Run(t, ownCases, producerStateCases)
}

// producerStateCase drives the producer state manager of one log, with what the log does around it.
type producerStateCase struct {
	t    *testing.T
	disk *sim.Disk
	m    *log.ProducerStateManager
	pid  int64 // of the last operation that named one
}

func runProducerStateCase(t *testing.T, given, expect *referencecase.Fields) {
	c := &producerStateCase{t: t, disk: newDisk(), pid: 1}
	c.m = log.NewProducerStateManager(c.disk, "orders-0", log.ProducerStateManagerConfig{
		ProducerIDExpiration:  given.Num("producer_id_expiration_ms", 86400000),
		MaxTransactionTimeout: given.Num("max_transaction_timeout_ms", 300000),
	}, &trunk, planted.Set{})
	referencecase.EachStep(t, given, expect, "results", c.step)
}

func (c *producerStateCase) step(op *referencecase.Fields) map[string]any {
	c.pid = op.Num("pid", c.pid)
	got := map[string]any{}
	switch name := op.Text("op", ""); name {
	case "append":
		c.append(op, got)
	case "marker":
		c.marker(op, got)
	case "high_watermark":
		c.m.OnHighWatermarkUpdated(op.Must("offset"))
	case "expire":
		c.m.RemoveExpiredProducers(op.Must("now"))
	case "late_check":
		late := c.m.HasLateTransaction(op.Must("now"))
		got["late"], got["has_late_transaction"], got["result"] = late, late, late
	case "snapshot":
		c.m.TakeSnapshot()
	case "truncate_and_reload":
		c.m.TruncateAndReload(op.Num("log_start", 0), op.Must("log_end"), op.Num("now", 0))
	case "truncate_fully":
		c.m.TruncateFullyAndStartAt(op.Must("offset"))
	case "log_start_incremented":
		c.m.OnLogStartOffsetIncremented(op.Must("offset"))
	case "state":
	case "begin_verification":
		v := c.m.MaybeCreateVerificationStateEntry(c.pid, int32(op.Must("sequence")), int16(op.Must("epoch")), false, op.Num("now", 0))
		got["lowest_sequence"], got["epoch"] = v.LowestSequence, v.Epoch
	default:
		op.Unknown("operation", name)
	}
	got["state"] = c.state()
	got["first_unstable_offset"] = nil
	if first, ok := c.m.FirstUnstableOffset(); ok {
		got["first_unstable_offset"] = first
	}
	return got
}

func (c *producerStateCase) origin(op *referencecase.Fields) log.AppendOrigin {
	switch o := op.Text("origin", "client"); o {
	case "client":
		return log.OriginClient
	case "coordinator":
		return log.OriginCoordinator
	case "replication":
		return log.OriginReplication
	default:
		op.Unknown("origin", o)
		return 0
	}
}

func (c *producerStateCase) append(op *referencecase.Fields, got map[string]any) {
	first, last := int32(op.Must("first_seq")), int32(op.Must("last_seq"))
	b := record.NewBatch(nil)
	b.LastOffsetDelta = record.DecrementSequence(last, first)
	if first == record.NoSequence {
		b.LastOffsetDelta = 0
	}
	b = b.WithProducerState(c.pid, int16(op.Must("epoch")), first).WithOffset(op.Must("offset"), 0)
	b.MaxTimestamp, b.IsTransactional = op.Num("ts", 0), op.Flag("txn", false)
	origin := c.origin(op)
	if origin == log.OriginClient {
		if known, duplicate := c.m.FindDuplicateBatch(b); duplicate {
			got["result"], got["original_base_offset"], got["original_last_offset"] = "DUPLICATE", known.FirstOffset(), known.LastOffset
			return
		}
	}
	c.write(b, origin, got)
}

func (c *producerStateCase) marker(op *referencecase.Fields, got map[string]any) {
	m := record.EndTransactionMarker{CoordinatorEpoch: int32(op.Num("coordinator_epoch", 0))}
	switch kind := op.Text("type", ""); kind {
	case "ABORT":
		m.Abort = true
	case "COMMIT":
	default:
		op.Unknown("marker", kind)
	}
	b := record.NewMarker(c.pid, int16(op.Must("epoch")), m, op.Num("ts", 0)).WithOffset(op.Must("offset"), 0)
	origin := log.OriginCoordinator
	if op.Has("origin") {
		origin = c.origin(op)
	}
	c.write(b, origin, got)
}

// write checks a batch, and if it passes takes it in, as the log does.
func (c *producerStateCase) write(b *record.RecordBatch, origin log.AppendOrigin, got map[string]any) {
	info := c.m.PrepareUpdate(b.ProducerID, origin)
	if err := info.Append(b); err != protocol.None {
		got["result"] = err.String()
		return
	}
	got["result"], got["completed_txn"] = "OK", nil
	c.m.Update(&info)
	if done, ended := info.CompletedTxn(); ended {
		got["completed_txn"] = map[string]any{"first_offset": done.FirstOffset, "last_offset": done.LastOffset, "aborted": done.Aborted,
			"last_stable_offset_then": c.m.LastStableOffset(done)}
		c.m.CompleteTxn(done)
	}
	if b.IsTransactional {
		c.m.ClearVerificationStateEntry(b.ProducerID)
	}
	c.m.UpdateMapEndOffset(b.NextOffset())
}

func (c *producerStateCase) state() any {
	e := c.m.LastEntry(c.pid)
	if e == nil {
		return nil
	}
	var txn any
	if e.CurrentTxnFirstOffset != log.NoTransaction {
		txn = e.CurrentTxnFirstOffset
	}
	return map[string]any{"epoch": e.ProducerEpoch, "first_seq": e.FirstSeq(), "last_seq": e.LastSeq(), "last_offset": e.LastDataOffset(),
		"cached_batches": len(e.Batches()), "txn_first_offset": txn, "coordinator_epoch": e.CoordinatorEpoch}
}
