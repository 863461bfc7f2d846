package checker

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// exchange is a request of a client, by its number on the way to one broker.
type exchange struct {
	client, broker sim.NodeID
	correlation    int32
}

// asked is a request that asks how things stand, and the step in which it was sent.
type asked struct {
	step int
	msg  sim.Message
}

// inquiry follows requests that ask for records, for ends and for positions: each has its interval, from the step in which
// it was sent to that in which it was answered.
func (x *extractor) inquiry(i int) {
	s := &x.trace.Steps[i]
	if s.Kind != sim.StepDeliver {
		return
	}
	ask := func(correlation int32) {
		x.asked[exchange{s.Peer, s.Node, correlation}] = asked{max(int(s.Cause)+1, 1), s.Msg}
	}
	x.call = 0
	switch m := s.Msg.(type) {
	case *protocol.Fetch:
		if m.Replica == protocol.ConsumerReplicaID {
			ask(m.Correlation)
		}
	case *protocol.ListOffsets:
		ask(m.Correlation)
	case *protocol.OffsetFetch:
		ask(m.Correlation)
	case *protocol.FetchResponse:
		if request, ok := x.answered(s, m.Correlation); ok {
			x.fetched(s, i+1, request, m)
		}
	case *protocol.ListOffsetsResponse:
		x.answered(s, m.Correlation)
	case *protocol.OffsetFetchResponse:
		if request, ok := x.answered(s, m.Correlation); ok && m.Err == protocol.None {
			app, name := x.application(s.Node)
			for _, d := range m.Data {
				if x.internal(d.TP.Topic) {
					continue
				}
				x.h.OffsetFetches = append(x.h.OffsetFetches, OffsetFetch{Group: app, Consumer: name, TP: toTP(d.TP), Offset: d.Offset, Call: request.step, Step: i + 1})
			}
		}
	}
}

// answered gives the request that a message answers, and notes when that was sent.
func (x *extractor) answered(s *sim.Step, correlation int32) (asked, bool) {
	key := exchange{s.Node, s.Peer, correlation}
	request, ok := x.asked[key]
	if ok {
		delete(x.asked, key)
		x.call = request.step
	}
	return request, ok
}

// fetched notes the partitions of which a reader was told that there is nothing to read from its position on.
func (x *extractor) fetched(s *sim.Step, step int, request asked, m *protocol.FetchResponse) {
	fetch := request.msg.(*protocol.Fetch)
	app, name := x.application(s.Node)
	for i := range m.Data {
		d := &m.Data[i]
		if d.Err != protocol.None || len(d.Batches) > 0 || d.Diverging != nil || x.internal(d.TP.Topic) {
			continue
		}
		for j := range fetch.Data {
			if q := &fetch.Data[j]; q.TP == d.TP {
				x.h.EmptyReads = append(x.h.EmptyReads, EmptyRead{Application: app, Consumer: name, Broker: x.c.Directory.Broker(s.Peer), TP: toTP(q.TP), Offset: q.Offset,
					Isolation: Isolation(fetch.Isolation), Call: request.step, Step: step})
			}
		}
	}
}
