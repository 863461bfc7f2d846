package checker

import (
	"strings"

	"kafkatrial/checker/columns"
)

// Widths of the table's columns; together they fill 80 places.
const (
	claimWidth = 16
	logWidth   = 34
	appWidth   = 30
)

// Table renders the report as text, at most 80 places wide, with a line feed after each line:
//
//	claim           at the log                        at the application
//	at-most-once    holds                             holds
//	at-least-once   VIOLATED  m1, m2 acknowledged in  VIOLATED  m1, m2 never
//	                step 9, cut in steps 11 and 24    processed
//
// Violations are in capitals, and no meaning rests on colour.
func (r Report) Table() string {
	var b strings.Builder
	row(&b, "claim", []string{"at the log"}, []string{"at the application"})
	for _, c := range Claims() {
		log, atLog := r.Find(c, AtLog)
		app, atApp := r.Find(c, AtApplication)
		if !atLog && !atApp {
			continue
		}
		left, right := cell(log, atLog, ""), cell(app, atApp, log.Evidence.As)
		row(&b, string(c), wrap(left, logWidth-2), wrap(right, appWidth))
	}
	return b.String()
}

// cell says what a verdict comes to. above is the claim the cell to the left refers to; the same reference is not
// given twice.
func cell(v Verdict, judged bool, above Claim) string {
	switch {
	case !judged:
		return "–"
	case v.NotObserved:
		return "not observed"
	case v.Ruling == Holds:
		return string(Holds)
	}
	word := string(v.Ruling)
	if v.Ruling == Violated {
		word = strings.ToUpper(word)
	}
	switch {
	case v.Evidence.As != "" && v.Evidence.As == above:
		return word
	case v.Evidence.As != "":
		return word + "  (as " + string(v.Evidence.As) + ")"
	case v.Evidence.Short == "":
		return word
	}
	return word + "  " + v.Evidence.Short
}

// row writes one row of the table over as many lines as its longest cell needs.
func row(b *strings.Builder, claim string, log, app []string) {
	for i := range max(len(log), len(app)) {
		line := columns.PadRight(claim, claimWidth) + columns.PadRight(at(log, i), logWidth) + at(app, i)
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
		claim = ""
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrap breaks a text into lines of at most width places, between words; a word that is longer is broken within. Two
// spaces between words are kept.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(s, " ") {
		for columns.Width(word) > width {
			if line != "" {
				lines, line = append(lines, strings.TrimRight(line, " ")), ""
			}
			head := columns.Head(word, width)
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case line == "":
			line = word // no line begins with a space
		case columns.Width(line)+1+columns.Width(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, strings.TrimRight(line, " ")), word
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}
