package trial

import "testing"

func TestAProbeThatIsNeverMetIsMissed(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out hundreds of generated runs")
	}
	p := ackedSurvive()
	seen := met{}
	for seed := range 600 {
		seen.note(p.Run(seed + 1))
	}
	if missed := seen.missed(p.Reaches); len(p.Reaches) == 0 || len(missed) > 0 {
		t.Errorf("600 runs miss %q of %q", missed, p.Reaches)
	}
	calm := met{}
	p.Shape.Faults.Budget, p.Shape.Faults.Late = 0, nil
	calm.note(p.Run(1))
	if missed := calm.missed(p.Reaches); len(missed) != len(p.Reaches) {
		t.Errorf("a run without faults misses only %q of %q", missed, p.Reaches)
	}
	defer func() {
		if recover() == nil {
			t.Error("a probe that the model does not have is taken")
		}
	}()
	seen.missed([]string{"pigs fly"})
}
