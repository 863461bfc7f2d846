package checker

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTableOfKIP101(t *testing.T) {
	const want = `claim           at the log                        at the application
at-most-once    holds                             holds
at-least-once   VIOLATED  m1, m2 acknowledged in  VIOLATED  m1, m2 never
                step 9, cut in steps 11 and 24    processed
exactly-once    VIOLATED  (as at-least-once)      VIOLATED
`
	got := Judge(kip101(), Options{Claims: []Claim{ExactlyOnce, AtLeastOnce, AtMostOnce}}).Table()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTablesFitEightyPlaces(t *testing.T) {
	for _, trial := range trials {
		for _, line := range strings.Split(Judge(trial.h, Options{}).Table(), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d places: %s", trial.name, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: blanks at the end of %q", trial.name, line)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"holds", 10, []string{"holds"}},
		{"VIOLATED  m1 gone", 12, []string{"VIOLATED  m1", "gone"}},
		{"a verylongword b", 6, []string{"a", "verylo", "ngword", "b"}},
		{"", 5, []string{""}},
	} {
		if got := wrap(c.text, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, expected %q", c.text, c.width, got, c.want)
		}
	}
}

func TestJSONIsStableAndComesBack(t *testing.T) {
	r := Judge(kip101(), Options{Claims: []Claim{AtLeastOnce}})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const log = `{"claim":"at-least-once","level":"log","verdict":"violated","evidence":{"records":["m1","m2"],"partition":"orders-0",` +
		`"offsets":[0,1],"steps":[9,11,24],"short":"m1, m2 acknowledged in step 9, cut in steps 11 and 24","sentence":"m1 and m2 were ` +
		`acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and are in no log at the end.","jepsen":"lost-write"}}`
	if !strings.HasPrefix(string(b), "["+log) {
		t.Errorf("got  %s\nwant [%s…", b, log)
	}
	var back Report
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("the report does not come back: %v\n%v\n%v", err, back, r)
	}
	if b, _ := json.Marshal(Report{}); string(b) != "[]" {
		t.Errorf("an empty report is %s", b)
	}
}

func TestOverall(t *testing.T) {
	r := Judge(edit(kip101(), func(h *History) { h.Applications = nil }), Options{})
	for c, want := range map[Claim]Ruling{AtMostOnce: Holds, AtLeastOnce: Violated, ExactlyOnce: Violated, Ordered: Holds} {
		if got, ok := r.Overall(c); !ok || got != want {
			t.Errorf("%s: %s, expected %s", c, got, want)
		}
	}
	if _, ok := r.Overall(Atomic); ok {
		t.Error("atomic was judged without a transaction")
	}
	if v, _ := r.Find(AtMostOnce, AtApplication); !v.NotObserved || v.Ruling != Undecided {
		t.Errorf("without an application the level application is %s", v.Ruling)
	}
}

func TestOrderByKey(t *testing.T) {
	h := smooth()
	h.Submissions[0].Key, h.Submissions[1].Key = "k", "k"
	h.Submissions[1].TP = TopicPartition{"orders", 1}
	first, second := effect("m2", 1, 20), effect("m1", 0, 25)
	first.TP = h.Submissions[1].TP
	h.Effects = []Effect{first, second}
	if v, _ := Judge(h, Options{}).Find(Ordered, AtApplication); v.Ruling != Holds {
		t.Errorf("by partition: %s", v.Ruling)
	}
	v, _ := Judge(h, Options{OrderBy: PerKey}).Find(Ordered, AtApplication)
	const want = "m1 was sent before m2, but processed after it: m2 by c in step 20, m1 by c in step 25."
	if v.Ruling != Violated || v.Evidence.Sentence != want {
		t.Errorf("by key: %s, %q", v.Ruling, v.Evidence.Sentence)
	}
	v, _ = Judge(h, Options{OrderBy: PerTopic}).Find(Ordered, AtApplication)
	if v.Ruling != Violated || v.Evidence.Sentence != want {
		t.Errorf("by topic: %s, %q", v.Ruling, v.Evidence.Sentence)
	}
	if v, _ := Judge(h, Options{OrderBy: PerTopic}).Find(Ordered, AtLog); v.Ruling != Holds {
		t.Errorf("by topic, at logs that have no order among them: %s", v.Ruling)
	}
}

func TestTwoApplicationsOweTheirOwnFlows(t *testing.T) {
	h := smooth()
	h.Applications = append(h.Applications, Application{Name: "audit", Topics: []string{"orders"}})
	v, _ := Judge(h, Options{}).Find(AtLeastOnce, AtApplication)
	const want = "m1 was acknowledged in step 9 and never processed by audit; m2 is affected too."
	const both = "m1 and m2 were acknowledged in step 9 and never processed by audit."
	if v.Ruling != Violated || v.Evidence.Sentence != want && v.Evidence.Sentence != both {
		t.Errorf("%s: %q", v.Ruling, v.Evidence.Sentence)
	}
}

// A record that two applications miss is spoken of once: it is not affected by itself.
func TestARecordIsNotAffectedBesidesItself(t *testing.T) {
	h := smooth()
	h.Applications = append(h.Applications, Application{Name: "audit", Topics: []string{"orders"}})
	other := effect("m2", 1, 30)
	other.Application = "audit"
	h.Effects = append(h.Effects[1:], other) // nobody has processed m1
	v, _ := Judge(h, Options{}).Find(AtLeastOnce, AtApplication)
	if v.Ruling != Violated || strings.Contains(v.Evidence.Sentence, "affected too") || !strings.HasPrefix(v.Evidence.Sentence, "m1 was acknowledged") {
		t.Errorf("%s: %q", v.Ruling, v.Evidence.Sentence)
	}
}

func TestAnEffectInsideATransactionCountsIfItCommits(t *testing.T) {
	for outcome, want := range map[TxnOutcome]Ruling{TxnCommitted: Violated, TxnAborted: Holds} {
		h := smooth()
		h.Txns = []Txn{{ID: "t1", Begin: 23, CommitAsked: 25, Outcome: outcome, OutcomeStep: 27, Decided: outcome, DecidedStep: 26}}
		second := effect("m1", 0, 24)
		second.Txn = "t1"
		h.Effects = append(h.Effects, second)
		if v, _ := Judge(h, Options{}).Find(AtMostOnce, AtApplication); v.Ruling != want {
			t.Errorf("decided %d: %s, expected %s", outcome, v.Ruling, want)
		}
	}
}

// With acks=1 an answer may come before the high watermark moves; a reader who does not see the record yet is right.
func TestAcksOneTakesEffectWithTheHighWatermark(t *testing.T) {
	h := smooth()
	h.Submissions = []Submission{sub("m1", 1, 0, 3), sub("m2", 1, 1, 3)}
	h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 0, Call: 5, Step: 6}}
	if v, _ := Judge(h, Options{}).Find(Linearizable, AtLog); v.Ruling != Holds {
		t.Errorf("before the high watermark moved: %s", v.Evidence.Sentence)
	}
	h.EndOffsets[0].Call, h.EndOffsets[0].Step = 9, 10
	if v, _ := Judge(h, Options{}).Find(Linearizable, AtLog); v.Ruling != Violated {
		t.Error("after the high watermark moved, an old end offset is legal")
	}
}

func TestJepsensWords(t *testing.T) {
	h := smooth()
	h.Effects = append(h.Effects, effect("m1", 0, 26))
	if got, want := strings.Join(Judge(h, Options{}).JepsenWords(), ", "), "duplicate (m1)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := Judge(smooth(), Options{}).JepsenWords(); len(got) > 0 {
		t.Errorf("nothing is wrong, and yet %q", got)
	}
}

// TestOrderWithinASession: what another process of the same producer sent is in no order with it.
func TestOrderWithinASession(t *testing.T) {
	h := smooth()
	first, second := effect("m2", 1, 20), effect("m1", 0, 25)
	h.Effects = []Effect{first, second}
	h.Submissions[0].Incarnation, h.Submissions[1].Incarnation = 1, 1
	if v, _ := Judge(h, Options{OrderBy: PerSession}).Find(Ordered, AtApplication); v.Ruling != Violated {
		t.Errorf("of one process: %s", v.Ruling)
	}
	h.Submissions[1].Incarnation = 2
	if v, _ := Judge(h, Options{OrderBy: PerSession}).Find(Ordered, AtApplication); v.Ruling != Holds {
		t.Errorf("of two processes: %s", v.Ruling)
	}
	if v, _ := Judge(h, Options{}).Find(Ordered, AtApplication); v.Ruling != Violated {
		t.Errorf("by producer: %s", v.Ruling)
	}
}
