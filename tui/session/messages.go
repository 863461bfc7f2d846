package session

import (
	"fmt"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Detail says in a few words what a message carries: its records, offsets and errors.
func Detail(m sim.Message) string {
	switch m := m.(type) {
	case *protocol.Produce:
		return each(len(m.Data), func(i int) string {
			return recordNames(m.Data[i].Batch) + " acks=" + m.Acks.String() + numbered(m.Data[i].Batch)
		})
	case *protocol.ProduceResponse:
		return each(len(m.Data), func(i int) string {
			if d := m.Data[i]; d.Err == protocol.None {
				return fmt.Sprintf("at %d", d.BaseOffset)
			}
			return m.Data[i].Err.String()
		})
	case *protocol.Fetch:
		return each(len(m.Data), func(i int) string { return fmt.Sprintf("%v from %d", m.Data[i].TP, m.Data[i].Offset) })
	case *protocol.FetchResponse:
		return each(len(m.Data), func(i int) string { return fetched(&m.Data[i]) })
	case *protocol.OffsetForLeaderEpoch:
		return each(len(m.Data), func(i int) string { return fmt.Sprintf("where does epoch %d end?", m.Data[i].LeaderEpoch) })
	case *protocol.OffsetForLeaderEpochResponse:
		return each(len(m.Data), func(i int) string {
			if d := m.Data[i]; d.Err == protocol.None {
				return fmt.Sprintf("ends at %d", d.EndOffset)
			}
			return m.Data[i].Err.String()
		})
	case *protocol.OffsetCommit:
		return each(len(m.Data), func(i int) string { return fmt.Sprintf("%v position %d", m.Data[i].TP, m.Data[i].Offset) })
	case *protocol.OffsetCommitResponse:
		return each(len(m.Data), func(i int) string { return orOK(m.Data[i].Err) })
	case *protocol.OffsetFetchResponse:
		if m.Err != protocol.None {
			return m.Err.String()
		}
		return each(len(m.Data), func(i int) string { return fmt.Sprintf("%v position %d", m.Data[i].TP, m.Data[i].Offset) })
	case *protocol.ListOffsetsResponse:
		return each(len(m.Data), func(i int) string {
			if d := m.Data[i]; d.Err == protocol.None {
				return fmt.Sprintf("%v at %d", d.TP, d.Offset)
			}
			return m.Data[i].Err.String()
		})
	case *protocol.AlterPartition:
		return each(len(m.Data), func(i int) string {
			var ids []string
			for _, k := range m.Data[i].ISR {
				ids = append(ids, protocol.BrokerName(k.Broker))
			}
			return fmt.Sprintf("%v ISR %s", m.Data[i].TP, strings.Join(ids, " "))
		})
	case *protocol.LeaderAndIsr:
		return each(len(m.Partitions), func(i int) string {
			return fmt.Sprintf("%v leader %s", m.Partitions[i].TP, protocol.BrokerName(m.Partitions[i].Leader))
		})
	case *protocol.FindCoordinator:
		if m.KeyType == protocol.TransactionCoordinator {
			return "of the transactions of " + m.Key
		}
		return "of group " + m.Key
	case *protocol.ZkRequest:
		return m.Path
	case *protocol.ZkEvent:
		return m.Path
	case *protocol.DatabaseRequest:
		return strings.TrimSpace(m.Op.String() + " " + strings.Join(askedRows(m), " "))
	case *protocol.DatabaseResponse:
		if m.Err != protocol.DbOK {
			return m.Op.String() + ": " + m.Err.String()
		}
		return strings.TrimSpace(m.Op.String() + " done " + strings.Join(recordsOf(m.Rows), " "))
	}
	return transactionDetail(m)
}

// transactionDetail says what a message of idempotent and transactional producers carries.
func transactionDetail(m sim.Message) string {
	switch m := m.(type) {
	case *protocol.InitProducerId:
		if m.ProducerID >= 0 {
			return strings.TrimSpace(m.TransactionalID + " " + identityText(m.ProducerID, m.ProducerEpoch))
		}
		return m.TransactionalID
	case *protocol.InitProducerIdResponse:
		if m.Err == protocol.None {
			return identityText(m.ProducerID, m.ProducerEpoch)
		}
		return m.Err.String()
	case *protocol.AddPartitionsToTxn:
		return each(len(m.Transactions), func(i int) string {
			t := &m.Transactions[i]
			text := t.TransactionalID + " " + identityText(t.ProducerID, t.ProducerEpoch) + ": " + partitionNames(t.Partitions)
			if t.VerifyOnly {
				text += "?"
			}
			return text
		})
	case *protocol.AddPartitionsToTxnResponse:
		return each(len(m.Results), func(i int) string { return results(m.Results[i].Data) })
	case *protocol.AddOffsetsToTxn:
		return m.TransactionalID + " " + identityText(m.ProducerID, m.ProducerEpoch) + ": positions of group " + m.Group
	case *protocol.AddOffsetsToTxnResponse:
		return orOK(m.Err)
	case *protocol.TxnOffsetCommit:
		return m.TransactionalID + " " + identityText(m.ProducerID, m.ProducerEpoch) + ": " +
			each(len(m.Data), func(i int) string { return fmt.Sprintf("%v position %d", m.Data[i].TP, m.Data[i].Offset) })
	case *protocol.TxnOffsetCommitResponse:
		return results(m.Data)
	case *protocol.EndTxn:
		return ending(m.Committed) + " " + m.TransactionalID + " " + identityText(m.ProducerID, m.ProducerEpoch)
	case *protocol.EndTxnResponse:
		return orOK(m.Err)
	case *protocol.WriteTxnMarkers:
		return each(len(m.Markers), func(i int) string {
			k := &m.Markers[i]
			return ending(k.Committed) + " " + identityText(k.ProducerID, k.ProducerEpoch) + ": " + partitionNames(k.Partitions)
		})
	case *protocol.WriteTxnMarkersResponse:
		return each(len(m.Results), func(i int) string { return results(m.Results[i].Data) })
	}
	return ""
}

// numbered says under which producer id, epoch and sequence numbers a batch goes, if it has any.
func numbered(b *record.RecordBatch) string {
	if !b.HasProducerID() {
		return ""
	}
	text := fmt.Sprintf(" seq %d", b.BaseSequence)
	if last := b.LastSequence(); last != b.BaseSequence {
		text += fmt.Sprintf("–%d", last)
	}
	return text + " " + identityText(b.ProducerID, b.ProducerEpoch)
}

func identityText(id int64, epoch int16) string { return fmt.Sprintf("(id %d, epoch %d)", id, epoch) }

func ending(committed bool) string {
	if committed {
		return "COMMIT"
	}
	return "ABORT"
}

func partitionNames(tps []protocol.TopicPartition) string {
	return each(len(tps), func(i int) string { return tps[i].String() })
}

// results gives the errors among the results of partitions, or that all is done.
func results(data []protocol.CommitResult) string {
	for i := range data {
		if data[i].Err != protocol.None {
			return data[i].TP.String() + " " + data[i].Err.String()
		}
	}
	return "done"
}

func orOK(e protocol.Error) string {
	if e == protocol.None {
		return "done"
	}
	return e.String()
}

func fetched(d *protocol.FetchResult) string {
	if d.Err != protocol.None {
		return d.Err.String()
	}
	var parts []string
	if len(d.Batches) > 0 {
		parts = append(parts, recordNames(d.Batches...))
	}
	if d.Diverging != nil {
		parts = append(parts, fmt.Sprintf("diverges: epoch %d ends at %d", d.Diverging.Epoch, d.Diverging.EndOffset))
	}
	return strings.Join(append(parts, fmt.Sprintf("HW=%d", d.HighWatermark)), " ")
}

// each joins what is said of the parts of a message; of many, the first two.
func each(n int, say func(i int) string) string {
	var parts []string
	for i := range min(n, 2) {
		parts = append(parts, say(i))
	}
	if n > 2 {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func recordNames(batches ...*record.RecordBatch) string {
	var ids []string
	for _, b := range batches {
		for i := range b.Records {
			ids = append(ids, b.Records[i].ID)
		}
	}
	if len(ids) > 4 {
		return fmt.Sprintf("%s … %s (%d records)", ids[0], ids[len(ids)-1], len(ids))
	}
	return strings.Join(ids, " ")
}
