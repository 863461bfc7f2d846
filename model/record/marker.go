package record

// EndTransactionMarker is what a control batch says: that a transaction of its producer has ended
// (EndTransactionMarker, ControlRecordType).
type EndTransactionMarker struct {
	Abort            bool // otherwise COMMIT
	CoordinatorEpoch int32
}

// String gives the marker's type as Kafka names it.
func (m EndTransactionMarker) String() string {
	if m.Abort {
		return "ABORT"
	}
	return "COMMIT"
}

// NewMarker makes the control batch that ends a producer's transaction in a partition. timestamp is in
// milliseconds.
//
// Kafka: MemoryRecords.withEndTransactionMarker.
func NewMarker(producerID int64, producerEpoch int16, m EndTransactionMarker, timestamp int64) *RecordBatch {
	b := NewBatch([]Record{{ID: m.String(), Value: m.String(), Timestamp: timestamp, Producer: -1}})
	b.ProducerID, b.ProducerEpoch = producerID, producerEpoch
	b.IsTransactional, b.IsControl, b.Marker = true, true, m
	return b
}
