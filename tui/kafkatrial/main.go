// Command kafkatrial puts the guarantees that people quote of Kafka on trial: it runs scenario files, tells
// what happens step by step, and rules on the claims.
package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"syscall"

	"kafkatrial/tui"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Exit statuses, as docs/output.md promises them.
const (
	exitAsStated  = 0 // the verdicts are as the file states
	exitDiffers   = 1 // a verdict is not as the file states
	exitBadInput  = 2 // bad input or usage
	exitUndecided = 3 // the run could not be decided
	exitDefect    = 4 // an assertion of the model did not hold
	exitPipe      = 128 + int(syscall.SIGPIPE)
	exitInterrupt = 128 + int(syscall.SIGINT)
	exitTerminate = 128 + int(syscall.SIGTERM)
)

// run is main with its surroundings as arguments.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	buffered := bufio.NewWriterSize(out, 1<<16)
	a := &app{in: in, out: buffered, err: errOut, file: out}
	cmd := a.root()
	cmd.SetArgs(args)
	err := cmd.Execute()
	flushErr := buffered.Flush()
	switch {
	case isClosedPipe(err) || isClosedPipe(flushErr):
		return exitPipe // the reader has seen enough
	case errors.Is(err, tui.ErrInterrupted):
		return exitInterrupt
	case errors.Is(err, tui.ErrTerminated):
		return exitTerminate
	case err == nil && flushErr != nil:
		a.fail(flushErr)
		return exitBadInput
	case err == nil:
		return exitAsStated
	}
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	a.fail(err)
	return exitBadInput
}

func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// exitStatus ends the command with a status; everything has been said.
type exitStatus int

func (exitStatus) Error() string { return "" }
