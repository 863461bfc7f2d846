package view

import (
	"fmt"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Header says which run this is, and where in it one stands: how long it is, how far one has come.
func (c *Context) Header(s *session.Session, variant, branch string, playing bool) string {
	name := s.File.Name.Text
	if variant != "" {
		name += " " + variant
	}
	if branch != "" {
		name += " " + c.Theme.G.Dot + " " + branch
	}
	left := name
	if !strings.Contains(variant, "Kafka") {
		left += " " + c.Theme.G.Dot + " Kafka " + scenarios.Release(s.File.Kafka.Text)
	}
	parts := []string{fmt.Sprintf("step %d/%d", s.Here().Steps, s.Total()), story.Clock(s.Here().Now)}
	if n := s.Acts(); n > 0 {
		k, _ := s.Act()
		parts = append(parts, fmt.Sprintf("act %d/%d", k, n))
	}
	phase := Phase(s)
	if playing {
		phase = "playing"
	}
	parts = append(parts, phase, fmt.Sprintf("seed %d", s.Result.Seed))
	if s.Unfolded() {
		parts = append(parts, "unfolded")
	}
	sep := "  "
	right := strings.Join(parts, sep)
	for len(parts) > 2 && textWidth(left)+textWidth(right)+2 > c.Width {
		parts = parts[:len(parts)-1]
		right = strings.Join(parts, sep)
	}
	room := c.Width - textWidth(right) - 1
	return c.Theme.Strong.Render(c.Fit(left, room)) + " " + right
}

// Phase says how far the run has come, in a word.
func Phase(s *session.Session) string {
	switch {
	case s.AtEnd():
		return "end"
	case s.State().Phase == scenarios.Healing || s.Over():
		return "healing"
	case s.At() < s.Begin():
		return "start-up"
	}
	return "script"
}
