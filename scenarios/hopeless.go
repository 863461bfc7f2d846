package scenarios

import (
	"fmt"
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// hopeless says why a condition that is not true can not come true any more while the script waits for it; "" if it can, or
// if that is not certain. While it waits nothing starts a node, unless faults are drawn, which are mended at random.
func (d *director) hopeless(r *Run, predicates []format.Predicate) string {
	if r.drawn {
		return ""
	}
	for _, f := range predicates {
		if d.true(r, f) {
			continue
		}
		for _, n := range actors(f) {
			if why := r.stays(n); why != "" {
				return why
			}
		}
		if a, ok := f.(*format.Acked); ok {
			for _, name := range a.Records {
				if why := d.lost(r, name.Text); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// actors lists the nodes without which a predicate can not come true. Roles are left out: another node may come to have them.
func actors(f format.Predicate) []format.Node {
	client := func(n format.Name, kind format.NodeKind) []format.Node {
		return []format.Node{{Kind: kind, Name: n.Text}}
	}
	switch f := f.(type) {
	case *format.Processed:
		return client(f.Consumer, format.ConsumerNode)
	case *format.InLog:
		return []format.Node{f.Broker}
	case *format.HighWatermark:
		return []format.Node{f.Broker}
	case *format.LogEnd:
		return []format.Node{f.Broker}
	case *format.Leader:
		return []format.Node{f.Is}
	case *format.Assigned:
		return client(f.Consumer, format.ConsumerNode)
	case *format.Append:
		return []format.Node{f.Broker}
	case *format.Fetch:
		return []format.Node{f.By}
	case *format.Truncate:
		return []format.Node{f.Broker}
	case *format.Elected:
		return []format.Node{f.Leader}
	case *format.Sent:
		return []format.Node{f.From}
	case *format.Delivered:
		return []format.Node{f.To}
	case *format.Timeout:
		return []format.Node{f.Node}
	case *format.ErrorAt:
		return []format.Node{f.Node}
	case *format.Reaches:
		return client(f.Consumer, format.ConsumerNode)
	}
	return nil
}

// stays says that a node is down for as long as the script waits.
func (r *Run) stays(n format.Node) string {
	if n.Name == "" || slices.Contains([]format.NodeKind{format.ActiveController, format.LeaderOf, format.CoordinatorOf, format.NoNode}, n.Kind) {
		return ""
	}
	if id, ok := r.World.Lookup(n.Name); ok && (r.World.State(id) == sim.Down || r.World.State(id) == sim.Off) {
		return n.Name + " is down, and nothing starts it"
	}
	return ""
}

// lost says that a record which the script has sent, and which is not acknowledged, will not be: every send of it has failed
// for good, or its producer is gone.
func (d *director) lost(r *Run, id string) string {
	if d.ledger.acked[id] > 0 {
		return ""
	}
	sends, by := 0, ""
	for i := range d.script[:d.at] {
		s, ok := d.script[i].Do.(*format.Send)
		if ok && slices.ContainsFunc(s.Records, func(rec format.Record) bool { return rec.Name.Text == id }) {
			sends, by = sends+1, s.Producer.Text
		}
	}
	at := slices.IndexFunc(r.File.Producers, func(p format.Producer) bool { return p.Name.Text == by })
	if sends == 0 || at < 0 || r.File.Producers[at].OnError == format.ResendRecord {
		return ""
	}
	failed := d.ledger.failed[id]
	switch down := r.stays(format.Node{Kind: format.ProducerNode, Name: by}); {
	case len(failed) >= sends && failed[len(failed)-1] != protocol.None:
		return fmt.Sprintf("%s has failed for good, with %s", id, failed[len(failed)-1])
	case len(failed) >= sends:
		return id + " has failed for good"
	case down != "":
		return fmt.Sprintf("%s is not acknowledged, and %s", id, down)
	}
	return ""
}
