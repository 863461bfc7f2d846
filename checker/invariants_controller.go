package checker

import (
	"slices"
	"strconv"
)

// Given notes that the controller has made a broker the leader of a partition in an epoch.
func (v *Invariants) Given(step int, tp TopicPartition, leader, epoch int) []Breach {
	w := v.watched(tp)
	other, ok := w.given[epoch]
	w.given[epoch] = leader
	if !ok || other == leader {
		return nil
	}
	return v.one(LedAsGiven, step, tp, -1, "The controller gives epoch "+strconv.Itoa(epoch)+" of "+tp.String()+" to "+broker(leader)+", though it has given it to "+
		broker(other)+".")
}

// controller looks at what the controller has decided.
func (c *check) controller() {
	c.state = c.p.Controller()
	s := c.state
	if s.Unclean {
		c.w.here |= 1 << UncleanElection
	}
	if s.Epoch < c.w.epoch {
		c.breach(EpochsGoForward, strconv.Itoa(s.Epoch), nil, -1, "The controller's leader epoch of "+c.tp.String()+" goes back from "+
			strconv.Itoa(c.w.epoch)+" to "+strconv.Itoa(s.Epoch)+".")
	}
	if s.PartitionEpoch < c.w.partitionEpoch {
		c.breach(PartitionEpochForward, strconv.Itoa(s.PartitionEpoch), nil, -1, "The controller's partition epoch of "+c.tp.String()+" goes back from "+
			strconv.Itoa(c.w.partitionEpoch)+" to "+strconv.Itoa(s.PartitionEpoch)+".")
	}
	c.w.epoch, c.w.partitionEpoch = max(c.w.epoch, s.Epoch), max(c.w.partitionEpoch, s.PartitionEpoch)
	if s.Leader != 0 && (s.Leader != c.w.newest.leader || s.Epoch != c.w.newest.epoch) {
		c.w.newest = termOf{s.Leader, s.Epoch}
		c.breaches = append(c.breaches, c.v.Given(c.step, c.tp, s.Leader, s.Epoch)...)
	}
	if c.standing(s.Leader != 0 && !slices.Contains(s.ISR, s.Leader), LeaderInISR, 0) {
		c.breach(LeaderInISR, broker(0), []int{s.Leader}, -1, broker(s.Leader)+" leads "+c.tp.String()+", but is not in its ISR.")
	}
	i := slices.IndexFunc(s.ISR, func(id int) bool { return !slices.Contains(s.Replicas, id) })
	if c.standing(i >= 0 && s.Replicas != nil, ISRWithinReplicas, 0) {
		c.breach(ISRWithinReplicas, broker(0), s.ISR, -1, broker(s.ISR[i])+" is in the ISR of "+c.tp.String()+", but has no replica of it.")
	}
	k := slices.IndexFunc(s.ELR, func(id int) bool { return slices.Contains(s.ISR, id) })
	if c.standing(k >= 0, ELRApart, 0) {
		c.breach(ELRApart, broker(0), s.ELR, -1, broker(s.ELR[k])+" is an eligible leader replica of "+c.tp.String()+", and in its ISR as well.")
	}
}

// roles looks at who leads, and whether the controller said so.
func (c *check) roles(r *ReplicaView) {
	if r.Role != Leader || c.copy(r.Broker).ledEpoch == r.LeaderEpoch { // looked at before
		return
	}
	epoch := strconv.Itoa(r.LeaderEpoch)
	given, known := c.w.given[r.LeaderEpoch]
	other, led := c.w.leaders[r.LeaderEpoch]
	if !led {
		c.w.leaders[r.LeaderEpoch] = r.Broker
	} else if other != r.Broker {
		c.breach(OneLeaderPerEpoch, epoch, []int{other, r.Broker}, -1, broker(other)+" and "+broker(r.Broker)+" both lead "+c.tp.String()+" in epoch "+epoch+".")
		return // one of the two was not given it
	}
	switch {
	case !known:
		c.breach(LedAsGiven, epoch, []int{r.Broker}, -1, broker(r.Broker)+" leads "+c.tp.String()+" in epoch "+epoch+", which the controller has not given to anybody.")
	case given != r.Broker:
		c.breach(LedAsGiven, epoch, []int{given, r.Broker}, -1, broker(r.Broker)+" leads "+c.tp.String()+" in epoch "+epoch+", which the controller has given to "+broker(given)+".")
	}
}

// maximalISR holds the ISR that the leader's high watermark waits for against the controller's, from which the next
// leader may come.
func (c *check) maximalISR(r *ReplicaView) {
	if r.Broker != c.state.Leader || r.LeaderEpoch != c.state.Epoch {
		return // it is about to hear of another term
	}
	if r.Forgot {
		c.w.here |= 1 << ForgottenChange
	}
	i := slices.IndexFunc(c.state.ISR, func(id int) bool { return !slices.Contains(r.MaximalISR, id) })
	if c.standing(i >= 0, MaximalISRCovers, 0) {
		c.breach(MaximalISRCovers, broker(0), []int{r.Broker}, -1, "The controller has "+broker(c.state.ISR[i])+" in the ISR of "+c.tp.String()+
			", but the leader "+broker(r.Broker)+" does not wait for it.")
	}
}

// CheckController looks at an election of a controller.
func (v *Invariants) CheckController(step int, name string, epoch int) []Breach {
	other, ok := v.controllers[epoch]
	v.controllers[epoch] = name
	if !ok || other == name {
		return nil
	}
	return v.one(OneControllerPerEpoch, step, TopicPartition{}, -1, other+" and "+name+" are both the controller of epoch "+strconv.Itoa(epoch)+".")
}
