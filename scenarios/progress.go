package scenarios

import (
	"slices"

	"kafkatrial/scenarios/format"
)

// Progress tells which step of the script comes next or is under way, from 1, and how many there are. Once
// the script is over, next is one more than that.
func (r *Run) Progress() (next, of int) { return r.director.at + 1, len(r.director.script) }

// Unanswered lists the records that the script has sent so far of which no copy is acknowledged or has failed, in the order
// of the script.
func (r *Run) Unanswered() (all []string) {
	d := &r.director
	for i := range d.script[:min(d.at, len(d.script))] {
		send, ok := d.script[i].Do.(*format.Send)
		if !ok {
			continue
		}
		for _, rec := range send.Records {
			if id := rec.Name.Text; d.ledger.acked[id] == 0 && len(d.ledger.failed[id]) == 0 && !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

// Ready says that the cluster has come up, so that the script has begun.
func (r *Run) Ready() bool { return r.director.ready }
