package consumer

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

var manual = []string{"enable.auto.commit", "false", "auto.offset.reset", "earliest"}

func TestOrderOfVerbsDecidesWhatACrashCosts(t *testing.T) {
	pollProcessCommit := []Verb{Poll, Process, Commit}
	pollCommitProcess := []Verb{Poll, Commit, Process}
	for _, tc := range []struct {
		name  string
		loop  []Verb
		crash func(*cluster)
		want  string
	}{
		{"after the effect, before the commit", pollProcessCommit, func(c *cluster) { c.until(new(event.Processed), 2) }, "m0 m1 m0 m1"},
		{"in the middle of the batch", pollProcessCommit, func(c *cluster) { c.until(new(event.Processed), 1) }, "m0 m0 m1"},
		{"after the poll", pollProcessCommit, func(c *cluster) { c.until(new(event.Polled), 1) }, "m0 m1"},
		{"when the commit is answered", pollProcessCommit, func(c *cluster) { c.until(new(event.Committed), 1) }, "m0 m1"},
		{"the commit is on its way", pollProcessCommit, func(c *cluster) { c.until(new(event.CommitSent), 1) }, "m0 m1"},
		{"after the commit, before the effect", pollCommitProcess, func(c *cluster) { c.until(new(event.Committed), 1) }, ""},
		{"in the middle of the batch", pollCommitProcess, func(c *cluster) { c.until(new(event.Processed), 1) }, "m0"},
		{"before the commit", pollCommitProcess, func(c *cluster) { c.until(new(event.Polled), 1) }, "m0 m1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: tc.loop}, set: manual})
			c.write(orders0, "m0", "m1")
			tc.crash(c)
			c.world.Kill(c.consumer)
			c.to(c.world.Now() + 10*sim.Millisecond)
			c.world.Restart(c.consumer)
			c.to(c.world.Now() + 5*sim.Second)
			c.quiet()
			if got := c.processed(); got != tc.want {
				t.Errorf("processed %q, want %q\n%s", got, tc.want, strings.Join(c.story(), "\n"))
			}
			if got := c.node().Partitions()[0].Committed; got != 2 {
				t.Errorf("committed %d in the end, want 2", got)
			}
		})
	}
}

func TestStoryOfALoop(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, set: append(manual, "max.poll.records", "2")})
	c.write(orders0, "m0", "m1", "m2")
	c.to(2 * sim.Second)
	c.quiet()
	c.expect(
		"assigned orders-0 0 earliest",
		"polled orders-0 0–2", "processed m0", "processed m1", "commit sent orders-0 2", "committed orders-0 2",
		"polled orders-0 2–3", "processed m2", "commit sent orders-0 3", "committed orders-0 3",
	)
	if got, want := c.committed(), "g:orders-0=2 g:orders-0=3"; got != want {
		t.Errorf("__consumer_offsets holds %q, want %q", got, want)
	}
	var verbs []string
	for _, f := range c.world.Trace().Events {
		if e, ok := f.Event.(*event.VerbBegan); ok {
			verbs = append(verbs, e.Verb)
		}
	}
	if got, want := strings.Join(verbs, " "), "poll process commit poll process commit poll"; got != want {
		t.Errorf("the program counter went %q, want %q", got, want)
	}
	c.to(100 * sim.Second)
	for _, s := range c.world.Trace().Steps {
		if s.Kind == sim.StepTimer && s.Timer == protocol.TimerPoll {
			t.Errorf("a timer that is moot went off at %v", s.At)
		}
	}
	if n := c.node(); n.State() != Polling || n.PC() != 0 || n.Partitions()[0].State != Fetching || n.Buffered() != 0 {
		t.Errorf("in the end: %v, pc %d, %v", n.State(), n.PC(), n.Partitions())
	}
}

// The next fetch is under way while the records of the last one are processed, one at a time to a broker.
func TestPrefetch(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, ProcessTime: 50 * sim.Millisecond}, set: manual})
	c.write(orders0, "m0")
	c.until(new(event.Polled), 1)
	c.write(orders0, "m1")
	c.to(c.world.Now() + 30*sim.Millisecond)
	if got := c.node().kafka.net.InFlight(1); len(got) != 0 {
		t.Errorf("%d requests to the leader in flight, want the fetch answered and none sent while the application works", len(got))
	}
	if len(c.node().kafka.inbox) != 1 {
		t.Errorf("%d answers wait for the next poll, want the fetch's", len(c.node().kafka.inbox))
	}
	c.until(new(event.Polled), 2)
	c.to(c.world.Now() + 2*sim.Second)
	if got := len(c.node().kafka.net.InFlight(1)); got != 1 {
		t.Errorf("%d requests to the leader in flight, want one fetch", got)
	}
}

// A consumer that has read and committed everything is at rest: empty fetches are all there is.
func TestEmptyPollsAreRoutine(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: []string{"auto.offset.reset", "earliest"}})
	c.write(orders0, "m0")
	c.to(60 * sim.Second) // also past the time-outs of requests that were answered
	if c.world.Busy() != 0 {
		t.Errorf("%d things under way that are not routine", c.world.Busy())
	}
	steps, events := c.world.Steps(), len(c.world.Trace().Events)
	c.to(100 * sim.Second)
	for i := steps; i < c.world.Steps(); i++ {
		if !c.world.Trace().Routine(i) {
			t.Fatalf("step %d at %v is not routine", i, c.world.Trace().Steps[i].At)
		}
	}
	if c.world.Steps() == steps || len(c.world.Trace().Events) != events {
		t.Errorf("from 60 s to 100 s: %d steps, %d events; want steps and no event", c.world.Steps()-steps, len(c.world.Trace().Events)-events)
	}
}

// Misconception 21: the auto-commit in a poll covers what earlier polls returned, so a loop that processes
// before it polls again loses nothing.
func TestAutoCommitInlineIsSafe(t *testing.T) {
	for _, tc := range []struct {
		name string
		off  []planted.Guard
		want string
	}{
		{"as Kafka does it", nil, "m0 m1"},
		{"with the records of the poll itself", []planted.Guard{planted.AutoCommitOfPreviousPoll}, "m0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, off: tc.off,
				set: []string{"auto.commit.interval.ms", "0", "auto.offset.reset", "earliest"}}) // every poll commits
			c.write(orders0, "m0")
			c.until(new(event.Processed), 1)
			c.to(c.world.Now() + 500*sim.Millisecond)
			c.write(orders0, "m1")
			c.until(new(event.Polled), 2)
			c.to(c.world.Now() + sim.Millisecond/2) // the commit, if there was one, is on its way
			c.world.Kill(c.consumer)
			c.to(c.world.Now() + sim.Second)
			c.world.Restart(c.consumer)
			c.to(c.world.Now() + 2*sim.Second)
			c.quiet()
			if got := c.processed(); got != tc.want {
				t.Errorf("processed %q, want %q\n%s", got, tc.want, strings.Join(c.story(), "\n"))
			}
		})
	}
}

// The same commit, but a worker has not got to the records yet.
func TestAutoCommitWithHandOffLosesRecords(t *testing.T) {
	for _, handOff := range []bool{true, false} {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, HandOff: handOff, ProcessTime: 400 * sim.Millisecond},
			set: []string{"auto.commit.interval.ms", "100", "auto.offset.reset", "earliest"}})
		c.write(orders0, "m0", "m1", "m2", "m3", "m4")
		c.until(new(event.Processed), 3)
		if handOff && len(c.node().Queue()) != 2 {
			t.Errorf("%d records in the worker's queue, want 2", len(c.node().Queue()))
		}
		c.world.Kill(c.consumer)
		c.to(c.world.Now() + sim.Millisecond)
		c.world.Restart(c.consumer)
		c.to(c.world.Now() + 10*sim.Second)
		c.quiet()
		want := "m0 m1 m2"
		if !handOff {
			want = "m0 m1 m2 m0 m1 m2 m3 m4"
		}
		if got := c.processed(); got != want {
			t.Errorf("hand-off %v: processed %q, want %q\n%s", handOff, got, want, strings.Join(c.story(), "\n"))
		}
	}
}

// close() commits all that was polled: after an exception in the middle of a batch too.
func TestCloseAfterAnExceptionCommitsWhatWasPolled(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  []string
		want string
	}{
		{"auto-commit", []string{"auto.offset.reset", "earliest"}, "m0 m2"},
		{"no auto-commit", manual, "m0 m0 m1 m2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, ProcessTime: 10 * sim.Millisecond}, set: tc.set})
			c.write(orders0, "m0", "m1")
			c.until(new(event.Processed), 1)
			c.world.Command(c.consumer, &protocol.Command{Throw: true})
			c.to(c.world.Now() + sim.Second)
			if c.world.State(c.consumer) != sim.Down {
				t.Fatal("the process has not ended")
			}
			c.world.Restart(c.consumer)
			c.write(orders0, "m2")
			c.to(c.world.Now() + sim.Second)
			if got := c.processed(); got != tc.want {
				t.Errorf("processed %q, want %q\n%s", got, tc.want, strings.Join(c.story(), "\n"))
			}
		})
	}
}

func TestCloseEndsTheRoundFirst(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, ProcessTime: 10 * sim.Millisecond}, set: []string{"auto.offset.reset", "earliest"}})
	c.write(orders0, "m0", "m1")
	c.until(new(event.Processed), 1)
	c.world.Command(c.consumer, &protocol.Command{Close: true})
	c.to(c.world.Now() + sim.Second)
	c.expect("assigned orders-0 0 earliest", "polled orders-0 0–2", "processed m0", "processed m1", "commit sent orders-0 2", "committed orders-0 2")
	if c.world.State(c.consumer) != sim.Down || c.world.Busy() != 0 {
		t.Errorf("after close: %v, %d things under way", c.world.State(c.consumer), c.world.Busy())
	}
}

func TestCloseLetsTheWorkerFinish(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, HandOff: true, ProcessTime: 10 * sim.Millisecond}, set: []string{"auto.offset.reset", "earliest"}})
	c.write(orders0, "m0", "m1")
	c.until(new(event.Polled), 1)
	c.world.Command(c.consumer, &protocol.Command{Close: true})
	c.to(c.world.Now() + sim.Second)
	if got := c.processed(); got != "m0 m1" || c.world.State(c.consumer) != sim.Down {
		t.Errorf("processed %q, %v", got, c.world.State(c.consumer))
	}
}

// A partition that appears, with records in it before the consumer hears of it.
func TestNewPartitionNoticedLate(t *testing.T) {
	for _, tc := range []struct{ policy, want string }{{"latest", "m2"}, {"earliest", "m1 m2"}} {
		t.Run(tc.policy, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}, Topics: []string{"orders"}},
				set: []string{"enable.auto.commit", "false", "auto.offset.reset", tc.policy}})
			c.to(10 * sim.Second)
			c.logs = append(c.logs, &topicLog{tp: orders1, leader: 1, epoch: 1})
			c.write(orders1, "m1")
			c.to(295 * sim.Second) // metadata.max.age.ms is 300 s
			if len(c.node().Partitions()) != 1 {
				t.Fatal("noticed before metadata.max.age.ms")
			}
			c.to(301 * sim.Second)
			if len(c.node().Partitions()) != 2 {
				t.Fatal("not noticed after metadata.max.age.ms")
			}
			c.write(orders1, "m2")
			c.to(305 * sim.Second)
			if got := c.processed(); got != tc.want {
				t.Errorf("processed %q, want %q\n%s", got, tc.want, strings.Join(c.story(), "\n"))
			}
		})
	}
}

// TestOffsetReset: where a position lies below the log start, and where there is no committed position.
func TestOffsetReset(t *testing.T) {
	for _, tc := range []struct {
		policy string
		want   []string
	}{
		{"earliest", []string{"reset orders-0 1→3 earliest", "processed m3", "processed m4"}},
		{"latest", []string{"told end orders-0 4", "reset orders-0 1→4 latest", "processed m4"}},
		{"none", []string{"failed orders-0 OFFSET_OUT_OF_RANGE"}},
	} {
		t.Run(tc.policy, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, set: []string{"enable.auto.commit", "false", "auto.offset.reset", tc.policy}})
			c.to(sim.Millisecond / 2)
			c.write(orders0, "m0")
			c.write(orders0, "m1", "m2")
			c.write(orders0, "m3")
			c.world.Command(c.consumer, &protocol.Command{Seek: &protocol.SeekCommand{TP: orders0, Offset: 1}})
			c.log(orders0).start = 3 // retention has passed by
			c.log(orders0).batches = c.log(orders0).batches[2:]
			c.to(sim.Second)
			c.write(orders0, "m4")
			c.to(2 * sim.Second)
			got := without(c.story(), "polled", "commit", "assigned", "reset orders-0 -1→1")
			if !slices.Equal(got, tc.want) {
				t.Errorf("story %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("no committed position and no policy", func(t *testing.T) {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: []string{"enable.auto.commit", "false", "auto.offset.reset", "none"}})
		c.to(sim.Second)
		c.expect("failed orders-0 NoOffsetForPartitionException")
	})
}

// KIP-320: an unclean leader ends at 7, the consumer stands at 10. Then 4 records come.
func TestTruncation(t *testing.T) {
	for _, tc := range []struct {
		name, version, policy string
		off                   []planted.Guard
		want                  []string
	}{
		{"2.3, latest: goes on where the logs part", "2.3", "latest", nil, []string{"truncation seen orders-0 10, ends at 7", "reset orders-0 10→7 truncation", "processed n7", "processed n8", "processed n9", "processed n10"}},
		{"2.3, none", "2.3", "none", nil, []string{"truncation seen orders-0 10, ends at 7", "failed orders-0 LogTruncationException"}},
		{"2.2, latest: nothing is noticed while the log is longer again", "2.2", "latest", nil, []string{"processed n10"}},
		{"3.9 without the check", "3.9", "latest", []planted.Guard{planted.PositionValidation}, []string{"processed n10"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: tc.version, brokers: 2, off: tc.off,
				set: []string{"enable.auto.commit", "false", "auto.offset.reset", tc.policy}})
			c.to(sim.Millisecond / 2)
			c.world.Command(c.consumer, &protocol.Command{Seek: &protocol.SeekCommand{TP: orders0, Offset: 0}})
			c.write(orders0, "m0", "m1", "m2", "m3", "m4", "m5", "m6")
			c.write(orders0, "m7", "m8", "m9")
			c.until(new(event.Committed), 1)
			c.world.Pause(c.consumer)
			c.truncate(orders0, 7)
			c.move(orders0, 2)
			c.write(orders0, "n7", "n8", "n9", "n10")
			c.world.Resume(c.consumer)
			c.to(c.world.Now() + 3*sim.Second)
			story := without(c.story(), "polled", "commit", "assigned", "told", "pause", "resume", "processed m", "reset orders-0 -1→0")
			if !slices.Equal(story, tc.want) {
				t.Errorf("story\n  %s\nwant\n  %s", strings.Join(story, "\n  "), strings.Join(tc.want, "\n  "))
			}
		})
	}
}

// Without an epoch to compare: the log is shorter than the position, and the policy decides.
func TestOutOfRangeAfterTruncation(t *testing.T) {
	for _, tc := range []struct {
		policy string
		want   []string
	}{
		{"latest", []string{"told end orders-0 7", "reset orders-0 10→7 latest"}},
		{"earliest", []string{"reset orders-0 10→0 earliest", "processed m0", "processed m1", "processed m2", "processed m3", "processed m4", "processed m5", "processed m6"}},
		{"none", []string{"failed orders-0 OFFSET_OUT_OF_RANGE"}},
	} {
		t.Run(tc.policy, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: "2.2", brokers: 2,
				set: []string{"enable.auto.commit", "false", "auto.offset.reset", tc.policy}})
			c.to(sim.Millisecond / 2)
			c.world.Command(c.consumer, &protocol.Command{Seek: &protocol.SeekCommand{TP: orders0, Offset: 0}})
			c.write(orders0, "m0", "m1", "m2", "m3", "m4", "m5", "m6")
			c.write(orders0, "m7", "m8", "m9")
			c.until(new(event.Committed), 1)
			seen := len(c.story())
			c.truncate(orders0, 7)
			c.move(orders0, 2)
			c.to(c.world.Now() + 5*sim.Second)
			story := without(c.story()[seen:], "polled", "commit")
			if !slices.Equal(story, tc.want) {
				t.Errorf("story\n  %s\nwant\n  %s", strings.Join(story, "\n  "), strings.Join(tc.want, "\n  "))
			}
		})
	}
}

// KIP-207: a new leader does not know its end offset yet; the consumer asks again.
func TestEndOffsetNotAvailableIsRetried(t *testing.T) {
	for _, err := range []protocol.Error{protocol.OffsetNotAvailable, protocol.LeaderNotAvailable, protocol.NotLeaderOrFollower, protocol.UnknownLeaderEpoch} {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: []string{"enable.auto.commit", "false"}})
		c.log(orders0).fetchErr = err
		c.write(orders0, "m0")
		c.to(2 * sim.Second)
		if c.node().Partitions()[0].State != AwaitReset || c.world.Busy() == 0 {
			t.Errorf("%v: %v, busy %d; want a retry under way", err, c.node().Partitions()[0].State, c.world.Busy())
		}
		c.log(orders0).fetchErr = protocol.None
		c.to(4 * sim.Second)
		c.expect("told end orders-0 1", "assigned orders-0 1 latest")
	}
}

// The coordinator moves while the consumer works: commits are tried again at the new one, which has loaded
// the positions of the old.
func TestCoordinatorMoves(t *testing.T) {
	for _, tc := range []struct {
		version string
		loading int // tries that meet a coordinator which still loads: from 3.7 the wait between them grows (KIP-580)
	}{{"0.10", 2}, {"2.0", 2}, {"2.8", 2}, {"3.9", 1}, {"4.0", 1}} {
		t.Run(tc.version, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: tc.version, brokers: 2, set: manual})
			c.loadTime = 300 * sim.Millisecond
			c.write(orders0, "m0")
			c.until(new(event.Committed), 1)
			c.move(offsets, 2)
			c.write(orders0, "m1")
			c.to(c.world.Now() + 5*sim.Second)
			c.world.Kill(c.consumer)
			c.to(c.world.Now() + sim.Second)
			c.world.Restart(c.consumer)
			c.to(c.world.Now() + 5*sim.Second)
			c.quiet()
			want := []string{"assigned orders-0 0 earliest",
				"polled orders-0 0–1", "processed m0", "commit sent orders-0 1", "committed orders-0 1",
				"polled orders-0 1–2", "processed m1", "commit sent orders-0 2", "commit failed orders-0 2 NOT_COORDINATOR"}
			for range tc.loading {
				want = append(want, "commit sent orders-0 2", "commit failed orders-0 2 COORDINATOR_LOAD_IN_PROGRESS")
			}
			c.expect(append(want, "commit sent orders-0 2", "committed orders-0 2", "kill", "assigned orders-0 2 committed")...)
			if c.node().Coordinator() != 2 {
				t.Errorf("coordinator %d, want 2", c.node().Coordinator())
			}
		})
	}
}

// commitSync tries again what may pass, gives up after default.api.timeout.ms, and throws the rest at once.
func TestCommitSyncErrors(t *testing.T) {
	for _, tc := range []struct {
		version string
		err     protocol.Error // of the append
		want    string
		after   sim.Time
	}{
		{"3.9", protocol.NotEnoughReplicas, "failed TimeoutException", 60 * sim.Second},
		{"3.9", protocol.RequestTimedOut, "failed TimeoutException", 60 * sim.Second},
		{"3.9", protocol.UnknownServerError, "failed UNKNOWN_SERVER_ERROR", 0},
		{"0.9", protocol.NotEnoughReplicas, "failed UNKNOWN_SERVER_ERROR", 0}, // KAFKA-3590
		{"0.10", protocol.NotEnoughReplicas, "", 0},                           // before 2.0 it tries for ever
	} {
		t.Run(tc.version+" "+tc.err.String(), func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: tc.version, set: manual})
			c.commitErr = tc.err
			c.write(orders0, "m0")
			c.until(new(event.CommitSent), 1)
			began := c.world.Now()
			c.to(began + 90*sim.Second)
			story := c.story()
			last := story[len(story)-1]
			if tc.want == "" {
				if !strings.HasPrefix(last, "commit") || c.node().State() != Committing {
					t.Errorf("last: %q", last)
				}
				return
			}
			if last != tc.want {
				t.Errorf("last: %q, want %q", last, tc.want)
			}
			events := c.world.Trace().Events
			if _, failed := events[len(events)-1].Event.(*event.ConsumerFailed); !failed || c.world.LastNews()-began < tc.after || c.world.LastNews()-began > tc.after+sim.Second {
				t.Errorf("failed %v after the first commit, want %v", c.world.LastNews()-began, tc.after)
			}
		})
	}
}

// An application may begin anew after an exception, in the same process.
func TestRestartAfterAnException(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}, RestartAfter: sim.Second}, set: manual})
	c.write(orders0, "m0", "m1")
	c.until(new(event.Processed), 1)
	c.world.Command(c.consumer, &protocol.Command{Throw: true})
	c.to(c.world.Now() + 10*sim.Millisecond)
	if c.node().State() != Resting {
		t.Fatalf("state %v", c.node().State())
	}
	c.to(c.world.Now() + 5*sim.Second)
	if got := c.processed(); got != "m0 m0 m1" {
		t.Errorf("processed %q", got)
	}
}

// A fetch that was under way when the application called seek is not for it any more.
func TestStaleFetchIsDropped(t *testing.T) {
	for _, tc := range []struct {
		off  []planted.Guard
		want string
	}{{nil, "m0 m1 m0 m1 m2"}, {[]planted.Guard{planted.FetchAtPosition}, "m0 m1 m2"}} {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, ProcessTime: 20 * sim.Millisecond}, off: tc.off, set: manual})
		c.write(orders0, "m0", "m1")
		c.until(new(event.Polled), 1)
		c.write(orders0, "m2")
		c.world.Command(c.consumer, &protocol.Command{Seek: &protocol.SeekCommand{TP: orders0, Offset: 0}})
		c.to(c.world.Now() + 2*sim.Second)
		if got := c.processed(); got != tc.want {
			t.Errorf("processed %q, want %q", got, tc.want)
		}
	}
}

// A commit whose answer is lost is sent again.
func TestCommitAfterALostAnswer(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, set: manual})
	c.write(orders0, "m0")
	c.until(new(event.CommitSent), 1)
	c.world.Disconnect(0, c.consumer)
	c.to(c.world.Now() + 5*sim.Second)
	c.quiet()
	story := without(c.story(), "polled", "assigned")
	want := []string{"processed m0", "commit sent orders-0 1", "commit failed orders-0 1 NETWORK_EXCEPTION", "commit sent orders-0 1", "committed orders-0 1"}
	if !slices.Equal(story, want) {
		t.Errorf("story %q, want %q", story, want)
	}
}

// The auto-commit goes by the interval, in polls only, and tries again after the backoff.
func TestAutoCommitInterval(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: []string{"auto.offset.reset", "earliest"}})
	c.write(orders0, "m0")
	c.to(4900 * sim.Millisecond)
	if c.count(new(event.CommitSent)) != 0 {
		t.Error("committed before auto.commit.interval.ms")
	}
	c.commitErr = protocol.NotEnoughReplicas
	c.until(new(event.CommitFailed), 1)
	if now := c.world.Now(); now < 5*sim.Second || now > 5100*sim.Millisecond {
		t.Errorf("first commit answered at %v", now)
	}
	c.commitErr = protocol.None
	c.until(new(event.Committed), 1)
	if now := c.world.Now(); now > 5300*sim.Millisecond {
		t.Errorf("the second try was answered only at %v", now)
	}
	c.quiet()
}

func TestSameRunTwice(t *testing.T) {
	var hashes [2]uint64
	for i := range hashes {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, brokers: 3, set: manual})
		c.write(orders0, "m0", "m1")
		c.until(new(event.Processed), 1)
		c.move(orders0, 2)
		c.move(offsets, 3)
		c.write(orders0, "m2")
		c.to(10 * sim.Second)
		hashes[i] = c.world.Hash()
	}
	if hashes[0] != hashes[1] {
		t.Error("two runs differ")
	}
}
