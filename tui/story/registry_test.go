package story

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// namesClaims are the files outside of the checker that may speak of single claims, and why.
var namesClaims = map[string]string{
	"scenarios/explore/report.go":      "tells what is lost, doubled and missed apart, by the claim that it breaks",
	"scenarios/format/check_claims.go": "exactly-once is the other two together",
	"scenarios/predict.go":             "an option of runs asks for recent, of which a key then knows more (recency.go)",
	"scenarios/result.go":              "a run whose time was up is decided if its file states that it is not available",
	"tui/kafkatrial/explore.go":        "the flag --recent",
	"tui/pages/mendings.go":            "a table that compares two claims",
	"tui/session/find.go":              "a record that is there twice is a moment to stop at, before the run is over",
}

// TestOnlyRowsKnowClaims: no other file names a claim, as a constant or in a string, in code.
func TestOnlyRowsKnowClaims(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range checker.Rows() {
		rows[string(r.Name)] = true
	}
	constants := []string{"AtMostOnce", "AtLeastOnce", "ExactlyOnce", "Linearizable", "Ordered", "Atomic", "NoAbortedRead", "MonotonicRead", "Fenced", "Available", "Recent"}
	if len(constants) != len(rows) {
		t.Errorf("%d constants and %d rows", len(constants), len(rows))
	}
	met := map[string]bool{}
	for _, room := range []string{"scenarios", "tui"} {
		err := filepath.WalkDir("../../"+room, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			ast.Inspect(f, func(n ast.Node) bool {
				said := ""
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if from, ok := n.X.(*ast.Ident); ok && from.Name == "checker" && slices.Contains(constants, n.Sel.Name) {
						said = n.Sel.Name
					}
				case *ast.BasicLit:
					if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && rows[s] && s != "fenced" { // also a state of a producer
						said = s
					}
				}
				if said != "" {
					met[name] = true
					if namesClaims[name] == "" {
						t.Errorf("%s names the claim %s: read its row (checker.RowOf), or say here why not", files.Position(n.Pos()), said)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range namesClaims {
		if !met[name] {
			t.Errorf("%s is excused and names no claim", name)
		}
	}
}
