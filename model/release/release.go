// Package release says which rules a Kafka version has. A scenario picks a version, and may switch a
// single rule by the name of the proposal or ticket that brought it: the same run under two generations,
// and the difference of the verdicts, is the best lesson there is.
package release

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a release of Kafka, such as 2.8.1. Releases of 0.x have four numbers; Fix is the fourth, and 0 from 1.0 on.
type Version struct{ Major, Minor, Patch, Fix int }

// Oldest and Newest bound what the model knows. Default is the release of a command that is given none.
var Oldest, Newest = releases[0], releases[len(releases)-1]
var Default = Newest

// line says whether two releases are of one line: the lines are 0.10.1, 0.10.2, … and 1.0, 1.1, …
func (v Version) line(w Version) bool {
	return v.Major == w.Major && v.Minor == w.Minor && (v.Major > 0 || v.Patch == w.Patch)
}

// Parse reads a release, such as "2.8.1" or "0.10.2.2", or the name of a line, such as "2.8", "0.10.2" or "0.10": that is its
// last release. The error says what is expected, and names the nearest release for one that never came out.
func Parse(s string) (Version, error) {
	n, ok := numbers(s)
	if !ok {
		return Version{}, fmt.Errorf("version %q of Kafka: want two or three numbers, such as 0.10, 2.8 or 2.8.1, or four below 1.0, such as 0.10.2.2", s)
	}
	if named := within(n); len(named) > 0 {
		return named[len(named)-1], nil
	}
	v := Version{n[0], n[1], 0, 0}
	if len(n) > 2 {
		v.Patch = n[2]
	}
	if len(n) > 3 {
		v.Fix = n[3]
	}
	if v.Less(Oldest) || Newest.Less(v) && !Newest.line(v) {
		near := Newest
		if v.Less(Oldest) {
			near = Oldest
		}
		return Version{}, &OutOfRange{s, near}
	}
	return Version{}, &NeverReleased{s, nearest(n, v)}
}

// OutOfRange is the error for a release before the oldest or after the newest that the model knows.
type OutOfRange struct {
	Asked   string
	Nearest Version
}

func (e *OutOfRange) Error() string {
	return fmt.Sprintf("version %q of Kafka is outside what the model knows: %v to %v", e.Asked, Oldest, Newest)
}

// NeverReleased is the error for a release that never came out, between some that did.
type NeverReleased struct{ Asked, Nearest string }

func (e *NeverReleased) Error() string {
	return fmt.Sprintf("there is no release %q of Kafka; did you mean %s?", e.Asked, e.Nearest)
}

// numbers reads two to four numbers with dots between; four of them only below 1.0.
func numbers(s string) (n []int, ok bool) {
	for _, p := range strings.Split(s, ".") {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 99 || strconv.Itoa(v) != p {
			return nil, false
		}
		n = append(n, v)
	}
	return n, len(n) >= 2 && (len(n) <= 3 || len(n) == 4 && n[0] == 0)
}

// within gives the releases whose first numbers these are, oldest first.
func within(n []int) (found []Version) {
	for _, r := range releases {
		all := []int{r.Major, r.Minor, r.Patch, r.Fix}
		if slices.Equal(all[:len(n)], n) {
			found = append(found, r)
		}
	}
	return found
}

// nearest names the last release before v, or its line if a line was asked for.
func nearest(n []int, v Version) string {
	var before Version
	for _, r := range releases {
		if r.Less(v) {
			before = r
		}
	}
	if len(n) == 2 && before.Major > 0 {
		return fmt.Sprintf("%d.%d", before.Major, before.Minor)
	}
	return before.String()
}

// Less orders versions.
func (v Version) Less(w Version) bool {
	return slices.Compare([]int{v.Major, v.Minor, v.Patch, v.Fix}, []int{w.Major, w.Minor, w.Patch, w.Fix}) < 0
}

// AtLeast says whether v is w or newer.
func (v Version) AtLeast(w Version) bool { return !v.Less(w) }

// String writes the release with all its numbers: "4.0.0", "0.10.2.2". The very first one had three.
func (v Version) String() string {
	if v.Major > 0 || v == Oldest {
		return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	}
	return fmt.Sprintf("%d.%d.%d.%d", v.Major, v.Minor, v.Patch, v.Fix)
}

// First gives the first release of the line that the text names, or the very release: First("2.4") is 2.4.0. It is for the
// tables of the model, and panics for what never came out.
func First(s string) Version {
	n, ok := numbers(s)
	found := within(n)
	if !ok || len(found) == 0 {
		panic("generation: " + s + " never came out")
	}
	return found[0]
}

// Releases say from which release on something is so, line by line: the first release that has it, for each line that got it
// after its own first release, and last the one from which every later release has it. 2.7.2, 2.8.1 and 3.0.0 leave out
// 2.7.0, 2.7.1 and 2.8.0. None at all is never.
type Releases []Version

// at reads a list of releases, each with all its numbers.
func at(names ...string) (r Releases) {
	for _, s := range names {
		v := First(s)
		if v.String() != s {
			panic("generation: " + s + " is a line, and not a release")
		}
		r = append(r, v)
	}
	return r
}

// Reached says whether a release is one of those, or follows one: in the same line, or anywhere after the last.
func (r Releases) Reached(v Version) bool {
	for i, first := range r {
		if v.AtLeast(first) && (i == len(r)-1 || v.line(first)) {
			return true
		}
	}
	return false
}

// String writes "2.7.2, 2.8.1 and 3.0.0".
func (r Releases) String() string {
	text := ""
	for i, v := range r {
		switch {
		case i == 0:
		case i == len(r)-1:
			text += " and "
		default:
			text += ", "
		}
		text += v.String()
	}
	return text
}
