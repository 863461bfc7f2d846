package trial

import (
	"slices"

	"kafkatrial/scenarios/shrink"
)

// shrunk makes a failing run small by what it shows first. limits say how far: a test that fails is worth more
// work than a witness that a test only looks for.
func (p Property) shrunk(t *Trial, limits shrink.Limits) *Trial {
	want := t.Findings[0]
	c, ok := shrink.New(t.World.File, t.options, t.Run.Answers(), want.failure)
	if !ok { // the source itself failed, and no answers lead there
		return t
	}
	c.Allow, c.Also = p.Allow, p.When
	c = shrink.Shrink(c, limits)
	small := &Trial{World: t.World, Run: c.Run, options: c.Options}
	if c.Source != nil {
		small.World = World{c.Source, c.File}
	}
	small.Findings = p.judge(small.Run)
	// The finding that was looked for comes first.
	i := slices.IndexFunc(small.Findings, func(f Finding) bool { return f.What == want.What })
	small.Findings[0], small.Findings[i] = small.Findings[i], small.Findings[0]
	return small
}

// quick is how far a witness is shrunk, and thorough how far a failure.
var (
	quick    = shrink.Limits{Search: -1}
	thorough = shrink.Limits{Configuration: true}
)
