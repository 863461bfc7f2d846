package release

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"0.8": "0.8.2.2", "0.8.0": "0.8.0", "0.8.1": "0.8.1.1", "0.8.1.0": "0.8.1.0", "0.9": "0.9.0.1", "0.10": "0.10.2.2", "0.10.1": "0.10.1.1", "0.10.2.1": "0.10.2.1",
		"0.11": "0.11.0.3", "0.11.0": "0.11.0.3", "0.11.0.2": "0.11.0.2", "1.0": "1.0.2", "2.4": "2.4.1", "2.4.0": "2.4.0", "2.8": "2.8.2", "2.8.1": "2.8.1",
		"3.9": "3.9.2", "4.0": "4.0.2", "4.4": "4.4.0",
	} {
		if got, err := Parse(in); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"2.9": "did you mean 2.8?", "2.80": "did you mean 2.8?", "3.99": "did you mean 3.9?", "0.12": "did you mean 0.11.0.3?", "1.9": "did you mean 1.1?",
		"2.8.99": "did you mean 2.8.2?", "2.4.7": "did you mean 2.4.1?", "0.8.3": "did you mean 0.8.2.2?", "3.9.7": "did you mean 3.9.2?", "4.4.1": "did you mean 4.4.0?",
		"0.10.2.3": "did you mean 0.10.2.2?", "0.10.3": "did you mean 0.10.2.2?", "0.9.1": "did you mean 0.9.0.1?", "2.10.1": "did you mean 2.8.2?",
		"0.7": "outside what the model knows: 0.8.0 to 4.4.0", "5.0": "outside what the model knows", "4.5": "outside what the model knows", "4.5.1": "outside what the model knows",
		"two": "two or three numbers", "2": "two or three numbers", "02.8": "two or three numbers", "2.8.1.0": "four below 1.0", "0.10.2.2.1": "four below 1.0",
		"-1.2": "two or three numbers", "2.+8": "two or three numbers", "": "two or three numbers", "2.8.": "two or three numbers", "2.8.0-rc1": "two or three numbers",
	} {
		if got, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", in, got, err, want)
		}
	}
}

// Every release has a name by which it is found, they stand in order, and each line is named by what it ends with.
func TestReleases(t *testing.T) {
	for i, v := range releases {
		if got, err := Parse(v.String()); err != nil || got != v {
			t.Errorf("%v is read as %v, %v", v, got, err)
		}
		if i > 0 && !releases[i-1].Less(v) {
			t.Errorf("%v stands after %v", v, releases[i-1])
		}
		if i > 0 && !releases[i-1].line(v) && v.Major > 0 && v.Patch != 0 {
			t.Errorf("the line of %v does not begin with its first release", v)
		}
	}
	if _, err := Parse(Default.String()); err != nil {
		t.Error(err)
	}
}

// A rule may come to several lines at once, and may be in one release alone.
func TestReleasesOfARule(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		in   string
		out  string
	}{
		{Rule{Since: at("2.7.2", "2.8.1", "3.0.0")}, "2.7.2 2.8.1 2.8.2 3.0.0 3.0.2 4.4.0", "0.8.0 2.6.3 2.7.0 2.7.1 2.8.0"},
		{Rule{Since: at("3.2.0"), Until: at("3.2.1")}, "3.2.0", "3.1.2 3.2.1 3.2.3 3.3.0"},
		{Rule{Since: at("1.1.1", "2.0.1")}, "1.1.1 2.0.1 2.1.0", "1.0.2 1.1.0 2.0.0"},
		{Rule{Since: at("0.11.0.2", "1.0.0")}, "0.11.0.2 0.11.0.3 1.0.0", "0.10.2.2 0.11.0.1"},
		{Rule{Since: at("0.10.2.1")}, "0.10.2.1 0.10.2.2 0.11.0.0", "0.10.2.0 0.10.1.1"},
		{Rule{Since: at("2.8.0"), Until: at("2.7.2", "2.8.1", "3.0.0")}, "2.8.0", "2.7.0 2.7.2 2.8.1 3.0.0"},
		{Rule{Since: nil}, "", "0.8.0 4.4.0"},
	} {
		for _, s := range strings.Fields(c.in) {
			if !c.rule.In(First(s)) {
				t.Errorf("since %v until %v: not in %s", c.rule.Since, c.rule.Until, s)
			}
		}
		for _, s := range strings.Fields(c.out) {
			if c.rule.In(First(s)) {
				t.Errorf("since %v until %v: in %s", c.rule.Since, c.rule.Until, s)
			}
		}
	}
	if got := at("2.7.2", "2.8.1", "3.0.0").String() + "; " + at("1.1.1", "2.0.1").String() + "; " + at("2.0.1").String(); got != "2.7.2, 2.8.1 and 3.0.0; 1.1.1 and 2.0.1; 2.0.1" {
		t.Error(got)
	}
	for _, never := range []string{"2.4.7", "2.4", "0.10.2", "3.9.9"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken for a release", never)
				}
			}()
			at(never)
		}()
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
		for _, rs := range []Releases{rule.Since, rule.Until} {
			for i := range rs {
				if i > 0 && (!rs[i-1].Less(rs[i]) || rs[i-1].line(rs[i])) {
					t.Errorf("%s: %v are no releases of lines in order", rule.Key, rs)
				}
			}
		}
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
		for _, v := range releases {
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
