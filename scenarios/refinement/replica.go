package refinement

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/broker"
	"kafkatrial/model/event"
	"kafkatrial/model/log"
	part "kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/replicationspec"
	"kafkatrial/sim"
)

// stepBroker maps what a step has changed on the broker that it happened on.
func (p *partition) stepBroker(id protocol.BrokerID) error {
	me := id - 1
	r := &p.replicas[me]
	if s := &p.trace.Steps[p.now]; s.Kind == sim.StepFault && (s.Op == sim.OpPowerLoss || s.Op == sim.OpDiskLoss) {
		r.struck = true
	}
	b := p.b.c.Broker(id)
	inc := p.b.c.World.Incarnation(p.b.c.Directory.Node(id))
	var real *part.Partition
	if b != nil {
		real = b.Replica(p.tp)
	}
	if r.hosted && (real == nil || inc != r.incarnation) {
		p.processLost(me)
	}
	if real == nil {
		return p.onDisk(me)
	}
	if !r.hosted {
		r.hosted, r.struck, r.incarnation = true, false, inc
		if hw := p.startHW(real); hw != p.s.HW(me) {
			p.except(RestoredHW)
			p.s.PutHW(me, hw)
		}
	}
	if real.IsLeader() && r.leader == id && r.epoch == real.LeaderEpoch() {
		if err := p.learnedISR(me, real); err != nil {
			return err
		}
	}
	if err := p.events(me, b, real); err != nil {
		return err
	}
	if err := p.role(me, b, real); err != nil {
		return err
	}
	if _, err := p.follow(me, b, real, p.s.LEO(me)); err != nil {
		return err
	}
	p.noteProposal(me, real)
	return p.same(me, real)
}

// startHW is the high watermark with which this process began: before the moves of the step under way.
func (p *partition) startHW(real *part.Partition) int {
	if e := first[*event.HighWatermark](p); e != nil {
		return int(e.From)
	}
	return int(real.Log().HighWatermark())
}

// events maps what the step tells, in its order.
func (p *partition) events(me int, b *broker.Broker, real *part.Partition) error {
	p.nameWritten(me)
	served := false
	events := p.trace.EventsOf(p.now)
	for i := range events {
		if event.Partition(events[i].Event) != p.tp {
			continue
		}
		var err error
		switch e := events[i].Event.(type) {
		case *event.BecameLeader:
			err = p.becameLeader(me, int(e.LeaderEpoch), real)
		case *event.BecameFollower:
			p.becameFollower(me, int(e.LeaderEpoch), e.Leader)
		case *event.Truncated:
			err = p.cut(me, b, real, e.NewEnd)
		case *event.LeaderAppended:
			err = p.append(me, e.Batch, true)
		case *event.FollowerAppended:
			err = p.append(me, e.Batch, false)
		case *event.HighWatermark:
			if e.Leader && !served {
				served = true
				if err = p.serves(me, real); err != nil {
					return err
				}
			}
			if e.Leader {
				err = p.advance(me, int(e.To))
			} else {
				err = p.toldHW(me, int(e.To))
			}
		}
		if err != nil {
			return err
		}
	}
	if !served {
		return p.serves(me, real)
	}
	return nil
}

// processLost: with a process goes what it believed. In the model a replica that does not act keeps it.
func (p *partition) processLost(me int) {
	r := &p.replicas[me]
	r.hosted, r.leader, r.epoch, r.pending = false, noEpoch, noEpoch, false // what it has proposed may still be on its way
	r.forget()
	p.except(ProcessLost)
	p.s.PutBelief(me, -1, noEpoch, nil)
}

// onDisk compares the log on the disk of a broker that does not serve it.
func (p *partition) onDisk(me int) error {
	var batches []*record.RecordBatch
	d := p.b.c.World.Disk(p.b.c.Directory.Node(me + 1))
	if names := d.Names(); slices.Contains(names, p.tp.String()) {
		for _, block := range d.File(p.tp.String()).Blocks() {
			batches = append(batches, block.(*record.RecordBatch))
		}
	}
	end := int64(0)
	if n := len(batches); n > 0 {
		end = batches[n-1].NextOffset()
	}
	found := p.cells(me, batches, end)
	have := p.s.Log(me)
	common := commonPrefix(have, found)
	switch {
	case common < len(found):
		return p.object(nil, "%s has %v on its disk at %d, which nobody has put there", p.name(me), found[common:], common)
	case common < len(have) && !p.replicas[me].struck && !p.startsLate(me, len(have)):
		return p.object(nil, "%s has lost what its log had from %d on, though neither its power nor its disk failed", p.name(me), common)
	case common < len(have) && (len(batches) > 0 || end > 0 || !p.startsLate(me, len(have))):
		p.except(StorageLost)
		p.s.PutLog(me, found)
	}
	return nil
}

// startsLate: the disk holds no batch because retention has taken them all. The log begins at its end.
func (p *partition) startsLate(me, end int) bool {
	if b := p.b.c.Broker(me + 1); b != nil && b.Replica(p.tp) != nil {
		return int(b.Replica(p.tp).Log().LogEndOffset()) == end
	}
	v, _ := p.b.c.World.Disk(p.b.c.Directory.Node(me + 1)).Get(p.tp.String() + "/base-offset")
	base, _ := v.(int64)
	return int(base) == end
}

// cells maps a log. What lies below its first batch is what the model has there.
func (p *partition) cells(me int, batches []*record.RecordBatch, end int64) []replicationspec.RecordView {
	base := end
	if len(batches) > 0 {
		base = min(end, batches[0].BaseOffset)
	}
	out := p.below(me, int(base))
	for _, b := range batches {
		for d := int64(len(out)) - b.BaseOffset; d <= int64(b.LastOffsetDelta) && int64(len(out)) < end; d++ {
			if d < 0 {
				out = append(out, hole)
				continue
			}
			out = append(out, p.record(b, d))
		}
	}
	for int64(len(out)) < end {
		out = append(out, hole)
	}
	return out
}

// record gives the model's record for one of the run.
func (p *partition) record(b *record.RecordBatch, delta int64) replicationspec.RecordView {
	id, known := p.ids[cell{b, delta}]
	if !known {
		id = unwritten
	}
	return replicationspec.RecordView{ID: id, Epoch: p.epochOf(b.PartitionLeaderEpoch)}
}

const unwritten = -2

// hole is an offset at which a log holds no record.
var hole = replicationspec.RecordView{ID: -3, Epoch: noEpoch}

func commonPrefix(a, b []replicationspec.RecordView) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// becameLeader maps that a replica has taken over an epoch in which it leads.
func (p *partition) becameLeader(me, epoch int, real *part.Partition) error {
	r := &p.replicas[me]
	if r.leader != me+1 {
		r.forget()
	}
	r.leader, r.epoch, r.pending, r.start = me+1, epoch, false, p.s.LEO(me)
	if e := p.epochOf(epoch); e == noEpoch || !p.did(p.s.BecomesLeader(me, e)) {
		return p.object([]string{p.name(me) + " becomes leader of epoch " + strconv.Itoa(e)}, "%s becomes leader of epoch %d", p.name(me), epoch)
	}
	return p.newerISR(me, real)
}

// becameFollower notes that a replica has taken over an epoch in which another leads, or nobody. For the model it follows from
// when it has found out where to truncate: until then it is pending. A request without a leader is never applied in the model.
func (p *partition) becameFollower(me, epoch, leader int) {
	r := &p.replicas[me]
	r.forget()
	r.leader, r.epoch, r.pending = leader, epoch, true
}

// role maps what the process has taken over from the controller and no event tells of: another ISR, or an epoch in which a follower
// just goes on.
func (p *partition) role(me int, b *broker.Broker, real *part.Partition) error {
	r := &p.replicas[me]
	if real.LeaderEpoch() == r.epoch && real.Leader() == r.leader {
		return p.learnedISR(me, real)
	}
	sameLeader := real.Leader() == r.leader
	r.leader, r.epoch = real.Leader(), real.LeaderEpoch()
	epoch := p.epochOf(r.epoch)
	if epoch == noEpoch || real.IsLeader() {
		return p.object(nil, "%s takes over epoch %d in silence", p.name(me), r.epoch)
	}
	if sameLeader && !r.pending {
		return p.keepsOnFetching(me, epoch)
	}
	r.pending = true
	return nil
}

// newerISR: the order that made a leader may bear an ISR that has changed within its epoch.
func (p *partition) newerISR(me int, real *part.Partition) error {
	isr := zeroBased(p.committedThen(real))
	if p.hasISR(me, isr) {
		return nil
	}
	if !p.wasISR(real.LeaderEpoch(), isr) {
		return p.object(nil, "%s leads with the ISR %v, which there never was in epoch %d", p.name(me), isr, real.LeaderEpoch())
	}
	p.except(OrderedNewerISR)
	p.s.PutISR(me, isr)
	return nil
}

// committedThen is the ISR that the leader was told of.
func (p *partition) committedThen(real *part.Partition) []int { return real.ISR() }

func (p *partition) hasISR(me int, isr []int) bool {
	for i := range p.replicas {
		if p.s.HasInISR(me, i) != slices.Contains(isr, i) {
			return false
		}
	}
	return true
}

func (p *partition) wasISR(epoch int, isr []int) bool {
	return slices.ContainsFunc(p.isrs[epoch], func(a isrAt) bool { return slices.Equal(a.isr, isr) })
}

// learnedISR: a leader's own change of the ISR is known to it, in the model, when it is carried out. So what the process is told
// later is nothing new, unless the controller made the change.
func (p *partition) learnedISR(me int, real *part.Partition) error {
	if !real.IsLeader() {
		return nil
	}
	isr := zeroBased(real.ISR())
	if p.hasISR(me, isr) || p.isPast(me, real.LeaderEpoch(), isr) {
		return nil
	}
	if !p.wasISR(real.LeaderEpoch(), isr) {
		return p.object(nil, "%s knows of the ISR %v, which there never was in epoch %d", p.name(me), isr, real.LeaderEpoch())
	}
	p.except(LearnedISR)
	p.s.PutISR(me, isr)
	return nil
}

// isPast says that the process has not heard yet of what the model's leader knows: the model's ISR came after the process's.
func (p *partition) isPast(me, epoch int, isr []int) bool {
	mine, its := -1, -1
	for i, a := range p.isrs[epoch] {
		if p.hasISR(me, a.isr) {
			mine = i
		}
		if slices.Equal(a.isr, isr) {
			its = i
		}
	}
	return its >= 0 && its < mine
}

// keepsOnFetching: before KIP-320 a follower whose leader stays goes on as it was.
func (p *partition) keepsOnFetching(me, epoch int) error {
	log := p.s.Log(me)
	try := p.s
	if try.BecomesFollower(me, epoch) && slices.Equal(try.Log(me), log) && try.HW(me) == p.s.HW(me) {
		p.did(true)
		p.s = try
		return nil
	}
	if p.b.c.Rules().FetchFencing {
		return p.object([]string{p.name(me) + " becomes follower in epoch " + strconv.Itoa(epoch)}, "%s goes on fetching in a new epoch", p.name(me))
	}
	p.except(KeptOnFetching)
	p.s.PutBelief(me, p.replicas[me].leader-1, epoch, nil)
	return nil
}

// answer finds the message that the step has handled and that what is mapped comes from.
func (p *partition) answer(which func(sim.Message) bool) (delivery, bool) {
	for _, d := range p.b.handled {
		if d.peer >= 0 && which(d.msg) {
			return d, true
		}
	}
	return delivery{}, false
}

// fetched finds the result of a fetch for this partition in the messages that the step has handled.
func (p *partition) fetched(which func(*protocol.FetchResult) bool) (delivery, *protocol.FetchResult) {
	for _, d := range p.b.handled {
		res, ok := d.msg.(*protocol.FetchResponse)
		if !ok || d.peer < 0 {
			continue
		}
		for i := range res.Data {
			if r := &res.Data[i]; r.TP == p.tp && which(r) {
				return d, r
			}
		}
	}
	return delivery{}, nil
}

// nameWritten gives the records that a leader has written their identities, in the order of writing.
func (p *partition) nameWritten(me int) {
	events := p.trace.EventsOf(p.now)
	next := p.s.View().Written
	for i := range events {
		e, ok := events[i].Event.(*event.LeaderAppended)
		if !ok || e.TP != p.tp {
			continue
		}
		b := e.Batch
		for d := int64(0); d <= int64(b.LastOffsetDelta); d++ {
			if _, known := p.ids[cell{b, d}]; !known {
				p.ids[cell{b, d}] = next
				next++
			}
		}
	}
}

// append maps a batch that a leader has written or a follower has fetched, record by record.
func (p *partition) append(me int, b *record.RecordBatch, leader bool) error {
	p.startAt(me, int(b.BaseOffset))
	for d := p.s.LEO(me) - int(b.BaseOffset); d <= int(b.LastOffsetDelta); d++ {
		next := p.record(b, int64(d))
		if leader {
			at := p.s.LEO(me)
			if !p.did(p.s.Writes(me)) || p.s.Log(me)[at] != next {
				return p.object([]string{p.name(me) + " writes"}, "%s writes record %d in epoch %d at %d", p.name(me), next.ID, next.Epoch, at)
			}
		} else if err := p.fetch(me, b, next); err != nil {
			return err
		}
	}
	return nil
}

// startAt lets a log end where the next batch begins: it may begin elsewhere if the log start lies within a batch, or if the
// follower has nothing of what its leader still has.
func (p *partition) startAt(me, base int) {
	switch have := p.s.Log(me); {
	case base < len(have):
		p.except(LogStartRaised)
		p.s.PutLog(me, have[:base])
	case base > len(have):
		p.except(LogStartRaised)
		p.s.PutLog(me, p.below(me, base))
	}
}

// below is a log up to an offset at which a replica begins: what it has, then what its leader has.
func (p *partition) below(me, base int) []replicationspec.RecordView {
	log := p.s.Log(me)
	log = log[:min(base, len(log)):min(base, len(log))]
	if l := p.replicas[me].leader - 1; l >= 0 && l != me {
		if theirs := p.s.Log(l); len(theirs) > len(log) {
			log = append(log, theirs[len(log):min(base, len(theirs))]...)
		}
	}
	for len(log) < base {
		log = append(log, hole)
	}
	return log
}

// fetch maps one record that a follower has appended. The fetch is legal now, or was when the leader answered.
func (p *partition) fetch(me int, b *record.RecordBatch, next replicationspec.RecordView) error {
	at, hw := p.s.LEO(me), p.s.HW(me)
	word := p.name(me) + " fetches"
	d, res := p.fetched(func(r *protocol.FetchResult) bool { return slices.Contains(r.Batches, b) })
	if res == nil {
		return p.object([]string{word}, "%s appends record %d at %d, and nobody has sent it", p.name(me), next.ID, at)
	}
	word += " from " + p.name(d.peer)
	now, then := p.s, p.s
	then.PutReplica(d.peer, p.at(d.sent))
	switch {
	case now.Fetches(me, d.peer) && now.Log(me)[at] == next:
		p.did(true)
		p.s = now
	case then.Fetches(me, d.peer) && then.Log(me)[at] == next:
		p.except(LateAnswer)
		p.s.PutReplica(me, &then)
	default:
		return p.object([]string{word}, "%s appends record %d at %d, as %s has answered in step %d", p.name(me), next.ID, at, p.name(d.peer), d.sent+1)
	}
	p.s.PutHW(me, hw) // the answer's high watermark comes last, see toldHW
	return nil
}

// cut maps that a log has become shorter. A pending follower that now knows where to truncate becomes a follower by this very
// step; otherwise it is one round of several.
func (p *partition) cut(me int, b *broker.Broker, real *part.Partition, end int64) error {
	to := int(end)
	if to > p.s.LEO(me) || len(real.Log().Batches()) == 0 && real.Log().LogStartOffset() == end && to > 0 {
		p.except(LogStartRaised) // it begins anew at its leader's log start
		p.s.PutLog(me, p.below(me, to))
		p.s.PutHW(me, to)
		return nil
	}
	if real.IsLeader() && p.replicas[me].leader == me+1 {
		return p.object(nil, "%s leads, and has cut its log to %d", p.name(me), to)
	}
	if done, err := p.follow(me, b, real, to); done || err != nil {
		return err
	}
	d, told := p.answer(func(m sim.Message) bool {
		return m.Type() == protocol.TListOffsetsResponse || m.Type() == protocol.TOffsetForLeaderEpochResponse || m.Type() == protocol.TFetchResponse
	})
	if !told {
		return p.object([]string{p.name(me) + " becomes follower"}, "%s cuts its log to %d, and nobody has told it to", p.name(me), to)
	}
	then := p.s
	then.PutReplica(d.peer, p.at(d.sent))
	switch common := then.CommonEnd(d.peer, me); {
	case d.msg.Type() == protocol.TListOffsetsResponse:
		p.except(CutToLeaderEnd)
	case to >= common:
		p.except(CutInRounds)
	default:
		return p.object([]string{p.name(me) + " becomes follower"}, "%s cuts its log to %d, and has records in common with %s up to %d", p.name(me), to, p.name(d.peer), common)
	}
	p.s.PutLog(me, p.s.Log(me)[:to])
	return nil
}

// follow lets a pending follower follow as soon as it knows that its log is a beginning of its leader's. to is where its log ends.
// By the rule of truncation that is
//   - before KIP-101 when it takes over the epoch, for it cuts its log at once;
//   - from KIP-101 on when it has the leader's answer;
//   - from KIP-320 on, if it need not ask because its log is empty, and from KIP-595 on always, when the leader serves its fetch:
//     then this is the leader's step, see serves.
func (p *partition) follow(me int, b *broker.Broker, real *part.Partition, to int) (done bool, err error) {
	r := &p.replicas[me]
	rules := p.b.c.Rules()
	if !r.pending || real.IsLeader() || real.Leader() == part.NoLeader || p.epochOf(r.epoch) == noEpoch {
		return false, nil
	}
	d, _ := p.answer(func(m sim.Message) bool { return m.Type() == protocol.TOffsetForLeaderEpochResponse })
	_, answered := p.toldEpochEnd()
	switch view := p.fetchView(b); {
	case rules.TruncateOnFetch, view == broker.Truncating, view == broker.NotFetching, view == broker.WaitsForNews:
		return false, nil
	case rules.FetchFencing && !answered:
		return false, nil
	}
	if !answered {
		d.sent = p.now
	}
	return true, p.becomesFollower(me, real.Leader()-1, d.sent, to)
}

// becomesFollower takes the action, in the present state or in the one in which the leader answered, and holds it to where the
// log was cut.
func (p *partition) becomesFollower(me, l, sent, to int) error {
	r := &p.replicas[me]
	epoch := p.epochOf(r.epoch)
	word := p.name(me) + " becomes follower of " + p.name(l) + " in epoch " + strconv.Itoa(epoch)
	rest := p.s.Log(me)[:to]
	hw := min(p.s.HW(me), to)
	fits := func(u *replicationspec.Unbounded) bool {
		return u.BecomesFollower(me, epoch) && slices.Equal(u.Log(me), rest)
	}
	now, then := p.s, p.s
	if sent < p.now {
		then.PutReplica(l, p.at(sent))
	}
	r.pending = false
	switch {
	case fits(&now):
		p.did(true)
		p.s = now
		return nil
	case fits(&then):
		p.except(LateAnswer)
		p.s.PutReplica(me, &then)
		return nil
	}
	// The action is not allowed, or leads to another log.
	rules := p.b.c.Rules()
	then = p.s
	if sent < p.now {
		then.PutReplica(l, p.at(sent))
	}
	common := then.CommonEnd(l, me)
	_, isr := p.requestOf(epoch)
	answer, told := p.toldEpochEnd()
	switch {
	case rules.FetchFencing && !p.leadsIn(&then, l, epoch):
		return p.object([]string{word}, "%s follows %s, which is not in that epoch", p.name(me), p.name(l))
	case told && answer == log.UndefinedEpochOffset && to == p.s.HW(me):
		p.except(FellBackToHW)
	case told && !rules.EpochInAnswer && int(answer) > p.s.LEO(me) && to == p.s.LEO(me):
		p.except(KeptBeyondAnswer)
	default:
		return p.object([]string{word}, "%s follows %s with its log cut to %d; what they have in common ends at %d", p.name(me), p.name(l), to, common)
	}
	p.s.PutLog(me, rest)
	p.s.PutHW(me, hw)
	p.s.PutBelief(me, l, epoch, isr)
	return nil
}

// toldEpochEnd is the end of an epoch that the step's message tells, log.UndefinedEpochOffset if the leader does not know it.
func (p *partition) toldEpochEnd() (end int64, told bool) {
	d, _ := p.answer(func(m sim.Message) bool { return m.Type() == protocol.TOffsetForLeaderEpochResponse })
	res, ok := d.msg.(*protocol.OffsetForLeaderEpochResponse)
	if !ok {
		return 0, false
	}
	i := slices.IndexFunc(res.Data, func(a protocol.EpochAnswer) bool { return a.TP == p.tp })
	if i < 0 || res.Data[i].Err != protocol.None {
		return 0, false
	}
	return res.Data[i].EndOffset, true
}

func (p *partition) requestOf(epoch int) (leader int, isr []int) {
	v := p.s.View().Requests[epoch]
	for _, name := range v.ISR {
		n, _ := strconv.Atoi(strings.TrimPrefix(name, "b"))
		isr = append(isr, n-1)
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(v.Leader, "b"))
	return n - 1, isr
}

func (p *partition) leadsIn(u *replicationspec.Unbounded, l, epoch int) bool {
	leader, e := u.Leader(l)
	return leader == l && e == epoch
}

func (p *partition) fetchView(b *broker.Broker) broker.FetchView {
	for i := 0; ; i++ {
		h, ok := b.Hosted(i)
		if !ok {
			return broker.NotFetching
		}
		if h.TP == p.tp {
			return h.Fetching
		}
	}
}

// serves notes by which fetches a leader counts its followers. A pending follower that is served has nothing to truncate any
// more.
func (p *partition) serves(me int, real *part.Partition) error {
	if !real.IsLeader() {
		return nil
	}
	for _, d := range p.b.handled {
		fetch, ok := d.msg.(*protocol.Fetch)
		if !ok || d.peer < 0 || fetch.Replica != d.peer+1 {
			continue
		}
		i := slices.IndexFunc(fetch.Data, func(x protocol.FetchData) bool { return x.TP == p.tp })
		if i < 0 || p.refused(d.peer, fetch.Data[i].Offset) {
			continue
		}
		known := real.Replica(d.peer + 1)
		if known == nil || known.LogEndOffset != fetch.Data[i].Offset || known.LastFetchTime != p.trace.Steps[p.now].At {
			continue
		}
		p.replicas[me].counted[d.peer] = counted{d.sent, real.LeaderEpoch()}
		if p.isServed(d.peer, me, int(fetch.Data[i].Offset)) {
			if err := p.becomesFollower(d.peer, me, p.now, p.s.LEO(d.peer)); err != nil {
				return err
			}
		}
	}
	return nil
}

// isServed says that the pending follower f still lives in the epoch in which it has asked l, and is not about to truncate.
func (p *partition) isServed(f, l, offset int) bool {
	r := &p.replicas[f]
	if !r.pending || !r.hosted || r.leader != l+1 || r.epoch != p.replicas[l].epoch || p.s.LEO(f) != offset {
		return false
	}
	rules := p.b.c.Rules()
	return rules.FetchFencing && (rules.TruncateOnFetch || p.fetchView(p.b.c.Broker(f+1)) != broker.Truncating)
}

func (p *partition) refused(f int, offset int64) bool {
	events := p.trace.EventsOf(p.now)
	return slices.ContainsFunc(events, func(told sim.Recorded) bool {
		switch e := told.Event.(type) {
		case *event.FetchRefused:
			return e.TP == p.tp && e.Replica == f+1 && e.Offset == offset
		case *event.DivergenceFound:
			return e.TP == p.tp && e.Follower == f+1
		}
		return false
	})
}

// advance maps that a leader's high watermark rises, record by record.
func (p *partition) advance(l, to int) error {
	for p.s.HW(l) < to {
		if err := p.commit(l); err != nil {
			return err
		}
	}
	return nil
}

func (p *partition) commit(l int) error {
	if p.did(p.s.AdvancesHW(l)) {
		return nil
	}
	at := p.s.HW(l)
	fetches := p.replicas[l].counted
	known := p.s
	p.asCounted(&known, l, fetches)
	if known.AdvancesHW(l) {
		p.except(OlderFetch)
		p.s.PutHW(l, at+1)
		return nil
	}
	// A leader that is elected anew keeps what it knew of its followers. They have followed it before; what it counts them for must
	// be theirs still.
	word := []string{p.name(l) + " advances its high watermark"}
	_, epoch := p.s.Leader(l)
	known = p.s
	for f := range p.replicas {
		if f == l || !p.s.HasInISR(l, f) || fetches[f].sent < 0 {
			continue
		}
		was := p.at(fetches[f].sent)
		known.PutReplica(f, was)
		if leader, e := was.Leader(f); leader == l && e < epoch {
			if !p.s.SharesRecord(l, f, at) {
				return p.object(word, "%s commits offset %d because %s had it in an earlier epoch, and %s has cut it since", p.name(l), at, p.name(f), p.name(f))
			}
			known.PutBelief(f, l, epoch, nil)
		}
	}
	if !known.AdvancesHW(l) {
		return p.object(word, "%s commits offset %d", p.name(l), at)
	}
	p.except(EarlierEpoch)
	p.s.PutHW(l, at+1)
	return nil
}

// toldHW maps a move of a follower's high watermark. It is what its leader's last answer says, as far as its log reaches. In the
// model it is what the leader has at the moment of a fetch, and never moves without one.
func (p *partition) toldHW(me, to int) error {
	switch {
	case to == p.s.HW(me):
		return nil // a cut has brought it down, as in the model
	case to < p.s.HW(me) && to == p.s.LEO(me):
		p.s.PutHW(me, to)
		return nil
	}
	d, res := p.fetched(func(r *protocol.FetchResult) bool { return to == min(int(r.HighWatermark), p.s.LEO(me)) })
	if res == nil || int(res.HighWatermark) > p.at(d.sent).HW(d.peer) {
		return p.object(nil, "the high watermark of %s goes from %d to %d, and its leader has not told it so", p.name(me), p.s.HW(me), to)
	}
	if to != min(p.s.HW(d.peer), p.s.LEO(me)) || len(res.Batches) == 0 {
		p.except(FollowerHW)
	}
	p.s.PutHW(me, to)
	return nil
}

// noteProposal remembers an ISR change that a leader has proposed, and what it knew then.
func (p *partition) noteProposal(me int, real *part.Partition) {
	e := first[*event.ISRProposed](p)
	if e == nil {
		return
	}
	r := &p.replicas[me]
	r.proposed = r.proposed[:0:0]
	for _, id := range e.ISR {
		r.proposed = append(r.proposed, id-1)
	}
	slices.Sort(r.proposed)
	r.proposedAt, r.proposedFor, r.countedThen = p.now, real.LeaderEpoch(), r.counted
}

// same holds the model's state to the run's.
func (p *partition) same(me int, real *part.Partition) error {
	l := real.Log()
	if have := p.s.Log(me); !slices.Equal(have, p.cells(me, l.Batches(), l.LogEndOffset())) || p.s.HW(me) != int(l.HighWatermark()) {
		return p.object(nil, "%s has %v up to %d with the high watermark %d", p.name(me), p.cells(me, l.Batches(), l.LogEndOffset()), l.LogEndOffset(), l.HighWatermark())
	}
	if r := &p.replicas[me]; !r.pending && r.epoch != noEpoch {
		if leader, epoch := p.s.Leader(me); leader != r.leader-1 || epoch != p.epochOf(r.epoch) {
			return p.object(nil, "%s follows %d in epoch %d", p.name(me), r.leader, r.epoch)
		}
	}
	return nil
}
