package refinement

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/replicationspec"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// quorumState is what is decided: what ZooKeeper holds, for leaders write there too, or what the KRaft controller knows.
func (p *partition) quorumState() (s protocol.PartitionState, known bool) {
	c := p.b.c
	if n := c.Directory.ZooKeeper; n != sim.Nobody {
		z, ok := c.World.Node(n).(*zookeeper.Server)
		if !ok {
			return s, false
		}
		data, version, ok := z.Get(p.path)
		if !ok {
			return s, false
		}
		d := data.(zookeeper.PartitionZNode)
		topic, _, _ := z.Get(zookeeper.TopicPath(p.tp.Topic))
		return protocol.PartitionState{TP: p.tp, Replicas: topic.(zookeeper.TopicZNode).Replicas[p.tp.Partition], Leader: d.Leader,
			LeaderEpoch: d.LeaderEpoch, ISR: d.ISR, PartitionEpoch: int(version)}, true
	}
	return c.State(p.tp)
}

// stepQuorum maps what a step has decided.
func (p *partition) stepQuorum() error {
	is, known := p.quorumState()
	was := p.quorum
	switch {
	case !known:
		return nil
	case was.Replicas == nil:
		u, err := replicationspec.NewUnbounded(p.b.generation, zeroBased(is.Replicas))
		if err != nil {
			return err
		}
		p.s = u
		was.Leader, was.ISR = protocol.NoBroker, is.Replicas
	case was.LeaderEpoch == is.LeaderEpoch && sameSet(was.ISR, is.ISR) && was.Leader == is.Leader:
		p.quorum = is
		return nil
	}
	p.quorum, p.before = is, p.s
	var err error
	switch {
	case is.LeaderEpoch < was.LeaderEpoch:
		err = p.object(nil, "the leader epoch goes back from %d to %d", was.LeaderEpoch, is.LeaderEpoch)
	case is.LeaderEpoch == was.LeaderEpoch:
		err = p.withinEpoch(&was, &is)
	default:
		err = p.newEpoch(&was, &is)
	}
	p.isrs[is.LeaderEpoch] = append(p.isrs[is.LeaderEpoch], isrAt{p.now, zeroBased(is.ISR)})
	return err
}

func zeroBased(ids []protocol.BrokerID) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = id - 1
	}
	slices.Sort(out)
	return out
}

func sameSet(a, b []protocol.BrokerID) bool { return slices.Equal(zeroBased(a), zeroBased(b)) }

func minus(a, b []protocol.BrokerID) (out []int) {
	for _, id := range a {
		if !slices.Contains(b, id) {
			out = append(out, id-1)
		}
	}
	slices.Sort(out)
	return out
}

// newEpoch maps a decision of the controller: each member that leaves the ISR is dropped, then a leader is elected if there is to
// be another. In the model each of these is an epoch of its own; the last one stands for the run's.
func (p *partition) newEpoch(was, is *protocol.PartitionState) error {
	for len(p.epochs) < is.LeaderEpoch {
		p.epochs = append(p.epochs, noEpoch) // of two decisions in one step the first is never announced by itself
	}
	err := p.decide(was, is)
	_, epoch, _ := p.s.Quorum()
	p.epochs = append(p.epochs, epoch)
	return err
}

func (p *partition) decide(was, is *protocol.PartitionState) error {
	leader, old := is.Leader-1, was.Leader-1
	if is.Leader == protocol.NoBroker {
		leader = -1
	}
	if was.Leader == protocol.NoBroker {
		old = -1
	}
	isr := zeroBased(is.ISR)
	byDecree := func(e Exception) error {
		p.except(e)
		p.s.PutRequest(leader, isr)
		return nil
	}
	switch {
	case slices.Contains(was.ELR, is.Leader):
		return byDecree(EligibleElected)
	case leader >= 0 && !slices.Contains(was.ISR, is.Leader):
		return byDecree(UncleanElection)
	case len(is.ISR) == 0:
		return byDecree(ISREmptied)
	case len(minus(is.ISR, was.ISR)) > 0:
		return p.object([]string{"controller elects " + p.name(leader)}, "the ISR grows to %v in an election", is.ISR)
	case leader == old && sameSet(was.ISR, is.ISR):
		if was.LeaderEpoch == noEpoch { // nobody leads, and nobody has: the model begins like that, without an epoch
			p.s.PutRequest(leader, isr)
			return nil
		}
		return byDecree(EpochBumped)
	}
	leaves := minus(was.ISR, is.ISR)
	for _, r := range leaves {
		if r != old && !p.did(p.s.ControllerDrops(r)) {
			return p.object([]string{"controller drops " + p.name(r)}, "the controller takes %s out of the ISR", p.name(r))
		}
	}
	if old >= 0 && (slices.Contains(leaves, old) || leader < 0) && !p.did(p.s.ControllerDrops(old)) {
		return p.object([]string{"controller drops " + p.name(old)}, "the controller takes its leadership from %s", p.name(old))
	}
	if now, _, _ := p.s.Quorum(); leader >= 0 && leader != now && !p.did(p.s.ControllerElects(leader)) {
		return p.object([]string{"controller elects " + p.name(leader)}, "the controller elects %s", p.name(leader))
	}
	now, _, nowISR := p.s.Quorum()
	if now != leader || !slices.Equal(nowISR, isr) {
		return p.object([]string{"controller elects", "controller drops"}, "the controller decides on leader %d and ISR %v", is.Leader, is.ISR)
	}
	return nil
}

// withinEpoch maps a change of the ISR that leaves the epoch as it is: the leader's own, carried out where it is decided. KRaft's
// controller also takes out who is fenced.
func (p *partition) withinEpoch(was, is *protocol.PartitionState) error {
	isr := zeroBased(is.ISR)
	if was.Leader != is.Leader {
		return p.object(nil, "the leader changes from %d to %d within epoch %d", was.Leader, is.Leader, is.LeaderEpoch)
	}
	if !p.isLeadersChange() {
		if grows := minus(is.ISR, was.ISR); len(grows) > 0 {
			return p.object(nil, "the controller puts %v into the ISR within the epoch", grows)
		}
		if len(is.ISR) == 0 {
			p.except(ISREmptied)
		} else {
			p.except(ShrunkInEpoch)
		}
		p.s.PutQuorumISR(isr)
		return nil
	}
	l := is.Leader - 1
	for _, f := range minus(is.ISR, was.ISR) {
		if err := p.isrChange(l, f, isr, true); err != nil {
			return err
		}
	}
	for _, f := range minus(was.ISR, is.ISR) {
		if err := p.isrChange(l, f, isr, false); err != nil {
			return err
		}
	}
	return nil
}

// isLeadersChange: with ZooKeeper every write within an epoch is a leader's, if by way of the controller (KIP-497).
func (p *partition) isLeadersChange() bool {
	s := &p.trace.Steps[p.now]
	return p.b.c.Directory.ZooKeeper != sim.Nobody || s.Kind == sim.StepDeliver && s.Msg.Type() == protocol.TAlterPartition
}

// isrChange maps a leader's change of one member. Its guard must hold now, or else as things stood when the leader proposed it,
// or as the leader knew them then.
func (p *partition) isrChange(l, f int, isr []int, add bool) error {
	word := p.name(l) + " drops " + p.name(f) + " from the ISR"
	try := func(u *replicationspec.Unbounded) bool { return u.Drops(l, f) }
	if add {
		word = p.name(l) + " adds " + p.name(f) + " to the ISR"
		try = func(u *replicationspec.Unbounded) bool { return u.Adds(l, f) }
	}
	if p.did(try(&p.s)) {
		return nil
	}
	r := &p.replicas[l]
	if r.proposed == nil || !slices.Equal(r.proposed, isr) || r.proposedFor != p.quorum.LeaderEpoch {
		return p.object([]string{word}, "the ISR becomes %v, which %s has not proposed", p.quorum.ISR, p.name(l))
	}
	then := *p.at(r.proposedAt)
	known := then
	p.asCounted(&known, l, r.countedThen)
	switch {
	case try(&then):
		p.except(ISRChangeInFlight)
	case try(&known):
		p.except(OlderFetch)
	case !add:
		p.except(SilentDropped)
	case p.b.c.Rules().JoinPastEpochStart && p.joinsAtEpochStart(&then, l, f), p.b.c.Rules().JoinPastEpochStart && p.joinsAtEpochStart(&known, l, f):
		p.except(JoinedAtEpochStart)
	default:
		return p.object([]string{word}, "%s has put %s into the ISR in step %d, without a right to by what it knew", p.name(l), p.name(f), r.proposedAt+1)
	}
	_, _, now := p.s.Quorum()
	if add {
		now = append(now, f)
	} else {
		now = slices.DeleteFunc(now, func(x int) bool { return x == f })
	}
	p.s.PutQuorumISR(now)
	if leader, epoch := p.s.Leader(l); leader == l && epoch == p.epochOf(p.quorum.LeaderEpoch) {
		p.s.PutISR(l, now)
	}
	return nil
}

// joinsAtEpochStart is KAFKA-7128 as Kafka has it: the follower has all records below the start of the leader's epoch, among which
// are all that any leader before has committed. The model asks that the leader's high watermark has come that far.
func (p *partition) joinsAtEpochStart(u *replicationspec.Unbounded, l, f int) bool {
	leader, epoch := u.Leader(f)
	_, leads := u.Leader(l)
	return leader == l && epoch == leads && u.LEO(f) >= max(p.replicas[l].start, u.HW(l))
}

// asCounted puts each follower of l as it was when it sent the fetch by which l counts it. If l has served that fetch in its present
// epoch, then the follower was in this epoch, with its log as it was, even if it has left it before its leader heard of it.
func (p *partition) asCounted(u *replicationspec.Unbounded, l int, fetches [replicationspec.MaxReplicas]counted) {
	_, epoch := u.Leader(l)
	for f := range p.replicas {
		if f == l || fetches[f].sent < 0 {
			continue
		}
		u.PutReplica(f, p.at(fetches[f].sent))
		if _, e := u.Leader(f); e < epoch && p.epochOf(fetches[f].epoch) == epoch {
			u.BecomesFollower(f, epoch)
		}
	}
}
