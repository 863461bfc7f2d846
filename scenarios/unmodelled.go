package scenarios

import (
	"fmt"
	"slices"

	"kafkatrial/model/config"
	"kafkatrial/scenarios/format"
)

// withoutEffect refuses a setting that a file or an option makes and the model does not follow yet: a verdict
// must not seem to rest on it. What is set to the value that stands for the absence of the rule, such as
// enable.idempotence=false, is what the model does, and is let through.
func withoutEffect(v *config.Values, key string) error {
	why, yes := v.Unmodelled(key)
	if def, _ := config.Lookup(v.Section(), key); !yes || def.Absent != "" && v.Text(key) == def.Absent {
		return nil
	}
	return fmt.Errorf("%s=%s would have no effect: %s", key, v.Text(key), why)
}

// divided refuses groups whose members would share partitions out among themselves: the model works out no
// assignment, and without a rebalance by the script every consumer that subscribes to a topic reads all of it.
func divided(f *format.File) (errs []error) {
	for i, c := range f.Consumers {
		for _, other := range f.Consumers[:i] {
			if groupOf(c) != groupOf(other) || rebalanced(f, groupOf(c)) {
				continue
			}
			for _, t := range c.Topics {
				if slices.ContainsFunc(other.Topics, func(o format.Name) bool { return o.Text == t.Text }) {
					errs = append(errs, fmt.Errorf("%v: %s and %s are both in group %s and subscribe to %s: the model does not share partitions out by itself; give each its partitions, or rebalance the group in the script",
						c.Position(), other.Name, c.Name, groupOf(c), t))
				}
			}
		}
	}
	return errs
}
