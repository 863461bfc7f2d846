// Package probe lists the rare situations that the model names when it meets them (sim.Env.Probe), so that a
// campaign can say which of them it never met.
package probe

import "kafkatrial/model/release"

// Probe is a rare situation.
type Probe struct {
	Name string // as the model names it
	What string // what it means that it was met
	can  func(r *release.Rules, transactions bool) bool
}

// Where a probe can be met at all.
func anywhere(*release.Rules, bool) bool                        { return true }
func onZooKeeper(r *release.Rules, _ bool) bool                 { return !r.KRaft }
func onKRaft(r *release.Rules, _ bool) bool                     { return r.KRaft }
func withELR(r *release.Rules, _ bool) bool                     { return r.KRaft && r.ELR }
func whereBrokersHalt(r *release.Rules, _ bool) bool            { return !r.NoHaltOnTruncation }
func withTransactions(_ *release.Rules, transactions bool) bool { return transactions }

var all = []Probe{
	{"unclean leader election", "A replica that was not in sync became the leader.", anywhere},
	{"unclean election allowed while partitions are offline", "unclean.leader.election.enable was turned on while a partition had no leader.", onZooKeeper},
	{"the ISR shrinks below min.insync.replicas", "A leader proposed an ISR with which acks=all is refused.", anywhere},
	{"acks=all refused below min.insync.replicas", "NOT_ENOUGH_REPLICAS: nothing was appended.", anywhere},
	{"acks=all failed after the append", "NOT_ENOUGH_REPLICAS_AFTER_APPEND: the record is in the leader's log all the same.", anywhere},
	{"acks=all timed out on the broker", "REQUEST_TIMED_OUT: the record is in the leader's log all the same.", anywhere},
	{"a follower cut its log below its high watermark", "What it cut may have been committed.", anywhere},
	{"a broker stopped itself because its log was longer than its leader's", "Kafka up to 2.0.0, with unclean elections off.", whereBrokersHalt},
	{"last ISR member kept while it is away", "Nobody else may lead, so the partition has no leader.", anywhere},
	{"eligible leader replicas changed", "KIP-966: somebody left the ISR and may still lead.", withELR},
	{"leader elected from the eligible leader replicas", "KIP-966 at work.", withELR},
	{"broker id still has a session", "A broker came back before the controller had given up its last life.", onKRaft},
	{"broker bounced within one look of the controller", "ZooKeeper's controller saw a broker go and come at once.", onZooKeeper},
	{"a broker refused an order of an old controller", "STALE_CONTROLLER_EPOCH.", onZooKeeper},
	{"a replaced controller's write was refused", "ZooKeeper's condition on the controller epoch at work (KAFKA-6082).", onZooKeeper},
	{"a partition was already written by a later controller", "A new controller met the state of a still newer one.", onZooKeeper},
	{"a controller goes on under a new ZooKeeper session", "Its session had expired.", onZooKeeper},
	{"a leader recognised a duplicate batch", "Idempotence at work: the batch is answered as written, and not written again.", anywhere},
	{"a coordinator shut out a producer", "A transactional producer asked with an epoch that is not in force.", withTransactions},
	{"a transaction timed out", "transaction.timeout.ms was over, and the coordinator aborts it.", withTransactions},
	{"a new coordinator ends what was decided before it", "A transaction was committed or aborted, and its markers are sent again by another coordinator.", withTransactions},
	{"a leader refused a record of a transaction that has ended", "INVALID_PRODUCER_EPOCH or INVALID_TXN_STATE: the record is late.", withTransactions},
	{"partitions could not be added", "INVALID_PARTITIONS: a topic can only grow.", onKRaft},
	{"send() blocked", "The application waited for memory or metadata.", anywhere},
}

// All lists the probes in a fixed order.
func All() []Probe { return all }

// Possible lists, in the order of All, those that a cluster with these rules can meet; transactions says that somebody has a
// transactional producer.
func Possible(r *release.Rules, transactions bool) (possible []Probe) {
	for _, m := range all {
		if m.can(r, transactions) {
			possible = append(possible, m)
		}
	}
	return possible
}
