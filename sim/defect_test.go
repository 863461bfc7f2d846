package sim

import "testing"

func TestAssertionsOfTheKernel(t *testing.T) {
	for _, c := range []struct {
		want   string
		breaks func(w *World)
	}{
		{"", func(*World) {}},
		{"nothing is set down for the past", func(w *World) { w.push(w.now-1, scheduled{kind: evStart}) }},
		{"what is under way is counted once", func(w *World) { w.busy = 0; w.settle(&scheduled{kind: evStart}) }},
	} {
		w := started(t, true)
		w.now += Second
		got := func() (assertion string) {
			defer func() {
				if d, ok := recover().(*Defect); ok {
					assertion = d.Assertion
				}
			}()
			c.breaks(w)
			return ""
		}()
		if got != c.want {
			t.Errorf("broken: %q, want %q", got, c.want)
		}
	}
}
