package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// closedPipe is an output whose reader has gone away after n bytes.
type closedPipe struct{ n int }

func (c *closedPipe) Write(b []byte) (int, error) {
	if len(b) > c.n {
		return c.n, syscall.EPIPE
	}
	c.n -= len(b)
	return len(b), nil
}

// "kafkatrial run calm | head" ends quietly.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{{"run", "calm"}, {"run", "calm", "--linear"}, {"run", "calm", "--format", "json"}, {"list"}, {"config"}, {"schema"}, {"show", "calm"}} {
		for _, n := range []int{0, 100} {
			var errOut bytes.Buffer
			if got := run(args, strings.NewReader(""), &closedPipe{n}, &errOut); got != exitPipe || errOut.Len() > 0 {
				t.Errorf("%v: exit status %d, want %d; standard error: %s", args, got, exitPipe, errOut.String())
			}
		}
	}
}

// fullDisk is an output that can not be written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullDisk(t *testing.T) {
	var errOut bytes.Buffer
	if got := run([]string{"list"}, strings.NewReader(""), fullDisk{}, &errOut); got != exitBadInput || !strings.Contains(errOut.String(), "no space left") {
		t.Errorf("exit status %d, want %d; standard error: %q", got, exitBadInput, errOut.String())
	}
}
