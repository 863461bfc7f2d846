package pages

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the quotations of every page anew")

// pages lists every page that may quote: the README and all of docs.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/lectures/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	return all
}

// What a page quotes is what the runs give now.
func TestPages(t *testing.T) {
	quotations := 0
	for _, file := range pages(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Render(filepath.Dir(file), string(src))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			quotations += strings.Count(want, endMark)
			if want == string(src) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			is, was := strings.Split(want, "\n"), strings.Split(string(src), "\n")
			for i := range is {
				if i >= len(was) || is[i] != was[i] {
					t.Fatalf("%s:%d differs from the run; if it is meant to, run: go test ./tui/pages -update\nthe run: %s", file, i+1, is[i])
				}
			}
			t.Fatalf("%s is longer than the runs make it; run: go test ./tui/pages -update", file)
		})
	}
	if quotations == 0 {
		t.Error("no page quotes anything: the marks are not recognised")
	}
}

// A quotation that is out of date is noticed, wherever in the page it stands, and the text around it stays.
func TestRenderMakesQuotationsAnew(t *testing.T) {
	page := "before\n<!-- verdicts: retry-duplicates -->\nstale\n<!-- end -->\nafter\n"
	got, err := Render(".", page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(got, "-->\n")
	table, tail, _ := strings.Cut(rest, endMark)
	if head != "before\n<!-- verdicts: retry-duplicates " || tail != "\nafter\n" {
		t.Errorf("what stands around the quotation has changed:\n%s", got)
	}
	if strings.Contains(table, "stale") || !strings.Contains(table, "| run | at-most-once |") {
		t.Errorf("the quotation was not made anew:\n%s", table)
	}
	again, err := Render(".", got)
	if err != nil || again != got {
		t.Errorf("a page that is up to date changes when it is rendered again: %v", err)
	}
}

// A mark without an end mark gets one, and swallows nothing.
func TestRenderAddsTheEndMark(t *testing.T) {
	got, err := Render(".", "<!-- verdicts: retry-duplicates -->\nfirst\n<!-- verdicts: acks-zero -->\nsecond\n")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(got, endMark) != 2 || !strings.Contains(got, "\nfirst\n") || !strings.Contains(got, "\nsecond\n") {
		t.Error(got)
	}
}

// A mark that can not be carried out is an error, never an empty quotation.
func TestRenderRefuses(t *testing.T) {
	for mark, want := range map[string]string{
		"verdicts: no-such-scenario":                       "no scenario",
		"run: retry-duplicates --from nowhere":             "--from",
		"run: retry-duplicates --to nowhere":               "--to",
		"run: retry-duplicates --compare 99":               "comparisons",
		"run: retry-duplicates --form x":                   "no such flag",
		`run: retry-duplicates --from "open`:               "quote",
		"screen: step retry-duplicates --at 999999, 80x24": "no step",
		"screen: step retry-duplicates --at end, 10x5":     "size",
		"statements: no-such-chapter.md":                   "no-such-chapter",
		"scenarios: 16":                                    "no topic",
		"ask: acks-zero calm":                              "one scenario",
		"verdicts: retry-duplicates kip-101-truncation":    "one scenario",
	} {
		_, err := Render(".", "a\n<!-- "+mark+" -->\n")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v; expected line 2 and %q", mark, err, want)
		}
	}
}

// An excerpt begins and ends with the rows that are named, continuation lines included.
func TestExcerptIsBounded(t *testing.T) {
	block := func(args ...string) (string, error) {
		text, err := excerpt(args)
		return text[strings.Index(text+"```", "```"):], err
	}
	whole, err := block("kip-101-truncation")
	if err != nil {
		t.Fatal(err)
	}
	part, err := block("kip-101-truncation", "--from", "follows b2 in epoch 1", "--to", "m2 cut")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(part, "\n")
	if len(lines) < 4 || !strings.Contains(lines[1], "b3   follows b2 in epoch 1") || !strings.Contains(lines[len(lines)-2], "m2 cut") {
		t.Errorf("not the rows that were asked for:\n%s", part)
	}
	if !strings.Contains(whole, strings.Join(lines[1:len(lines)-1], "\n")) {
		t.Error("the part is no part of the whole")
	}
}
