package pages

import (
	"strconv"
	"strings"
	"testing"

	"kafkatrial/scenarios"
)

// Every quotation of a run says above it, in words that are seen, which scenario it is of and what opens it there.
func TestQuotationsHaveCaptions(t *testing.T) {
	for mark, want := range map[string]string{
		`run: retry-duplicates --from "appends m1 at offset 0"`: "*`retry-duplicates`:* `kafkatrial step retry-duplicates --at ",
		"run: streams-counts-twice --compare 1":                 "*`streams-counts-twice` with ",
		"verdicts: retry-duplicates":                            "*`retry-duplicates`:* `kafkatrial run retry-duplicates`",
		"generations: retry-duplicates 2.8":                     "*`retry-duplicates`:* `kafkatrial run retry-duplicates --kafka RELEASE`",
		"screen: step calm --at end --keys x, 80x24":            "*`calm`:* `kafkatrial step calm --at end`, then the keys `x`",
	} {
		got, err := Render(".", "<!-- "+mark+" -->\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, _ := strings.Cut(got, "\n"); !strings.HasPrefix(rest, want) {
			t.Errorf("%s has the caption %s", mark, strings.SplitN(rest, "\n", 2)[0])
		}
	}
}

// The command of a caption leads to the row that the excerpt begins with, and names a comparison that flags can make.
func TestCaptionsLeadToTheExcerpt(t *testing.T) {
	text, err := excerpt([]string{"retry-duplicates", "--from", "appends m1 at offset 1"})
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, "--at ")
	at, rest, _ := strings.Cut(rest, "`")
	n, err := strconv.Atoi(at)
	if err != nil || !strings.Contains(rest, "```text\n"+strings.Repeat(" ", 6-len(at))+at) {
		t.Errorf("--at %q (%d) is not the first step of\n%s", at, n, text)
	}
	o, err := scenarios.Open("hanging-transaction")
	if err != nil {
		t.Fatal(err)
	}
	v := o.File.Compare[0]
	line := excerptCaption("hanging-transaction", &v, 1, nil)
	if v.Kafka.Text == "" || !strings.Contains(line, " --kafka "+v.Kafka.Text+" --set ") {
		t.Errorf("a comparison with Kafka %q is captioned %s", v.Kafka.Text, line)
	}
	on := true
	v.HandOff = &on
	if line := excerptCaption("hanging-transaction", &v, 1, nil); !strings.Contains(line, "then C and comparison 1") {
		t.Errorf("no flag makes this comparison, yet its caption is %s", line)
	}
	if line := excerptCaption("calm", nil, 0, [][]string{{"                      = no"}}); !strings.Contains(line, "`=` is what the run answers") {
		t.Errorf("an answer is not explained: %s", line)
	}
}
