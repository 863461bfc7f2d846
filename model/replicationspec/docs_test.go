package replicationspec

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables and the story in docs/replication-spec.md")

// The tables in the document are those that the other tests check, and its story is the one that the model tells.
func TestDocument(t *testing.T) {
	const path = "../../docs/replication-spec.md"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(content)
	for _, part := range []struct{ name, text string }{
		{"counts", countsTable()},
		{"counterexamples", counterexamplesTable()},
		{"guards", guardsTable()},
		{"remembered", rememberedTable()},
		{"re-election", "```text\n" + check(t, checking(bounds(Remembered, 3, 1, 1, 2), StrongIsr)).Violation.String() + "```\n"},
		{"story", "```text\n" + check(t, checking(bounds(TruncateToHW, 2, 2, 2, 1), StrongIsr)).Violation.String() + "```\n"},
	} {
		begin, end := "<!-- begin "+part.name+" -->\n", "<!-- end "+part.name+" -->\n"
		before, rest, found := strings.Cut(doc, begin)
		old, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no part between %q and %q", path, begin, end)
		}
		if old != part.text && !*update {
			t.Errorf("the part %q of %s is out of date; run this test with -update. It has\n%s\nand should have\n%s", part.name, path, old, part.text)
		}
		doc = before + begin + part.text + end + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func countsTable() string {
	var b strings.Builder
	b.WriteString("| configuration | symmetry | generation | distinct | generated | depth |\n| --- | --- | --- | ---: | ---: | ---: |\n")
	for _, c := range counts {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d |\n", boundsOf(c.config), yesNo(c.config.Symmetry), c.config.Generation,
			thousands(c.distinct), thousands(c.generated), c.depth)
	}
	return b.String()
}

func counterexamplesTable() string {
	var b strings.Builder
	b.WriteString("| configuration | generation | invariant | states |\n| --- | --- | --- | ---: |\n")
	for _, s := range shortest {
		fmt.Fprintf(&b, "| %s | %s | %s | %d |\n", boundsOf(s.config), s.config.Generation, s.config.Invariants[0], s.states)
	}
	return b.String()
}

func guardsTable() string {
	var b strings.Builder
	b.WriteString("| the guard that is taken out | states |\n| --- | ---: |\n")
	for _, f := range faults {
		fmt.Fprintf(&b, "| %s | %d |\n", f.guard, f.states)
	}
	return b.String()
}

func rememberedTable() string {
	var b strings.Builder
	b.WriteString("| configuration | generation | a fetch | distinct | generated | depth | counterexample |\n| --- | --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, r := range remembered {
		fetch, found := "one step", "none"
		if r.config.SplitFetch {
			fetch = "two steps"
		}
		if r.states > 0 {
			fmt.Fprintf(&b, "| %d/%d/%d/%d | %s | %s | | | | %d states |\n", r.config.Replicas, r.config.LogSize, r.config.Records, r.config.Epochs, r.config.Generation, fetch, r.states)
			continue
		}
		fmt.Fprintf(&b, "| %d/%d/%d/%d | %s | %s | %s | %s | %d | %s |\n", r.config.Replicas, r.config.LogSize, r.config.Records, r.config.Epochs,
			r.config.Generation, fetch, thousands(r.distinct), thousands(r.generated), r.depth, found)
	}
	return b.String()
}

func boundsOf(c Config) string { return strings.TrimPrefix(c.String(), string(c.Generation)+" ") }

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
