// Package tui is the stepper: screens in which a person chooses a scenario and goes through its run, forward
// and back. Screens lie in a stack (screen.go); what a key does on each is in picker.go, stepping.go, choosing.go, branching.go and
// sidebyside.go, what a key is in tui/view/keys.go, how a screen looks in tui/view, how a run is taken to a moment in tui/session. Bubble Tea
// runs the program from this file.
package tui

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
)

// Pick shows the list of scenarios and opens those that are chosen. It returns when the person quits.
func Pick(o Options) error {
	m := newModel(o)
	m.push(newPicker(o.Lang))
	return run(m, o)
}

// Step opens the stepper on a scenario. The error says why it can not be run, or that o.At is no place in it.
func Step(opened *scenarios.Opened, o Options) error {
	m := newModel(o)
	s, err := session.Open(opened, o.Run, o.Lang)
	if err != nil {
		return err
	}
	if o.At != "" {
		i, err := s.Find(o.At)
		if err != nil {
			return fmt.Errorf("--at %w", err)
		}
		s.GoTo(i)
	}
	m.open(s)
	return run(m, o)
}

func run(m *model, o Options) error {
	m.out = os.Stdout
	if o.Output != nil {
		m.out = o.Output
	}
	return program(m, o)
}

// program runs a screen until the person quits it.
func program(m tea.Model, o Options) error {
	options := []tea.ProgramOption{tea.WithAltScreen()}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	return untilSignal(tea.NewProgram(m, append(options, tea.WithoutSignalHandler())...))
}

// untilSignal runs a program until it ends, or a signal ends it, which the error then tells.
func untilSignal(p *tea.Program) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	over, caught := make(chan struct{}), make(chan error, 1)
	go func() {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM {
				caught <- ErrTerminated
			} else {
				caught <- ErrInterrupted
			}
			p.Quit()
		case <-over:
		}
	}()
	_, err := p.Run()
	close(over)
	select {
	case by := <-caught:
		return by
	default:
		return err
	}
}

// What Pick and Step give when a signal has ended them: SIGINT, SIGTERM.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTerminated  = errors.New("terminated")
)

// Init asks for nothing: the terminal tells its size by itself.
func (m *model) Init() tea.Cmd { return nil }

// tick says that it is time for the next step of play. Each start of play has its own number, so that a tick
// of an earlier one does nothing.
type tick int

// Update takes a message: a key, a size, a tick.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.c.Width, m.c.Height = msg.Width, msg.Height
	case tick:
		if int(msg) == m.plays && m.playOn() {
			return m, m.next()
		}
	case saved:
		m.saved(msg)
	case tea.KeyMsg:
		return m, m.do(m.key(msg))
	}
	return m, nil
}

// do turns what a key wants of the world outside into a command.
func (m *model) do(w want) tea.Cmd {
	switch w {
	case wantQuit:
		return tea.Quit
	case wantTick:
		return m.next()
	case wantSave:
		file := m.saving
		return func() tea.Msg { return file.write() }
	case wantCopy:
		text, out := m.copied, m.out
		return func() tea.Msg {
			osc52.New(text).WriteTo(out)
			return nil
		}
	}
	return nil
}

func (m *model) next() tea.Cmd {
	n := m.plays
	return tea.Tick(m.speed, func(time.Time) tea.Msg { return tick(n) })
}

// View draws the screen.
func (m *model) View() string { return m.draw() }
