package trial

import "kafkatrial/sim"

// shrunk thins out the answers of a failing run: it takes away one after the other, and keeps it away if the
// run still shows the same finding. What is left is replayed by name, so that an answer finds its decision
// although the run before it has changed.
func (p Property) shrunk(t *Trial) *Trial {
	what := t.Findings[0].What
	again := func(list []sim.Answer) *Trial {
		next := p.try(t.World, &sim.Replay{Answers: list, Lenient: true})
		if !next.shows(what) {
			return nil
		}
		return next
	}
	best := again(t.Run.Answers())
	if best == nil {
		return t
	}
	for size := max(1, len(best.Run.Answers())/2); size > 0; size /= 2 {
		for at := 0; at < len(best.Run.Answers()); {
			all := best.Run.Answers()
			less := append(append([]sim.Answer(nil), all[:at]...), all[min(at+size, len(all)):]...)
			if next := again(less); next != nil && len(next.Run.Answers()) < len(all) {
				best = next
			} else {
				at += size
			}
		}
	}
	// The finding that was looked for comes first.
	for i, f := range best.Findings {
		if f.What == what {
			best.Findings[0], best.Findings[i] = best.Findings[i], best.Findings[0]
			break
		}
	}
	return best
}
