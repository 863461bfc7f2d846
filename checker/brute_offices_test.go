package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// bruteAct is something that was done in the name of an office.
type bruteAct struct {
	office bruteOffice
	name   string
	life   int
	epoch  int
	step   int
}

type bruteOffice struct {
	office Office
	name   string
	tp     TopicPartition
}

// bruteFenced: the grants and acts of every office have an order in which nobody acts but in his tenure.
func bruteFenced(h *History, level Level) Ruling {
	offices := map[bruteOffice][]Grant{}
	for _, g := range h.Grants {
		if g.Call == 0 {
			g.Call = g.Step
		}
		if g.Office == OwnerOffice && level == AtLog {
			g.Step = g.Call // the coordinator knows at once
		}
		if g.Step > 0 {
			key := bruteOffice{g.Office, g.Name, g.TP}
			offices[key] = append(offices[key], g)
		}
	}
	acts := bruteActsAtLog(h)
	if level == AtApplication {
		acts = nil
		for i := range h.Effects {
			if e := &h.Effects[i]; e.Generation > 0 && bruteHappened(h, e) {
				acts = append(acts, bruteAct{bruteOffice{OwnerOffice, e.Application, e.TP}, e.Consumer, e.Incarnation, e.Generation, cmp.Or(e.Asked, e.Step)})
			}
		}
	}
	broken := false
	for key, grants := range offices {
		slices.SortStableFunc(grants, func(a, b Grant) int { return cmp.Or(int(a.ProducerID-b.ProducerID), a.Epoch-b.Epoch) })
		var ops []bruteOp
		for i, g := range grants {
			for _, later := range grants[i:] { // who was told late has passed the office on by when a later one is told
				g.Step = min(g.Step, later.Step)
			}
			ops = append(ops, bruteOp{what: "grant", turn: i, from: min(g.Call, g.Step), to: g.Step})
		}
		for _, a := range acts {
			if a.office != key {
				continue
			}
			own := -1
			for i, g := range grants {
				if g.Epoch <= a.epoch {
					own = i
				}
			}
			if own >= 0 && !bruteSame(grants[own], a.name, a.life) {
				own = -1 // the office was another's in that epoch
			}
			ops = append(ops, bruteOp{what: "act", turn: own, from: a.step, to: a.step})
		}
		broken = broken || !anyOrder(ops, func(so []bruteOp) bool { return bruteTenures(grants, so) })
	}
	return bruteRest(h, broken)
}

func bruteSame(g Grant, name string, life int) bool {
	return g.Holder == name && (g.Incarnation == life || g.Incarnation == 0 || life == 0)
}

// bruteTenures says whether grants come in turn, and each act while no other has held the office since, or holds it before.
func bruteTenures(grants []Grant, so []bruteOp) bool {
	now := -1
	for _, o := range so {
		if o.what == "grant" {
			if o.turn != now+1 {
				return false
			}
			now = o.turn
			continue
		}
		if now >= 0 && o.turn < 0 {
			return false
		}
		for i := min(now, o.turn); now >= 0 && i <= max(now, o.turn); i++ {
			if !bruteSame(grants[i], grants[o.turn].Holder, grants[o.turn].Incarnation) {
				return false
			}
		}
	}
	return true
}

// bruteActsAtLog lists what was let in and is in effect: records under a transactional.id and of a leader, and positions.
func bruteActsAtLog(h *History) (acts []bruteAct) {
	for _, l := range h.Logs {
		for _, e := range bruteLog(h, l.TP) {
			if e.Control {
				continue
			}
			for _, s := range h.Submissions {
				if s.ID == e.Submission && s.TransactionalID != "" && (e.Fate == Plain || e.Fate == MarkedCommitted) {
					acts = append(acts, bruteAct{bruteOffice{ProducerOffice, s.TransactionalID, TopicPartition{}}, s.Producer, s.Incarnation, s.ProducerEpoch, e.Step})
				}
			}
			for _, a := range h.Appends {
				if a.AsLeader && a.TP == l.TP && a.Offset == e.Offset && a.Epoch == e.Epoch && a.Submission == e.Submission {
					acts = append(acts, bruteAct{bruteOffice{LeaderOffice, "", l.TP}, fmt.Sprint("b", a.Broker), 0, a.Epoch, a.Step})
				}
			}
		}
	}
	note := func(group string, tp TopicPartition, who string, life, generation, step int) {
		if generation > 0 {
			acts = append(acts, bruteAct{bruteOffice{OwnerOffice, group, tp}, who, life, generation, step})
		}
	}
	for _, c := range h.OffsetCommits {
		note(c.Group, c.TP, c.Consumer, c.Incarnation, c.Generation, cmp.Or(c.Written, c.Applied, c.Step))
	}
	for _, t := range h.Txns {
		for _, c := range t.Offsets {
			if c.Applied {
				note(c.Group, c.TP, c.Consumer, c.Incarnation, c.Generation, cmp.Or(c.Written, c.Step))
			}
		}
	}
	return acts
}
