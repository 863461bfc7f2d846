package story

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"kafkatrial/checker/columns"
	"kafkatrial/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts in scenarios/golden")

const golden = "../../scenarios/golden"

// noGap is a row that begins with a time, which is the second column.
var noGap = regexp.MustCompile(`^ *\d+\.\d{3}s `)

// transcriptOf is what "kafkatrial run NAME" prints on a terminal of 80 columns, without colours.
func transcriptOf(t testing.TB, name string) []byte {
	t.Helper()
	r := open(t, name, scenarios.Options{})
	r.Finish()
	end, err := New(r, Options{}).Ending(name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := end.Text(&b, Look{Width: 80}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every embedded scenario has a transcript that people read: it changes only when somebody means it to.
// "go test ./tui/story -update" rewrites them.
func TestGoldenTranscripts(t *testing.T) {
	if *update {
		if err := os.MkdirAll(golden, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range scenarios.Names() {
		t.Run(name, func(t *testing.T) {
			got := transcriptOf(t, name)
			for i, line := range strings.Split(string(got), "\n") {
				if columns.Width(line) > 80 {
					t.Errorf("line %d takes %d places: %s", i+1, columns.Width(line), line)
				}
				if noGap.MatchString(line) {
					t.Errorf("line %d: step and time run into one another: %s", i+1, line)
				}
			}
			file := filepath.Join(golden, name+".txt")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; write it with: go test ./tui/story -update", err)
			}
			if n, a, b := firstDifference(string(want), string(got)); n > 0 {
				t.Errorf("%s:%d differs; if it is meant to, run: go test ./tui/story -update\nwas: %s\nis:  %s", file, n, a, b)
			}
		})
	}
	files, _ := filepath.Glob(golden + "/*.txt")
	for _, f := range files {
		if _, ok := scenarios.Source(strings.TrimSuffix(filepath.Base(f), ".txt")); !ok {
			if !*update {
				t.Errorf("%s is of no scenario", f)
			} else if err := os.Remove(f); err != nil {
				t.Error(err)
			}
		}
	}
}

// firstDifference gives the number of the first line that differs, from 1, and both its forms; 0 if none does.
func firstDifference(a, b string) (n int, was, is string) {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := 0; i < max(len(la), len(lb)); i++ {
		x, y := "(nothing)", "(nothing)"
		if i < len(la) {
			x = la[i]
		}
		if i < len(lb) {
			y = lb[i]
		}
		if x != y {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}

// allForms is everything that can be printed of a run.
func allForms(t testing.TB, name string) string {
	t.Helper()
	r := open(t, name, scenarios.Options{})
	s := New(r, Options{Flights: true})
	for r.Step() {
		s.Observe()
	}
	s.Observe()
	end, err := s.Ending(name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, write := range []func(io.Writer, Look) error{end.Text, end.Linear} {
		if err := write(&b, Look{Width: 100, Color: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewEncoder(&b).Encode(end.JSON()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Two runs give the same bytes, in every form, whatever the number of processors.
func TestTranscriptsAreTheSameTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("every scenario is run and told twice, in every form")
	}
	for _, name := range scenarios.Names() {
		first := allForms(t, name)
		before := runtime.GOMAXPROCS(1)
		second := allForms(t, name)
		runtime.GOMAXPROCS(before)
		if n, a, b := firstDifference(first, second); n > 0 {
			t.Errorf("%s: line %d\nfirst:  %s\nsecond: %s", name, n, a, b)
		}
	}
}
