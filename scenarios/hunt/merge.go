package hunt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merge puts the reports of shards together as if one machine had made all their runs; from names where each
// is from, for errors. The error says which two do not belong to one campaign, or which shard is there twice.
func Merge(reports []*Report, from []string) (*Report, error) {
	if len(reports) == 0 {
		return nil, fmt.Errorf("there is nothing to merge")
	}
	first := reports[0]
	out := &Report{Scenario: first.Scenario, Kafka: first.Kafka, Set: first.Set, Seed: first.Seed, First: first.First, Total: first.Total, Budget: first.Budget,
		Faults: first.Faults, Claims: first.Claims, Invariants: first.Invariants, Unless: first.Unless, EndsBefore: first.EndsBefore, NotLookedFor: first.NotLookedFor, Found: []Violation{}}
	failed, probes, struck, undecided := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	owner := map[int]string{}
	shards := 0
	for i, r := range reports {
		if a, b := r.campaign(), first.campaign(); a != b {
			return nil, fmt.Errorf("%s and %s are not of one hunt: %s; %s", from[0], from[i], b, a)
		}
		parts, of, err := shardOf(r.Shard)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from[i], err)
		}
		if i == 0 {
			shards = of
		}
		if of != shards {
			return nil, fmt.Errorf("%s has one of %d shards, and %s one of %d", from[0], shards, from[i], of)
		}
		for _, p := range parts {
			if other, twice := owner[p]; twice {
				return nil, fmt.Errorf("shard %d/%d is in %s and in %s", p, of, other, from[i])
			}
			owner[p] = from[i]
		}
		out.Planned += r.Planned
		out.Runs += r.Runs
		out.Steps += r.Steps
		out.Undecided += r.Undecided
		out.Differed += r.Differed
		out.Interrupted = out.Interrupted || r.Interrupted
		for _, list := range []struct {
			of   []Count
			into map[string]int
		}{{r.Violations, failed}, {r.Probes, probes}, {r.Struck, struck}, {r.OfUndecided, undecided}} {
			for _, c := range list.of {
				list.into[c.Name] += c.Count
			}
		}
		out.Found = append(out.Found, r.Found...)
	}
	slices.SortStableFunc(out.Found, func(a, b Violation) int { return a.Run - b.Run })
	out.Found = keepLowest([]Violation{}, out.Found)
	out.Violations, out.OfUndecided = counts(failed), counts(undecided)
	if err := out.setStruck(struck); err != nil {
		return nil, fmt.Errorf("%s: %w", from[0], err)
	}
	out.setProbes(probes, func(name string) bool {
		return slices.ContainsFunc(reports, func(r *Report) bool { return slices.Contains(r.NeverHit, name) })
	})
	if len(owner) < shards {
		var have []int
		for p := 1; p <= shards; p++ {
			if owner[p] != "" {
				have = append(have, p)
			}
		}
		out.Shard = shardName(have, shards)
	}
	return out, nil
}

// campaign says which campaign a report is of.
func (r *Report) campaign() string {
	return fmt.Sprintf("%s, Kafka %s, settings %q, seed %d, runs %d to %d, at most %d faults of %q, claims %q, invariants %q, unless %q", r.Scenario, r.Kafka, r.Set, r.Seed, r.First, r.First+r.Total-1, r.Budget, r.Faults, r.Claims, r.Invariants, r.Unless)
}

// shardName writes which shards a report has: "2/8", "2+3/8".
func shardName(parts []int, of int) string {
	var words []string
	for _, p := range parts {
		words = append(words, strconv.Itoa(p))
	}
	return strings.Join(words, "+") + "/" + strconv.Itoa(of)
}

// shardOf reads what shardName wrote; a whole campaign is 1/1.
func shardOf(name string) (parts []int, of int, err error) {
	if name == "" {
		return []int{1}, 1, nil
	}
	list, total, _ := strings.Cut(name, "/")
	of, err = strconv.Atoi(total)
	for _, word := range strings.Split(list, "+") {
		p, bad := strconv.Atoi(word)
		if err != nil || bad != nil || p < 1 || p > of {
			return nil, 0, fmt.Errorf("the shard is %q; expected i/n, as in 2/8", name)
		}
		parts = append(parts, p)
	}
	return parts, of, nil
}

// Check says what a report that was read can not be: that of no hunt, or one whose counts contradict each other.
func (r *Report) Check() error {
	switch {
	case r == nil || r.Scenario == "" || r.Kafka == "" || len(r.Claims)+len(r.Invariants) == 0:
		return fmt.Errorf("it does not say which hunt it is of; expected scenario, kafka, and claims or invariants")
	case r.Runs < 0 || r.Planned < r.Runs || r.Total < r.Planned:
		return fmt.Errorf("%d runs were made of %d that were planned, out of %d; expected no more made than planned", r.Runs, r.Planned, r.Total)
	case r.Differed < 0 || r.Differed > r.Runs || r.Undecided < 0 || r.Undecided > r.Runs || r.Steps < 0:
		return fmt.Errorf("of %d runs with %d steps %d differed and %d were undecided; expected no more than there were", r.Runs, r.Steps, r.Differed, r.Undecided)
	}
	for _, list := range [][]Count{r.Struck, r.OfUndecided, r.Violations, r.Probes} {
		for _, c := range list {
			if c.Count < 0 {
				return fmt.Errorf("the count of %q is %d; expected at least 0", c.Name, c.Count)
			}
		}
	}
	return nil
}
