package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// fetcher replicates all partitions that one other broker leads, with one request in flight.
//
// Kafka: ReplicaFetcherThread, AbstractFetcherThread; num.replica.fetchers=1.
type fetcher struct {
	leader   protocol.BrokerID
	conn     sim.ConnID
	parts    []fetchState // in order of the partition
	inFlight fetcherRequest
	asked    []protocol.TopicPartition // by the request in flight, with the epoch and offset of that moment
	asOf     []fetchPosition
	closing  bool // ends with the answer to the request in flight; the orders of the controller wait for that
	corr     int32
	deadline sim.Time // when the request in flight is given up
	watch    sim.TimerID
	backoff  sim.TimerID
}

type fetcherRequest uint8

const (
	idle fetcherRequest = iota
	fetching
	askingEpochs
	askingOffsets
)

// fetchState is where a follower is with one partition (PartitionFetchState).
type fetchState struct {
	h            *hosted
	offset       int64 // of the next fetch; while truncating, where it began
	leaderEpoch  int
	lastEpoch    int // partition.NoEpoch: not told to the leader
	truncating   bool
	outOfRange   bool // asks the leader for its offsets before it fetches on
	failed       bool // fenced: waits for the controller's news
	delayedUntil sim.Time
}

type fetchPosition struct {
	offset int64
	epoch  int
}

func (b *Broker) fetcherFor(leader protocol.BrokerID) *fetcher {
	for _, f := range b.fetchers {
		if f.leader == leader {
			return f
		}
	}
	f := &fetcher{leader: leader, conn: sim.NoConn, watch: sim.NoTimer, backoff: sim.NoTimer}
	b.fetchers = append(b.fetchers, f)
	slices.SortFunc(b.fetchers, func(x, y *fetcher) int { return x.leader - y.leader })
	return f
}

// startFetching hands a partition to the fetcher of its leader. Where the first fetch begins, and whether
// the log is cut before, is what the generations of the protocol differ in.
//
// Kafka: AbstractFetcherThread.partitionFetchState, ReplicaManager.initialFetchOffset; before 0.11
// ReplicaManager.makeFollowers truncated at once.
func (b *Broker) startFetching(h *hosted) {
	l := h.p.Log()
	epoch, known := l.LatestEpoch()
	s := fetchState{h: h, leaderEpoch: h.p.LeaderEpoch(), lastEpoch: partition.NoEpoch}
	switch partition.TruncationRuleOf(b.rules, known) {
	case partition.TruncateToHighWatermark:
		s.offset = l.HighWatermark()
		b.truncate(h, partition.Truncation{Offset: s.offset, Completed: true}, event.ToHighWatermark)
	case partition.AskLeaderEpochEnd:
		s.offset, s.truncating = l.HighWatermark(), true
	case partition.TruncateOnFetch:
		s.offset, s.lastEpoch = l.LogEndOffset(), epoch
	}
	f := b.fetcherFor(h.p.Leader())
	i, found := slices.BinarySearchFunc(f.parts, s, func(x, y fetchState) int { return x.h.tp.Compare(y.h.tp) })
	if found {
		f.parts[i] = s
	} else {
		f.parts = slices.Insert(f.parts, i, s)
	}
	b.doWork(f)
}

// stopFetching takes a partition from whatever fetcher has it. The fetcher lives on, with its request in flight: the partition
// may be given back to it at once, in another leader epoch.
//
// Kafka: ReplicaFetcherManager.removeFetcherForPartitions.
func (b *Broker) stopFetching(tp protocol.TopicPartition) {
	for _, f := range b.fetchers {
		f.parts = slices.DeleteFunc(f.parts, func(s fetchState) bool { return s.h.tp == tp })
	}
}

// shutdownIdleFetcherThreads ends the fetchers that have nothing to follow any more, once all of an order or of a metadata
// change has been carried out. Up to 1.0 the thread ended with the answer to the request that it had out, and the thread that
// carries out the controller's orders waited for it, under the lock of all such orders (KAFKA-6051): for
// replica.socket.timeout.ms, if the leader is stopped and not dead. It tells whether it has to wait.
//
// Kafka: AbstractFetcherManager.shutdownIdleFetcherThreads, ReplicaFetcherThread.shutdown.
func (b *Broker) shutdownIdleFetcherThreads() (wait bool) {
	for _, f := range b.fetchers {
		switch {
		case len(f.parts) > 0:
		case f.inFlight == idle || b.rules.FetcherClosedAtOnce || b.rules.KRaft:
			b.closeFetcher(f)
		default:
			f.closing, wait = true, true
		}
	}
	return wait
}

// fetcherEnded: the fetcher that the controller's orders have waited for has its answer, or none will come.
func (b *Broker) fetcherEnded(f *fetcher) {
	f.closing = false
	b.closeFetcher(f)
	if !slices.ContainsFunc(b.fetchers, func(f *fetcher) bool { return f.closing }) {
		b.stateChanged()
	}
}

func (b *Broker) closeFetcher(f *fetcher) {
	b.env.CancelTimer(f.watch)
	b.env.CancelTimer(f.backoff)
	f.watch, f.backoff = sim.NoTimer, sim.NoTimer
	b.env.Close(f.conn)
	f.conn, f.inFlight = sim.NoConn, idle
}

// truncate cuts a follower's log and records it with the rule that said so.
//
// Kafka: ReplicaFetcherThread.truncate.
func (b *Broker) truncate(h *hosted, t partition.Truncation, rule event.TruncationRule) {
	l := h.p.Log()
	end, hw := l.LogEndOffset(), l.HighWatermark()
	before := l.Batches()
	cut := h.p.Truncate(t)
	if cut == 0 && l.LogEndOffset() == end {
		return
	}
	b.env.Record(&event.Truncated{TP: h.tp, NewEnd: l.LogEndOffset(), OldEnd: end, Rule: rule, Cut: append([]*record.RecordBatch(nil), before[len(before)-cut:]...)})
	if now := l.HighWatermark(); now != hw {
		b.env.Record(&event.HighWatermark{TP: h.tp, From: hw, To: now})
	}
	if l.LogEndOffset() < hw {
		b.env.Probe("a follower cut its log below its high watermark")
	}
}

// doWork sends the fetcher's next request, if none is in flight.
//
// Kafka: AbstractFetcherThread.doWork: maybeTruncate, then maybeFetch.
func (b *Broker) doWork(f *fetcher) {
	if f.closing && f.inFlight == idle {
		b.fetcherEnded(f)
		return
	}
	if f.inFlight != idle || len(f.parts) == 0 {
		return
	}
	if b.sendEpochQuery(f) || b.sendOffsetQuery(f) || b.sendFetch(f) {
		return
	}
	b.backOff(f)
}

// ready says whether a partition may be worked on now.
func (s *fetchState) ready(now sim.Time) bool { return !s.failed && s.delayedUntil <= now }

// sendEpochQuery asks where the epochs of truncating partitions end; one without an epoch is cut to its
// high watermark without asking.
//
// Kafka: AbstractFetcherThread.maybeTruncate.
func (b *Broker) sendEpochQuery(f *fetcher) bool {
	now := b.env.Now()
	var req *protocol.OffsetForLeaderEpoch
	for i := range f.parts {
		s := &f.parts[i]
		if !s.truncating || !s.ready(now) {
			continue
		}
		epoch, known := s.h.p.Log().LatestEpoch()
		if !known {
			b.truncate(s.h, partition.Truncation{Offset: s.offset, Completed: true}, event.ToHighWatermark)
			s.truncating, s.offset = false, s.h.p.Log().LogEndOffset()
			continue
		}
		if req == nil {
			req = &protocol.OffsetForLeaderEpoch{Correlation: b.nextCorrelation(), Replica: b.id}
			b.begin(f, askingEpochs, req.Correlation)
		}
		q := protocol.EpochQuery{TP: s.h.tp, CurrentLeaderEpoch: partition.NoEpoch, LeaderEpoch: epoch}
		if b.rules.FetchFencing {
			q.CurrentLeaderEpoch = s.leaderEpoch
		}
		req.Data = append(req.Data, q)
		f.ask(s)
	}
	if req == nil {
		return false
	}
	b.env.Send(f.conn, req)
	return true
}

// sendOffsetQuery asks for the leader's end and start after an offset was out of range.
//
// Kafka: AbstractFetcherThread.fetchOffsetAndTruncate asks for the end, then for the start; here both in
// one request.
func (b *Broker) sendOffsetQuery(f *fetcher) bool {
	now := b.env.Now()
	var req *protocol.ListOffsets
	for i := range f.parts {
		s := &f.parts[i]
		if !s.outOfRange || !s.ready(now) {
			continue
		}
		if req == nil {
			req = &protocol.ListOffsets{Correlation: b.nextCorrelation(), Replica: b.id}
			b.begin(f, askingOffsets, req.Correlation)
		}
		epoch := partition.NoEpoch
		if b.rules.FetchFencing {
			epoch = s.leaderEpoch
		}
		req.Data = append(req.Data, protocol.OffsetQuery{TP: s.h.tp, CurrentLeaderEpoch: epoch, Timestamp: protocol.LatestTimestamp},
			protocol.OffsetQuery{TP: s.h.tp, CurrentLeaderEpoch: epoch, Timestamp: protocol.EarliestTimestamp})
		f.ask(s)
	}
	if req == nil {
		return false
	}
	b.env.Send(f.conn, req)
	return true
}

// sendFetch asks for what follows the end of each partition's log.
//
// Kafka: RemoteLeaderEndPoint.buildFetch.
func (b *Broker) sendFetch(f *fetcher) bool {
	now := b.env.Now()
	n := 0
	for i := range f.parts {
		if s := &f.parts[i]; !s.truncating && !s.outOfRange && s.ready(now) {
			n++
		}
	}
	if n == 0 {
		return false
	}
	req := &protocol.Fetch{Correlation: b.nextCorrelation(), Replica: b.id, ReplicaEpoch: -1, MaxWait: b.replicas.fetchWait, MinBytes: 1,
		Data: make([]protocol.FetchData, 0, n)}
	if b.rules.BrokerEpochInISR {
		req.ReplicaEpoch = b.brokerEpoch()
	}
	b.begin(f, fetching, req.Correlation)
	for i := range f.parts {
		s := &f.parts[i]
		if s.truncating || s.outOfRange || !s.ready(now) {
			continue
		}
		d := protocol.FetchData{TP: s.h.tp, Offset: s.offset, CurrentLeaderEpoch: partition.NoEpoch, LastFetchedEpoch: partition.NoEpoch,
			LogStartOffset: s.h.p.Log().LogStartOffset()}
		if b.rules.FetchFencing {
			d.CurrentLeaderEpoch = s.leaderEpoch
		}
		if b.rules.TruncateOnFetch {
			d.LastFetchedEpoch = s.lastEpoch
		}
		req.Data = append(req.Data, d)
		f.ask(s)
	}
	b.env.Send(f.conn, req)
	return true
}

func (b *Broker) begin(f *fetcher, kind fetcherRequest, corr int32) {
	if f.conn == sim.NoConn {
		f.conn = b.env.Connect(b.cfg.Directory.Node(f.leader))
	}
	f.inFlight, f.corr = kind, corr
	f.asked, f.asOf = f.asked[:0], f.asOf[:0]
	timeout := b.replicas.socketTimeout
	f.deadline = b.env.Now() + timeout
	if f.watch == sim.NoTimer { // one timer watches all requests of the fetcher, one after another
		f.watch = b.env.SetTimer(timeout, protocol.TimerFetchTimeout, int64(f.leader), true)
	}
}

func (f *fetcher) ask(s *fetchState) {
	f.asked = append(f.asked, s.h.tp)
	f.asOf = append(f.asOf, fetchPosition{s.offset, s.leaderEpoch})
}

// state finds the partition that entry i of the request asked about, nil if it is no longer followed from
// there or has moved on since: then the answer is passed over.
func (f *fetcher) state(tp protocol.TopicPartition) *fetchState {
	if s, sameEpoch := f.stateInAnyEpoch(tp); sameEpoch {
		return s
	}
	return nil
}

// stateInAnyEpoch is state without a look at the leader epoch: whether it is still the one of the request is told apart.
func (f *fetcher) stateInAnyEpoch(tp protocol.TopicPartition) (found *fetchState, sameEpoch bool) {
	for i := range f.asked {
		if f.asked[i] != tp {
			continue
		}
		for j := range f.parts {
			s := &f.parts[j]
			if s.h.tp == tp && s.offset == f.asOf[i].offset {
				return s, s.leaderEpoch == f.asOf[i].epoch
			}
		}
	}
	return nil, false
}

func (b *Broker) answering(c sim.ConnID, kind fetcherRequest, corr int32) *fetcher {
	for _, f := range b.fetchers {
		if f.conn == c && f.inFlight == kind && f.corr == corr {
			f.inFlight = idle
			return f
		}
	}
	return nil
}

// delay lets a partition rest for replica.fetch.backoff.ms.
func (b *Broker) delay(s *fetchState) { s.delayedUntil = b.env.Now() + b.replicas.fetchBackoff }

// backOff wakes the fetcher when the first of its resting partitions may be worked on.
func (b *Broker) backOff(f *fetcher) {
	next := sim.Never
	for i := range f.parts {
		if s := &f.parts[i]; !s.failed {
			next = min(next, s.delayedUntil)
		}
	}
	if next == sim.Never {
		return
	}
	b.env.CancelTimer(f.backoff)
	f.backoff = b.env.SetTimer(next-b.env.Now(), protocol.TimerFetchBackoff, int64(f.leader), true)
}

func (b *Broker) wakeFetcher(leader int) {
	f := b.fetcherFor(leader)
	f.backoff = sim.NoTimer
	b.doWork(f)
}

func (b *Broker) fetchTimedOut(leader int) {
	f := b.fetcherFor(leader)
	f.watch = sim.NoTimer
	if f.inFlight == idle {
		return
	}
	if left := f.deadline - b.env.Now(); left > 0 {
		f.watch = b.env.SetTimer(left, protocol.TimerFetchTimeout, int64(f.leader), true)
		return
	}
	b.env.Close(f.conn)
	b.fetcherLost(f)
}

func (b *Broker) fetcherDisconnected(c sim.ConnID) {
	for _, f := range b.fetchers {
		if f.conn == c {
			b.fetcherLost(f)
		}
	}
}

// fetcherLost lets all partitions rest after a request that got no answer.
//
// Kafka: AbstractFetcherThread.processFetchRequest, on an exception.
func (b *Broker) fetcherLost(f *fetcher) {
	f.conn, f.inFlight = sim.NoConn, idle
	for i := range f.parts {
		b.delay(&f.parts[i])
	}
	b.doWork(f)
}

// epochResponse cuts the logs where the leader's answer says, and asks again or begins to fetch.
//
// Kafka: AbstractFetcherThread.truncateToEpochEndOffsets, maybeTruncateToEpochEndOffsets.
func (b *Broker) epochResponse(c sim.ConnID, res *protocol.OffsetForLeaderEpochResponse) {
	f := b.answering(c, askingEpochs, res.Correlation)
	if f == nil {
		return
	}
	for i := range res.Data {
		a := &res.Data[i]
		s := f.state(a.TP)
		if s == nil {
			continue
		}
		switch a.Err {
		case protocol.None:
			l := s.h.p.Log()
			t := partition.GetOffsetTruncationState(l, b.rules, s.offset, a.Epoch, a.EndOffset)
			b.truncate(s.h, t, b.epochRule())
			s.offset, s.truncating = t.Offset, !t.Completed
			s.offset = min(s.offset, l.LogEndOffset())
		case protocol.FencedLeaderEpoch:
			s.failed = true
		default:
			b.delay(s)
		}
	}
	b.doWork(f)
}

func (b *Broker) epochRule() event.TruncationRule {
	if b.rules.EpochInAnswer {
		return event.ToEpochEndOfEpoch
	}
	return event.ToEpochEnd
}

// fetchResponse appends what came, partition by partition. Before KAFKA-18723 what was asked in one leader epoch was taken
// over in the next as well, if the partition was still followed from that leader and offset.
//
// Kafka: AbstractFetcherThread.processFetchRequest, ReplicaFetcherThread.processPartitionData.
func (b *Broker) fetchResponse(c sim.ConnID, res *protocol.FetchResponse) {
	f := b.answering(c, fetching, res.Correlation)
	if f == nil {
		return
	}
	for i := range res.Data {
		r := &res.Data[i]
		s, sameEpoch := f.stateInAnyEpoch(r.TP)
		if s == nil || s.truncating || s.outOfRange || s.failed || !sameEpoch && b.rules.FetchAnswerInEpoch {
			continue
		}
		switch {
		case r.Err == protocol.None && r.Diverging != nil && b.rules.TruncateOnFetch:
			l := s.h.p.Log()
			t := partition.GetOffsetTruncationState(l, b.rules, s.offset, r.Diverging.Epoch, r.Diverging.EndOffset)
			b.truncate(s.h, t, event.ToDivergence)
			s.offset = min(t.Offset, l.LogEndOffset())
			s.lastEpoch = latestEpoch(l)
		case r.Err == protocol.None:
			b.processPartitionData(s, r)
		case r.Err == protocol.OffsetOutOfRange:
			s.outOfRange = true
		case r.Err == protocol.FencedLeaderEpoch && sameEpoch:
			s.failed = true
		default:
			b.delay(s)
		}
	}
	b.doWork(f)
}

func latestEpoch(l *log.UnifiedLog) int {
	if epoch, known := l.LatestEpoch(); known {
		return epoch
	}
	return partition.NoEpoch
}

// processPartitionData appends records and takes over the leader's high watermark.
func (b *Broker) processPartitionData(s *fetchState, r *protocol.FetchResult) {
	l := s.h.p.Log()
	if len(r.Batches) > 0 {
		base := l.LogEndOffset()
		info, err := s.h.p.AppendRecordsToFollower(r.Batches)
		if err != protocol.None {
			b.delay(s)
			return
		}
		batches := l.Batches()
		for i := len(batches) - len(r.Batches); i < len(batches); i++ {
			if batches[i].BaseOffset < base {
				continue
			}
			b.env.Record(&event.FollowerAppended{TP: s.h.tp, BaseOffset: batches[i].BaseOffset, LogEndOffset: batches[i].NextOffset(), LeaderEpoch: int32(batches[i].PartitionLeaderEpoch), Batch: batches[i]})
		}
		if info.Flushed {
			b.env.Record(&event.Flushed{TP: s.h.tp, Offset: l.LogEndOffset()})
		}
		s.offset = l.LogEndOffset()
		if info.LastLeaderEpoch != record.NoLeaderEpoch {
			s.lastEpoch = info.LastLeaderEpoch
		}
	}
	start := l.LogStartOffset()
	if c := s.h.p.UpdateFollowerHighWatermark(r.HighWatermark, r.LogStartOffset); c.From != c.To {
		b.env.Record(&event.HighWatermark{TP: s.h.tp, From: c.From, To: c.To})
	}
	if now := l.LogStartOffset(); now != start {
		b.env.Record(&event.LogStart{TP: s.h.tp, From: start, To: now})
		b.producersForgotten(s.h.tp, l.EvictedProducers(), event.Deleted)
	}
}

// offsetsResponse goes on after an offset was out of range: a follower that is ahead of its leader cuts
// its log, one that is behind the leader's start begins anew there.
//
// Kafka: AbstractFetcherThread.fetchOffsetAndTruncate; up to 1.0 ReplicaFetcherThread.handleOffsetOutOfRange
// stopped the process unless unclean.leader.election.enable was on.
func (b *Broker) offsetsResponse(c sim.ConnID, res *protocol.ListOffsetsResponse) {
	f := b.answering(c, askingOffsets, res.Correlation)
	if f == nil {
		return
	}
	for i := 0; i+1 < len(res.Data); i += 2 {
		latest, earliest := &res.Data[i], &res.Data[i+1]
		s := f.state(latest.TP)
		if s == nil {
			continue
		}
		switch {
		case latest.Err == protocol.FencedLeaderEpoch:
			s.failed = true
			continue
		case latest.Err != protocol.None || earliest.Err != protocol.None:
			b.delay(s)
			continue
		}
		l := s.h.p.Log()
		end := l.LogEndOffset()
		switch {
		case latest.Offset < end:
			if !b.rules.NoHaltOnTruncation && !b.meta.topic(b, s.h.tp.Topic).Bool("unclean.leader.election.enable") {
				b.env.Probe("a broker stopped itself because its log was longer than its leader's")
				b.env.Record(&event.ShutdownBegan{TP: s.h.tp, Offset: latest.Offset, LogEndOffset: end, Halts: true})
				b.env.Exit()
				return
			}
			b.truncate(s.h, partition.Truncation{Offset: latest.Offset, Completed: true}, event.ToLeaderLogEnd)
		case earliest.Offset > end:
			cut := l.Batches()
			l.TruncateFullyAndStartAt(earliest.Offset)
			b.env.Record(&event.Truncated{TP: s.h.tp, NewEnd: earliest.Offset, OldEnd: end, Rule: event.FullyToLogStart, Cut: append([]*record.RecordBatch(nil), cut...)})
		}
		s.outOfRange = false
		s.offset = l.LogEndOffset()
		s.lastEpoch = latestEpoch(l)
	}
	b.doWork(f)
}
