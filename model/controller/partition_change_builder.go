package controller

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// Election says which leader may be chosen.
type Election uint8

// The kinds of election (PartitionChangeBuilder.Election).
const (
	// Online keeps the leader if it can stay, else takes the first replica of the ISR that is live.
	Online Election = iota
	// Preferred takes the first replica of the assignment, if it is in the ISR and live.
	Preferred
	// Unclean takes any live replica if no member of the ISR is live. What only others have is lost.
	Unclean
)

// PartitionChangeBuilder turns a wish (another ISR, an election) into the next state of a partition. It is
// where KRaft elects leaders.
//
// Kafka: PartitionChangeBuilder (4.0.0 to 4.3.1; 3.0.0 to 3.5.2 for BumpOnShrink).
type PartitionChangeBuilder struct {
	partition protocol.PartitionState
	// acceptable says that a broker may lead: it is not fenced and not shutting down.
	acceptable func(protocol.BrokerID) bool
	minISR     int // min.insync.replicas of the topic, at most its number of replicas

	ELR             bool // rule kip-966
	BumpOnShrink    bool // rule isr-shrink-bump
	LastKnownLive   bool // rule kafka-19522
	LastKnownAtOnce bool // rule last-known-leader-at-once
	Election        Election
	TargetISR       []protocol.BrokerID
	UncleanShutdown protocol.BrokerID // came back after an unclean stop; NoBroker if none
	Planted         planted.Set

	targetELR []protocol.BrokerID
}

// NewPartitionChangeBuilder begins with the state as it is.
func NewPartitionChangeBuilder(p protocol.PartitionState, acceptable func(protocol.BrokerID) bool, minISR int) *PartitionChangeBuilder {
	return &PartitionChangeBuilder{partition: p, acceptable: acceptable, minISR: minISR,
		TargetISR: p.ISR, targetELR: p.ELR, UncleanShutdown: protocol.NoBroker}
}

// PartitionChange is a PartitionChangeRecord: what is set is new.
type PartitionChange struct {
	LeaderSet bool // the leader epoch goes up, even if the leader stays
	Leader    protocol.BrokerID
	ISR       []protocol.BrokerID
	ISRSet    bool
	ELR       []protocol.BrokerID
	ELRSet    bool
	LastKnown []protocol.BrokerID
	KnownSet  bool
	Unclean   bool // the leader was not chosen from ISR or ELR
}

// Build gives the change; ok is false if nothing would change.
func (b *PartitionChangeBuilder) Build() (c PartitionChange, ok bool) {
	b.maybePopulateTargetELR()
	b.tryElection(&c)
	b.maybeUpdateELR(&c)
	mayBeEmpty := b.ELR || !b.Planted.On(planted.LastISRMemberKept)
	if !c.ISRSet && (len(b.TargetISR) > 0 || mayBeEmpty) && !slices.Equal(b.TargetISR, b.partition.ISR) {
		// Without ELR the ISR never becomes empty: the last member stays although it is away, so that no
		// other replica is elected in its place.
		c.ISR, c.ISRSet = b.TargetISR, true
	}
	b.bumpForISRShrink(&c)
	b.maybeUpdateLastKnownLeader(&c)
	return c, c.LeaderSet || c.ISRSet || c.ELRSet || c.KnownSet
}

// Apply gives the state after a change: every change raises the partition epoch, and one that names a
// leader the leader epoch (PartitionRegistration.merge).
func (c *PartitionChange) Apply(p protocol.PartitionState) protocol.PartitionState {
	if c.LeaderSet {
		p.Leader = c.Leader
		p.LeaderEpoch++
	}
	if c.ISRSet {
		p.ISR = c.ISR
	}
	if c.ELRSet {
		p.ELR = c.ELR
	}
	if c.KnownSet {
		p.LastKnownELR = c.LastKnown
	}
	p.PartitionEpoch++
	assertState(&p)
	return p
}

// ElectLeader gives the leader that there should be, NoBroker if none can be, and whether the election is
// unclean.
func (b *PartitionChangeBuilder) ElectLeader() (leader protocol.BrokerID, unclean bool) {
	replicas := b.partition.Replicas
	if b.Election == Preferred && b.isValidNewLeader(replicas[0]) {
		return replicas[0], false
	}
	if b.isValidNewLeader(b.partition.Leader) {
		return b.partition.Leader, false
	}
	for _, r := range replicas {
		if b.isValidNewLeader(r) {
			return r, false
		}
	}
	if b.canElectLastKnownLeader() {
		return b.partition.LastKnownELR[0], true
	}
	if b.Election == Unclean || b.Election == Online && !b.Planted.On(planted.CleanElection) {
		for _, r := range replicas {
			if b.acceptable(r) {
				return r, true
			}
		}
	}
	return protocol.NoBroker, false
}

// isValidNewLeader: a leader comes from the ISR, or from the ELR when the ISR is empty.
func (b *PartitionChangeBuilder) isValidNewLeader(r protocol.BrokerID) bool {
	if r == protocol.NoBroker || !b.acceptable(r) {
		return false
	}
	if len(b.TargetISR) == 0 && (slices.Contains(b.targetELR, r) || !b.ELR && !b.Planted.On(planted.LastISRMemberKept)) {
		return true
	}
	return slices.Contains(b.TargetISR, r)
}

// canElectLastKnownLeader: when ISR and ELR are both empty, the last leader is the best guess left
// ("balanced recovery" of KIP-966). Before KAFKA-19522 it was elected even if it was not live.
func (b *PartitionChangeBuilder) canElectLastKnownLeader() bool {
	known := b.partition.LastKnownELR
	return b.ELR && len(b.TargetISR) == 0 && len(b.targetELR) == 0 && len(known) == 1 && (b.acceptable(known[0]) || !b.LastKnownLive)
}

func (b *PartitionChangeBuilder) tryElection(c *PartitionChange) {
	leader, unclean := b.ElectLeader()
	if leader == b.partition.Leader {
		return
	}
	c.LeaderSet, c.Leader, c.Unclean = true, leader, unclean
	switch {
	case slices.Contains(b.targetELR, leader):
		b.TargetISR = []protocol.BrokerID{leader}
		b.targetELR = without(b.targetELR, leader)
	case unclean:
		c.ISR, c.ISRSet = []protocol.BrokerID{leader}, true
	case leader != protocol.NoBroker && !slices.Contains(b.TargetISR, leader): // only with a guard off
		b.TargetISR = []protocol.BrokerID{leader}
	}
}

// maybePopulateTargetELR: whoever leaves the ISR while it is below min.insync.replicas still has every
// committed record, because the high watermark does not advance meanwhile; so it may still lead. A replica
// that stopped uncleanly may have lost its end, and is not eligible.
func (b *PartitionChangeBuilder) maybePopulateTargetELR() {
	if !b.ELR {
		return
	}
	if len(b.TargetISR) >= b.minISR {
		b.targetELR = nil
		return
	}
	var elr []protocol.BrokerID
	for _, list := range [2][]protocol.BrokerID{b.targetELR, b.partition.ISR} {
		for _, r := range list {
			if slices.Contains(b.TargetISR, r) || slices.Contains(elr, r) ||
				r == b.UncleanShutdown && b.Planted.On(planted.UncleanShutdownLeavesELR) {
				continue
			}
			elr = append(elr, r)
		}
	}
	slices.Sort(elr)
	b.targetELR = elr
}

// maybeUpdateELR: an unclean election makes the ELR void.
func (b *PartitionChangeBuilder) maybeUpdateELR(c *PartitionChange) {
	if c.ISRSet || !b.ELR {
		b.targetELR = nil
	}
	if !slices.Equal(b.targetELR, b.partition.ELR) {
		c.ELR, c.ELRSet = b.targetELR, true
	}
}

// bumpForISRShrink: before 3.6 (KAFKA-15021) a broker needed a new leader epoch to notice that the ISR had
// become smaller.
func (b *PartitionChangeBuilder) bumpForISRShrink(c *PartitionChange) {
	if !b.BumpOnShrink || c.LeaderSet {
		return
	}
	for _, r := range b.partition.ISR {
		if !slices.Contains(b.TargetISR, r) {
			c.LeaderSet, c.Leader = true, b.partition.Leader
			return
		}
	}
}

// maybeUpdateLastKnownLeader keeps the last leader's name for the time in which ISR and ELR are empty. From 4.1.1 on it is
// noted whenever there is no leader any more, before only when the ISR became empty.
func (b *PartitionChangeBuilder) maybeUpdateLastKnownLeader(c *PartitionChange) {
	if !b.ELR {
		return
	}
	known := b.partition.LastKnownELR
	leader := b.partition.Leader
	switch {
	case b.LastKnownAtOnce && c.LeaderSet && c.Leader == protocol.NoBroker && len(known) == 0:
		c.LastKnown, c.KnownSet = []protocol.BrokerID{leader}, true
	case b.LastKnownAtOnce && c.LeaderSet && c.Leader != protocol.NoBroker && len(known) > 0:
		c.LastKnown, c.KnownSet = nil, true
	case b.LastKnownAtOnce:
	case c.ISRSet && len(c.ISR) == 0 && (len(known) != 1 || known[0] != leader):
		c.LastKnown, c.KnownSet = []protocol.BrokerID{leader}, true
	case (c.LeaderSet && c.Leader != protocol.NoBroker || !c.LeaderSet && leader != protocol.NoBroker) && len(known) > 0:
		c.LastKnown, c.KnownSet = nil, true
	}
}
