package columns

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What is not looked up takes as many places as what is.
func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "b1 [m1]│": 8, "第四条": 6, "m1 第四条": 9, "─…→·": 4, "e\u0301": 1, "\x1b[1mm1\x1b[0m": 2, "★ ok": 4} {
		if got := Width(s); got != want || got != ansi.StringWidth(s) {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestHead(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{{"m1 第四条", 5, "m1 第"}, {"m1 第四条", 6, "m1 第"}, {"abc", 3, "abc"}, {"第", 1, "第"}, {"", 3, ""}, {"abc", 0, "a"}} {
		if got := Head(c.s, c.width); got != c.want {
			t.Errorf("Head(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
}
