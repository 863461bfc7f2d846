package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// outside is a test as somebody would write it in a module of his own, about his own cluster.
const outside = `package mine

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/trial"
	"kafkatrial/sim"
)

func TestNothingIsLost(t *testing.T) {
	trial.Check(t, trial.Property{
		Name: "my cluster",
		Says: "No acknowledged record is lost.",
		Shape: trial.Shape{
			Kafka: []string{"3.9"}, Brokers: []int{2}, Replicas: []int{2},
			Producer: []trial.Setting{trial.Set("acks", "1"), trial.Set("enable.idempotence", "false"), trial.Set("linger.ms", "0", "5")},
			Sends: []int{2, 3, 4}, After: []string{"5ms", "1s"}, Quiet: "20s",
			Faults: sim.FaultModel{Node: sim.CanKill, Late: []sim.Time{20 * sim.Millisecond}, Budget: 2, MaxDown: 1},
		},
		Claims: trial.AtLog(checker.AtLeastOnce),
	})
}
`

// TestUsedFromOutside makes a module that requires this one, has its test fail, and opens what the failure left behind with the
// command that it printed.
func TestUsedFromOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a second module and the command")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// The requirements are those of this module, so that nothing has to be looked up: the test needs no network.
	own := strings.Replace(string(mod), "module kafkatrial\n", "module example.com/mine\n", 1)
	put("go.mod", []byte(own+"\nrequire kafkatrial v0.0.0\n\nreplace kafkatrial => "+root+"\n"))
	put("go.sum", sum)
	put("mine_test.go", []byte(outside))
	command := func(args ...string) (string, error) {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		err := c.Run()
		return out.String(), err
	}
	out, err := command("test", ".")
	if err == nil {
		t.Fatalf("the property is not refuted:\n%s", out)
	}
	look := regexp.MustCompile(`To look at it: kafkatrial step (\S+) --at (\d+)`).FindStringSubmatch(out)
	if look == nil || !strings.Contains(out, "at-least-once at the log is violated") {
		t.Fatalf("no command to open the failure with:\n%s", out)
	}
	answers, err := os.ReadFile(look[1])
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(look[1]) != filepath.Join(dir, "testdata", "trial") {
		t.Errorf("saved as %s", look[1])
	}
	if n := strings.Count(string(answers), " next kill "); n != 1 {
		t.Errorf("one crash is enough, and %d are left:\n%s", n, answers)
	}
	out, err = command("run", "kafkatrial/tui/kafkatrial", "step", look[1], "--at", look[2]) // no terminal: told in lines
	if want := regexp.MustCompile(`(?m)^.*at-least-once.*violated.*$`); !want.MatchString(out) {
		t.Errorf("the printed command does not show the failure (%v):\n%s", err, out)
	}
}
