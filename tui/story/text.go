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

// Wrap breaks a text into lines of at most width places (at least 10): between words, and, in what is written
// without spaces, between characters. A word that is longer than a line is broken within. What belongs
// together, such as "HW 0 → 1", stays together.
func Wrap(s string, width int) []string {
	width = max(width, 10)
	var lines []string
	line, used := "", 0
	end := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, used = "", 0
	}
	for _, para := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		for _, w := range splitWords(para) {
			n := Width(w.text)
			space := 0
			if w.spaced && used > 0 {
				space = 1
			}
			if used > 0 && used+space+n > width {
				end()
				space = 0
			}
			for n > width {
				head := ansi.Truncate(w.text, width, "")
				line = head
				end()
				w.text = w.text[len(head):]
				n = Width(w.text)
			}
			line += strings.Repeat(" ", space) + w.text
			used += space + n
		}
		if used > 0 {
			end()
		}
	}
	return lines
}

// word is what Wrap does not break.
type word struct {
	text   string
	spaced bool // a space goes before it
}

var together = strings.NewReplacer(" → ", "\x00→\x00", "HW ", "HW\x00", " (acks=", "\x00(acks=")

// splitWords splits a line into words; a wide character is a word of its own, with the punctuation behind it.
func splitWords(s string) []word {
	var all []word
	for _, part := range strings.Fields(together.Replace(s)) {
		part = strings.ReplaceAll(part, "\x00", " ")
		spaced := true
		text := ""
		flush := func() {
			if text != "" {
				all = append(all, word{text, spaced})
				text, spaced = "", false
			}
		}
		for _, r := range part {
			wide := Width(string(r)) > 1
			switch {
			case wide && strings.ContainsRune(closing, r):
				text += string(r)
				flush()
			case wide:
				flush()
				text = string(r)
			case text != "" && Width(text) > 1 && isWide(text):
				flush()
				text = string(r)
			default:
				text += string(r)
			}
		}
		flush()
	}
	return all
}

func isWide(s string) bool {
	for _, r := range s {
		return Width(string(r)) > 1
	}
	return false
}

// closing holds the wide punctuation that no line begins with.
const closing = "，。？！：；、）》」』”"
