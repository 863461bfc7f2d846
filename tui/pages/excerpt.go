package pages

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/story"
)

// width is that of a transcript in a page.
const width = 80

// excerpt quotes a run's transcript, or the part of it from one place to another. A place is the number of a
// step, or words that stand in a row of the transcript. --compare N quotes the N-th comparison of the file.
func excerpt(args []string) (string, error) {
	var compare, lang, from, to string
	rest, err := flags(args, map[string]*string{"compare": &compare, "lang": &lang, "from": &from, "to": &to})
	if err != nil {
		return "", err
	}
	if len(rest) != 1 {
		return "", errors.New("expected the name of one scenario")
	}
	o, err := scenarios.Open(rest[0])
	if err != nil {
		return "", err
	}
	f := o.File
	var v *format.Variant
	n := 0
	if compare != "" {
		variants := scenarios.Variants(f)
		n, err = strconv.Atoi(compare)
		if err != nil || n < 1 || n > len(variants) {
			return "", fmt.Errorf("--compare %s: the file has %d comparisons", compare, len(variants))
		}
		f, v = variants[n-1], &o.File.Compare[n-1]
	}
	r, err := scenarios.New(f, scenarios.Options{})
	if err != nil {
		return "", err
	}
	r.Finish()
	var b bytes.Buffer
	if err := story.New(r, story.Options{Lang: lang}).Transcript(&b, story.Look{Width: width}); err != nil {
		return "", err
	}
	rows := rowsOf(b.String())
	first, last := 0, len(rows)-1
	if from != "" {
		if first = place(rows, 0, from); first < 0 {
			return "", fmt.Errorf("--from %q is nowhere in the run of %s", from, rest[0])
		}
	}
	if to != "" {
		if last = place(rows, first, to); last < 0 {
			return "", fmt.Errorf("--to %q does not come in the run of %s", to, rest[0])
		}
	}
	var text []string
	for i := first; i <= last; i++ {
		text = append(text, rows[i]...)
	}
	return excerptCaption(rest[0], v, n, rows[first:last+1]) + fenced(strings.Trim(strings.Join(text, "\n"), "\n")), nil
}

// rowsOf splits a transcript into rows of one line or more: the header is left out, and a line that begins in
// the columns of step and time, or with a sign of its own, begins a row.
func rowsOf(transcript string) (rows [][]string) {
	_, body, _ := strings.Cut(transcript, "\n  step ")
	_, body, _ = strings.Cut(body, "\n")
	for _, line := range strings.Split(strings.TrimRight(body, "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		begins := len(line) > 6 && strings.TrimSpace(line[:6]) != ""
		for _, sign := range []string{"▸ ", "? ", "= ", "! "} {
			begins = begins || strings.HasPrefix(trimmed, sign)
		}
		if begins || len(rows) == 0 || line == "" {
			rows = append(rows, []string{line})
			continue
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], line)
	}
	return rows
}

// place finds the first row, from one on, that bears the step or holds the words; -1 if none does.
func place(rows [][]string, from int, where string) int {
	for i := from; i < len(rows); i++ {
		fields := strings.Fields(strings.Join(rows[i], " "))
		if len(fields) > 0 && fields[0] == where || strings.Contains(strings.Join(fields, " "), where) {
			return i
		}
	}
	return -1
}
