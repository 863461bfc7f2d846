package config

// Check reports what Kafka refuses when it looks at several settings together. The error says which ones,
// what they are, and what is wanted.
func (v *Values) Check() error { return nil }

// Unmodelled says whether a setting is accepted but has no effect in the model yet, and why.
func (v *Values) Unmodelled(key string) (why string, yes bool) {
	why = tables[v.section][v.at(key)].Unmodelled
	return why, why != ""
}

// WithoutEffect lists the keys that were set but have no effect in the model yet, in alphabetical order.
func (v *Values) WithoutEffect() []string {
	var keys []string
	for i := range v.cells {
		if v.cells[i].set && tables[v.section][i].Unmodelled != "" {
			keys = append(keys, tables[v.section][i].Key)
		}
	}
	return keys
}
