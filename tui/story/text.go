package story

import (
	"strings"

	"kafkatrial/checker/columns"
)

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
			n := columns.Width(w.text)
			space := 0
			if w.spaced && used > 0 {
				space = 1
			}
			if used > 0 && used+space+n > width {
				end()
				space = 0
			}
			for n > width {
				head := columns.Head(w.text, width)
				line = head
				end()
				w.text = w.text[len(head):]
				n = columns.Width(w.text)
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
			if rest, ok := strings.CutPrefix(text, " "); ok { // of what belongs together the second part, behind a wide character
				text, spaced = rest, true
			}
			if text != "" {
				all = append(all, word{text, spaced})
				text, spaced = "", false
			}
		}
		for _, r := range part {
			wide := columns.Width(string(r)) > 1
			switch {
			case wide && strings.ContainsRune(closing, r):
				text += string(r)
				flush()
			case wide:
				flush()
				text = string(r)
			case text != "" && columns.Width(text) > 1 && isWide(text):
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
		return columns.Width(string(r)) > 1
	}
	return false
}

// closing holds the wide punctuation that no line begins with.
const closing = "，。？！：；、）》」』”"
