package story

import "io"

// Linear writes what the stepper's screens show, line by line.
func (e *Ending) Linear(w io.Writer, look Look) error { return e.Text(w, look) }
