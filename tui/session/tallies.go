package session

import (
	"kafkatrial/model/event"
	"kafkatrial/sim"
)

// tally is what a client has come to so far.
type tally struct {
	acked, failed, processed []string
}

// tallies follows the events of the run. Going forward it adds; going back it begins anew. The slices it
// hands out are never written to again.
type tallies struct {
	events int
	all    map[sim.NodeID]*tally
}

func (t *tallies) of(n sim.NodeID) *tally {
	if t.all[n] == nil {
		t.all[n] = &tally{}
	}
	return t.all[n]
}

// tallies counts up to after step n.
func (s *Session) tallies(n int) *tallies {
	t := s.Trace()
	end := len(t.Events)
	if n < len(t.Steps) {
		end = int(t.Steps[n].Event)
	}
	if s.count.all == nil || end < s.count.events {
		s.count = tallies{all: map[sim.NodeID]*tally{}}
	}
	for ; s.count.events < end; s.count.events++ {
		f := &t.Events[s.count.events]
		switch e := f.Event.(type) {
		case *event.BatchAcked:
			k := s.count.of(f.Node)
			k.acked = append(k.acked, batchIDs(f)...)
		case *event.BatchFailed:
			k := s.count.of(f.Node)
			k.failed = append(k.failed, batchIDs(f)...)
		case *event.RecordRejected:
			k := s.count.of(f.Node)
			k.failed = append(k.failed, e.Record)
		case *event.Processed:
			k := s.count.of(f.Node)
			k.processed = append(k.processed, e.Record.ID)
		}
	}
	return &s.count
}

func batchIDs(f *sim.Recorded) []string {
	b := event.Batch(f.Event)
	ids := make([]string, len(b.Records))
	for i := range b.Records {
		ids[i] = b.Records[i].ID
	}
	return ids
}
