package hunt

import (
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

// ruled is a scenario with rules put in force.
func ruled(f *format.File, rules []string) *format.File {
	out := *f
	out.Features = slices.Clone(f.Features)
	for _, r := range rules {
		out.Features = slices.DeleteFunc(out.Features, func(f format.Feature) bool { return f.Name.Text == r })
		out.Features = append(out.Features, format.Feature{Name: format.Name{Text: r}, On: true})
	}
	return &out
}

// mended says that the decisions of a run, as far as they still apply, lead to no such failure with the rules in
// force.
func mended(r *scenarios.Run, failure shrink.Failure, rules []string, a sim.Alphabet) bool {
	_, still := shrink.New(ruled(r.File, rules), scenarios.Options{Alphabet: a, Seed: r.Seed}, r.Answers(), failure)
	return !still
}
