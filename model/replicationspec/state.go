package replicationspec

import "math/bits"

// The largest configuration that a state carries.
const (
	MaxReplicas = 5
	MaxLogSize  = 4
	MaxRecords  = 4
	MaxEpochs   = 4 // the largest leader epoch; epochs start at 0
)

// none stands for "no leader", and for "no epoch yet".
const none = -1

// record is what one cell of a log holds: the identity of a record, which stands for its contents, and the leader epoch in
// which it was written. The zero value is an empty cell.
type record uint8

const (
	epochBits = 3
	epochMask = 1<<epochBits - 1
)

func newRecord(id int, epoch int8) record {
	return record(id+1)<<epochBits | record(epoch)
}

func (r record) id() int     { return int(r>>epochBits) - 1 }
func (r record) epoch() int8 { return int8(r & epochMask) }

// set is a set of replicas: bit i stands for replica i.
type set uint8

func (s set) has(r int) bool    { return s>>r&1 == 1 }
func (s set) with(r int) set    { return s | 1<<r }
func (s set) without(r int) set { return s &^ (1 << r) }
func (s set) size() int         { return bits.OnesCount8(uint8(s)) }

// allReplicas is the set {0, …, n-1}.
func allReplicas(n int) set { return 1<<n - 1 }

// replica is what one broker knows of the partition.
type replica struct {
	log    [MaxLogSize]record // the cells from leo on are empty
	leo    int8               // log end offset: the offset of the next record
	hw     int8               // high watermark: records below it count as committed
	epoch  int8               // the leader epoch of the last request that was applied
	leader int8               // whom that request named
	isr    set                // the in-sync replicas as this broker last knew them
}

// request is a LeaderAndIsr request of the controller. Its epoch is its place in state.requests.
type request struct {
	leader int8
	isr    set
}

// state is one state of the model, the whole of it. It is flat, so that it is copied by assignment and compared with ==.
type state struct {
	replicas   [MaxReplicas]replica
	nextRecord int8 // how many records were ever written; the identity of the next one
	nextEpoch  int8 // how many requests were ever sent; the epoch of the next one

	// requests holds every LeaderAndIsr request ever sent, by epoch; those from nextEpoch on are zero. None is ever removed, and a
	// replica may apply any of them at any time: so loss, delay, duplication and reordering need no rules of their own.
	requests [MaxEpochs + 1]request

	// isr is the in-sync replicas as ZooKeeper (or the controller's quorum) has them. The quorum's leader and epoch need no
	// field: they are those of the newest request. The ISR does, for a leader changes it without a request.
	isr set
}

// initial is the one initial state for n replicas: empty logs, nobody leads, and every replica is in the quorum's ISR.
func initial(n int) state {
	s := state{isr: allReplicas(n)}
	for r := range n {
		s.replicas[r].epoch = none
		s.replicas[r].leader = none
	}
	return s
}

// quorumEpoch is the leader epoch in the quorum's state, or none.
func (s *state) quorumEpoch() int8 { return s.nextEpoch - 1 }

// quorumLeader is the leader in the quorum's state, or none.
func (s *state) quorumLeader() int8 {
	if s.nextEpoch == 0 {
		return none
	}
	return s.requests[s.nextEpoch-1].leader
}

// append adds a record at the log end offset.
func (r *replica) append(rec record) {
	r.log[r.leo] = rec
	r.leo++
}

// truncate cuts the log off at offset to, which must not be beyond its end, and lowers the high watermark to it if it is above.
func (r *replica) truncate(to int8) {
	for o := to; o < r.leo; o++ {
		r.log[o] = 0
	}
	r.leo = to
	r.hw = min(r.hw, to)
}

// has says whether offset o is in the log.
func (r *replica) has(o int8) bool { return o < r.leo }
