package config

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"kafkatrial/model/generation"
)

// Describe prints the settings of a section that a version has, in alphabetical order: key, default, what
// is allowed, meaning. Those without effect in the model say why.
func Describe(s Section, version generation.Version) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "SETTING\tDEFAULT\tALLOWED\tMEANING\n")
	for i := range tables[s] {
		d := tables[s][i].at(version)
		if !d.Exists(version) {
			continue
		}
		text := d.Default(version)
		if text == "" {
			text = `""`
		}
		meaning := d.Meaning
		if d.Unmodelled != "" {
			meaning += " [no effect: " + d.Unmodelled + "]"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Key, text, d.expected(), meaning)
	}
	w.Flush()
	return b.String()
}
