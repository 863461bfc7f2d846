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
