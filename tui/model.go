package tui

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// model is the program: which screen is on top, and what lies below it.
type model struct {
	o     Options
	c     *view.Context
	look  int // which of looks
	looks []look
	out   io.Writer

	stack []screen // what is shown, the top last

	tree   *session.Branches // the run that was opened, and what was begun from it
	kept   []*stepper        // the screens of its branches
	saving saving
	files  map[*session.Session]string // where runs have been saved
	warned bool                        // that branches are not saved

	speed  time.Duration
	plays  int // how often play was started
	copied string
}

// look is one way to draw.
type look struct {
	palette view.Palette
	ground  view.Ground
	ascii   bool
	name    string
}

// want is what a key wants of the world outside.
type want uint8

const (
	nothing want = iota
	wantQuit
	wantTick
	wantCopy
	wantSave
)

const defaultSpeed = 700 * time.Millisecond

func newModel(o Options) *model {
	m := &model{o: o, speed: o.Speed, out: io.Discard}
	if m.speed <= 0 {
		m.speed = defaultSpeed
	}
	palette := palette(o)
	m.looks = looks(palette, ground(o), o.ASCII)
	m.c = &view.Context{Width: 80, Height: 24, Lang: o.Lang}
	m.setLook(0)
	return m
}

// looks lists the ways to draw, from the one that was asked for.
func looks(p view.Palette, on view.Ground, ascii bool) []look {
	all := []look{{p, on, ascii, "as the terminal has it"}}
	if p != view.None {
		other := look{p, view.Light, ascii, "for a light background"}
		if on == view.Light {
			other.ground, other.name = view.Dark, "for a dark background"
		}
		all = append(all, other)
		if !ascii {
			all = append(all, look{view.None, on, false, "without colours"})
		}
	}
	if !ascii {
		all = append(all, look{view.None, on, true, "ASCII"})
	}
	return all
}

func ground(o Options) view.Ground {
	if o.Light {
		return view.Light
	}
	return view.Dark
}

// palette finds out how many colours there are: none if the options, NO_COLOR or a dumb terminal say so.
func palette(o Options) view.Palette {
	if o.NoColor || os.Getenv("NO_COLOR") != "" {
		return view.None
	}
	switch termenv.EnvColorProfile() {
	case termenv.Ascii:
		return view.None
	case termenv.ANSI:
		return view.Basic
	}
	return view.Full
}

func (m *model) setLook(i int) {
	m.look = i
	l := m.looks[i]
	m.c.Theme = view.NewTheme(l.palette, l.ground, l.ascii)
	m.c.Keys = view.NewKeyMap(m.c.Theme.G)
}

// nextLook draws in the next way.
func (m *model) nextLook() { m.setLook((m.look + 1) % len(m.looks)) }

// open puts a run on top.
func (m *model) open(s *session.Session) {
	v := newStepper(m.c, s, "")
	m.show(v)
	m.tree, m.kept, m.files = session.NewBranches(s), []*stepper{v}, map[*session.Session]string{}
}

// key handles a key press.
func (m *model) key(msg tea.KeyMsg) want {
	p := press{msg}
	if p.is(m.c.Keys.Die) {
		return wantQuit
	}
	return m.stack[len(m.stack)-1].key(m, p)
}

// choose opens a scenario of the list, or says what is wrong with it.
func (m *model) choose(name string) {
	if name == "" {
		return
	}
	opened, err := scenarios.Open(name)
	var s *session.Session
	if err == nil {
		s, err = session.Open(opened, m.o.Run, m.o.Lang)
	}
	if err != nil {
		m.push(newPager(name+" does not open", m.c.Keys.Escape, func(c *view.Context) []string { return c.TroubleLines(problems(err)) }))
		return
	}
	m.open(s)
}

// problems writes an error as lines.
func problems(err error) []string {
	var ps scenarios.Problems
	if errors.As(err, &ps) {
		var lines []string
		for _, p := range ps {
			lines = append(lines, p.Error(), "")
		}
		return lines
	}
	return strings.Split(err.Error(), "\n")
}

// draw shows the screen on top.
func (m *model) draw() string {
	if m.c.Width < view.MinWidth || m.c.Height < view.MinHeight {
		return m.c.TooSmall()
	}
	return m.stack[len(m.stack)-1].view(m)
}
