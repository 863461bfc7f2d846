// Package generation says which rules a Kafka version has. A scenario picks a version, and may switch a
// single rule by the name of the proposal or ticket that brought it: the same run under two generations,
// and the difference of the verdicts, is the best lesson there is.
package generation

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a Kafka release line, such as 0.10.2 or 4.0.
type Version struct{ Major, Minor, Patch int }

// Oldest and Newest bound what the model knows.
var (
	Oldest = Version{0, 8, 0}
	Newest = Version{4, 3, 9}
)

// Default is the version of a scenario that names none.
var Default = Version{4, 0, 0}

// lines are the release lines there have been, oldest first; below 1.0 a line has three numbers.
var lines = []Version{
	{0, 8, 0}, {0, 8, 1}, {0, 8, 2}, {0, 9, 0}, {0, 10, 0}, {0, 10, 1}, {0, 10, 2}, {0, 11, 0}, {1, 0, 0}, {1, 1, 0},
	{2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {2, 3, 0}, {2, 4, 0}, {2, 5, 0}, {2, 6, 0}, {2, 7, 0}, {2, 8, 0},
	{3, 0, 0}, {3, 1, 0}, {3, 2, 0}, {3, 3, 0}, {3, 4, 0}, {3, 5, 0}, {3, 6, 0}, {3, 7, 0}, {3, 8, 0}, {3, 9, 0},
	{4, 0, 0}, {4, 1, 0}, {4, 2, 0}, {4, 3, 0},
}

// exists says whether there has been a release line with v's first two numbers; if not, nearest is the line
// next below.
func (v Version) exists() (nearest Version, ok bool) {
	nearest = lines[0]
	for _, l := range lines {
		if l.Major == v.Major && l.Minor == v.Minor {
			return l, true
		}
		if l.Less(v) {
			nearest = l
		}
	}
	return nearest, false
}

// Parse reads "0.10", "0.10.2", "2.8" or "4.0". Below 1.0 a release line has two numbers after the dot
// less than one expects: "0.10" means the newest of that line, 0.10.2, since that is what people ran.
func Parse(s string) (Version, error) {
	parts := strings.Split(s, ".")
	bad := fmt.Errorf("version %q of Kafka: want two or three numbers, such as 0.10, 2.8 or 4.0", s)
	if len(parts) < 2 || len(parts) > 3 {
		return Version{}, bad
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 99 || (len(p) > 1 && p[0] == '0') {
			return Version{}, bad
		}
		n[i] = v
	}
	v := Version{n[0], n[1], n[2]}
	if len(parts) == 2 {
		v.Patch = 9 // the newest of the line
	}
	if v.Less(Oldest) || Newest.Less(v) {
		return Version{}, fmt.Errorf("version %q of Kafka is outside what the model knows: %d.%d to %d.%d",
			s, Oldest.Major, Oldest.Minor, Newest.Major, Newest.Minor)
	}
	if nearest, ok := v.exists(); !ok || len(parts) == 3 && v.Patch > 9 {
		return Version{}, fmt.Errorf("there is no version %q of Kafka; did you mean %d.%d?", s, nearest.Major, nearest.Minor)
	}
	return v, nil
}

// Less orders versions.
func (v Version) Less(w Version) bool {
	if v.Major != w.Major {
		return v.Major < w.Major
	}
	if v.Minor != w.Minor {
		return v.Minor < w.Minor
	}
	return v.Patch < w.Patch
}

// AtLeast says whether v is w or newer.
func (v Version) AtLeast(w Version) bool { return !v.Less(w) }

// String writes the version as a person does: "4.0", "0.10", "0.10.2".
func (v Version) String() string {
	if v.Patch == 9 || (v.Patch == 0 && v.Major > 0) {
		return fmt.Sprintf("%d.%d", v.Major, v.Minor)
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
}
