package model_test

import (
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

func TestReferenceCasesProducerState(t *testing.T) {
	runReferenceCases(t, map[string]caseRunner{"producer_state": runProducerStateCase})
}

// producerStateCase drives the producer state manager of one log, with what the log does around it.
type producerStateCase struct {
	t    *testing.T
	disk *sim.Disk
	m    *log.ProducerStateManager
	pid  int64 // of the last operation that named one
}

func runProducerStateCase(t *testing.T, given, expect *fields) {
	c := &producerStateCase{t: t, disk: newDisk(), pid: 1}
	c.m = log.NewProducerStateManager(c.disk, "orders-0", log.ProducerStateManagerConfig{
		ProducerIDExpiration:  given.num("producer_id_expiration_ms", 86400000),
		MaxTransactionTimeout: given.num("max_transaction_timeout_ms", 300000),
	}, &trunk, planted.Set{})
	eachStep(t, given, expect, "results", c.step)
}

func (c *producerStateCase) step(op *fields) map[string]any {
	c.pid = op.num("pid", c.pid)
	got := map[string]any{}
	switch name := op.text("op", ""); name {
	case "append":
		c.append(op, got)
	case "marker":
		c.marker(op, got)
	case "high_watermark":
		c.m.OnHighWatermarkUpdated(op.must("offset"))
	case "expire":
		c.m.RemoveExpiredProducers(op.must("now"))
	case "late_check":
		late := c.m.HasLateTransaction(op.must("now"))
		got["late"], got["has_late_transaction"], got["result"] = late, late, late
	case "snapshot":
		c.m.TakeSnapshot()
	case "truncate_and_reload":
		c.m.TruncateAndReload(op.num("log_start", 0), op.must("log_end"), op.num("now", 0))
	case "truncate_fully":
		c.m.TruncateFullyAndStartAt(op.must("offset"))
	case "log_start_incremented":
		c.m.OnLogStartOffsetIncremented(op.must("offset"))
	case "state":
	case "begin_verification":
		v := c.m.MaybeCreateVerificationStateEntry(c.pid, int32(op.must("sequence")), int16(op.must("epoch")), op.num("now", 0))
		got["lowest_sequence"], got["epoch"] = v.LowestSequence, v.Epoch
	default:
		c.t.Fatalf("%s: there is no operation %q on producer state", op.path, name)
	}
	got["state"] = c.state()
	got["first_unstable_offset"] = nil
	if first, ok := c.m.FirstUnstableOffset(); ok {
		got["first_unstable_offset"] = first
	}
	return got
}

func (c *producerStateCase) origin(op *fields) log.AppendOrigin {
	switch o := op.text("origin", "client"); o {
	case "client":
		return log.OriginClient
	case "coordinator":
		return log.OriginCoordinator
	case "replication":
		return log.OriginReplication
	default:
		c.t.Fatalf("%s: there is no origin %q", op.path, o)
		return 0
	}
}

func (c *producerStateCase) append(op *fields, got map[string]any) {
	first, last := int32(op.must("first_seq")), int32(op.must("last_seq"))
	b := record.NewBatch(nil)
	b.LastOffsetDelta = record.DecrementSequence(last, first)
	if first == record.NoSequence {
		b.LastOffsetDelta = 0
	}
	b = b.WithProducerState(c.pid, int16(op.must("epoch")), first).WithOffset(op.must("offset"), 0)
	b.MaxTimestamp, b.IsTransactional = op.num("ts", 0), op.flag("txn", false)
	origin := c.origin(op)
	if origin == log.OriginClient {
		if known, duplicate := c.m.FindDuplicateBatch(b); duplicate {
			got["result"], got["original_base_offset"], got["original_last_offset"] = "DUPLICATE", known.FirstOffset(), known.LastOffset
			return
		}
	}
	c.write(b, origin, got)
}

func (c *producerStateCase) marker(op *fields, got map[string]any) {
	m := record.EndTransactionMarker{CoordinatorEpoch: int32(op.num("coordinator_epoch", 0))}
	switch kind := op.text("type", ""); kind {
	case "ABORT":
		m.Abort = true
	case "COMMIT":
	default:
		c.t.Fatalf("%s: there is no marker %q", op.path, kind)
	}
	b := record.NewMarker(c.pid, int16(op.must("epoch")), m, op.num("ts", 0)).WithOffset(op.must("offset"), 0)
	origin := log.OriginCoordinator
	if op.has("origin") {
		origin = c.origin(op)
	}
	c.write(b, origin, got)
}

// write checks a batch, and if it passes takes it in, as the log does.
func (c *producerStateCase) write(b *record.Batch, origin log.AppendOrigin, got map[string]any) {
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
