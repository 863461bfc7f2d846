// Package config holds Kafka's settings: their keys, their defaults in each version, what may be set, and
// which of them the model follows.
//
// A node's constructor gets a *Values, reads what it needs once into typed fields, and never asks again:
//
//	v := config.New(config.Producer, version)
//	err := v.Set("acks", "all")     // a person's choice; the error says what is expected
//	err = v.Check()                 // what Kafka checks across settings
//	linger := v.Ms("linger.ms")     // the choice, or the default of that version
//
// The defaults and the versions in which a setting exists were read from the config classes of Kafka's
// release branches up to 3.9 and of the trunk that became 4.0; what came later is marked in the row.
package config
