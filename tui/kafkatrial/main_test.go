package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kafkatrial": main})
}

// The scripts in testdata are the command's promises: what it prints, and how it ends.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: plainTerminal,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"status": status, "samerun": sameRun},
	})
}

// plainTerminal takes away what the machine's own terminal says of colours.
func plainTerminal(e *testscript.Env) error {
	for _, key := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "ACCESSIBLE", "TERM"} {
		e.Setenv(key, "")
	}
	return nil
}

// status runs a command and checks its exit status: status 2 kafkatrial run nothing.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// sameRun checks that the last output, of run --format json, is of the same run as a file: steps and hash.
func sameRun(ts *testscript.TestScript, neg bool, args []string) {
	type identity struct {
		Steps int
		Hash  string
	}
	var is, was identity
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &is))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &was))
	if is != was || is.Steps == 0 || len(is.Hash) != 16 {
		ts.Fatalf("this run: %+v, recorded: %+v", is, was)
	}
}
