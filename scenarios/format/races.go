package format

import (
	"fmt"
	"reflect"
	"slices"
)

// OtherOutcomes gives what a file states of the runs in which a race goes the other way: for one of its comparisons, or, with
// nil, for the file itself.
func (f *File) OtherOutcomes(of *Variant) (all []Claims) {
	if of == nil {
		of = &Variant{}
	}
	for i := range f.Compare {
		if v := &f.Compare[i]; v.InSomeRuns != nil && v.changes() == of.changes() {
			all = append(all, v.Claims)
		}
	}
	return all
}

// changes spells out what a comparison changes, but for how late messages are.
func (v *Variant) changes() string {
	c := *v
	c.Title, c.Claims, c.Refused, c.Explain, c.InSomeRuns = Text{}, nil, nil, Text{}, nil
	return mappingOf(reflect.ValueOf(&c).Elem())
}

// checkInSomeRuns wants a run beside which this one has another outcome: the file's own, or a comparison with the same changes.
func (c *checker) checkInSomeRuns(v *Variant) {
	if v.InSomeRuns == nil || c.spoilt[v.Pos] || c.spoilt[v.InSomeRuns.Pos] {
		return
	}
	at := v.InSomeRuns.Pos
	if v.InSomeRuns.Jitter.Text != "" && v.InSomeRuns.Jitter.Duration == 0 {
		c.rule(at, "in-some-runs has a jitter of 0, so no message is late", "a jitter above 0")
	}
	if v.Seed != nil {
		c.rule(at, "the comparison has both seed and in-some-runs", "one of them; in-some-runs has a seed")
	}
	usual, found := c.file.Claims, v.changes() == (&Variant{}).changes()
	for i := range c.file.Compare {
		if o := &c.file.Compare[i]; !found && o.InSomeRuns == nil && o.changes() == v.changes() {
			usual, found = o.Claims, true
		}
	}
	if !found {
		c.rule(at, "no comparison makes the same changes without in-some-runs", "one, which states what the run without late messages comes to")
		return
	}
	if v.Claims != nil && !slices.ContainsFunc(v.Claims, usual.contradict) {
		c.rule(at, "in-some-runs states no verdict that is another than in the run without late messages", "one that is")
	}
}

// contradict says that these claims state something else of a claim, at one of its levels.
func (c Claims) contradict(other Claim) bool {
	return slices.ContainsFunc(other.Stated, func(s Stated) bool {
		verdict, found := c.Verdict(other.Name.Text, s.Level)
		return found && verdict != s.Verdict
	})
}

// Words says how such a run differs from the one without late messages.
func (r *InSomeRuns) Words() string {
	return fmt.Sprintf("messages up to %s late, as in some runs (seed %d)", r.Jitter.Text, r.Seed)
}
