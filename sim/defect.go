package sim

import "fmt"

// Defect is an assertion that did not hold: the model, or this kernel, has come to a state that no Kafka can be in, and
// nothing that the run shows from there on says anything about Kafka. Code that finds one panics with a *Defect, as the
// state is not to be gone on from; who drives the run recovers it (scenarios.Run).
//
// Assertions are always on. Each holds in every release, under every fault and with every setting; what a release or a
// fault may break is an invariant of the checker, not an assertion.
type Defect struct {
	Assertion string // what should hold, such as "log start <= HW <= LEO"
	Found     string // what was found instead
}

func (d *Defect) Error() string {
	return "defect of the model: " + d.Assertion + " does not hold: " + d.Found
}

// Broken ends the run: an assertion does not hold. The caller asks first, so that nothing is paid while it holds.
func Broken(assertion, format string, args ...any) {
	panic(&Defect{Assertion: assertion, Found: fmt.Sprintf(format, args...)})
}
