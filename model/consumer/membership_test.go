package consumer

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

func member(loop []Verb) Application {
	return Application{Topics: []string{"orders"}, Subscribes: true, ClientID: "c", Loop: loop, ProcessTime: 10 * sim.Second}
}

func given(client string, tps ...protocol.TopicPartition) protocol.GroupMember {
	return protocol.GroupMember{ClientID: client, Assignment: tps}
}

var pollProcessCommit = []Verb{Poll, Process, Commit}

// A consumer that subscribes has nothing until its group gives it something, and then begins at the committed position.
func TestMemberReadsWhatItIsGiven(t *testing.T) {
	for _, version := range []string{"0.9", "2.4", "3.9", "4.0"} {
		c := start(t, setup{version: version, app: member(pollProcessCommit), set: []string{"enable.auto.commit", "false", "auto.offset.reset", "earliest"}})
		c.write(orders0, "m0")
		c.to(10 * sim.Second)
		c.expect()
		c.rebalance(given("c", orders0))
		c.to(30 * sim.Second)
		c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1", "processed m0",
			"commit sent orders-0 1", "committed orders-0 1")
		if g, m := c.node().GroupMetadata(); g != 1 || m != "c-1" {
			t.Errorf("%s: groupMetadata is %d %q", version, g, m)
		}
	}
}

// ConsumerCoordinator.onJoinPrepare: told of a round by a heartbeat, a member finishes what it does, and commits as the
// member it still is; in its next poll it gives up what it has, and joins.
func TestMemberGivesUpWhatItHasInItsNextPoll(t *testing.T) {
	c := start(t, setup{app: member(pollProcessCommit), set: manual})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.to(2 * sim.Second)
	c.write(orders0, "m0")
	c.until(new(event.Polled), 1)
	c.rebalance(given("c"))
	c.to(30 * sim.Second)
	c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1",
		"told REBALANCE_IN_PROGRESS", "processed m0", "commit sent orders-0 1", "committed orders-0 1",
		"gives up orders-0 lost false", "joined 2 as c-1")
	if n := len(c.node().Partitions()); n != 0 {
		t.Errorf("it has %d partitions", n)
	}
}

// With enable.auto.commit the positions are committed before the partitions are given up.
func TestAutoCommitBeforePartitionsAreGivenUp(t *testing.T) {
	c := start(t, setup{app: Application{Topics: []string{"orders"}, Subscribes: true, ClientID: "c", Loop: []Verb{Poll, Process}},
		set: []string{"auto.offset.reset", "earliest", "auto.commit.interval.ms", "60000"}})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.to(2 * sim.Second)
	c.write(orders0, "m0")
	c.until(new(event.Processed), 1)
	c.rebalance(given("c"))
	c.to(20 * sim.Second)
	story := c.story()
	i, j := slices.Index(story, "committed orders-0 1"), slices.Index(story, "gives up orders-0 lost false")
	if i < 0 || j < i {
		t.Errorf("%s", strings.Join(story, "\n"))
	}
}

// In 3.2.0 alone the partitions go before the commit is answered (KAFKA-13310, KAFKA-14024).
func TestJoinWithoutTheCommitIn320(t *testing.T) {
	for version, before := range map[string]bool{"3.1": true, "3.2.0": false, "3.2.1": true, "3.3": true} {
		c := start(t, setup{version: version, app: Application{Topics: []string{"orders"}, Subscribes: true, ClientID: "c", Loop: []Verb{Poll, Process}},
			set: []string{"auto.offset.reset", "earliest", "auto.commit.interval.ms", "60000"}})
		c.to(sim.Second)
		c.rebalance(given("c", orders0))
		c.to(2 * sim.Second)
		c.write(orders0, "m0")
		c.until(new(event.Processed), 1)
		c.rebalance(given("c"))
		c.to(20 * sim.Second)
		story := c.story()
		i, j := slices.Index(story, "committed orders-0 1"), slices.Index(story, "gives up orders-0 lost false")
		if i < 0 || j < 0 || (i < j) != before {
			t.Errorf("%s: %s", version, strings.Join(story, "\n"))
		}
	}
}

// ConsumerCoordinator.sendOffsetCommitRequest: a member that has learned that it is out sends no commit. The application
// gets CommitFailedException. What groupMetadata gives stays as it was at the last join (KIP-447).
func TestMemberThatIsOutFailsItsCommitItself(t *testing.T) {
	c := start(t, setup{app: member(pollProcessCommit), set: manual})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.to(2 * sim.Second)
	c.write(orders0, "m0")
	c.until(new(event.Polled), 1)
	c.rebalance(given("d", orders0))
	c.until(new(event.GroupTold), 1)
	if g, m := c.node().GroupMetadata(); g != 1 || m != "c-1" {
		t.Errorf("groupMetadata is %d %q", g, m)
	}
	c.until(new(event.ConsumerFailed), 1)
	c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1",
		"told UNKNOWN_MEMBER_ID", "processed m0", "commit failed orders-0 1 CommitFailedException", "failed CommitFailedException")
	if strings.Contains(c.committed(), "orders") {
		t.Errorf("in the log: %s", c.committed())
	}
}

// One that has not learned of it is told by the answer to its commit.
func TestCommitOfAMemberThatIsOutIsRefused(t *testing.T) {
	app := member(pollProcessCommit)
	app.ProcessTime = 500 * sim.Millisecond
	c := start(t, setup{app: app, set: manual})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.until(new(event.GroupJoined), 1)
	c.write(orders0, "m0")
	c.until(new(event.Polled), 1)
	c.rebalance(given("d", orders0))
	c.until(new(event.ConsumerFailed), 1)
	c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1", "processed m0", "commit sent orders-0 1",
		"commit failed orders-0 1 UNKNOWN_MEMBER_ID", "told UNKNOWN_MEMBER_ID", "failed CommitFailedException")
}

// A member that is out drops what it had without a commit, and waits as a stranger for the next round.
func TestMemberThatIsOutJoinsAsAStranger(t *testing.T) {
	c := start(t, setup{app: Application{Topics: []string{"orders"}, Subscribes: true, ClientID: "c", Loop: []Verb{Poll, Process}},
		set: []string{"auto.offset.reset", "earliest", "auto.commit.interval.ms", "60000"}})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.to(2 * sim.Second)
	c.write(orders0, "m0")
	c.until(new(event.Processed), 1)
	c.rebalance()
	c.to(20 * sim.Second)
	c.rebalance(given("c", orders0))
	c.to(30 * sim.Second)
	c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1", "processed m0",
		"told UNKNOWN_MEMBER_ID", "gives up orders-0 lost true",
		"joined 3 as c-3", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1", "processed m0")
}

// AbstractCoordinator: when the coordinator moves, its members find it and are what they were.
func TestMemberFollowsItsCoordinator(t *testing.T) {
	app := member(pollProcessCommit)
	app.ProcessTime = sim.Millisecond
	c := start(t, setup{app: app, set: manual, brokers: 2})
	c.to(sim.Second)
	c.rebalance(given("c", orders0))
	c.to(2 * sim.Second)
	c.move(offsets, 2)
	c.to(20 * sim.Second)
	c.write(orders0, "m0")
	c.to(30 * sim.Second)
	c.expect("joined 1 as c-1", "given orders-0", "assigned orders-0 0 earliest", "polled orders-0 0–1", "processed m0",
		"commit sent orders-0 1", "committed orders-0 1")
	if c.node().Coordinator() != 2 {
		t.Errorf("it takes b%d for its coordinator", c.node().Coordinator())
	}
}
