package session

import (
	"kafkatrial/model/fact"
	"kafkatrial/sim"
)

// tally is what a client has come to so far.
type tally struct {
	acked, failed, processed []string
}

// tallies follows the facts of the run. Going forward it adds; going back it begins anew. The slices it
// hands out are never written to again.
type tallies struct {
	facts int
	all   map[sim.NodeID]*tally
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
	end := len(t.Facts)
	if n < len(t.Steps) {
		end = int(t.Steps[n].Fact)
	}
	if s.count.all == nil || end < s.count.facts {
		s.count = tallies{all: map[sim.NodeID]*tally{}}
	}
	for ; s.count.facts < end; s.count.facts++ {
		f := &t.Facts[s.count.facts]
		switch f.Kind {
		case fact.BatchAcked:
			k := s.count.of(f.Node)
			k.acked = append(k.acked, batchIDs(f)...)
		case fact.BatchFailed:
			k := s.count.of(f.Node)
			k.failed = append(k.failed, batchIDs(f)...)
		case fact.RecordRejected:
			k := s.count.of(f.Node)
			k.failed = append(k.failed, f.Text)
		case fact.Processed:
			k := s.count.of(f.Node)
			k.processed = append(k.processed, f.Text)
		}
	}
	return &s.count
}

func batchIDs(f *sim.Fact) []string {
	b := fact.Batch(f)
	ids := make([]string, len(b.Records))
	for i := range b.Records {
		ids[i] = b.Records[i].ID
	}
	return ids
}
