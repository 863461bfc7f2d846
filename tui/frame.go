package tui

import (
	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
)

// Frame draws one screen of the stepper as text, without a terminal: what Step shows when it opens at o.At
// in a terminal of this size (in places), and then, in order, these keys are pressed. Documentation quotes it.
// The error says why the scenario can not be run, or that o.At is no place in it.
func Frame(opened *scenarios.Opened, o Options, width, height int, keys ...string) (string, error) {
	m := newModel(o)
	m.c.Width, m.c.Height = width, height
	s, err := session.Open(opened, o.Run, o.Lang)
	if err != nil {
		return "", err
	}
	i, err := s.Find(o.At)
	if err != nil {
		return "", err
	}
	s.GoTo(i)
	m.open(s)
	for _, k := range keys {
		m.key(pressed(k))
	}
	return m.View(), nil
}
