package view

import (
	"io"
	"strconv"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme is how things look: colours and glyphs. Meaning never rests on colour alone: whatever is coloured
// also has a glyph or a word of its own. The colours are blue, orange and pink, which people with any kind
// of colour vision tell apart; never green against red.
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

// NewTheme makes a theme. No style of the palette None writes any escape sequence.
func NewTheme(p Palette, ascii bool) *Theme {
	r := lipgloss.NewRenderer(io.Discard)
	t := &Theme{G: &unicode}
	if ascii {
		t.G = &plain
	}
	colour := func(full, basic string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(full)) }
	switch p {
	case Full:
		r.SetColorProfile(termenv.ANSI256)
	case Basic:
		r.SetColorProfile(termenv.ANSI)
		colour = func(_, basic string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(basic)) }
	default:
		r.SetColorProfile(termenv.Ascii)
		s := r.NewStyle()
		t.Plain, t.Strong, t.Faint, t.Good, t.Warn, t.Bad = s, s, s, s, s, s
		return t
	}
	t.Plain = r.NewStyle()
	t.Strong = r.NewStyle().Bold(true)
	t.Faint = r.NewStyle().Faint(true)
	t.Good = colour("75", "12") // blue
	t.Warn = colour("214", "3") // orange
	t.Bad = colour("205", "13") // pink
	t.Bad = t.Bad.Bold(true)
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
