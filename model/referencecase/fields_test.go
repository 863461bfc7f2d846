package referencecase

import (
	"strings"
	"testing"
)

// TestOutcome: what is skipped, and what is an error.
func TestOutcome(t *testing.T) {
	readme := map[string]bool{"known": true, "state": true, "error": true}
	for _, c := range []struct {
		name          string
		given, expect map[string]any
		skipped       string
		wrong         string
	}{
		{"right", map[string]any{"read": 1}, map[string]any{"error": "NONE"}, "", ""},
		{"wrong", map[string]any{"read": 1}, map[string]any{"error": "FENCED"}, "", "expect.error: got NONE, Kafka has FENCED"},
		{"a given key of the README", map[string]any{"read": 1, "known": 2}, map[string]any{"error": "FENCED"}, "lacks given.known", ""},
		{"a given key of nobody", map[string]any{"read": 1, "knwon": 2}, map[string]any{"error": "NONE"}, "", `given.knwon: this test does not know what is meant by "knwon"`},
		{"both", map[string]any{"known": 1, "knwon": 2}, map[string]any{"error": "NONE"}, "", `"knwon"`},
		{"an expected key of the README", nil, map[string]any{"error": "NONE", "state": "Empty"}, "compared but for expect.state", ""},
		{"an expected key of the README, and wrong", nil, map[string]any{"error": "FENCED", "state": "Empty"}, "", "expect.error"},
		{"an expected key of nobody", nil, map[string]any{"stat": "Empty"}, "", `expect.stat: this test does not compute "stat"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &known{readme: readme}
			given, expect := newFields(t, "given", c.given, k), newFields(t, "expect", c.expect, k)
			given.Num("read", 0)
			given.Done()
			expect.Compare(map[string]any{"error": "NONE"})
			skipped, wrong := k.outcome()
			if c.skipped == "" && skipped != "" || !strings.Contains(skipped, c.skipped) {
				t.Errorf("skipped: %q, want %q", skipped, c.skipped)
			}
			if got := strings.Join(wrong, "; "); c.wrong == "" && got != "" || !strings.Contains(got, c.wrong) {
				t.Errorf("wrong: %q, want %q", got, c.wrong)
			}
		})
	}
}
