package hunt

import (
	"slices"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// What a hunt has tried: a report that finds nothing is worth as much as this.

// struckIn counts what struck in a run.
func struckIn(r *scenarios.Run) map[string]int {
	n := map[string]int{}
	for _, a := range r.Answers() {
		if class := a.Strikes(); class != "" {
			n[class]++
		}
	}
	return n
}

// setStruck lists how often each class of fault struck, and those that never did, in the order of the report's Faults. The
// error is that of a report from elsewhere, whose Faults can not be read.
func (r *Report) setStruck(n map[string]int) error {
	r.Struck, r.NeverStruck = []Count{}, []string{}
	a, err := sim.ParseFaultModel(r.Faults)
	if err != nil {
		return err
	}
	for _, class := range a.Classes() {
		if n[class] > 0 {
			r.Struck = append(r.Struck, Count{class, n[class]})
		} else {
			r.NeverStruck = append(r.NeverStruck, class)
		}
	}
	return nil
}

// Tried says that something struck, in some run: without it no run could have found anything.
func (r *Report) Tried() bool { return r.Differed > 0 }

// unlooked lists the claims that nobody looks for. Those about transactions need a transaction.
func unlooked(claims []checker.Claim, transactions bool) []string {
	all := []string{}
	for _, r := range checker.Rows() {
		if !slices.Contains(claims, r.Name) && (transactions || !r.Transactional) {
			all = append(all, string(r.Name))
		}
	}
	return all
}
