package shrink

import (
	"os"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// rowless is a run in which a database dies and a record has no row, of an application that has more than that needs.
func rowless(t *testing.T) *Case {
	t.Helper()
	src, err := os.ReadFile("../hunt/testdata/bare-application.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), "  db: {}", "  db: {}\n  spare: {}", 1)
	text = strings.Replace(text, "    database: db", "    database: db\n    restart-after: 5s\n    fails: {m2: 1}", 1)
	text += "  - after: 2s\n    send: {producer: p, topic: orders, records: [m2]}\n"
	f, problems := format.Load("f.yaml", []byte(text), scenarios.Vocabulary)
	if f == nil {
		t.Fatal(scenarios.Problems(problems))
	}
	o := scenarios.Options{FaultModel: sim.FaultModel{Node: sim.CanKill, Among: []string{"db"}, Budget: 1}}
	for seed := uint64(1); seed < 2000; seed++ {
		with := o
		with.Source = &sim.Seeded{Seed: seed, Weights: sim.Weights{Fault: 5000, Repair: 20_000}}
		r, err := scenarios.New(f, with)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if v, bad := First(r, checker.AtLeastOnce); bad && v.Subject == "m1" {
			if c, ok := New(f, o, r.Answers(), v); ok {
				return c
			}
		}
	}
	t.Fatal("nothing fails")
	return nil
}

// TestAnApplicationIsMadeSmallToo: what it does after an exception, where its code throws, and a database that nobody uses are
// not needed, and go; what it writes to stays.
func TestAnApplicationIsMadeSmallToo(t *testing.T) {
	small := Shrink(rowless(t), Limits{Configuration: true})
	for _, gone := range []string{"restart-after", "fails", "spare"} {
		if strings.Contains(string(small.Source), gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, kept := range []string{"database: ", "sends: results", "commit-database"} {
		if !strings.Contains(string(small.Source), kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if t.Failed() {
		t.Logf("%s", small.Source)
	}
}

// TestWhatIsWrittenSaysWhyAndClaimsNothing: a step that has come to have a time says why, and nobody has asked for a statement
// of the lectures.
func TestWhatIsWrittenSaysWhyAndClaimsNothing(t *testing.T) {
	src, err := Shrink(rowless(t), Limits{Search: -1}).Scenario("mine")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	if strings.Contains(text, "statements") {
		t.Error("it invents a statement")
	}
	lines := strings.Split(text, "\n")
	at := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "  - at: ") {
			at++
			if !strings.HasPrefix(lines[i-1], "  # ") {
				t.Errorf("nothing says why a step has this time: %s", line)
			}
		}
	}
	if at == 0 {
		t.Error("no step has a time")
	}
	if t.Failed() {
		t.Log(text)
	}
}
