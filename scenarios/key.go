package scenarios

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// KeepTruth has the run keep what Key and Digest need of its past. It must be called before the first
// decision.
func (r *Run) KeepTruth() { r.truth.kept, r.truth.recent.wanted = true, r.judgesRecent() }

// Key is a fingerprint of all that can still make a difference to the rest of the run and to its rulings on
// the three famous claims, and on recent where it is asked for: the state of the world (see sim.Keyer), how far the script has come, and the
// truth about what happened. Two runs of the same file and options that have the same key between two
// decisions go on alike and, given the same answers, come to the same rulings.
//
// It does not tell apart what only other claims ask for, such as what was read in which order.
func (r *Run) Key(k *sim.Keyer) uint64 {
	k.World(r.World)
	k.Int(int64(r.phase))
	k.Bool(r.acting)
	r.truth.addTo(k)
	r.truth.recent.addTo(k)
	switch r.phase {
	case Scripted:
		r.director.addTo(r, k)
	case Healing:
		k.Moment(r.deadline)
		k.Int(int64(r.director.at)) // which plan of a group is the last
	}
	k.Int(int64(min(r.World.Now()-r.World.LastNews(), settle)))
	k.Text(r.stopped)
	k.Bool(r.rested)
	return k.Sum()
}

// addTo adds how far the script has come, and what its remaining conditions look at.
func (d *director) addTo(r *Run, k *sim.Keyer) {
	k.Int(int64(d.at)<<2 | int64(len(d.script))<<32)
	k.Bool(d.told)
	k.Bool(d.ready)
	k.Moment(d.since)
	k.Moment(d.until)
	if !d.ready || d.tellsTime() {
		k.Int(int64(r.World.Now()))
	}
	if g := d.going; g != nil {
		k.Moment(g.due)
		k.Int(int64(g.next))
		for i, n := range g.restart {
			k.Int(int64(n)<<32 | int64(g.lives[i]))
		}
		for _, n := range g.start {
			k.Int(int64(n))
		}
	}
	for i := range d.watch {
		w := &d.watch[i]
		k.Int(int64(w.of)<<1 | int64(i)<<16)
		k.Bool(w.met)
		if m, ok := w.want.(*format.Probe); ok {
			k.Int(int64(probeCount(r, m.Text.Text) - w.probes))
		}
	}
	if d.at < len(d.script) {
		d.ledger.addTo(k)
	}
	if d.byRecord {
		d.answers(r, k)
	}
}

// answers adds which records the answers under way are about: the answers themselves do not say, and rules
// may ask.
func (d *director) answers(r *Run, k *sim.Keyer) {
	under := r.World.InFlight()
	for _, n := range slices.Concat(r.Cluster.Producers(), r.Cluster.Consumers()) { // a consumer's process may hold a producer
		under = append(under, r.World.Backlog(n)...)
	}
	for _, f := range under {
		if m, ok := f.Msg.(*protocol.ProduceResponse); ok {
			for _, id := range d.ledger.carried[correlation{f.To, m.Correlation}] {
				k.Text(id)
			}
		}
	}
}

// tellsTime says that a step to come is tied to a moment of the run.
func (d *director) tellsTime() bool {
	for i := d.at; i < len(d.script); i++ {
		if st := &d.script[i]; st.At.Given() {
			return true
		}
		if s, ok := d.script[i].Do.(*format.Send); ok {
			for _, rec := range s.Records {
				if rec.Timestamp.Given() {
					return true
				}
			}
		}
	}
	return false
}

// addTo adds the ledger. What is in its maps is added up, so that their order does not matter.
func (l *ledger) addTo(k *sim.Keyer) {
	sum := int64(0)
	for id, n := range l.acked {
		sum += k.Of(1, id, int64(n))
	}
	for id, errs := range l.failed {
		for _, e := range errs {
			sum += k.Of(2, id, int64(e))
		}
	}
	for id, by := range l.processed {
		for _, n := range by {
			sum += k.Of(3, id, int64(n))
		}
	}
	for at, offset := range l.committed {
		sum += k.Of(4, at.group+"/"+at.tp.String(), offset)
	}
	k.Int(sum)
}

// picksByRecord says that something in a script picks messages by the record they are about.
func picksByRecord(script []format.Step) bool {
	for i := range script {
		st := &script[i]
		var predicates []format.Predicate
		if st.When != nil {
			predicates = st.When.Predicates
		}
		picks := false
		switch a := st.Do.(type) {
		case *format.Hold:
			picks = !a.Record.IsZero()
		case *format.Drop:
			picks = !a.Record.IsZero()
		case *format.Duplicate:
			picks = !a.Record.IsZero()
		case *format.Delay:
			picks = !a.Record.IsZero()
		case *format.Release:
			picks = !a.Record.IsZero()
		case *format.Wait:
			predicates = slices.Concat(predicates, a.Predicates)
		}
		for _, f := range predicates {
			switch f := f.(type) {
			case *format.Held:
				picks = picks || !f.Record.IsZero()
			case *format.Sent:
				picks = picks || !f.Record.IsZero()
			case *format.Delivered:
				picks = picks || !f.Record.IsZero()
			}
		}
		if picks {
			return true
		}
	}
	return false
}

// Digest is a fingerprint of what the three famous claims rest on, for a run that has ended: the truth about
// the past, and what is in the logs.
func (r *Run) Digest(k *sim.Keyer) uint64 {
	k.Begin()
	r.truth.addTo(k)
	r.truth.recent.addMissed(k)
	k.Bool(r.rested)
	k.Bool(r.stopped != "")
	k.Int(int64(len(r.moving)))
	for _, tp := range r.Cluster.Partitions() {
		k.Text(tp.Topic)
		b := r.Cluster.Leader(tp)
		if b == nil { // what those who may lead have on their disks counts then
			k.Int(-1)
			for id := range r.Cluster.Directory.Brokers {
				n := r.Cluster.Directory.Node(id + 1)
				disk := r.World.Disk(n)
				for _, name := range disk.Names() {
					if name == tp.String() {
						for _, block := range disk.File(name).Blocks() {
							if batch, ok := block.(*record.RecordBatch); ok {
								addBatch(k, batch)
							}
						}
					}
				}
			}
			if s, ok := r.Cluster.State(tp); ok {
				for _, id := range s.ISR {
					k.Int(int64(id))
				}
				for _, id := range s.ELR {
					k.Int(int64(id) << 8)
				}
			}
			continue
		}
		log := b.Replica(tp).Log()
		k.Int(log.LogStartOffset())
		k.Int(log.HighWatermark())
		for _, batch := range log.Batches() {
			addBatch(k, batch)
		}
	}
	return k.Sum()
}

func addBatch(k *sim.Keyer, b *record.RecordBatch) {
	k.Int(b.BaseOffset)
	k.Bool(b.IsControl)
	if b.IsTransactional || b.IsControl { // the next marker of its producer decides
		k.Int(b.ProducerID)
		k.Bool(b.Marker.Abort)
	}
	for i := range b.Records {
		k.Int(int64(b.Records[i].Producer)<<32 | int64(b.Records[i].Submission))
	}
}
