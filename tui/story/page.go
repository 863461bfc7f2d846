package story

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"kafkatrial/checker/columns"
)

// page collects lines of text.
type page struct {
	look Look
	out  strings.Builder
}

// style is how a piece of text is drawn where there are colours. No meaning rests on it.
type style uint8

const (
	plain style = iota
	bold
	dim
	said // what the narrator says
	warn // a fault
	gone // what was cut
	bad  // a violated claim
)

// codes are colours of the sixteen that every terminal has, on a dark ground and on a light one: those that can be read there, and that are
// told apart by people who do not see red and green apart. There is no dim one among them that can be read everywhere.
var codes = [2][bad + 1]string{
	{bold: "1", dim: "37", said: "36", warn: "33", gone: "95", bad: "1;95"},
	{bold: "1", dim: "30", said: "34", warn: "31", gone: "35", bad: "1;35"},
}

// code is the colour of a style.
func (p *page) code(s style) string {
	if p.look.Light {
		return codes[1][s]
	}
	return codes[0][s]
}

type piece struct {
	style style
	text  string
}

// line ends the page's line with a text in one style.
func (p *page) line(s style, text string) { p.spans(piece{s, text}) }

// spans writes a line of pieces, without blanks at its end.
func (p *page) spans(pieces ...piece) {
	for n := len(pieces) - 1; n >= 0; n-- {
		pieces[n].text = strings.TrimRight(pieces[n].text, " ")
		if pieces[n].text != "" {
			break
		}
	}
	for _, part := range pieces {
		text := p.glyphs(part.text)
		if p.look.Color && part.style != plain && strings.TrimSpace(text) != "" {
			indent := len(text) - len(strings.TrimLeft(text, " "))
			p.out.WriteString(text[:indent] + "\x1b[" + p.code(part.style) + "m" + text[indent:] + "\x1b[0m")
		} else {
			p.out.WriteString(text)
		}
	}
	p.out.WriteByte('\n')
}

// wrapped writes a text over as many lines as it needs; those after the first begin with indent.
func (p *page) wrapped(s style, text, indent string) {
	text = p.glyphs(text)
	start := len(text) - len(strings.TrimLeft(text, " "))
	first := text[:start]
	lines := Wrap(text[start:], p.look.Width-max(start, columns.Width(indent)))
	for k, l := range lines {
		if k > 0 {
			first = indent
		}
		p.line(s, first+l)
	}
}

var ascii = strings.NewReplacer("✖", "x", "⋮", ":", "▸", ">", "──", "--", "→", "->", "←", "<-", "–", "-", "…", "...", "·", "-", "│", "|", "“", `"`, "”", `"`, "’", "'")

// glyphs writes a text with ASCII in place of the program's own signs, if that was asked for. Texts of other
// languages stay as they are.
func (p *page) glyphs(s string) string {
	if p.look.ASCII {
		return ascii.Replace(s)
	}
	return s
}

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.out.String())
	return err
}

// Capital writes a text as the beginning of a sentence.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
