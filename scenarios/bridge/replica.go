package bridge

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/broker"
	"kafkatrial/model/fact"
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
		r.hosted, r.incarnation = true, inc
		if err := p.onDisk(me); err != nil {
			return err
		}
		if hw := p.startHW(real); hw != p.s.HW(me) {
			p.except(RestoredHW)
			p.s.PutHW(me, hw)
		}
	}
	if err := p.role(me, b, real); err != nil {
		return err
	}
	if err := p.logChanged(me, b, real); err != nil {
		return err
	}
	if err := p.reconciles(me, b, real); err != nil {
		return err
	}
	if err := p.highWatermark(me, real); err != nil {
		return err
	}
	p.noteProposal(me, real)
	return p.same(me, real)
}

// startHW is the high watermark with which this process began: before the moves of the step under way.
func (p *partition) startHW(real *part.Partition) int {
	hw := real.Log().HighWatermark()
	facts := p.trace.FactsOf(p.now)
	for i := range facts {
		if f := &facts[i]; f.Kind == fact.HighWatermark && fact.TP(f) == p.tp {
			return int(f.A)
		}
	}
	return int(hw)
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
	var batches []*record.Batch
	d := p.b.c.World.Disk(p.b.c.Directory.Node(me + 1))
	if names := d.Names(); slices.Contains(names, p.tp.String()) {
		for _, block := range d.File(p.tp.String()).Blocks() {
			batches = append(batches, block.(*record.Batch))
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

// cells maps a log. What lies below its first batch is what the model has there; the rest of a batch that was cut in its middle
// holds no record.
func (p *partition) cells(me int, batches []*record.Batch, end int64) []replicationspec.RecordView {
	base := end
	if len(batches) > 0 {
		base = batches[0].BaseOffset
	}
	have := p.s.Log(me)
	out := make([]replicationspec.RecordView, 0, end)
	out = append(out, have[:min(int(base), len(have))]...)
	if len(out) < int(base) {
		// The replica began anew where its leader's log starts: below that it lacks what the leader had.
		leader, _ := p.s.Leader(me)
		if leader < 0 {
			leader = p.replicas[me].leader - 1
		}
		if leader >= 0 {
			if theirs := p.s.Log(leader); len(theirs) > len(out) {
				p.except(LogStartRaised)
				out = append(out, theirs[len(out):min(int(base), len(theirs))]...)
			}
		}
	}
	for int64(len(out)) < base {
		out = append(out, hole)
	}
	for _, b := range batches {
		for d := int64(0); d <= int64(b.LastOffsetDelta) && int64(len(out)) < end; d++ {
			if b.BaseOffset+d < int64(len(out)) {
				continue
			}
			for int64(len(out)) < b.BaseOffset+d {
				out = append(out, hole)
			}
			id, known := p.ids[cell{b, d}]
			if !known {
				id = unwritten
			}
			out = append(out, replicationspec.RecordView{ID: id, Epoch: p.epochOf(b.PartitionLeaderEpoch)})
		}
	}
	for int64(len(out)) < end {
		out = append(out, hole)
	}
	return out
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

// role maps what the process has taken over from the controller. A follower follows, for the model, from when it has found out
// where to truncate: until then it is pending.
func (p *partition) role(me int, b *broker.Broker, real *part.Partition) error {
	r := &p.replicas[me]
	if real.LeaderEpoch() == r.epoch && real.Leader() == r.leader {
		return p.learnedISR(me, real)
	}
	sameLeader := real.Leader() == r.leader
	r.leader, r.epoch = real.Leader(), real.LeaderEpoch()
	epoch := p.epochOf(r.epoch)
	if epoch == noEpoch {
		return p.object(nil, "%s takes over epoch %d, which nobody has decided", p.name(me), r.epoch)
	}
	if real.IsLeader() {
		if !sameLeader {
			r.forget()
		}
		r.pending, r.start = false, p.s.LEO(me)
		if !p.did(p.s.BecomesLeader(me, epoch)) {
			return p.object([]string{p.name(me) + " becomes leader of epoch " + strconv.Itoa(epoch)}, "%s becomes leader of epoch %d", p.name(me), r.epoch)
		}
		return p.newerISR(me, real)
	}
	r.forget()
	if real.Leader() == part.NoLeader {
		r.pending = true // the model's requests without a leader are never applied
		return nil
	}
	if sameLeader && !r.pending && p.fact(fact.BecameFollower) == nil {
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

// from gives the broker whose message the step delivers, and the state of the model after the step in which it was sent.
func (p *partition) from() (peer int, sent int, msg sim.Message) {
	s := &p.trace.Steps[p.now]
	if s.Kind != sim.StepDeliver || s.Cause < 0 {
		return -1, -1, nil
	}
	id := p.b.c.Directory.Broker(s.Peer)
	if id == protocol.NoBroker {
		return -1, int(s.Cause), s.Msg
	}
	return id - 1, int(s.Cause), s.Msg
}

// log maps how the log has changed: it was cut, then records were appended.
func (p *partition) logChanged(me int, b *broker.Broker, real *part.Partition) error {
	p.nameWritten(me)
	l := real.Log()
	log, have := p.cells(me, l.Batches(), l.LogEndOffset()), p.s.Log(me)
	if n := commonPrefix(have, log); n < len(have) {
		if err := p.cut(me, b, real, n); err != nil {
			return err
		}
	}
	have = p.s.Log(me)
	for len(have) < len(log) {
		next := log[len(have)]
		if err := p.grow(me, real, next); err != nil {
			return err
		}
		have = p.s.Log(me)
	}
	return nil
}

// nameWritten gives the records that a leader has written their identities, in the order of writing.
func (p *partition) nameWritten(me int) {
	facts := p.trace.FactsOf(p.now)
	next := p.s.View().Written
	for i := range facts {
		f := &facts[i]
		if f.Kind != fact.LeaderAppended || fact.TP(f) != p.tp {
			continue
		}
		b := fact.Batch(f)
		for d := int64(0); d <= int64(b.LastOffsetDelta); d++ {
			if _, known := p.ids[cell{b, d}]; !known {
				p.ids[cell{b, d}] = next
				next++
			}
		}
	}
}

// grow maps one more record: a leader's write, or a follower's fetch. The fetch is legal now, or was when the leader answered.
func (p *partition) grow(me int, real *part.Partition, next replicationspec.RecordView) error {
	at := p.s.LEO(me)
	if real.IsLeader() {
		if !p.did(p.s.Writes(me)) || p.s.Log(me)[at] != next {
			return p.object([]string{p.name(me) + " writes"}, "%s has %v at %d", p.name(me), next, at)
		}
		return nil
	}
	l, sent, _ := p.from()
	word := p.name(me) + " fetches"
	if l < 0 || l == me {
		return p.object([]string{word}, "%s appends %v at %d, and nobody has sent it", p.name(me), next, at)
	}
	word += " from " + p.name(l)
	try := p.s
	hw := p.s.HW(me)
	if try.Fetches(me, l) && try.Log(me)[at] == next {
		p.did(true)
		p.s = try
		p.s.PutHW(me, hw) // the answer's high watermark comes with its last record
		return nil
	}
	try = p.s
	try.PutReplica(l, p.at(sent))
	if !try.Fetches(me, l) || try.Log(me)[at] != next {
		return p.object([]string{word}, "%s appends %v at %d, as %s has answered in step %d", p.name(me), next, at, p.name(l), sent+1)
	}
	p.except(LateAnswer)
	p.s.PutReplica(me, &try)
	p.s.PutHW(me, hw)
	return nil
}

// cut maps that a log has become shorter. A pending follower that now knows where to truncate becomes a follower by this very
// step, see reconciles; otherwise it is one round of several.
func (p *partition) cut(me int, b *broker.Broker, real *part.Partition, to int) error {
	if real.IsLeader() {
		return p.object(nil, "%s leads, and has cut its log to %d", p.name(me), to)
	}
	done, err := p.follow(me, b, real, to)
	if done || err != nil {
		return err
	}
	l, sent, msg := p.from()
	if l < 0 || msg == nil {
		return p.object([]string{p.name(me) + " becomes follower"}, "%s cuts its log to %d, and nobody has told it to", p.name(me), to)
	}
	then := p.s
	then.PutReplica(l, p.at(sent))
	switch common := then.CommonEnd(l, me); {
	case msg.Type() == protocol.TListOffsetsResponse:
		p.except(CutToLeaderEnd)
	case to >= common:
		p.except(CutInRounds)
	default:
		p.except(CutByEpoch)
	}
	p.s.PutLog(me, p.s.Log(me)[:to])
	return nil
}

// reconciles lets a pending follower follow as soon as it knows that its log is a beginning of its leader's. By the rule of
// truncation that is
//   - before KIP-101 when it takes over the epoch, for it cuts its log at once;
//   - from KIP-101 on when it has the leader's answer;
//   - from KIP-320 on, if it need not ask because its log is empty, and from KIP-595 on always, when the leader serves its fetch:
//     then this is the leader's step.
func (p *partition) reconciles(me int, b *broker.Broker, real *part.Partition) error {
	if _, err := p.follow(me, b, real, p.s.LEO(me)); err != nil {
		return err
	}
	return p.serves(me, real)
}

// follow makes a pending follower one that follows, if it is time to. to is where its log ends.
func (p *partition) follow(me int, b *broker.Broker, real *part.Partition, to int) (done bool, err error) {
	r := &p.replicas[me]
	rules := p.b.c.Rules()
	if !r.pending || real.IsLeader() || real.Leader() == part.NoLeader {
		return false, nil
	}
	l := real.Leader() - 1
	view := p.fetchView(b)
	_, sent, msg := p.from()
	answered := msg != nil && msg.Type() == protocol.TOffsetForLeaderEpochResponse
	switch {
	case rules.TruncateOnFetch, view == broker.Truncating, view == broker.NotFetching:
		return false, nil
	case rules.FetchFencing && !answered:
		return false, nil
	}
	if !answered {
		sent = p.now
	}
	return true, p.becomesFollower(me, l, sent, to)
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
	case told && to < common:
		p.except(CutByEpoch)
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
	_, _, msg := p.from()
	res, ok := msg.(*protocol.OffsetForLeaderEpochResponse)
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

// serves notes by which fetch a leader counts a follower. A pending follower that is served has nothing to truncate any more.
func (p *partition) serves(me int, real *part.Partition) error {
	f, sent, msg := p.from()
	fetch, ok := msg.(*protocol.Fetch)
	if !ok || f < 0 || !real.IsLeader() {
		return nil
	}
	i := slices.IndexFunc(fetch.Data, func(d protocol.FetchData) bool { return d.TP == p.tp })
	if i < 0 || p.refused(f, fetch.Data[i].Offset) {
		return nil
	}
	known := real.Replica(f + 1)
	if known == nil || known.LogEndOffset != fetch.Data[i].Offset || known.LastFetchTime != p.trace.Steps[p.now].At {
		return nil
	}
	p.replicas[me].counted[f] = sent
	// Does the follower still live in the epoch in which it asked?
	r := &p.replicas[f]
	if !r.pending || !r.hosted || r.leader != me+1 || r.epoch != p.replicas[me].epoch || p.s.LEO(f) != int(fetch.Data[i].Offset) {
		return nil
	}
	rules := p.b.c.Rules()
	if !rules.FetchFencing || !rules.TruncateOnFetch && p.fetchView(p.b.c.Broker(f+1)) == broker.Truncating {
		return nil
	}
	return p.becomesFollower(f, me, p.now, p.s.LEO(f))
}

func (p *partition) refused(f int, offset int64) bool {
	facts := p.trace.FactsOf(p.now)
	return slices.ContainsFunc(facts, func(x sim.Fact) bool {
		return fact.TP(&x) == p.tp && (x.Kind == fact.FetchRefused && x.B == int64(f+1) && x.C == offset || x.Kind == fact.DivergenceFound && x.C == int64(f+1))
	})
}

// highWatermark maps the moves of the high watermark: a leader's, record by record, and a follower's, which is told.
func (p *partition) highWatermark(me int, real *part.Partition) error {
	to := int(real.Log().HighWatermark())
	if !real.IsLeader() {
		return p.toldHW(me, to)
	}
	for p.s.HW(me) < to {
		if err := p.advance(me); err != nil {
			return err
		}
	}
	return nil
}

func (p *partition) advance(l int) error {
	if p.did(p.s.AdvancesHW(l)) {
		return nil
	}
	at := p.s.HW(l)
	counted := p.replicas[l].counted
	known := p.s
	p.asCounted(&known, l, counted)
	if known.AdvancesHW(l) {
		p.except(OlderFetch)
		p.s.PutHW(l, at+1)
		return nil
	}
	// A leader that is elected anew keeps what it knew of its followers. They have followed it before; what it counts them for must
	// be theirs still.
	_, epoch := p.s.Leader(l)
	known = p.s
	for f := range p.replicas {
		if f == l || !p.s.HasInISR(l, f) || counted[f] < 0 {
			continue
		}
		was := p.at(counted[f])
		if leader, e := was.Leader(f); leader == l && e < epoch {
			if !p.s.SharesRecord(l, f, at) {
				return p.object([]string{p.name(l) + " advances its high watermark"},
					"%s commits offset %d because %s had it in an earlier epoch, and %s has cut it since", p.name(l), at, p.name(f), p.name(f))
			}
			known.PutReplica(f, was)
			known.PutBelief(f, l, epoch, nil)
		} else {
			known.PutReplica(f, was)
		}
	}
	if !known.AdvancesHW(l) {
		return p.object([]string{p.name(l) + " advances its high watermark"}, "%s commits offset %d", p.name(l), at)
	}
	p.except(EarlierEpoch)
	p.s.PutHW(l, at+1)
	return nil
}

// toldHW: a follower's high watermark is what its leader's last answer says, as far as its log reaches. In the model that is what
// the leader has at the moment of a fetch, and never without one.
func (p *partition) toldHW(me, to int) error {
	if to == p.s.HW(me) {
		return nil
	}
	l, sent, msg := p.from()
	res, ok := msg.(*protocol.FetchResponse)
	if !ok || l < 0 {
		if to < p.s.HW(me) && to == p.s.LEO(me) {
			p.s.PutHW(me, to)
			return nil
		}
		return p.object(nil, "the high watermark of %s goes from %d to %d, and no leader has told it", p.name(me), p.s.HW(me), to)
	}
	i := slices.IndexFunc(res.Data, func(d protocol.FetchResult) bool { return d.TP == p.tp })
	if i < 0 || to != min(int(res.Data[i].HighWatermark), p.s.LEO(me)) || int(res.Data[i].HighWatermark) > p.at(sent).HW(l) {
		return p.object(nil, "the high watermark of %s goes from %d to %d, which %s has not told it", p.name(me), p.s.HW(me), to, p.name(l))
	}
	if to != min(p.s.HW(l), p.s.LEO(me)) || len(res.Data[i].Batches) == 0 {
		p.except(FollowerHW)
	}
	p.s.PutHW(me, to)
	return nil
}

// noteProposal remembers an ISR change that a leader has proposed, and what it knew then.
func (p *partition) noteProposal(me int, real *part.Partition) {
	f := p.fact(fact.ISRProposed)
	if f == nil {
		return
	}
	r := &p.replicas[me]
	r.proposed = r.proposed[:0:0]
	for _, id := range strings.Split(f.Text, ",") {
		n, _ := strconv.Atoi(id)
		r.proposed = append(r.proposed, n-1)
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
