package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// What an event refers to enters the hash by what names it: a record by its submission, a batch by its place and header.

func hashTP(h *sim.Hash, tp protocol.TopicPartition) {
	h.Text(tp.Topic)
	h.Int(int64(tp.Partition))
}

func hashBrokers(h *sim.Hash, ids []protocol.BrokerID) {
	h.Int(int64(len(ids)))
	for _, id := range ids {
		h.Int(int64(id))
	}
}

func hashMembers(h *sim.Hash, members []protocol.GroupMember) {
	h.Int(int64(len(members)))
	for i := range members {
		h.Text(members[i].ClientID)
		h.Int(int64(len(members[i].Assignment)))
		for _, tp := range members[i].Assignment {
			hashTP(h, tp)
		}
	}
}

func hashRecord(h *sim.Hash, r *record.Record) {
	if r == nil {
		h.Word(0)
		return
	}
	h.Word(uint64(uint32(r.Producer))<<32 | uint64(uint32(r.Submission)))
	h.Text(r.ID)
}

func hashRecords(h *sim.Hash, records []record.Record) {
	h.Int(int64(len(records)))
	for i := range records {
		hashRecord(h, &records[i])
	}
}

func hashConsumed(h *sim.Hash, got []Consumed) {
	h.Int(int64(len(got)))
	for i := range got {
		hashTP(h, got[i].TP)
		h.Int(got[i].Offset)
		hashRecord(h, got[i].Record)
	}
}

// hashBatch leaves the texts of records to the event that told of them first.
func hashBatch(h *sim.Hash, b *record.RecordBatch) {
	if b == nil {
		h.Word(0)
		return
	}
	h.Int(b.BaseOffset)
	h.Word(uint64(uint32(b.PartitionLeaderEpoch))<<32 | uint64(uint32(b.LastOffsetDelta)))
	if b.ProducerID != record.NoProducerID {
		h.Int(b.ProducerID)
		h.Word(uint64(uint16(b.ProducerEpoch))<<32 | uint64(uint32(b.BaseSequence)))
	}
	for i := range b.Records {
		h.Word(uint64(uint32(b.Records[i].Producer))<<32 | uint64(uint32(b.Records[i].Submission)))
	}
}

func hashBatches(h *sim.Hash, batches []*record.RecordBatch) {
	h.Int(int64(len(batches)))
	for _, b := range batches {
		hashBatch(h, b)
	}
}

func hashRow(h *sim.Hash, r *protocol.Row) {
	if r == nil {
		h.Word(0)
		return
	}
	h.Text(r.Table)
	h.Int(r.ID)
	h.Int(int64(r.Client))
}

func hashRows(h *sim.Hash, rows []*protocol.Row) {
	h.Int(int64(len(rows)))
	for _, r := range rows {
		hashRow(h, r)
	}
}
