package explore

import (
	"fmt"
	"strings"

	"kafkatrial/checker/columns"
)

// Text tells the report in lines of at most width places.
func (r *Report) Text(width int) string {
	var b strings.Builder
	para := func(indent, format string, args ...any) {
		for _, line := range wrap(fmt.Sprintf(format, args...), width-len(indent)) {
			b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
		}
	}
	if len(r.EndsBefore) > 0 {
		para("", "WARNING: the script ends before these are acknowledged or failed: %s. Faults end with it, or soon after; a wait for what is to be tried, as its last step, gives them the time.", strings.Join(r.EndsBefore, ", "))
	}
	para("", "%s, Kafka %s: %s", r.Scenario, r.Kafka, plural(len(r.Outcomes), "distinct outcome"))
	if r.Complete {
		para("", "Every run there is was covered: %s.", r.counts())
	} else {
		para("", "Not every run was covered: %s.", r.counts())
		for _, s := range r.Bounds {
			para("  ", "%s", s)
		}
	}
	faults := r.Faults
	if faults == "" {
		faults = "none"
	}
	para("", "Faults: %s.", faults)
	of := len(r.Outcomes)
	unwanted := ""
	if r.Unwanted > 0 {
		unwanted = fmt.Sprintf("in %s a record takes effect though it was taken back, ", count(r.Unwanted))
	}
	missed := ""
	if r.Missed > 0 {
		missed = fmt.Sprintf("in %s a reader misses a record that was acknowledged before it asked, ", count(r.Missed))
	}
	para("", "Of %s, in %s an acknowledged record is lost, in %s a record takes effect twice, %s%sand %s undecided.",
		plural(of, "distinct outcome"), count(r.Lost), count(r.Doubled), unwanted, missed, isAre(r.Undecided))
	for i, o := range r.Outcomes {
		b.WriteString("\n")
		para("", "%d. %s", i+1, o.words())
		para("   ", "%s; the shortest run has %s and %s:", plural(o.Ends, "distinct end"), answers(o.Deviations), plural(o.Steps, "step"))
		for _, d := range o.Decisions {
			para("     ", "%s", d)
		}
		if len(o.Decisions) == 0 {
			para("     ", "every answer is calm")
		}
		if o.Undecided != "" {
			para("   ", "Undecided: %s.", strings.TrimSuffix(o.Undecided, "."))
		}
		for _, v := range o.Verdicts {
			if v.Evidence.Sentence != "" && v.Evidence.As == "" && !v.NotObserved {
				para("   ", "%s at the %s: %s. %s", v.Claim, v.Level, v.Ruling, v.Evidence.Sentence)
			}
		}
	}
	return b.String()
}

func (r *Report) counts() string {
	return fmt.Sprintf("%s, %s, %s", plural(r.States, "state"), plural(r.Transitions, "transition"), plural(r.Ends, "distinct end"))
}

// count writes a number with commas.
func count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

func isAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return count(n) + " are"
}

// wrap breaks a text between words into lines of at most width places, if its words allow it.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && columns.Width(line)+1+columns.Width(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
