package session

import (
	"strings"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
)

// TestADefectIsShownAtItsStep: the stepper goes through a run that a defect of the model ended, and its last row says so.
func TestADefectIsShownAtItsStep(t *testing.T) {
	opened, err := scenarios.Open("kip-101-divergence")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(opened, scenarios.Options{Planted: planted.Off(planted.HWBelowLEO).Asserting()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Result.Defect == nil {
		t.Fatal("the run has no defect")
	}
	for _, i := range []int{s.Len() - 1, 0, s.Len() / 2, s.Len() - 1} {
		s.GoTo(i) // panics if the run differs
	}
	rows := s.Rows()
	last := rows[len(rows)-1]
	if words := s.Words(last.Step); !strings.Contains(words, "a defect of the model ends the run: "+s.Result.Defect.Assertion) {
		t.Errorf("the last row says %q", words)
	}
}
