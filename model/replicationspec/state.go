package replicationspec

import (
	"slices"
)

// The largest configuration that can be searched, see packed.
const (
	MaxReplicas = 5
	MaxLogSize  = 4
	MaxRecords  = 4
	MaxEpochs   = 4 // the largest leader epoch; epochs start at 0
)

// none stands for "no leader", and for "no epoch yet".
const none = -1

// record is what one cell of a log holds: the identity of a record, which stands for its contents, and the leader epoch in
// which it was written.
type record struct{ id, epoch int }

// set is a set of replicas: bit i stands for replica i.
type set uint8

func (s set) has(r int) bool    { return s>>r&1 == 1 }
func (s set) with(r int) set    { return s | 1<<r }
func (s set) without(r int) set { return s &^ (1 << r) }

// allReplicas is the set {0, …, n-1}.
func allReplicas(n int) set { return 1<<n - 1 }

// replica is what one broker knows of the partition.
type replica struct {
	log    []record // shared by states: never written to, see append
	hw     int      // high watermark: records below it count as committed
	epoch  int      // the leader epoch of the last request that was applied
	leader int      // whom that request named
	isr    set      // the in-sync replicas as this broker last knew them

	// noted is, while it leads, by follower, one more than the log end offset that the follower's last fetch told; 0 if it has told
	// none. Only generations with rules.remembers have it.
	noted [MaxReplicas]uint8
}

// servedFetch is a fetch that its leader has served and not noted yet: the follower had everything below end.
type servedFetch struct {
	follower, leader, end int
}

// noFetch stands for none.
var noFetch = servedFetch{follower: none, leader: none}

// request is a LeaderAndIsr request of the controller. Its epoch is its place in state.requests.
type request struct {
	leader int
	isr    set
}

// state is one state of the model, the whole of it. An assignment copies it: what the copies share is never written to.
type state struct {
	replicas   [MaxReplicas]replica
	nextRecord int // how many records were ever written; the identity of the next one

	// requests holds every LeaderAndIsr request ever sent, by epoch. None is ever removed, and a replica may apply any of them at
	// any time: so loss, delay, duplication and reordering need no rules of their own.
	requests []request

	// isr is the in-sync replicas as ZooKeeper (or the controller's quorum) has them. The quorum's leader and epoch need no
	// field: they are those of the newest request. The ISR does, for a leader changes it without a request.
	isr set

	// served is the fetch between its two steps, with Config.SplitFetch; there is at most one.
	served servedFetch
}

// initial is the one initial state for n replicas: empty logs, nobody leads, and every replica is in the quorum's ISR.
func initial(n int) state {
	s := state{isr: allReplicas(n), served: noFetch}
	for r := range n {
		s.replicas[r].epoch = none
		s.replicas[r].leader = none
	}
	return s
}

// nextEpoch is the epoch of the next request.
func (s *state) nextEpoch() int { return len(s.requests) }

// quorumEpoch is the leader epoch in the quorum's state, or none.
func (s *state) quorumEpoch() int { return s.nextEpoch() - 1 }

// quorumLeader is the leader in the quorum's state, or none.
func (s *state) quorumLeader() int {
	if s.nextEpoch() == 0 {
		return none
	}
	return s.requests[s.nextEpoch()-1].leader
}

// leo is the log end offset: the offset of the next record.
func (r *replica) leo() int { return len(r.log) }

// append adds a record at the log end offset, to a log of its own: other states may share the old one.
func (r *replica) append(rec record) { r.log = append(r.log[:r.leo():r.leo()], rec) }

// truncate cuts the log off at offset to, which must not be beyond its end, and lowers the high watermark to it if it is above.
func (r *replica) truncate(to int) {
	r.log = r.log[:to]
	r.hw = min(r.hw, to)
}

// has says whether offset o is in the log.
func (r *replica) has(o int) bool { return o < r.leo() }

// equal says that two states of a replica are the same.
func (r *replica) equal(x *replica) bool {
	return slices.Equal(r.log, x.log) && r.hw == x.hw && r.epoch == x.epoch && r.leader == x.leader && r.isr == x.isr && r.noted == x.noted
}
