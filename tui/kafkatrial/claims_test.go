package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/tui/story"
)

// calmed is a scenario in which a record is sent.
const calmed = `name: calmed
title: One record
kafka: "3.9"
topics: {orders: {}}
producers: {p: {}}
script:
  - send: {records: [m1]}
  - wait: {acked: m1}
claims: {quiet: {log: violated}}
`

// TestTheCommandKnowsAClaimByItsRow: with a row and nothing else, a run shows the claim and its JSON has it, a hunt looks for it and says so in its help, it
// can be shrunk and stated by the scenario that comes of that, and a name that is nearly its own is told.
func TestTheCommandKnowsAClaimByItsRow(t *testing.T) {
	t.Cleanup(checker.Register(checker.Row{Name: "quiet", Says: "Nobody sends.", Levels: []checker.Level{checker.AtLog, checker.AtApplication},
		Stated: checker.StatedByLevel, Looked: checker.Always}, func(h *checker.History, l checker.Level) checker.Verdict {
		if l == checker.AtApplication || len(h.Submissions) == 0 {
			return checker.Verdict{Ruling: checker.Holds}
		}
		s := h.Submissions[0]
		return checker.Verdict{Ruling: checker.Violated, Evidence: checker.Evidence{Records: []checker.RecordID{s.Record}, Steps: []int{s.SendStep}, Short: "somebody sends", Sentence: "Somebody sends."}}
	}))
	t.Chdir(t.TempDir())
	if err := os.WriteFile("calmed.yaml", []byte(calmed), 0o644); err != nil {
		t.Fatal(err)
	}
	command := func(status int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(args, strings.NewReader(""), &out, &errOut); got != status {
			t.Fatalf("kafkatrial %s ends with %d:\n%s%s", strings.Join(args, " "), got, out.String(), errOut.String())
		}
		return out.String() + errOut.String()
	}
	says := func(text, what string) {
		t.Helper()
		if !strings.Contains(text, what) {
			t.Errorf("nothing says %q:\n%s", what, text)
		}
	}

	says(command(exitAsStated, "schema"), `"Nobody sends."`)
	says(command(exitAsStated, "run", "calmed.yaml"), "quiet           VIOLATED  somebody sends")

	var told story.RunJSON
	if err := json.Unmarshal([]byte(command(exitAsStated, "run", "calmed.yaml", "--format", "json")), &told); err != nil {
		t.Fatal(err)
	}
	if c := told.Claims["quiet"]; c.Verdict != checker.Violated || c.Levels["log"].Verdict != checker.Violated || c.Levels["application"].Verdict != checker.Holds {
		t.Errorf("in JSON it is %+v", told.Claims["quiet"])
	}

	says(command(exitBadInput, "hunt", "calmed.yaml", "--claim", "quite"), `did you mean "quiet"?`)
	says(command(exitAsStated, "hunt", "--help"), "exactly-once, ordered, quiet; with transactions")
	says(command(exitDiffers, "hunt", "calmed.yaml", "--runs", "2", "--until", "violation"), "quiet at the log, run 0: Somebody sends.")
	found, err := filepath.Glob("found/*quiet*.answers")
	if err != nil || len(found) != 1 {
		t.Fatalf("saved are %v", found)
	}
	command(exitAsStated, "shrink", found[0], "--claim", "quiet", "--as-scenario", "small.yaml")
	small, err := os.ReadFile("small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	says(string(small), "quiet: {log: violated}")
	command(exitAsStated, "run", "small.yaml")
}
