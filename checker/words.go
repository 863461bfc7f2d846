package checker

import (
	"slices"
	"strconv"
	"strings"
)

// and joins words as a sentence does: a; a and b; a, b and c.
func and(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// names turns records into words.
func names[T ~string](ids []T) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

// comma joins records for a table cell: m1, m2. It stops after four and says how many more there are.
func comma(ids []RecordID) string {
	if len(ids) > 4 {
		return strings.Join(names(ids[:4]), ", ") + " and " + strconv.Itoa(len(ids)-4) + " more"
	}
	return strings.Join(names(ids), ", ")
}

// many joins records for a sentence; beyond six it says how many more there are.
func many(ids []RecordID) string { return several(names(ids)) }

// several joins words for a sentence as and does; beyond six it says how many more there are.
func several(words []string) string {
	if len(words) > 6 {
		return strings.Join(words[:6], ", ") + " and " + strconv.Itoa(len(words)-6) + " more"
	}
	return and(words)
}

// numbers turns numbers into words.
func numbers[T ~int | ~int64](ns []T) []string {
	out := make([]string, len(ns))
	for i, n := range ns {
		out[i] = strconv.FormatInt(int64(n), 10)
	}
	return out
}

// inSteps says "in step 9" or "in steps 11 and 24".
func inSteps(steps ...int) string {
	if len(steps) == 1 {
		return "in step " + strconv.Itoa(steps[0])
	}
	return "in steps " + and(numbers(steps))
}

// atOffsets says "at offset 0" or "at offsets 0 and 1".
func atOffsets(offsets ...int64) string {
	if len(offsets) == 1 {
		return "at offset " + strconv.FormatInt(offsets[0], 10)
	}
	return "at offsets " + and(numbers(offsets))
}

// broker names a broker as the screens do.
func broker(id int) string { return "b" + strconv.Itoa(id) }

// times says "twice" or "3 times".
func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// verb picks the form for one or for several subjects.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// decisive sorts steps, drops doubles and the 0 that stands for "never", and keeps at most four: the first, the one
// after it, and the last two.
func decisive(steps ...int) []int {
	out := slices.Clone(steps)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > 0 && out[0] == 0 {
		out = out[1:]
	}
	if n := len(out); n > 4 {
		out = []int{out[0], out[1], out[n-2], out[n-1]}
	}
	return out
}

// distinct collects items and keeps the first of those that are equal.
type distinct[T comparable] struct {
	list []T
	seen map[T]bool
}

func (d *distinct[T]) add(items ...T) {
	if d.seen == nil {
		d.seen = make(map[T]bool)
	}
	for _, item := range items {
		if !d.seen[item] {
			d.seen[item] = true
			d.list = append(d.list, item)
		}
	}
}
