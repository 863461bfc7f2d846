// Package producer is Kafka's producer: an application that calls send(), the RecordAccumulator in which
// its records wait in batches, and the Sender that drains them to the leaders. KafkaProducer is a sim.Node
// and holds the three; its memory, with all that waits in it, is gone when the process is killed.
//
// One callback of the node is one turn: what came in is handled, the application makes the calls it can
// make, and then the Sender runs until it has nothing more to do. So what one command sends at one instant
// gathers in batches before the Sender sees it, also with linger.ms=0.
//
// Not here yet, and marked "TransactionManager:" where they will be: transactions. A producer with
// enable.idempotence has a TransactionManager without them.
//
// Simplified or left out: compression; splitting a batch that is too large (MESSAGE_TOO_LARGE fails it); the
// load statistics of adaptive partitioning (partitioner.adaptive.partitioning.enable); the current leader
// that a produce response may name (KIP-951); quotas; jitter. Kafka's random choices are drawn by
// client.Draw. Sizes are those of uncompressed records without headers, see recordSize.
package producer
