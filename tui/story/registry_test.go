package story

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/hunt"
)

const withOwnClaim = `name: own-claim
title: A claim that the test adds
kafka: "3.9"
topics: {orders: {}}
producers: {p: {}}
script:
  - send: {records: [m1]}
  - wait: {acked: m1}
claims: {nothing-sent: violated}
`

// TestAClaimIsOneRow adds a claim by one row, and nothing else: files can state it, the schema describes it, runs are ruled on,
// hunts look for it, and JSON has it.
func TestAClaimIsOneRow(t *testing.T) {
	load := func() (*format.File, []format.Problem) {
		f, problems := format.Load("own-claim.yaml", []byte(withOwnClaim), scenarios.Vocabulary)
		return f, problems
	}
	if _, problems := load(); len(problems) == 0 {
		t.Fatal("a claim without a row is accepted")
	}
	const own checker.Claim = "nothing-sent"
	remove := checker.Register(checker.Row{Name: own, Says: "Nobody sends anything.", Levels: []checker.Level{checker.AtLog},
		Stated: checker.StatedOnce, Looked: checker.Always}, func(h *checker.History, _ checker.Level) checker.Verdict {
		if len(h.Submissions) == 0 {
			return checker.Verdict{Ruling: checker.Holds}
		}
		return checker.Verdict{Ruling: checker.Violated, Evidence: checker.Evidence{Short: "something was sent", Sentence: "Something was sent."}}
	})
	defer func() {
		remove()
		if slices.Contains(checker.Claims(), own) {
			t.Error("the claim is still there")
		}
	}()
	f, problems := load()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if !strings.Contains(string(format.Schema()), "Nobody sends anything.") {
		t.Error("the schema does not describe the claim")
	}
	r, err := scenarios.New(f, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	end, err := New(r, Options{}).Ending("own-claim", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !end.AsStated() {
		t.Errorf("the run is not as the file states: %v", end.Result.Differs)
	}
	raw, err := json.Marshal(end.JSON().Claims[string(own)])
	if err != nil || !strings.Contains(string(raw), `"violated"`) || !strings.Contains(string(raw), "Something was sent.") {
		t.Errorf("JSON has %s, %v", raw, err)
	}
	opened := &scenarios.Opened{File: f, Path: "own-claim.yaml", Source: []byte(withOwnClaim)}
	report, err := hunt.Campaign(context.Background(), opened, hunt.Options{Runs: 2, Seed: 1, Jobs: 1, Budget: 1})
	if err != nil {
		t.Fatal(err)
	}
	found, err := json.Marshal(report)
	if err != nil || slices.Contains(report.NotLookedFor, string(own)) || !strings.Contains(string(found), string(own)) {
		t.Errorf("the hunt reports %s, %v", found, err)
	}
}

// TestEveryClaimIsExplained: docs/claims.md speaks of every row.
func TestEveryClaimIsExplained(t *testing.T) {
	doc, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var headings []string // "### At most once, at least once, exactly once" is about three
	for line := range strings.Lines(string(doc)) {
		if of, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
			headings = append(headings, strings.Split(strings.ToLower(of), ", ")...)
		}
	}
	for _, r := range checker.Rows() {
		if r.Says == "" || !slices.Contains(headings, strings.ReplaceAll(string(r.Name), "-", " ")) {
			t.Errorf("docs/claims.md has no heading for %s (%q)", r.Name, r.Says)
		}
	}
}
