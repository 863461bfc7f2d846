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

// altered looks at the settings that the script changes in the running cluster, as values does at those of the start.
func (b *builder) altered(f *format.File) {
	for i := range f.Script {
		a, ok := f.Script[i].Do.(*format.AlterConfig)
		if !ok {
			continue
		}
		section := alteredSection(a)
		for _, setting := range a.Config {
			key := setting.Key.Text
			v := config.New(section, b.version)
			b.refuse(setting, v.Set(key, setting.Value.Text))
			_, harmless := config.Harmless(section, key)
			def, takenOver := config.Lookup(config.Topic, key)
			switch _, tabled := config.Lookup(section, key); {
			case harmless || !tabled:
			case section == config.Broker && (!takenOver || def.Synonym != key):
				b.refuse(setting, fmt.Errorf("%s of the brokers would change nothing while they run: the model's follow what topics take over by the same name, such as min.insync.replicas", key))
			default:
				b.refuse(setting, withoutEffect(v, key))
			}
		}
	}
}

// alteredSection says whose settings a step changes: a topic's, or the brokers'.
func alteredSection(a *format.AlterConfig) config.Section {
	if a.Broker.All {
		return config.Broker
	}
	return config.Topic
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
