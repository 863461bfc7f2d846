package main

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/sim"
)

// Whatever can strike is counted under its own word, and has words to be told with: a class that no answer is counted under would stand
// among those that never struck.
func TestEveryClassOfFaultsIsCounted(t *testing.T) {
	struck := map[string]string{"kill": "kill b1", "pause": "pause b1", "shutdown": "shutdown b1", "power-loss": "power-loss b1", "disk-loss": "disk-loss b1",
		"cut": "cut b1>b2", "lose": "lose b1>b2 Fetch #1", "duplicate": "duplicate b1>b2 Fetch #1", "late": "late b1>b2 Fetch #1 20ms",
		"orders": "elect-preferred orders-0", "in-flight": "hold b1>b2 Fetch #1", "reorder": "deliver b1>b2 Fetch #1"}
	var words []string
	for _, example := range sim.FaultModelWords() {
		word, _, _ := strings.Cut(example, "=")
		words = append(words, word)
		id, ok := struck[word]
		if !ok {
			if _, told := strikes[word]; told {
				t.Errorf("%q has words to be told with, and no answer here is of it", word)
			}
			continue // it says how, not what
		}
		if got := (sim.Answer{ID: id}).Strikes(); got != word {
			t.Errorf("%q is counted as %q, want %q", id, got, word)
		}
		if strikes[word][0] == "" || strikes[word][1] == "" {
			t.Errorf("nothing says what %q is", word)
		}
	}
	for word := range struck {
		if !slices.Contains(words, word) {
			t.Errorf("%q is no word of a fault model", word)
		}
	}
}
