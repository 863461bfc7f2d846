package story

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many places a text takes on a terminal: Chinese characters take two.
func Width(s string) int { return ansi.StringWidth(s) }

// PadRight fills a text up to a width.
func PadRight(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// PadLeft fills a text up to a width, from the left.
func PadLeft(s string, width int) string { return strings.Repeat(" ", max(0, width-Width(s))) + s }

// Wrap breaks a text into lines of at most width places, between words; what has no spaces, as Chinese, is
// broken where the line is full.
func Wrap(s string, width int) []string {
	if s == "" {
		return nil
	}
	width = max(width, 10)
	var lines []string
	for _, para := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		lines = append(lines, strings.Split(ansi.Wrap(para, width, " "), "\n")...)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
