package replicationspec

import (
	"fmt"
	"strings"
)

// replicaName calls replica 0 b1, and so on.
func replicaName(r int) string {
	if r == none {
		return "none"
	}
	return fmt.Sprintf("b%d", r+1)
}

func (s set) names() []string {
	names := []string{}
	for r := range MaxReplicas {
		if s.has(r) {
			names = append(names, replicaName(r))
		}
	}
	return names
}

func (s set) String() string { return "{" + strings.Join(s.names(), " ") + "}" }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// name is the action with its choice: short, and the same wherever the choice is the same.
func (a action) name() string {
	r, l := replicaName(a.replica), replicaName(a.leader)
	switch a.kind {
	case controllerElects:
		return "controller elects " + r
	case controllerShrinks:
		return "controller drops " + r
	case becomeLeader:
		return fmt.Sprintf("%s becomes leader of epoch %d", r, a.epoch)
	case leaderWrites:
		return r + " writes"
	case becomeFollower:
		return fmt.Sprintf("%s becomes follower of %s in epoch %d", r, l, a.epoch)
	case fetch:
		return fmt.Sprintf("%s fetches from %s", r, l)
	case truncateOnFetchError:
		return fmt.Sprintf("%s truncates on a fetch error of %s", r, l)
	case advanceHW:
		return r + " advances its high watermark"
	case leaderShrinks:
		return fmt.Sprintf("%s drops %s from the ISR", l, r)
	case leaderExpands:
		return fmt.Sprintf("%s adds %s to the ISR", l, r)
	case fetchServed:
		return fmt.Sprintf("%s serves a fetch of %s", l, r)
	case fetchNoted:
		return fmt.Sprintf("%s notes the fetch of %s", l, r)
	case fetchNotedAndExpands:
		return fmt.Sprintf("%s notes the fetch of %s and adds it to the ISR", l, r)
	}
	return "start"
}

// sentence tells what the action did between two states.
func (a action) sentence(before, after *state) string {
	r, l := replicaName(a.replica), replicaName(a.leader)
	was, is := &before.replicas[a.replica], &after.replicas[a.replica]
	switch a.kind {
	case controllerElects:
		return fmt.Sprintf("The controller elects %s, in leader epoch %d, with the ISR %s.", r, after.quorumEpoch(), after.isr)
	case controllerShrinks:
		return a.shrinkSentence(before, after)
	case becomeLeader:
		return fmt.Sprintf("%s becomes leader of epoch %d, with the ISR %s.", r, a.epoch, is.isr)
	case leaderWrites:
		return fmt.Sprintf("%s writes record %d at offset %d, in epoch %d.", r, is.log[was.leo()].id, was.leo(), is.epoch)
	case becomeFollower:
		return fmt.Sprintf("%s becomes follower of %s in epoch %d and %s.", r, l, a.epoch, truncated(was, is))
	case fetch:
		if was.leo() == is.leo() {
			return fmt.Sprintf("%s fetches at offset %d from %s, which has no more, but notes that %s has all below.", r, is.leo(), l, r)
		}
		return fmt.Sprintf("%s fetches record %d at offset %d from %s%s.", r, is.log[was.leo()].id, was.leo(), l, hwMoved(was, is))
	case truncateOnFetchError:
		return fmt.Sprintf("%s learns from %s that their logs diverge and %s.", r, l, truncated(was, is))
	case advanceHW:
		return fmt.Sprintf("%s finds offset %d in its whole ISR %s and advances its high watermark to %d.", r, was.hw, is.isr, is.hw)
	case leaderShrinks:
		return fmt.Sprintf("%s drops %s from the ISR, which is now %s.", l, r, after.isr)
	case leaderExpands:
		return fmt.Sprintf("%s adds %s to the ISR, which is now %s.", l, r, after.isr)
	}
	return a.splitFetchSentence(before, after)
}

// splitFetchSentence tells of a fetch in two steps.
func (a action) splitFetchSentence(before, after *state) string {
	r, l := replicaName(a.replica), replicaName(a.leader)
	was, is := &before.replicas[a.replica], &after.replicas[a.replica]
	switch a.kind {
	case fetchServed:
		return fmt.Sprintf("%s finds that the fetch of %s at offset %d is of its own epoch, %d, and reads for it.", l, r, after.served.end, after.replicas[a.leader].epoch)
	case fetchNoted, fetchNotedAndExpands:
		text := fmt.Sprintf("%s, in epoch %d, notes that %s has all below %d", l, after.replicas[a.leader].epoch, r, before.served.end)
		if is.leo() > was.leo() {
			text += fmt.Sprintf("; %s gets record %d%s", r, is.log[was.leo()].id, hwMoved(was, is))
		}
		if a.kind == fetchNotedAndExpands {
			text += fmt.Sprintf("; %s adds it to the ISR, which is now %s", l, after.isr)
		}
		return text + "."
	}
	return "At the start the logs are empty, nobody leads, and every replica is in the ISR."
}

func (a action) shrinkSentence(before, after *state) string {
	r := replicaName(a.replica)
	var outcome string
	switch leader := before.quorumLeader(); {
	case leader == a.replica && before.isr == after.isr:
		outcome = "nobody leads, and it stays in the ISR as the last member"
	case leader == a.replica:
		outcome = fmt.Sprintf("nobody leads, and the ISR is %s", after.isr)
	case leader == none:
		outcome = fmt.Sprintf("the ISR is %s, and still nobody leads", after.isr)
	default:
		outcome = fmt.Sprintf("the ISR is %s, and %s still leads", after.isr, replicaName(leader))
	}
	return fmt.Sprintf("The controller takes %s to have failed: in leader epoch %d %s.", r, after.quorumEpoch(), outcome)
}

func truncated(was, is *replica) string {
	if was.leo() == is.leo() {
		return "keeps its log as it is"
	}
	var lost []string
	for o := is.leo(); o < was.leo(); o++ {
		lost = append(lost, fmt.Sprint(was.log[o].id))
	}
	what := "record "
	if len(lost) > 1 {
		what = "records "
	}
	return fmt.Sprintf("truncates its log to offset %d%s, losing %s%s", is.leo(), hwMoved(was, is), what, strings.Join(lost, " and "))
}

func hwMoved(was, is *replica) string {
	switch {
	case is.hw > was.hw:
		return fmt.Sprintf(" and raises its high watermark to %d", is.hw)
	case is.hw < was.hw:
		return fmt.Sprintf(" and lowers its high watermark to %d", is.hw)
	}
	return ""
}

// reason says why the invariant does not hold.
func (inv invariant) reason(s *state, b broken) string {
	leader := replicaName(b.leader)
	if inv.name == LeaderInIsrOrNone {
		return fmt.Sprintf("%s does not hold: the quorum's leader is %s, and the quorum's ISR is %s.", inv.name, leader, s.isr)
	}
	whose := "the quorum's ISR"
	if inv.name == WeakIsr {
		whose = "the ISR that it knows"
	}
	l, m := &s.replicas[b.leader], &s.replicas[b.member]
	return fmt.Sprintf("%s does not hold: %s believes that it leads, and its high watermark is %d, so offset %d counts as committed; "+
		"it holds %s there. But %s, a member of %s, holds %s there.",
		inv.name, leader, l.hw, b.offset, l.cell(b.offset), replicaName(b.member), whose, m.cell(b.offset))
}

func (r *replica) cell(o int) string {
	if !r.has(o) {
		return "nothing"
	}
	return fmt.Sprintf("record %d of epoch %d", r.log[o].id, r.log[o].epoch)
}
