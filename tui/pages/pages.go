// Package pages keeps documentation true. A page of docs quotes runs, tables of verdicts and screens; each
// quotation stands between a mark that says what it is of and an end mark, and is made from the run:
//
//	<!-- run: kip-101-truncation --from "first failure" --to "m2 cut" -->
//	(made from the run)
//	<!-- end -->
//
// A test compares every page with what the runs give now, and "go test ./tui/pages -update" writes it anew.
package pages

import (
	"fmt"
	"strings"
)

// kind is one sort of quotation.
type kind struct {
	name  string
	make  func(dir string, args []string) (string, error) // dir is the page's directory
	usage string
}

// kinds lists what a mark can ask for.
var kinds = []kind{
	{"run", fromRun(excerpt), "NAME [--compare N] [--lang zh] [--from PLACE] [--to PLACE]"},
	{"verdicts", fromRun(verdicts), "NAME"},
	{"generations", fromRun(generations), "NAME RELEASE…"},
	{"try", fromRun(try), "NAME [--kafka RELEASE] [--set KEY=VALUE]…"},
	{"ask", fromRun(questions), "NAME [--lang zh]"},
	{"screen", fromRun(screen), "step NAME --at PLACE [--keys KEYS], WIDTHxHEIGHT"},
	{"statements", statements, "FILE… of chapters"},
	{"rules", fromRun(rules), "all, tickets, or others"},
	{"mendings", fromRun(mendings), "NAME RECORD"},
	{"scenarios", fromRun(listing), "NUMBER of a topic, or all"},
}

// fromRun makes a quotation that needs nothing but the scenarios.
func fromRun(f func([]string) (string, error)) func(string, []string) (string, error) {
	return func(_ string, args []string) (string, error) { return f(args) }
}

const endMark = "<!-- end -->"

// Render gives the page, which stands in dir, with every quotation made anew. A mark without an end mark gets
// one. The error names the line of the mark.
func Render(dir, page string) (string, error) {
	var out strings.Builder
	lines := strings.SplitAfter(page, "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		k, args, err := parseMark(lines[i])
		if err == nil && k == nil {
			continue
		}
		var text string
		if err == nil {
			text, err = k.make(dir, args)
		}
		if err != nil {
			usage := ""
			if k != nil {
				usage = fmt.Sprintf(" (the mark is written %s: %s)", k.name, k.usage)
			}
			return "", fmt.Errorf("line %d: %w%s", i+1, err, usage)
		}
		out.WriteString(text + "\n" + endMark + "\n")
		for j := i + 1; j < len(lines); j++ {
			if other, _, _ := parseMark(lines[j]); other != nil {
				break // the end mark is not there yet
			}
			if strings.TrimSpace(lines[j]) == endMark {
				i = j
				break
			}
		}
	}
	return out.String(), nil
}

// parseMark reads a line that is a mark; k is nil if it is none.
func parseMark(line string) (k *kind, args []string, err error) {
	body, ok := strings.CutPrefix(strings.TrimSpace(line), "<!-- ")
	if !ok {
		return nil, nil, nil
	}
	body, ok = strings.CutSuffix(body, " -->")
	name, rest, found := strings.Cut(body, ": ")
	if !ok || !found {
		return nil, nil, nil
	}
	for i := range kinds {
		if kinds[i].name != name {
			continue
		}
		args, err := words(rest)
		return &kinds[i], args, err
	}
	return nil, nil, nil
}

// words splits a mark's text: between spaces, with quotes around what has spaces in it. A comma may end a word.
func words(s string) ([]string, error) {
	var all []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if rest, quoted := strings.CutPrefix(s, `"`); quoted {
			word, after, closed := strings.Cut(rest, `"`)
			if !closed {
				return nil, fmt.Errorf("a quote is not closed: %s", s)
			}
			all, s = append(all, word), strings.TrimPrefix(after, ",")
			continue
		}
		word, after, _ := strings.Cut(s, " ")
		all, s = append(all, strings.TrimSuffix(word, ",")), after
	}
	return all, nil
}

// flags takes "--key value" pairs out of the words; what is left is returned. A flag that comes twice has its
// values on lines of their own.
func flags(args []string, into map[string]*string) ([]string, error) {
	var rest []string
	for i := 0; i < len(args); i++ {
		key, isFlag := strings.CutPrefix(args[i], "--")
		if !isFlag {
			rest = append(rest, args[i])
			continue
		}
		v, known := into[key]
		if !known || i+1 == len(args) {
			return nil, fmt.Errorf("%s: no such flag, or no value after it", args[i])
		}
		i++
		if *v != "" {
			*v += "\n"
		}
		*v += args[i]
	}
	return rest, nil
}

func fenced(text string) string { return "```text\n" + strings.TrimRight(text, "\n") + "\n```" }
