package hunt

import (
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/shrink"
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
// force. They are taken from the fault model that the run itself had: with a narrower one some could not be taken, and
// the rules would get the credit for a fault that did not strike.
func mended(r *scenarios.Run, failure shrink.Failure, rules []string) bool {
	_, still := shrink.New(ruled(r.File, rules), scenarios.Options{FaultModel: r.FaultModel(), Seed: r.Seed}, r.Answers(), failure)
	return !still
}
