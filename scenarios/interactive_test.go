package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"kafkatrial/sim"
)

// To open every decision to a person changes nothing as long as nothing is chosen.
func TestInteractiveIsCalm(t *testing.T) {
	if testing.Short() {
		t.Skip("every scenario is run twice, once with every decision open")
	}
	for _, name := range Names() {
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := New(o.File, Options{Source: sim.Calm{}})
		if err != nil {
			t.Fatal(err)
		}
		plain.Finish()
		open, err := New(o.File, Options{Source: sim.Calm{}, FaultModel: Interactive(sim.FaultModel{})})
		if err != nil {
			t.Fatal(err)
		}
		open.Finish()
		if open.World.Hash() != plain.World.Hash() {
			t.Errorf("%s: opened to a person, the calm run is another: %d steps, %d without", name, open.World.Steps(), plain.World.Steps())
		}
	}
}

// every n-th decision in the script takes the option of the next operation in turn: as a person might who
// tries everything.
type curious struct {
	every, calls, next int
	seen               map[sim.Op]bool
}

var inTurn = []sim.Op{sim.OpHold, sim.OpLate, sim.OpDeliver, sim.OpDuplicate, sim.OpRelease, sim.OpLose, sim.OpCut, sim.OpPause, sim.OpHeal, sim.OpResume,
	sim.OpPowerLoss, sim.OpKeep, sim.OpRestart, sim.OpKill, sim.OpRestart}

func (c *curious) Choose(p sim.Point) (int, error) {
	if c.calls++; c.calls%c.every != 0 && p.Kind != sim.Tear {
		return 0, nil
	}
	for range inTurn {
		op := inTurn[c.next%len(inTurn)]
		c.next++
		for i := 1; i < len(p.Options); i++ {
			if p.Options[i].Op == op {
				c.seen[op] = true
				return i, nil
			}
		}
	}
	return 0, nil
}

// What a person has chosen is a run like any other: saved, opened again and replayed, it has the same hash.
func TestChoicesInteractiveReplayFromTheirFile(t *testing.T) {
	seen := map[sim.Op]bool{}
	for _, every := range []int{3, 5, 17, 60} {
		o, err := Open("calm")
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{FaultModel: Interactive(sim.FaultModel{})}
		with := opts
		with.Source = &curious{every: every, seen: seen}
		r, err := New(o.File, with)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		path := filepath.Join(t.TempDir(), "by-hand.answers")
		if err := os.WriteFile(path, []byte(o.Record(path, r, opts).Text()), 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var follow Options
		if err := follow.Follow(again.File, again.Answers); err != nil {
			t.Fatal(err)
		}
		replay := &sim.Replay{Answers: again.Answers.List}
		follow.Source = replay
		second, err := New(again.File, follow)
		if err != nil {
			t.Fatal(err)
		}
		second.Finish()
		if second.Err() != nil || len(replay.Unused()) > 0 || second.World.Hash() != r.World.Hash() || len(again.Answers.List) == 0 {
			t.Errorf("every %d: %d answers lead to %d steps, recorded were %d; %v", every, len(again.Answers.List), second.World.Steps(), r.World.Steps(), second.Err())
		}
	}
	for _, op := range inTurn {
		if !seen[op] {
			t.Errorf("no run chose to %v", op)
		}
	}
}
