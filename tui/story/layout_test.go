package story

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker/columns"
	"kafkatrial/model/projection"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one two three", 20, []string{"one two three"}},
		{"one two three", 10, []string{"one two", "three"}},
		{"at-least-once holds", 13, []string{"at-least-once", "holds"}},
		{"abcdefghijklmnop", 10, []string{"abcdefghij", "klmnop"}},
		{"it has HW 0 → 1 now", 13, []string{"it has", "HW 0 → 1 now"}},
		{"acknowledges m1 (acks=all)", 20, []string{"acknowledges", "m1 (acks=all)"}},
		{"first\nsecond", 20, []string{"first", "second"}},
		{"跟随者按自己的高水位截断。记录", 12, []string{"跟随者按自己", "的高水位截", "断。记录"}},
		{"acknowledges 第四条 (acks=all)", 20, []string{"acknowledges 第四条", "(acks=all)"}},
		{"m1 在日志里吗？", 20, []string{"m1 在日志里吗？"}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
		for _, l := range Wrap(c.text, c.width) {
			if columns.Width(l) > c.width {
				t.Errorf("Wrap(%q, %d): %q is %d wide", c.text, c.width, l, columns.Width(l))
			}
		}
	}
}

func TestClock(t *testing.T) {
	for at, want := range map[sim.Time]string{0: "0ms", 17 * sim.Millisecond: "17ms", 7250: "7.25ms", 9017001: "9017ms", 12530001: "12.530s", 609017000: "609.017s"} {
		if got := Clock(at); got != want {
			t.Errorf("Clock(%d) = %s, want %s", at, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	r := projection.Replica{Broker: 2, HighWatermark: 3, Records: []projection.Held{{Offset: 0, ID: "m1"}, {Offset: 1, ID: "m2"}, {Offset: 2, ID: "m3"}, {Offset: 3, ID: "m4"}}}
	for width, want := range map[int]string{40: "b2 [m1 m2 m3 m4] HW 3", 21: "b2 [m1 m2 m3 m4] HW 3", 20: "b2 [… m2 m3 m4] HW 3", 19: "b2 [… m3 m4] HW 3", 3: "b2 [… m4]"} {
		if got := cell(&r, width); got != want {
			t.Errorf("Cell(%d) = %s, want %s", width, got, want)
		}
	}
	if got := cell(&projection.Replica{Broker: 1}, 20); got != "b1 [] HW 0" {
		t.Errorf("empty: %s", got)
	}
}

func TestRepeats(t *testing.T) {
	keys := func(s string) (rows []row) {
		for i, k := range strings.Split(s, "") {
			if k == "-" {
				k = ""
			}
			rows = append(rows, row{entry: i, key: k})
		}
		return rows
	}
	for _, c := range []struct {
		rows          string
		period, times int
	}{
		{"aaab", 1, 3}, {"aab", 0, 0}, {"abababc", 2, 3}, {"ababc", 0, 0}, {"abcabcabc", 3, 3}, {"---", 0, 0}, {"ab-ab-ab-", 0, 0}, {"xaaa", 0, 0},
	} {
		if p, n := repeats(keys(c.rows)); n >= 3 && (p != c.period || n != c.times) || n < 3 && c.times > 0 {
			t.Errorf("repeats(%s) = %d, %d, want %d, %d", c.rows, p, n, c.period, c.times)
		}
	}
}

// A chain of causes begins where the script acted, and each link comes before the next.
func TestWhy(t *testing.T) {
	r := open(t, "calm", scenarios.Options{})
	r.Finish()
	s := New(r, Options{})
	chains := 0
	for i := range s.Entries() {
		if s.Entries()[i].Kind != Event {
			continue
		}
		causes := s.Why(i)
		if len(causes) == 0 || causes[len(causes)-1].Step != i+1 {
			t.Fatalf("step %d: the chain does not end there: %v", i+1, causes)
		}
		for k := 1; k < len(causes); k++ {
			if causes[k-1].Step >= causes[k].Step || causes[k].Text == "" {
				t.Errorf("step %d: %v", i+1, causes)
			}
		}
		if strings.Contains(s.Sentence(i), "p learns that m1 is acknowledged") {
			chains++
			first := causes[0].Text
			if !strings.HasPrefix(first, "p sends m1") && first != "p calls send(m1)" || len(causes) < 4 {
				t.Errorf("why is m1 acknowledged? %v", causes)
			}
		}
	}
	if chains != 1 {
		t.Errorf("%d steps in which m1 is acknowledged, want 1", chains)
	}
	if s.Why(-1) != nil || s.Why(len(s.Entries())) != nil {
		t.Error("a step that is not there has a cause")
	}
}

// A run does not part from itself, and parts from one with another setting where that first matters.
func TestPartsFrom(t *testing.T) {
	tell := func(o scenarios.Options) *Story {
		r := open(t, "kip-101-truncation", o)
		r.Finish()
		return New(r, Options{})
	}
	a := tell(scenarios.Options{})
	if n := a.PartsFrom(tell(scenarios.Options{})); n != 0 {
		t.Errorf("the run parts from itself at step %d", n)
	}
	n := a.PartsFrom(tell(scenarios.Options{Kafka: "0.11"}))
	if n == 0 || !strings.Contains(a.Sentence(n-1), "truncates its log") {
		t.Errorf("0.10 and 0.11 part at step %d, which is no truncation", n)
	}
}
