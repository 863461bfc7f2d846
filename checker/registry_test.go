package checker

import (
	"slices"
	"strings"
	"testing"
)

// TestANewClaimIsOneRow: a row is all that a report needs. It has the claim behind all others, at its levels and where it applies.
func TestANewClaimIsOneRow(t *testing.T) {
	t.Cleanup(Register(Row{Name: "quiet", Says: "Nobody sends.", Levels: []Level{AtApplication}, Applies: hasTransactions},
		func(h *History, l Level) Verdict {
			if len(h.Submissions) == 0 {
				return Verdict{Ruling: Holds}
			}
			return Verdict{Ruling: Violated, Evidence: Evidence{Records: []RecordID{h.Submissions[0].Record}, Short: "somebody sends"}}
		}))
	h := smooth()
	if _, judged := Judge(h, Options{}).Overall("quiet"); judged {
		t.Error("it is judged in a history without transactions, to which it does not apply")
	}
	h.Txns = []Txn{{ID: "t/1"}}
	r := Judge(h, Options{})
	if last := r.Verdicts[len(r.Verdicts)-1]; last.Claim != "quiet" || last.Level != AtApplication || last.Ruling != Violated {
		t.Errorf("the last verdict is %+v", last)
	}
	if _, atLog := r.Find("quiet", AtLog); atLog {
		t.Error("it is judged at the log, a level that it does not have")
	}
	lines := strings.Split(strings.TrimSpace(r.Table()), "\n")
	if l := lines[len(lines)-1]; !strings.HasPrefix(l, "quiet ") || !strings.Contains(l, "VIOLATED  somebody sends") {
		t.Errorf("the last line of the table is %q", l)
	}
	if r := Judge(smooth(), Options{Claims: []Claim{"quiet"}}); len(r.Verdicts) != 1 || r.Verdicts[0].Claim != "quiet" {
		t.Errorf("asked for alone, it gives %v", r.Verdicts)
	}
}

// TestRowsAreWhole: what a row needs, and what its parts need of each other.
func TestRowsAreWhole(t *testing.T) {
	before := map[Claim]bool{}
	for _, r := range rows {
		if r.Name == "" || before[r.Name] || !strings.HasSuffix(r.Says, ".") || r.judge == nil {
			t.Errorf("%q has no name of its own, no sentence or no judge", r.Name)
		}
		if !slices.Equal(r.Levels, bothLevels) && len(r.Levels) != 1 {
			t.Errorf("%s is ruled on at %v", r.Name, r.Levels)
		}
		if len(r.Levels) == 1 && r.Stated != StatedOnce {
			t.Errorf("%s has one level, and a file is to state a verdict for each", r.Name)
		}
		for _, c := range r.Sum {
			if !before[c] {
				t.Errorf("%s is the sum of %s, which does not come before it", r.Name, c)
			}
		}
		if (r.soFar != nil) == (r.Sum != nil) && r.Famous || r.soFar != nil && !r.Famous {
			t.Errorf("%s is famous: %v; and it can not be followed step by step, or is for nothing", r.Name, r.Famous)
		}
		before[r.Name] = true
	}
	if got := Famous(); !slices.Equal(got, []Claim{AtMostOnce, AtLeastOnce, ExactlyOnce}) {
		t.Errorf("the famous claims are %v", got)
	}
}
