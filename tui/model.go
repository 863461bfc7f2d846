package tui

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
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

	pick    *picker     // nil if the program was started on one scenario
	steps   []*stepper  // the run, and on top of it the comparison that was opened from it
	compare *compare    // the list of comparisons, over the stepper
	beside  *sideBySide // two runs beside each other, over everything but the help

	tree     *session.Branches // the run that was opened, and what was begun from it
	kept     []*stepper        // the screens of its branches
	branches *branchList       // the list of them, over the stepper
	choosing *choosing         // the list of what can happen next, over the stepper
	saving   saving
	files    map[*session.Session]string // where runs have been saved
	warned   bool                        // that branches are not saved

	broken []string // what is wrong with a file that does not open
	name   string   // of that file
	help   bool
	scroll int
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

// compare is the list of comparisons.
type compare struct {
	all []view.Comparison
	at  int
}

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

// open puts a run on top.
func (m *model) open(s *session.Session) {
	m.steps = []*stepper{newStepper(m.c, s, "")}
	m.tree, m.kept, m.files = session.NewBranches(s), m.steps[:1:1], map[*session.Session]string{}
}

func (m *model) top() *stepper {
	if len(m.steps) == 0 {
		return nil
	}
	return m.steps[len(m.steps)-1]
}

// key handles a key press; text is what the key would type.
func (m *model) key(k, text string) want {
	keys := m.c.Keys
	hit := func(b key.Binding) bool { return slices.Contains(b.Keys(), k) }
	if hit(keys.Die) {
		return wantQuit
	}
	switch {
	case m.help:
		m.helpKey(hit, k)
		return nothing
	case m.broken != nil:
		return m.brokenKey(hit)
	case m.beside != nil:
		return m.besideKey(hit)
	case m.compare != nil:
		return m.compareKey(hit)
	case m.branches != nil:
		return m.branchesKey(hit)
	case m.choosing != nil:
		return m.choosingKey(hit, k, text)
	case m.top() == nil:
		return m.pickKey(hit, k, text)
	}
	return m.stepKey(hit, k, text)
}

type hitFunc func(key.Binding) bool

func (m *model) helpKey(hit hitFunc, k string) {
	keys := m.c.Keys
	page := max(1, m.c.Height-3)
	switch {
	case k == "pgdown":
		m.scroll = min(m.scroll+page, m.c.HelpEnd())
	case k == "pgup":
		m.scroll = max(0, m.scroll-page)
	case hit(keys.Down), hit(keys.Forward):
		m.scroll = min(m.scroll+1, m.c.HelpEnd())
	case hit(keys.Up), hit(keys.Back):
		m.scroll = max(0, m.scroll-1)
	case hit(keys.Escape), hit(keys.Quit), hit(keys.Help):
		m.help = false
	}
}

func (m *model) brokenKey(hit hitFunc) want {
	keys := m.c.Keys
	switch {
	case hit(keys.Down):
		m.scroll++
	case hit(keys.Up):
		m.scroll = max(0, m.scroll-1)
	case hit(keys.Escape), hit(keys.Quit):
		m.broken = nil
	}
	return nothing
}

func (m *model) openHelp() { m.help, m.scroll = true, 0 }

func (m *model) pickKey(hit hitFunc, k, text string) want {
	p, keys := m.pick, m.c.Keys
	if p.typing {
		p.typing, p.filter = typeLine(p.typing, p.filter, k, text)
		p.apply()
		return nothing
	}
	switch {
	case hit(keys.Down):
		p.move(1)
	case hit(keys.Up):
		p.move(-1)
	case k == "pgdown":
		p.move(10)
	case k == "pgup":
		p.move(-10)
	case hit(keys.First):
		p.at = 0
	case hit(keys.Last):
		p.move(len(p.shown))
	case hit(keys.Find):
		p.typing = true
	case hit(keys.Enter), hit(keys.Forward):
		m.choose(p.choice())
	case hit(keys.Escape):
		p.filter = ""
		p.apply()
	case hit(keys.NextViolation):
		p.told = !p.told
	case hit(keys.Look):
		m.setLook((m.look + 1) % len(m.looks))
	case hit(keys.Help):
		m.openHelp()
	case hit(keys.Quit):
		return wantQuit
	}
	return nothing
}

// typeLine edits a line; it reports whether typing goes on.
func typeLine(typing bool, line, k, text string) (bool, string) {
	switch k {
	case "enter":
		return false, line
	case "esc":
		return false, ""
	case "backspace":
		if r := []rune(line); len(r) > 0 {
			line = string(r[:len(r)-1])
		}
	case "ctrl+u":
		line = ""
	default:
		line += text
	}
	return typing, line
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
		m.name, m.broken, m.scroll = name, problems(err), 0
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

func (m *model) compareKey(hit hitFunc) want {
	keys := m.c.Keys
	switch {
	case hit(keys.Down):
		m.compare.at = max(0, min(m.compare.at+1, len(m.compare.all)-1))
	case hit(keys.Up):
		m.compare.at = max(0, m.compare.at-1)
	case hit(keys.Enter), hit(keys.Forward):
		m.openComparison()
	case hit(keys.Beside):
		m.besideComparison()
	case hit(keys.Help):
		m.openHelp()
	case hit(keys.Escape), hit(keys.Quit), hit(keys.Compare):
		m.compare = nil
	}
	return nothing
}

// draw shows the screen on top.
func (m *model) draw() string {
	switch {
	case m.c.Width < view.MinWidth || m.c.Height < view.MinHeight:
		return m.c.TooSmall()
	case m.help:
		return m.c.Help(m.scroll)
	case m.broken != nil:
		return m.c.Trouble(m.name+" does not open", m.broken, m.scroll)
	case m.beside != nil:
		return m.c.Beside(&m.beside.Beside)
	case m.branches != nil:
		return m.c.Branches(m.top().S.File.Name.Text, m.branchRows(), m.branches.at)
	case m.choosing != nil:
		return m.c.Chooser(m.chooserView())
	case m.compare != nil:
		return m.c.Compare(m.top().S.File.Name.Text, m.compare.all, m.compare.at)
	case m.top() == nil:
		return m.c.Picker(m.pick.view())
	}
	if m.top().Exactly && m.top().Prompt == "" {
		return m.c.Exactly(&m.top().Stepper)
	}
	return m.c.Stepper(&m.top().Stepper)
}
