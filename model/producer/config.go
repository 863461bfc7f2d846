package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Config holds a producer's settings, with Kafka's keys.
type Config struct {
	Acks            protocol.Acks // acks
	Retries         int64         // retries
	DeliveryTimeout sim.Time      // delivery.timeout.ms
	RequestTimeout  sim.Time      // request.timeout.ms (timeout.ms in 0.8.2): what the broker may wait for acks=all
	Expiry          sim.Time      // before KIP-91: how long a batch may wait in the accumulator; request.timeout.ms, before 0.9 for ever
	Linger          sim.Time      // linger.ms
	BatchSize       int           // batch.size, bytes
	BufferMemory    int64         // buffer.memory, bytes
	MaxRequestSize  int           // max.request.size, bytes
	MaxInFlight     int           // max.in.flight.requests.per.connection
	// MaxBlockMetadata and MaxBlockMemory bound how long send() waits for each of the two, counted from the
	// call: both are max.block.ms; in 0.8.2 metadata.fetch.timeout.ms, and for memory for ever or, with
	// block.on.buffer.full=false, not at all.
	MaxBlockMetadata, MaxBlockMemory sim.Time
	// MemoryError is what send() fails with when there is no memory.
	MemoryError protocol.Error
	Idempotent  bool // enable.idempotence, as it is in force
	// TransactionalID is transactional.id, empty none; TransactionTimeout transaction.timeout.ms.
	TransactionalID    string
	TransactionTimeout sim.Time
	Magic              int // message format: 0 before 0.10, 1 before 0.11, 2 from there on

	Net client.Config
}

// maxRetries is the value of retries that stands for no bound.
const maxRetries = 1<<31 - 1

// ConfigOf reads a producer's settings.
func ConfigOf(v *config.Values, rules *release.Rules) Config {
	c := Config{
		Acks:            protocol.Acks(v.Int("acks")),
		Retries:         v.Int("retries"),
		DeliveryTimeout: v.Ms("delivery.timeout.ms"),
		RequestTimeout:  v.Ms("request.timeout.ms"),
		Linger:          v.Ms("linger.ms"),
		BatchSize:       int(v.Int("batch.size")),
		BufferMemory:    v.Int("buffer.memory"),
		MaxRequestSize:  int(v.Int("max.request.size")),
		MaxInFlight:     int(v.Int("max.in.flight.requests.per.connection")),
		MemoryError:     protocol.TimeoutException,
		Magic:           magic(v.Version()),
	}
	c.Idempotent = v.Has("enable.idempotence") && v.Bool("enable.idempotence")
	if v.Has("transactional.id") && v.Text("transactional.id") != config.Null {
		c.TransactionalID, c.TransactionTimeout = v.Text("transactional.id"), v.Ms("transaction.timeout.ms")
	}
	if c.Idempotent && !rules.FiveBatches { // without KAFKA-5494 a number is given only when the one before is acknowledged
		c.MaxInFlight = 1
	}
	c.Expiry = sim.Never
	if v.Has("request.timeout.ms") {
		c.Expiry = c.RequestTimeout
	}
	if rules.BufferExhaustedTold || !v.Has("max.block.ms") {
		c.MemoryError = protocol.BufferExhausted
	}
	c.MaxBlockMetadata, c.MaxBlockMemory = maxBlock(v)
	c.Net = client.ConfigOf(v, c.MaxInFlight)
	return c
}

// maxBlock reads how long send() may wait. In 0.8.2 there are two settings: for memory it waits for ever, or with
// block.on.buffer.full=false not at all. Later the old names, while they last, change max.block.ms.
//
// Kafka: KafkaProducer's constructor, BufferPool.allocate (0.8.2).
func maxBlock(v *config.Values) (metadata, memory sim.Time) {
	if v.Has("max.block.ms") {
		return v.Ms("max.block.ms"), v.Ms("max.block.ms")
	}
	if v.Bool("block.on.buffer.full") {
		return v.Ms("metadata.fetch.timeout.ms"), sim.Never
	}
	return v.Ms("metadata.fetch.timeout.ms"), 0
}

func magic(v release.Version) int {
	switch {
	case v.AtLeast(release.Version{Major: 0, Minor: 11}):
		return 2
	case v.AtLeast(release.Version{Major: 0, Minor: 10}):
		return 1
	}
	return 0
}
