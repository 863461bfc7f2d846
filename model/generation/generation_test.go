package generation

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]Version{"0.10": {0, 10, 9}, "0.10.2": {0, 10, 2}, "0.8.1": {0, 8, 1}, "2.8": {2, 8, 9}, "2.8.1": {2, 8, 1}, "4.3": {4, 3, 9}} {
		if got, err := Parse(in); err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{
		"2.9": "did you mean 2.8?", "2.80": "did you mean 2.8?", "3.99": "did you mean 3.9?", "0.12": "did you mean 0.11?", "1.9": "did you mean 1.1?",
		"2.8.99": "did you mean 2.8?", "0.7": "outside what the model knows", "5.0": "outside what the model knows", "two": "two or three numbers", "2": "two or three numbers", "02.8": "two or three numbers",
	} {
		if _, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestRulesAreInOrderAndKnownByKey(t *testing.T) {
	r := Of(Default)
	seen := map[string]bool{}
	for _, rule := range All {
		if seen[rule.Key] || rule.Title == "" || rule.Source == "" {
			t.Errorf("rule %q is there twice, or has no title or source", rule.Key)
		}
		seen[rule.Key] = true
		if err := r.Set(rule.Key, true); err != nil {
			t.Error(err)
		}
	}
	if err := r.Set("kip-0", true); err == nil {
		t.Error("a rule that does not exist could be set")
	}
}

// A rule that no release has is on in no release, and can be switched on.
func TestRulesOfNoRelease(t *testing.T) {
	n := 0
	for _, rule := range All {
		if !rule.InNoRelease() {
			continue
		}
		n++
		for _, v := range append(lines, Newest) {
			if r := Of(v); *rule.on(&r) {
				t.Errorf("%s is on in %s", rule.Key, v)
			}
		}
		r := Of(Newest)
		if err := r.Set(rule.Key, true); err != nil || !*rule.on(&r) {
			t.Errorf("%s can not be switched on: %v", rule.Key, err)
		}
	}
	if n == 0 {
		t.Error("there is none")
	}
}
