package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/tui/story"
)

// TestADefectHasAStatusOfItsOwn: the transcript says which assertion did not hold, and opens the run at that step.
func TestADefectHasAStatusOfItsOwn(t *testing.T) {
	opened, err := scenarios.Open("kip-101-divergence")
	if err != nil {
		t.Fatal(err)
	}
	for off, want := range map[planted.Set]int{{}: exitAsStated, planted.Off(planted.HWBelowLEO).Asserting(): exitDefect} {
		r, err := scenarios.New(opened.File, scenarios.Options{Planted: off})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		end, err := story.New(r, story.Options{}).Ending("kip-101-divergence", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := statusOf(end); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
		var b bytes.Buffer
		if err := end.Text(&b, story.Look{Width: 400}); err != nil {
			t.Fatal(err)
		}
		if d := r.Defect(); d != nil {
			for _, line := range []string{"UNDECIDED: a defect of the model ended the run at step", d.Assertion + " does not hold: " + d.Found, fmt.Sprintf("open it:  kafkatrial step kip-101-divergence --at %d", d.Step)} {
				if !strings.Contains(b.String(), line) {
					t.Errorf("the transcript does not say %q:\n%s", line, b.String())
				}
			}
		}
	}
}
