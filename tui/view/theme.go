package view

import (
	"io"
	"strconv"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme is how things look: colours and glyphs. Meaning never rests on colour alone: whatever is coloured
// also has a glyph or a word of its own. The colours are blue, orange and pink, which people with any kind
// of colour vision tell apart (of sixteen colours the nearest that can be read); never green against red.
type Theme struct {
	Plain  lipgloss.Style
	Strong lipgloss.Style
	Faint  lipgloss.Style // rules, what is folded or far away
	Good   lipgloss.Style // blue: holds, acknowledged, leads
	Warn   lipgloss.Style // orange: at risk, held, lost
	Bad    lipgloss.Style // pink: violated, crashed, cut
	G      *Glyphs
}

// Palette says how many colours there are.
type Palette uint8

// The palettes.
const (
	Full Palette = iota // 256 colours or more
	Basic
	None
)

// Ground is what the terminal draws on.
type Ground uint8

// The grounds that themes are made for.
const (
	Dark Ground = iota
	Light
)

// colours are those of a theme, as numbers of the 256 or of the 16 colours. Each is read on every ground that it is made for: the contrast
// is at least 4.5 (WCAG 2, success criterion 1.4.3), which a test computes.
type colours struct{ faint, good, warn, bad string }

// shades has the colours of each palette and ground. Sixteen colours leave no room for a faint one.
var shades = map[Palette][2]colours{
	Full:  {Dark: {"248", "75", "214", "205"}, Light: {"240", "25", "94", "125"}},
	Basic: {Dark: {"7", "14", "3", "13"}, Light: {"0", "4", "1", "5"}},
}

// NewTheme makes a theme. No style of the palette None writes any escape sequence.
func NewTheme(p Palette, on Ground, ascii bool) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	t := &Theme{G: &unicode}
	if ascii {
		t.G = &plain
	}
	switch p {
	case Full:
		r.SetColorProfile(termenv.ANSI256)
	case Basic:
		r.SetColorProfile(termenv.ANSI)
	default:
		r.SetColorProfile(termenv.Ascii)
		s := r.NewStyle()
		t.Plain, t.Strong, t.Faint, t.Good, t.Warn, t.Bad = s, s, s, s, s, s
		return t
	}
	colour := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	c := shades[p][on]
	t.Plain = r.NewStyle()
	t.Strong = r.NewStyle().Bold(true)
	t.Faint = colour(c.faint)
	t.Good, t.Warn, t.Bad = colour(c.good), colour(c.warn), colour(c.bad).Bold(true)
	return t
}

// Glyphs are the characters beyond letters that the screens draw with.
type Glyphs struct {
	Line, Focus, Pointer, Ellipsis, Dot, Arrow, Bar string
	Stable                                          string // the last stable offset
	Leader, Believes, Cut, Narrator                 string
	Holds, Risk, Violated, Undecided                string
	Forward, Back, Up, Down                         string

	Append, Copy, HW, Crash, Start, Pause, Elected, ISR, Send, Ack, Fail, Retry, Read, Process, Commit, Net, Lost, Told, Other string
}

var unicode = Glyphs{
	Line: "─", Focus: "▌", Pointer: "◀", Ellipsis: "…", Dot: "·", Arrow: "→", Bar: "│", Stable: "┊",
	Leader: "★", Believes: "☆", Cut: "✂", Narrator: "▸",
	Holds: "○", Risk: "◐", Violated: "●", Undecided: "?",
	Forward: "→", Back: "←", Up: "↑", Down: "↓",
	Append: "+", Copy: "=", HW: "▲", Crash: "✖", Start: "▷", Pause: "‖", Elected: "★", ISR: "◇", Send: "›", Ack: "✓", Fail: "✗",
	Retry: "↻", Read: "‹", Process: "■", Commit: "◆", Net: "≠", Lost: "✗", Told: "▸", Other: "·",
}

var plain = Glyphs{
	Line: "-", Focus: "#", Pointer: "<", Ellipsis: "~", Dot: "-", Arrow: "->", Bar: "|", Stable: ":",
	Leader: "*", Believes: "?", Cut: "%", Narrator: ">",
	Holds: "o", Risk: "!", Violated: "X", Undecided: "?",
	Forward: "->", Back: "<-", Up: "up", Down: "down",
	Append: "+", Copy: "=", HW: "^", Crash: "X", Start: "S", Pause: "P", Elected: "*", ISR: "I", Send: ">", Ack: "a", Fail: "x",
	Retry: "r", Read: "<", Process: "p", Commit: "c", Net: "/", Lost: "x", Told: "\"", Other: ".",
}

func num(n int) string { return strconv.Itoa(n) }
