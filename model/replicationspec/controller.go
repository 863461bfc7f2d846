package replicationspec

// Elect: the controller makes another member of the ISR the leader.
//
// Kafka: PartitionStateMachine.electLeaderForPartitions (2.0), which chooses among the live members of the ISR in a clean election.
func (m *model) controllerElects(out steps, s *state, x int) steps {
	if !s.isr.has(x) || s.quorumLeader() == x || !m.epochLeft(s) {
		return out
	}
	next := *s
	next.controllerUpdate(x, s.isr)
	return append(out, step{action{kind: controllerElects, replica: x}, next})
}

// Shrink: the controller takes replica x to have failed, and takes it out of the ISR. Nothing happens to x itself: it may be
// alive, and cut off from the controller only.
//
//   - x leads and is the last of the ISR: nobody leads, but the ISR keeps x, for only x has all committed records.
//   - x leads and others are in sync: nobody leads, until the next election.
//   - x follows and is in sync: the leader stays, in a new epoch. If nobody leads and x is the last of the ISR, then the ISR is
//     empty after this, and nobody can be elected any more. Kafka 1.1 and later keep the last member in that case too.
//
// Kafka: KafkaController.removeReplicaFromIsr until 1.0, ReplicaStateMachine.doRemoveReplicasFromIsr from 1.1 to 3.9.
func (m *model) controllerShrinks(out steps, s *state, x int) steps {
	if !m.epochLeft(s) {
		return out
	}
	next := *s
	switch leader := s.quorumLeader(); {
	case leader == x && s.isr == set(0).with(x):
		next.controllerUpdate(none, s.isr)
	case leader == x:
		next.controllerUpdate(none, s.isr.without(x))
	case s.isr.has(x):
		next.controllerUpdate(leader, s.isr.without(x))
	default:
		return out
	}
	return append(out, step{action{kind: controllerShrinks, replica: x}, next})
}

// epochLeft: the bound on leader epochs lets the controller act once more.
func (m *model) epochLeft(s *state) bool { return s.nextEpoch() <= m.epochs }

// controllerUpdate writes leader and ISR to the quorum in a new leader epoch, and sends them to all replicas as one
// LeaderAndIsr request. When, and whether, a replica applies it is the replica's action.
func (s *state) controllerUpdate(leader int, isr set) {
	s.requests = append(s.requests[:s.nextEpoch():s.nextEpoch()], request{leader: leader, isr: isr})
	s.isr = isr
}
