package transactioncoordinator

import (
	"strconv"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// stateRecord writes a transition as a record of __transaction_state. The key is the transactional.id; the
// value spells what Kafka has in binary with a version in front:
//
//	Ongoing producer=7 epoch=3 timeout=60000 start=120 updated=125 partitions=orders-0,orders-1
//
// With transactions v2 the previous and the next producer id and the version that the client used follow.
// The producer's last epoch is not written, in any version: a request that is repeated to another coordinator
// is not known as a repetition.
//
// Kafka: TransactionLog.valueToBytes.
func stateRecord(id string, t *TxnTransitMetadata, v2 bool, now int64) record.Record {
	var b strings.Builder
	number := func(name string, n int64) {
		b.WriteString(" " + name + "=" + strconv.FormatInt(n, 10))
	}
	b.WriteString(t.State.String())
	number("producer", t.ProducerID)
	number("epoch", int64(t.ProducerEpoch))
	number("timeout", t.TimeoutMs)
	number("start", t.StartMs)
	number("updated", t.LastUpdateMs)
	if v2 {
		number("previous", t.PreviousProducerID)
		number("next", t.NextProducerID)
		number("client", int64(t.ClientVersion))
	}
	for i, tp := range t.Partitions {
		if i == 0 {
			b.WriteString(" partitions=")
		} else {
			b.WriteByte(',')
		}
		b.WriteString(tp.String())
	}
	return record.Record{ID: id + " " + t.State.String(), Key: id, HasKey: true, Value: b.String(), Timestamp: now, Producer: -1}
}

// tombstone removes a transactional.id.
func tombstone(id string, now int64) record.Record {
	return record.Record{ID: id + " forgotten", Key: id, HasKey: true, Tombstone: true, Timestamp: now, Producer: -1}
}

// ReadState reads a record of __transaction_state, for views; ok is false for a record that is no transaction's.
func ReadState(r *record.Record) (m TransactionMetadata, ok bool) { return readStateRecord(r) }

// readStateRecord is the way back. ok is false for a record that is no transaction's.
//
// Kafka: TransactionLog.readTxnRecordValue.
func readStateRecord(r *record.Record) (m TransactionMetadata, ok bool) {
	words := strings.Split(r.Value, " ")
	m = newMetadata(r.Key, -1, 0, 0)
	if m.State = StateNamed(words[0]); m.State == NoState {
		return m, false
	}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		if name == "partitions" {
			if m.Partitions, ok = readPartitions(value); !ok {
				return m, false
			}
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || !m.set(name, n) {
			return m, false
		}
	}
	return m, m.ProducerID >= 0
}

func (m *TransactionMetadata) set(name string, n int64) bool {
	switch name {
	case "producer":
		m.ProducerID = n
	case "epoch":
		m.ProducerEpoch = int16(n)
	case "timeout":
		m.TimeoutMs = n
	case "start":
		m.StartMs = n
	case "updated":
		m.LastUpdateMs = n
	case "previous":
		m.PreviousProducerID = n
	case "next":
		m.NextProducerID = n
	case "client":
		m.ClientVersion = int(n)
	default:
		return false
	}
	return true
}

func readPartitions(s string) (tps []protocol.TopicPartition, ok bool) {
	for _, name := range strings.Split(s, ",") {
		dash := strings.LastIndexByte(name, '-')
		if dash < 0 {
			return nil, false
		}
		n, err := strconv.ParseInt(name[dash+1:], 10, 32)
		if err != nil {
			return nil, false
		}
		tps = append(tps, protocol.TopicPartition{Topic: name[:dash], Partition: int32(n)})
	}
	return tps, true
}
