package story

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/model/projection"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
)

// open prepares an embedded scenario.
func open(t testing.TB, name string, o scenarios.Options) *scenarios.Run {
	t.Helper()
	opened, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenarios.New(opened.File, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// live writes a replica as its broker's process has it.
func live(r *scenarios.Run, tp protocol.TopicPartition, id protocol.BrokerID) string {
	b := r.Cluster.Broker(id)
	if b == nil || b.Replica(tp) == nil {
		return ""
	}
	p := b.Replica(tp)
	l := p.Log()
	var ids []string
	for _, batch := range l.Batches() {
		for i := range batch.Records {
			if batch.Offset(i) >= l.LogStartOffset() {
				ids = append(ids, projection.RecordName(batch, i))
			}
		}
	}
	return fmt.Sprintf("start %d end %d HW %d LSO %d %s %v", l.LogStartOffset(), l.LogEndOffset(), l.HighWatermark(), l.LastStableOffset(), role(p.IsLeader(), p.LeaderEpoch()), ids)
}

// role is a leader's term. A follower that goes on with the leader it has does not tell that the epoch is another.
func role(leads bool, epoch int) string {
	if leads {
		return fmt.Sprintf("leads in epoch %d", epoch)
	}
	return "follows"
}

// told writes a replica as the events have it.
func told(rep *projection.Replica) string {
	var ids []string
	for _, h := range rep.Records {
		ids = append(ids, h.ID)
	}
	return fmt.Sprintf("start %d end %d HW %d LSO %d %s %v", rep.LogStart, rep.LogEnd, rep.HighWatermark, rep.LastStableOffset(), role(rep.Leads, rep.LeaderEpoch), ids)
}

// The events are the whole story: a state computed from them alone is that of the processes, after every step
// of every scenario.
func TestReplicasFollowTheProcesses(t *testing.T) {
	for _, name := range scenarios.Names() {
		t.Run(name, func(t *testing.T) {
			if _, err := scenarios.Open(name); err != nil {
				t.Skip("does not load; the tests of package scenarios say so")
			}
			r := open(t, name, scenarios.Options{})
			s := New(r, Options{Internal: true})
			wrong, seen, looks := 0, 0, 0
			for wrong < 3 && r.Step() {
				s.Observe()
				// A state changes with an event. Now and then all is looked at, in case it changed without one.
				looks++
				if events := len(r.World.Trace().Events); events == seen && looks%100 != 0 {
					continue
				} else {
					seen = events
				}
				for _, tp := range s.Partitions() {
					p := s.now.Partition(tp)
					for i := range p.Replicas {
						want := live(r, tp, p.Replicas[i].Broker)
						if got := told(&p.Replicas[i]); want != "" && got != want {
							wrong++
							t.Errorf("step %d: %v on b%d\nevents:   %s\nprocess: %s", r.World.Steps(), tp, p.Replicas[i].Broker, got, want)
						}
					}
				}
			}
		})
	}
}

// After gives the same state however one comes to it.
func TestAfterGoesBack(t *testing.T) {
	r := open(t, "kip-101-truncation", scenarios.Options{})
	s := New(r, Options{})
	var want []string
	describe := func(st *projection.State) string {
		text := ""
		for i := range st.Partitions {
			for j := range st.Partitions[i].Replicas {
				text += told(&st.Partitions[i].Replicas[j]) + "\n"
			}
		}
		return text
	}
	at := 0
	for r.Step() {
		s.Observe()
		for ; at < len(s.entries); at++ {
			want = append(want, "")
		}
		want[at-1] = describe(s.now)
	}
	s.Observe()
	order := []int{}
	for i := range want {
		if want[i] != "" {
			order = append(order, i)
		}
	}
	slices.Reverse(order)
	for k, i := range order {
		if k%7 != 0 {
			continue
		}
		if got := describe(s.After(i)); got != want[i] {
			t.Fatalf("after step %d:\n%swas\n%s", i+1, got, want[i])
		}
	}
}
