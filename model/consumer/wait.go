package consumer

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// wait collects when a call that waits has to look again.
type wait struct {
	at   sim.Time
	kind uint8
}

func (w *wait) until(at, now sim.Time, kind uint8) {
	if at > now && at < w.at {
		w.at, w.kind = at, kind
	}
}

// setTimer sees to it that the call under way looks again when something that it puts off is due. There is
// no timer if there is nothing: a consumer that only waits for new records is at rest.
func (c *Consumer) setTimer(env *sim.Env) {
	k := &c.kafka
	w := wait{at: sim.Never}
	switch c.loop.state {
	case Polling:
		c.pollWaits(env.Now(), &w)
	case Committing, Closing:
		c.commitWaits(env.Now(), &w)
	case Recovering:
		w.until(k.coord.findRetryAt, env.Now(), protocol.TimerPoll)
		w.until(c.db.retryAt, env.Now(), protocol.TimerPoll)
	case Restoring:
		w.until(c.store.back.retryAt, env.Now(), protocol.TimerPoll)
	}
	if w.at == sim.Never {
		env.CancelTimer(k.timer)
		k.timer = sim.NoTimer
		return
	}
	if k.timer != sim.NoTimer && k.timerAt == w.at {
		return
	}
	env.CancelTimer(k.timer)
	k.timerAt = w.at
	k.timer = env.SetTimer(w.at-env.Now(), w.kind, 0, false)
}

func (c *Consumer) pollWaits(now sim.Time, w *wait) {
	k := &c.kafka
	if k.group.rejoin {
		w.until(k.group.retryAt, now, protocol.TimerPoll)
		w.until(k.coord.findRetryAt, now, protocol.TimerPoll)
		c.commitWaits(now, w)
		return
	}
	for i := range k.subs.partitions {
		switch p := &k.subs.partitions[i]; p.State {
		case Initializing:
			w.until(k.coord.fetchRetryAt, now, protocol.TimerPoll)
			w.until(k.coord.findRetryAt, now, protocol.TimerPoll)
		case AwaitReset, AwaitValidation:
			w.until(p.retryAt, now, protocol.TimerPoll)
		case Fetching:
			w.until(p.fetchAt, now, protocol.TimerPoll)
		}
	}
	if len(k.coord.commits) > 0 {
		w.until(k.coord.findRetryAt, now, protocol.TimerPoll)
	}
	if c.autoCommits() && c.anythingToCommit() {
		w.until(k.coord.nextAutoCommit, now, protocol.TimerAutoCommit)
	}
}

func (c *Consumer) commitWaits(now sim.Time, w *wait) {
	k := &c.kafka
	w.until(k.coord.findRetryAt, now, protocol.TimerPoll)
	for i := range k.coord.commits {
		w.until(k.coord.commits[i].retryAt, now, protocol.TimerPoll)
		w.until(k.coord.commits[i].deadline, now, protocol.TimerPoll)
	}
	if c.loop.state == Closing {
		w.until(k.coord.closeBy, now, protocol.TimerPoll)
	}
}
