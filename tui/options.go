package tui

import (
	"io"
	"time"

	"kafkatrial/scenarios"
)

// Options say how the screens look and behave. The zero value is colours as the terminal has them, in the
// terminal itself.
type Options struct {
	// Run is the run to look at: another release, other settings, another seed.
	Run scenarios.Options
	// At is where to open: a step ("11"), a time ("120ms"), an act ("act 2"), "start" or "end"; empty: where
	// the script begins.
	At string
	// Lang is the language of the scenario's texts: "en", "zh"; empty: the file's first choice.
	Lang string
	// NoColor draws without colours, ASCII without any character beyond ASCII of the program's own.
	NoColor, ASCII bool
	// Light draws with colours for a light background.
	Light bool
	// ReducedMotion lets play go to its next pause at once instead of step by step.
	ReducedMotion bool
	// Speed is the time between two steps of play; 0: 700 ms.
	Speed time.Duration
	// Input and Output are the terminal; nil: standard input and output.
	Input  io.Reader
	Output io.Writer
}
