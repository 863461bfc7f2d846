package format

import "strings"

// Nearest returns the candidate that is spelt most like the word, or "" if none is alike: the number of single-character
// edits (insert, delete, replace, swap of two neighbours) may be a third of the word's length, and 1 for a short word. A word
// whose parts shorten those of a candidate, as commit-db does commit-database, means that one. Case does not count. Of equals
// the first wins.
func Nearest(word string, candidates []string) string {
	if len(word) > 100 {
		return ""
	}
	for _, candidate := range candidates {
		if abbreviates(strings.ToLower(word), strings.ToLower(candidate)) {
			return candidate
		}
	}
	best, bestDistance := "", max(len([]rune(word))/3, 1)+1
	if len(word) < 2 {
		return ""
	}
	for _, candidate := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// abbreviates says that a word of several parts is short for another: each part has the letters of the other's in their order,
// from the first on, and one of them fewer.
func abbreviates(word, whole string) bool {
	short, long := strings.Split(word, "-"), strings.Split(whole, "-")
	if len(short) < 2 || len(short) != len(long) || len(word) >= len(whole) {
		return false
	}
	for i, part := range short {
		if part == "" || long[i] == "" || part[0] != long[i][0] {
			return false
		}
		rest := long[i]
		for _, letter := range part {
			at := strings.IndexRune(rest, letter)
			if at < 0 {
				return false
			}
			rest = rest[at+1:]
		}
	}
	return true
}

// editDistance is the optimal string alignment distance in characters.
func editDistance(from, to string) int {
	a, b := []rune(from), []rune(to)
	previous := make([]int, len(b)+1)
	current := make([]int, len(b)+1)
	var beforePrevious []int
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			replace := previous[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			current[j] = min(previous[j]+1, current[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], beforePrevious[j-2]+1)
			}
		}
		beforePrevious, previous, current = previous, current, make([]int, len(b)+1)
	}
	return previous[len(b)]
}
