package format

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/checker/columns"
)

// Pos is a place in a scenario file. Line and Col count from 1; Col counts characters, not bytes.
type Pos struct {
	File      string
	Line, Col int
}

// String gives "file:line:col".
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Problem is one thing that is wrong with a scenario file, or, from Lint, one thing that could be better.
type Problem struct {
	File      string
	Line, Col int    // both from 1
	Msg       string // what is wrong, without a full stop
	Expected  string // what could stand there; may be empty
	Nearest   string // the known name that is spelt most alike; may be empty
}

// ProblemAt makes a Problem at a place; the runner reports with it what only the model can find out.
func ProblemAt(at Pos, msg, expected, nearest string) Problem {
	return Problem{File: at.File, Line: at.Line, Col: at.Col, Msg: msg, Expected: expected, Nearest: nearest}
}

// Error gives the whole problem in one line: "file:line:col: message; expected …; did you mean "…"?".
func (p Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", p.File, p.Line, p.Col, p.Msg)
	if p.Expected != "" {
		fmt.Fprintf(&b, "; expected %s", p.Expected)
	}
	if p.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Nearest)
	}
	return b.String()
}

// Excerpt shows the problem with the line it is about and a caret under the column:
//
//	file:3:1: unknown key "brokrs" in cluster; expected …
//	   3 | brokrs: 2
//	     | ^
//
// A long line is cut around the column to stay under 100 characters.
func (p Problem) Excerpt(src []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return p.Error() + "\n"
	}
	line := []rune(strings.Map(visible, strings.ToValidUTF8(lines[p.Line-1], "\uFFFD")))
	col := max(p.Col, 1)
	start := 0
	if len(line) > 100 && col > 60 {
		start = min(col-40, len(line))
	}
	end := min(len(line), start+100)
	pad := columns.Width(string(line[start:max(start, min(col-1, end))])) + max(0, col-1-end) // behind the end of the line too
	return fmt.Sprintf("%s\n%4d | %s\n     | %s^\n", p.Error(), p.Line, string(line[start:end]), strings.Repeat(" ", pad))
}

// visible keeps an excerpt on one line and its caret in place: a tab becomes one space, other control characters a mark.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ' || r == 0x7f:
		return '\uFFFD'
	}
	return r
}

// Sorted puts problems in the order of the file and drops exact repetitions. Of more than MaxProblems the last one
// says where the rest begins, and how many they are.
func Sorted(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	ps = slices.Compact(ps)
	if len(ps) <= MaxProblems {
		return ps
	}
	first := ps[MaxProblems]
	text := fmt.Sprintf("and %d more problems from here on", len(ps)-MaxProblems)
	if len(ps) == MaxProblems+1 {
		text = "and 1 more problem here"
	}
	return append(ps[:MaxProblems:MaxProblems], Problem{File: first.File, Line: first.Line, Col: first.Col, Msg: text})
}
