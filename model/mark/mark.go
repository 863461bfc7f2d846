// Package mark lists the rare situations that the model names when it meets them (sim.Env.Mark), so that a
// campaign can say which of them it never met.
package mark

// Mark is a rare situation.
type Mark struct {
	Name string // as the model marks it
	What string // what it means that it was met
}

var all = []Mark{
	{"unclean leader election", "A replica that was not in sync became the leader."},
	{"unclean election allowed while partitions are offline", "unclean.leader.election.enable was turned on while a partition had no leader."},
	{"the ISR shrinks below min.insync.replicas", "A leader proposed an ISR with which acks=all is refused."},
	{"acks=all refused below min.insync.replicas", "NOT_ENOUGH_REPLICAS: nothing was appended."},
	{"acks=all failed after the append", "NOT_ENOUGH_REPLICAS_AFTER_APPEND: the record is in the leader's log all the same."},
	{"acks=all timed out on the broker", "REQUEST_TIMED_OUT: the record is in the leader's log all the same."},
	{"a follower cut its log below its high watermark", "What it cut may have been committed."},
	{"a broker stopped itself because its log was longer than its leader's", "Kafka up to 1.0, with unclean elections off."},
	{"last ISR member kept while it is away", "Nobody else may lead, so the partition has no leader."},
	{"eligible leader replicas changed", "KIP-966: somebody left the ISR and may still lead."},
	{"leader elected from the eligible leader replicas", "KIP-966 at work."},
	{"broker id still has a session", "A broker came back before the controller had given up its last life."},
	{"broker bounced within one look of the controller", "ZooKeeper's controller saw a broker go and come at once."},
	{"a broker refused an order of an old controller", "STALE_CONTROLLER_EPOCH."},
	{"a replaced controller's write was refused", "ZooKeeper's condition on the controller epoch at work (KAFKA-6082)."},
	{"a partition was already written by a later controller", "A new controller met the state of a still newer one."},
	{"a controller goes on under a new ZooKeeper session", "Its session had expired."},
	{"a leader recognised a duplicate batch", "Idempotence at work: the batch is answered as written, and not written again."},
	{"a coordinator shut out a producer", "A transactional producer asked with an epoch that is not in force."},
	{"a transaction timed out", "transaction.timeout.ms was over, and the coordinator aborts it."},
	{"a new coordinator ends what was decided before it", "A transaction was committed or aborted, and its markers are sent again by another coordinator."},
	{"a leader refused a record of a transaction that has ended", "INVALID_PRODUCER_EPOCH or INVALID_TXN_STATE: the record is late."},
	{"partitions could not be added", "INVALID_PARTITIONS: a topic can only grow."},
	{"send() blocked", "The application waited for memory or metadata."},
}

// All lists the marks in a fixed order.
func All() []Mark { return all }
