//go:build unix

package tui

import (
	"errors"
	"io"
	"syscall"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// waiting is a screen that does nothing, and says when it has begun.
type waiting struct{ begun chan struct{} }

func (w waiting) Init() tea.Cmd                       { close(w.begun); return nil }
func (w waiting) Update(tea.Msg) (tea.Model, tea.Cmd) { return w, nil }
func (w waiting) View() string                        { return "" }

// The signal that ends the screens is told, so that the exit status can show it.
func TestSignalsAreTold(t *testing.T) {
	for sent, want := range map[syscall.Signal]error{syscall.SIGINT: ErrInterrupted, syscall.SIGTERM: ErrTerminated} {
		in, keep := io.Pipe()
		w := waiting{make(chan struct{})}
		got := make(chan error)
		go func() { got <- program(w, Options{Input: in, Output: io.Discard}) }()
		<-w.begun
		if err := syscall.Kill(syscall.Getpid(), sent); err != nil {
			t.Fatal(err)
		}
		if err := <-got; !errors.Is(err, want) {
			t.Errorf("after %v: %v, want %v", sent, err, want)
		}
		keep.Close()
	}
}
