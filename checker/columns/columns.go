// Package columns measures text in the places that it takes on a terminal, for everything that stands in columns: most characters take
// one place, those of Chinese and others that are drawn wide take two, combining marks and escape sequences none.
package columns

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many places a text takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		if r < ' ' || r > '~' && !narrow(r) {
			return ansi.StringWidth(s)
		}
		n++
	}
	return n
}

// narrow says of the characters that the program draws with, and that nothing is combined with, that they take one place, so that
// they need not be looked up.
func narrow(r rune) bool { return r == '─' || r == '│' || r == '…' || r == '→' || r == '·' }

// PadRight fills a text up to a width.
func PadRight(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// PadLeft fills a text up to a width, from the left.
func PadLeft(s string, width int) string { return strings.Repeat(" ", max(0, width-Width(s))) + s }

// Head is the longest beginning of a text that takes no more than width places, and at least its first character.
func Head(s string, width int) string {
	if head := ansi.Truncate(s, width, ""); head != "" || s == "" {
		return head
	}
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}
