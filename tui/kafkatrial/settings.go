package main

import (
	"fmt"
	"strings"

	"kafkatrial/checker/columns"
	"kafkatrial/model/config"
	"kafkatrial/model/release"
	"kafkatrial/tui/story"
)

// settings prints a section: as a table, one line a setting, for files and pipes, and where its widest line fits; else,
// on a terminal or with --width, one below the other.
func (a *app) settings(s config.Section, v release.Version) {
	table, width := config.Describe(s, v), a.look().Width
	fits := true
	for _, line := range strings.Split(table, "\n") {
		fits = fits && columns.Width(line) <= width
	}
	if fits || a.width == 0 && !a.isTerminal() {
		fmt.Fprint(a.out, table)
		return
	}
	for _, d := range config.Settings(s, v) {
		fmt.Fprintf(a.out, "%s = %s\n", d.Key, d.Default)
		for _, line := range story.Wrap(d.Meaning, width-4) {
			fmt.Fprintf(a.out, "    %s\n", line)
		}
		for _, line := range story.Wrap("allowed: "+d.Allowed, width-4) {
			fmt.Fprintf(a.out, "    %s\n", line)
		}
	}
}
