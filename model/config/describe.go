package config

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"kafkatrial/model/release"
)

// Described is what Describe says of one setting.
type Described struct{ Key, Default, Allowed, Meaning string }

// Settings describes every setting of a section that exists in the release, in the order of their keys.
func Settings(s Section, version release.Version) []Described {
	var all []Described
	v := New(s, version)
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
		switch {
		case d.Harmless:
			meaning += " [changes no verdict: " + d.Unmodelled + "]"
		case d.Unmodelled != "":
			meaning += " [not modelled: " + d.Unmodelled + "]"
		}
		if !v.cells[i].null && v.Text(d.Key) != v.cells[i].text {
			meaning += " [while nothing is set " + v.Text(d.Key) + " is in force: " + d.Instead + "]"
		}
		all = append(all, Described{d.Key, text, d.expected(), meaning})
	}
	return all
}

// Describe prints the settings of a section that a version has, in alphabetical order: key, default, what
// is allowed, meaning. Those without effect in the model say why, and whether a scenario may set them.
func Describe(s Section, version release.Version) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "SETTING\tDEFAULT\tALLOWED\tMEANING\n")
	for _, d := range Settings(s, version) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Key, d.Default, d.Allowed, d.Meaning)
	}
	w.Flush()
	return b.String()
}
