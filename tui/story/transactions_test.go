package story

import (
	"strings"
	"testing"

	"kafkatrial/scenarios"
)

// The append that opens a hanging transaction says so, and no other append does: neither what goes into the same
// transaction later, nor an append of a transaction that its coordinator knows, is told that way.
func TestTheAppendThatHangsSaysSo(t *testing.T) {
	for name, want := range map[string]string{
		"hanging-transaction":                "appends m1 at offset 1 and opens",
		"hanging-transaction-after-time-out": "appends m1 at offset 1 and opens",
		"read-process-write":                 "",
		"half-of-a-transaction-is-read":      "",
	} {
		r := open(t, name, scenarios.Options{})
		r.Finish()
		told := 0
		for _, e := range New(r, Options{}).Entries() {
			for _, what := range e.What {
				if !strings.Contains(what, "coordinator does not know") {
					continue
				}
				told++
				if want == "" || !strings.HasPrefix(what, want) {
					t.Errorf("%s, step %d: %s", name, e.Step, what)
				}
			}
		}
		if (told == 1) != (want != "") {
			t.Errorf("%s tells it %d times", name, told)
		}
	}
}
