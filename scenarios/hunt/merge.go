package hunt

import (
	"fmt"
	"slices"

	"kafkatrial/checker"
	"kafkatrial/model/mark"
)

// setMarks lists the marks that were hit, in the order of the table, and those that were not.
func (r *Report) setMarks(hit map[string]int) {
	r.Marks, r.NeverHit = []Count{}, []string{}
	for _, m := range mark.All() {
		if n := hit[m.Name]; n > 0 {
			r.Marks = append(r.Marks, Count{m.Name, n})
		} else {
			r.NeverHit = append(r.NeverHit, m.Name)
		}
	}
}

// Merge puts the reports of shards together as if one machine had made all their runs. The error says which
// two do not belong to one campaign, or that a shard is there twice.
func Merge(reports []*Report) (*Report, error) {
	if len(reports) == 0 {
		return nil, fmt.Errorf("there is nothing to merge")
	}
	first := reports[0]
	out := &Report{Scenario: first.Scenario, Kafka: first.Kafka, Seed: first.Seed, Budget: first.Budget, Found: []Violation{}}
	failed, marks := map[checker.Claim]int{}, map[string]int{}
	seen := map[string]bool{}
	for i, r := range reports {
		if r.Scenario != first.Scenario || r.Kafka != first.Kafka || r.Seed != first.Seed || r.Budget != first.Budget {
			return nil, fmt.Errorf("report %d is of %s under Kafka %s with seed %d and budget %d, report 1 of %s under Kafka %s with seed %d and budget %d: they are not one campaign",
				i+1, r.Scenario, r.Kafka, r.Seed, r.Budget, first.Scenario, first.Kafka, first.Seed, first.Budget)
		}
		if seen[r.Shard] {
			return nil, fmt.Errorf("report %d is of shard %q, which another report already is", i+1, r.Shard)
		}
		seen[r.Shard] = true
		out.Planned += r.Planned
		out.Runs += r.Runs
		out.Steps += r.Steps
		out.Undecided += r.Undecided
		out.Interrupted = out.Interrupted || r.Interrupted
		for _, c := range r.Violations {
			failed[checker.Claim(c.Name)] += c.Count
		}
		for _, c := range r.Marks {
			marks[c.Name] += c.Count
		}
		out.Found = append(out.Found, r.Found...)
	}
	slices.SortStableFunc(out.Found, func(a, b Violation) int { return a.Run - b.Run })
	kept := out.Found[:0]
	for _, v := range out.Found {
		if !slices.ContainsFunc(kept, func(o Violation) bool { return o.Claim == v.Claim && o.Level == v.Level }) {
			kept = append(kept, v)
		}
	}
	out.Found = kept
	out.Violations = byClaim(failed)
	out.setMarks(marks)
	return out, nil
}
