package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kafkatrial/checker/columns"
)

// Titles in Chinese stand in one column, and no line is wider than the page.
func TestTheListKeepsItsColumns(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, width: 80, color: "never", lang: "zh"}
	all := []listed{{Name: "short", Title: strings.Repeat("记录在被复制之前", 9)}, {Name: "a-longer-name", Title: "m1 的标题"}, {Name: "订单", Title: "名字也可以是中文"}}
	if err := a.list(all); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) < 5 {
		t.Fatalf("no title takes several lines:\n%s", out.String())
	}
	for _, l := range lines {
		const title = 2 + len("a-longer-name") + 2
		if columns.Width(l) > 80 || !strings.HasSuffix(ansi.Cut(l, 0, title), "  ") || strings.TrimSpace(ansi.Cut(l, title, title+2)) == "" {
			t.Errorf("%d places, or no title at %d: %s", columns.Width(l), title, l)
		}
	}
}
