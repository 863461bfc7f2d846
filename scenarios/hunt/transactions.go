package hunt

import (
	"kafkatrial/checker"
	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/sim"
)

// suited fits what the options leave open to a scenario that has transactional producers. Their own claims count beside
// the famous ones. What a client sends can be late for longer than it waits for the answer, so that it arrives after what
// was sent again, on another connection: most of what can go wrong with transactions comes of that. Nothing is doubled
// on one connection, which TCP does not do.
func (o Options) suited(spec *model.Spec) Options {
	waits, transactional := patience(spec)
	if !transactional {
		return o
	}
	if len(o.Claims) == 0 {
		o.Claims = append(o.withDefaults().Claims, lookedFor(checker.WithTransactions)...)
	}
	if o.Faults.String() == (sim.FaultModel{}).String() {
		o.Faults = Everything
		o.Faults.Duplicate = false
		o.stuck = waits + waits/2
		o.Faults.Late = append(append([]sim.Time(nil), Everything.Late...), o.stuck)
	}
	return o
}

// patience is the longest request.timeout.ms of a transactional producer; transactional is false if there is none.
func patience(spec *model.Spec) (longest sim.Time, transactional bool) {
	look := func(v *config.Values) {
		if v != nil && v.Has("transactional.id") && v.IsSet("transactional.id") {
			longest, transactional = max(longest, v.Ms("request.timeout.ms")), true
		}
	}
	for i := range spec.Producers {
		look(spec.Producers[i].Config)
	}
	for i := range spec.Consumers {
		look(spec.Consumers[i].App.Producer)
	}
	return longest, transactional
}
