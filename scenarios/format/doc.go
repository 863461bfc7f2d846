// Package format holds the scenario file: its Go types, the strict loader, the advice a linter gives, and the JSON schema
// that editors complete from. Nothing runs here. The package knows neither the simulator nor the model of Kafka; the
// names that only the model can judge (config keys, releases, features, kinds of message) come in through Keys.
//
// The types are declared once, with struct tags, and read three times: by the loader, by Schema, and by the test that
// holds docs/scenario-format.md to them. The tags are
//
//	yaml:"key"        the key in the file; ",inline" for an embedded struct, ",oneof" and ",someof" for a field that takes
//	                  its key from a table (see variants.go), ",named" for a list that is written as a mapping and whose
//	                  elements take their key into the field Name; "-" for a field that no file sets
//	doc:"sentence"    the description that editors show
//	default:"text"    what stands there when the key is left out, in the file's own notation
//	required:"true"   the key must be there
//	min, max          bounds of a number, or of the length of a list
//	short:"Field"     on the field Placed of a struct: a single value or a list in place of the mapping goes into Field
//	ref:"producer"    a Name that must be declared elsewhere: topic, producer, consumer, group, record
//	node:"broker,…"   the kinds of node that a Node may name
//	section:"broker"  the section of Keys that knows the keys of a Config, or the text of a Name
//
// To add an action, a condition or a loop verb, add its row to the table and nothing else; loader, schema and the
// documentation test follow.
package format
