package pages

import (
	"strconv"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// A quotation begins with a caption: the scenario that it is of, and the command that opens it. The mark that asks
// for it is a comment, which no reader of the page sees.

// caption writes the line above a quotation. label says which of the runs of the scenario it is, "" for that of the
// file; words stand behind the command.
func caption(name, label, command, words string) string {
	text := "*`" + name + "`"
	if label != "" {
		text += " " + label
	}
	text += ":* `" + command + "`"
	if words != "" {
		text += ", " + words
	}
	return text + "\n\n"
}

// excerptCaption is that of an excerpt that shows these rows. v is the comparison it is of, nil for the run of the file,
// and n its number.
func excerptCaption(name string, v *format.Variant, n int, rows [][]string) string {
	command, label, words := "kafkatrial step "+name, "", ""
	if v != nil {
		label = scenarios.Label(v)
		only := format.Variant{Kafka: v.Kafka, Set: v.Set}
		if scenarios.Label(&only) != label { // no flag makes this comparison
			words = "then C and comparison " + strconv.Itoa(n)
		} else {
			if v.Kafka.Text != "" {
				command += " --kafka " + v.Kafka.Text
			}
			for _, s := range v.Set {
				command += " --set " + s.Key.Text + "=" + s.Value.Text
			}
		}
	}
	if step := firstStep(rows); step > 0 && words == "" {
		command += " --at " + strconv.Itoa(step)
	}
	if asks(rows) {
		if words != "" {
			words += ", "
		}
		words += "`?` asks, `=` is what the run answers"
	}
	return caption(name, label, command, words)
}

// firstStep is the number of the first step that the rows show, 0 if they show none.
func firstStep(rows [][]string) int {
	for _, r := range rows {
		if len(r[0]) > 6 {
			if n, err := strconv.Atoi(strings.TrimSpace(r[0][:6])); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

func asks(rows [][]string) bool {
	for _, r := range rows {
		if strings.HasPrefix(strings.TrimSpace(r[0]), "= ") {
			return true
		}
	}
	return false
}
