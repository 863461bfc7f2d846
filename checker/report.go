package checker

import (
	"encoding/json"
	"slices"
)

// Options change what Judge looks at. The zero value judges every claim that applies.
type Options struct {
	// Claims to judge; empty means all that apply. The order of the report does not depend on it.
	Claims []Claim
	// Also: of the claims that are judged only where somebody asks, those to judge along with the claims that apply.
	Also []Claim
	// OrderBy chooses whose order the claim ordered is about.
	OrderBy OrderBy
}

// Report is the ruling on a history: two verdicts (or one, where only one level makes sense) for each claim, always in
// the order of Claims.
type Report struct {
	Verdicts []Verdict
}

// Judge rules on every claim that applies to the history. It is a pure function of its arguments.
func Judge(h History, opts Options) Report { return newIndex(&h).judgeAll(opts) }

func (x *index) judgeAll(opts Options) Report {
	r := Report{Verdicts: make([]Verdict, 0, 2*len(rows))}
	for i := range rows {
		row := &rows[i]
		if !x.wanted(row, opts) {
			continue
		}
		for _, l := range row.Levels {
			r.Verdicts = append(r.Verdicts, x.openEnded(row.judge(x, l, opts)))
		}
	}
	r.crossRefer()
	return r
}

// openEnded withholds a comfort that a run which was cut off can not give: every claim is about the whole run, and what
// has not been broken so far may be by what was still to come. What is violated stays so.
func (x *index) openEnded(v Verdict) Verdict {
	if q := &x.h.Quiescence; v.Ruling == Holds && !q.Reached {
		what := "it was cut off"
		if len(q.Moving) > 0 {
			what = q.Moving[0].What
		}
		v.Ruling = Undecided
		v.Evidence = Evidence{Short: "no breach so far", Sentence: "Nothing that happened breaks it, but the run did not come to rest (" + what + "), and what would have come is not known."}
	}
	return v
}

// wanted says whether a claim was asked for, or else whether it applies: the three famous claims always do.
func (x *index) wanted(r *Row, opts Options) bool {
	if len(opts.Claims) > 0 {
		return slices.Contains(opts.Claims, r.Name)
	}
	return (!r.OnlyAsked || slices.Contains(opts.Also, r.Name)) && (r.Applies == nil || r.Applies(x.h))
}

// crossRefer marks a verdict on a claim that is the sum of others (exactly-once) whose reason is one that these have given already.
func (r *Report) crossRefer() {
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Ruling == Holds || v.NotObserved {
			continue
		}
		row, _ := RowOf(v.Claim)
		for _, c := range row.Sum {
			if o, ok := r.Find(c, v.Level); ok && o.Ruling == v.Ruling && o.Evidence.Sentence == v.Evidence.Sentence {
				v.Evidence.As = c
				break
			}
		}
	}
}

// Find returns the verdict on a claim at a level.
func (r Report) Find(c Claim, l Level) (Verdict, bool) {
	for _, v := range r.Verdicts {
		if v.Claim == c && v.Level == l {
			return v, true
		}
	}
	return Verdict{}, false
}

// Overall sums a claim up over its levels: violated if it is violated at one, else undecided if it is undecided at
// one, else holds. A level that nobody observed does not count. It reports false for a claim that was not judged.
func (r Report) Overall(c Claim) (Ruling, bool) {
	sum, judged := Holds, false
	for _, v := range r.Verdicts {
		if v.Claim == c && !v.NotObserved {
			sum, judged = worse(sum, v.Ruling), true
		}
	}
	return sum, judged
}

// JepsenWords lists Jepsen's names of what the verdicts found, each with the records concerned: duplicate (m1, m2).
func (r Report) JepsenWords() []string {
	var words []string
	var records [][]RecordID
	for _, v := range r.Verdicts {
		if v.Evidence.JepsenWord == "" {
			continue
		}
		i := slices.Index(words, v.Evidence.JepsenWord)
		if i < 0 {
			i, words, records = len(words), append(words, v.Evidence.JepsenWord), append(records, nil)
		}
		for _, id := range v.Evidence.Records {
			records[i] = appendNew(records[i], id)
		}
	}
	for i := range words {
		if len(records[i]) > 0 {
			words[i] += " (" + comma(records[i]) + ")"
		}
	}
	return words
}

// MarshalJSON writes the verdicts as a list: claim, level, verdict, evidence. The bytes depend on the report alone.
func (r Report) MarshalJSON() ([]byte, error) {
	if r.Verdicts == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(r.Verdicts)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Report) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &r.Verdicts) }
