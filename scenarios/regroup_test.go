package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

const withoutOwner = `
name: without-owner
title: What the script gave out belongs to nobody who runs
kafka: "3.9"
cluster: {brokers: 3}
topics: {in: {partitions: 2}}
producers: {p: {config: {acks: all}}}
consumers:
  app1: {topics: [in], group: shop, config: {auto.offset.reset: earliest, enable.auto.commit: false}}
  app2: {topics: [in], group: shop, config: {auto.offset.reset: earliest, enable.auto.commit: false}FAILS}
  other: {topics: [in], config: {auto.offset.reset: earliest}}
script:
  - rebalance: {group: shop, assign: {app1: [in-0], app2: [in-1]}}
  - wait: {quiet: true}
MORE
end: {restart: RESTART}
claims: {at-least-once: holds}
`

// lateRound is a round that begins after the script.
type lateRound struct {
	words string
	plan  []protocol.GroupMember
}

func lateRounds(r *Run) []lateRound {
	var all []lateRound
	healed, words := false, ""
	for i := range r.World.Trace().Events {
		switch e := r.World.Trace().Events[i].Event.(type) {
		case *event.Healed:
			healed = true
		case *event.Arranged:
			words = e.Text
		case *event.GroupRebalancing:
			if healed {
				all = append(all, lateRound{words, e.Members})
			}
		}
	}
	return all
}

func gets(plan []protocol.GroupMember) string {
	var all []string
	for _, m := range plan {
		s := m.ClientID
		for _, tp := range m.Assignment {
			s += " " + tp.String()
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// After the script a group goes on by itself, as it would in Kafka, where a process that joins and a session that ends
// begin a round: no record is lost for want of a `rebalance`.
func TestGroupsGoOnAfterTheScript(t *testing.T) {
	const send = `
  - send: {topic: in, partition: 0, records: [m1]}
  - send: {topic: in, partition: 1, records: [m2]}`
	for _, tc := range []struct{ name, more, restart, want string }{
		{"nothing is wrong", send, "all", ""},
		{"a new process of the same name waits", "  - crash: app2" + send, "all", "app1 in-0, app2 in-1"},
		{"a process is gone for good", "  - crash: app2" + send, "none", "app1 in-0 in-1"},
		{"both are new", "  - crash: [app1, app2]" + send, "all", "app1 in-0, app2 in-1"},
		{"the round waits for a process that is gone", "  - crash: app2\n  - rebalance: {group: shop, assign: {app1: [in-0], app2: [in-1]}}" + send, "none", "app1 in-0 in-1"},
		{"the round waits for a process that comes back", "  - crash: app2\n  - rebalance: {group: shop, assign: {app1: [in-0], app2: [in-1]}}" + send, "all", ""},
		{"the last plan counts", "  - rebalance: {group: shop, assign: {app1: [in-0, in-1], app2: []}}\n  - wait: {quiet: true}\n  - crash: app1" + send, "all", "app1 in-0 in-1, app2"},
		{"a process stands still for good", "  - pause: app2\n  - send: {topic: in, partition: 0, records: [m1]}", "all, heal: false", "app1 in-0 in-1"},
		{"a process dies after the script, is started again, and dies for good", "  - send: {topic: in, partition: 1, records: [m3]}" + send, "all", "app1 in-0, app2 in-1; app1 in-0 in-1"},
		{"the successor of one that is out waits in vain and harms nobody", "  - rebalance: {group: shop, assign: {app2: [in-0, in-1]}}\n  - wait: {quiet: true}" + send, "all", ""},
		{"what a member that is out has fetched is not waited for", "  - hold: {to: app2, kind: FetchResponse}\n  - send: {topic: in, partition: 1, records: [m2]}\n  - rebalance: {group: shop, assign: {app1: [in-0, in-1]}}\n" +
			"  - after: 5s\n    release: all\n  - send: {topic: in, partition: 0, records: [m1]}", "all", ""},
		{"its successor has died", "  - rebalance: {group: shop, assign: {app2: [in-0, in-1]}}\n  - wait: {quiet: true}\n  - crash: app2" + send, "none", "app1 in-0 in-1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fails := ""
			if strings.Contains(tc.more, "m3") {
				fails = ", fails: {m3: 2}"
			}
			src := strings.NewReplacer("MORE", tc.more, "RESTART", tc.restart, "FAILS", fails).Replace(withoutOwner)
			f, problems := format.Load("f", []byte(src), Vocabulary)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			r, err := New(f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for r.Phase() == Scripted && r.Step() {
			}
			c := r.Clone()
			r.Finish()
			drive(c, 1, 0)
			if c.World.Hash() != r.World.Hash() {
				t.Error("a copy of the run goes on differently")
			}
			if rested, moving := r.Rested(); !rested || r.Stopped() != "" {
				t.Fatalf("the run did not come to rest: %v %s", moving, r.Stopped())
			}
			var plans []string
			for _, l := range lateRounds(r) {
				plans = append(plans, gets(l.plan))
				if !strings.Contains(l.words, "belongs to no member of group shop that runs") {
					t.Errorf("the step says %q", l.words)
				}
			}
			if got := strings.Join(plans, "; "); got != tc.want {
				t.Errorf("rounds after the script: %q, want %q", got, tc.want)
			}
			if v, _ := r.Report().Overall(checker.AtLeastOnce); v != checker.Holds {
				t.Errorf("at-least-once %s:\n%s", v, r.Report().Table())
			}
		})
	}
}

// A campaign kills what it likes, and starts it again or leaves that to the end: that alone costs no group a record.
func TestKilledMembersOfARebalancedGroupLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out hundreds of generated runs")
	}
	rounds := 0
	for _, name := range []string{"zombie-consumer-after-a-rebalance", "database-fences-a-zombie", "streams-v2-zombie", "zombie-commits-offsets-in-a-transaction"} {
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := uint64(1); seed <= 12; seed++ {
			a := UntilDone(o.File, sim.FaultModel{Node: sim.CanKill, Budget: 1, MaxDown: 1, Among: []string{"app1", "app2"}})
			r, err := New(o.File, Options{FaultModel: a, Source: &sim.Seeded{Seed: seed, Weights: sim.Weights{Fault: 5_000, Repair: 5_000}}})
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			rounds += len(lateRounds(r))
			if rested, moving := r.Rested(); !rested {
				t.Errorf("%s, seed %d: did not come to rest: %v", name, seed, moving)
			}
			if v, _ := r.Report().Overall(checker.AtLeastOnce); v == checker.Violated {
				t.Errorf("%s, seed %d: at-least-once is violated:\n%s", name, seed, r.Report().Table())
			}
		}
	}
	if rounds < 5 {
		t.Errorf("only %d rounds began by themselves: the test shows nothing", rounds)
	}
	t.Logf("%d rounds", rounds)
}
