// Package view draws the screens: plain functions from what is so to lines of text. Nothing here knows of
// keys being pressed or of time passing.
package view

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"kafkatrial/checker/columns"
)

// Smallest terminal in which the screens are drawn; below it words say so.
const (
	MinWidth  = 60
	MinHeight = 18
)

// Context is what every component shares: the size, the glyphs, the colours, the keys, the language.
type Context struct {
	Width, Height int
	Theme         *Theme
	Keys          *KeyMap
	Lang          string
}

// Fit makes a text exactly width places wide: cut with an ellipsis, or filled with spaces.
func (c *Context) Fit(s string, width int) string {
	if n := textWidth(s); n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	return fill(c.Cut(s, width), width)
}

// Cut shortens a text to width places, with an ellipsis if anything is left out.
func (c *Context) Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if textWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, c.Theme.G.Ellipsis)
}

func fill(s string, width int) string { return columns.PadRight(s, width) }

// Wrap breaks a text into lines of at most width places, between words.
func Wrap(s string, width int) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(ansi.Wrap(strings.TrimRight(s, "\n "), max(width, 8), " "), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// Rule is a pane's heading: a line with the title near its left end.
func (c *Context) Rule(title string, width int, focused bool) string {
	t := c.Theme
	lead := t.G.Line + " "
	style := t.Faint
	if focused {
		lead = t.G.Focus + " "
		style = t.Strong
	}
	if title == "" {
		return t.Faint.Render(strings.Repeat(t.G.Line, width))
	}
	title = c.Cut(title, width-4)
	rest := max(0, width-textWidth(title)-3)
	return style.Render(lead+title) + t.Faint.Render(" "+strings.Repeat(t.G.Line, rest))
}

// block makes lines exactly so many and so wide, so that panes can stand side by side.
func (c *Context) block(lines []string, width, height int) []string {
	out := make([]string, height)
	for i := range out {
		l := ""
		if i < len(lines) {
			l = lines[i]
		}
		out[i] = c.Fit(l, width)
	}
	return out
}

// beside puts two blocks of equal height next to each other.
func beside(left, right []string, gap string) []string {
	out := make([]string, len(left))
	for i := range left {
		out[i] = left[i] + gap + right[i]
	}
	return out
}

// Screen joins lines to a frame of exactly the terminal's size.
func (c *Context) Screen(lines []string) string {
	out := make([]string, c.Height)
	for i := range min(len(lines), c.Height) {
		out[i] = strings.TrimRight(c.Cut(lines[i], c.Width), " ")
	}
	return strings.Join(out, "\n")
}

// TooSmall says in words that there is no room.
func (c *Context) TooSmall() string {
	var lines []string
	for _, l := range []string{
		"This terminal is too small.",
		"The stepper needs at least 60 columns and 18 rows; here are " + num(c.Width) + " and " + num(c.Height) + ".",
		"Make the window larger, or run with --linear to read the run as text. q quits.",
	} {
		lines = append(lines, Wrap(l, max(c.Width, 8))...)
	}
	if len(lines) > c.Height && c.Height > 0 {
		lines = lines[:c.Height]
	}
	return strings.Join(lines, "\n")
}

// style renders text if it has any.
func style(s lipgloss.Style, text string) string {
	if text == "" {
		return ""
	}
	return s.Render(text)
}

func textWidth(s string) int { return columns.Width(s) }

// own writes a sentence of the program's own in the characters of the theme. Texts of a scenario keep theirs.
func (c *Context) own(s string) string {
	if c.Theme.G == &plain {
		return inASCII.Replace(s)
	}
	return s
}

var inASCII = strings.NewReplacer("→", "->", "–", "-", "…", "...", "·", "-", "“", `"`, "”", `"`, "’", "'", "≤", "<=", "≥", ">=")
