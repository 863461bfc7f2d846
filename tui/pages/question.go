package pages

import (
	"slices"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// inQuestion lists the claims that a scenario is about beyond the three famous ones: those that it asks about, and those
// that it states to be violated in one of its runs. A table shows them although they hold in what it is a table of.
func inQuestion(name string) ([]checker.Claim, error) {
	o, err := scenarios.Open(name)
	if err != nil {
		return nil, err
	}
	var all []checker.Claim
	for i := range o.File.Script {
		if p, ok := o.File.Script[i].Do.(*format.Predict); ok && p.About.Claim.Text != "" {
			all = append(all, checker.Claim(p.About.Claim.Text))
		}
	}
	stated := []format.Claims{o.File.Claims}
	for i := range o.File.Compare {
		stated = append(stated, o.File.Compare[i].Claims)
	}
	for _, claims := range stated {
		for _, c := range claims {
			if slices.ContainsFunc(c.Stated, func(s format.Stated) bool { return s.Verdict == format.Violated }) {
				all = append(all, checker.Claim(c.Name.Text))
			}
		}
	}
	return all, nil
}
