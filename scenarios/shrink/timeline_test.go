package shrink

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// TestEveryKindOfMessageCanBeWritten: what a message is called in a run leads to a name that a scenario file may have.
func TestEveryKindOfMessageCanBeWritten(t *testing.T) {
	for _, name := range protocol.MessageNames {
		if known, _ := scenarios.Vocabulary.Known(format.MessageKind, kindOf(name)); !known {
			t.Errorf("%s is written as %q, which no scenario file may have", name, kindOf(name))
		}
	}
	if kindOf("FetchRequest") != "Fetch" {
		t.Errorf("FetchRequest is written as %q", kindOf("FetchRequest"))
	}
}
