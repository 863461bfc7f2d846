package config

import (
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Kind is the type of a setting's value.
type Kind uint8

// The kinds, named after Kafka's ConfigDef.Type.
const (
	Int     Kind = iota // a whole number of 32 bits
	Long                // a whole number of 64 bits
	Boolean             // true or false, in any case
	String              // a word, from Enum if that is not empty
	List                // words with commas between them, each from Enum if that is not empty
	Class               // a Java class; the package in front may be left out
	Double              // a decimal fraction, kept in millionths
)

// String names the kind as Kafka's documentation does.
func (k Kind) String() string {
	return [...]string{"int", "long", "boolean", "string", "list", "class", "double"}[k]
}

// Unit is what a number counts. Only units of time can be read with Values.Ms.
type Unit uint8

// The units.
const (
	Plain Unit = iota // records, bytes, attempts
	Milliseconds
	Seconds
	Minutes
	Hours
)

func (u Unit) String() string {
	return [...]string{"", "milliseconds", "seconds", "minutes", "hours"}[u]
}

// length is one unit as simulated time.
func (u Unit) length() sim.Time {
	switch u {
	case Milliseconds:
		return sim.Millisecond
	case Seconds:
		return sim.Second
	case Minutes:
		return sim.Minute
	case Hours:
		return 60 * sim.Minute
	}
	return 0
}

// Null is the text of a setting that has no value. A number that is null falls back on the keys of
// Def.Fallback; a word that is null reads as "".
const Null = "null"

// Required is the text of the default of a setting that a client must be given. It reads as null here: scenarios need not name what
// has no effect.
const Required = "(none: required)"

// Era is a default and the version from which it holds.
type Era struct {
	From release.Version
	Text string
}

// Limits are what is allowed from a version on. A zero Max and an empty Enum leave those as they were.
type Limits struct {
	From release.Version
	Min  int64
	Enum []string
}

// Def describes one setting of one section.
type Def struct {
	Section Section
	Key     string
	Kind    Kind
	Unit    Unit
	Min     int64    // smallest number allowed; where Kafka sets no bound, what still has a meaning
	Max     int64    // largest number allowed; 0 stands for the largest of the kind
	Enum    []string // the words allowed; empty for any word
	Later   []Limits // limits that changed, oldest first
	Since   release.Version
	Until   release.Version // the first version without it; zero if it is still there
	Gone    string          // why it is not there any more, if that needs saying
	Eras    []Era           // defaults, oldest first

	// Absent is what a reader gets in a version without the setting: the behaviour that Kafka has there.
	// Empty: reading it in such a version is a mistake of the program, and panics.
	Absent string

	// Formerly is the key of the same section that did this in versions without the setting. It comes
	// before Absent.
	Formerly string

	// Fallback lists keys of the same section that are asked in turn while this one is null.
	Fallback []string

	// Synonym is the broker's setting that a topic takes over unless it has its own.
	Synonym string

	// Unmodelled says why the setting has no effect here. Empty: the model follows it.
	Unmodelled string

	// Harmless says of a setting without effect that no value which Kafka takes could change a verdict.
	Harmless bool

	// Instead says why another value than the default is in force while nothing is set; it counts in the releases where one is.
	Instead string

	Meaning string // one line
	Source  string // Kafka's class
	Note    string // a peculiarity of some versions
}

// Exists says whether a version has the setting.
func (d *Def) Exists(v release.Version) bool {
	return v.AtLeast(d.Since) && (d.Until == release.Version{} || v.Less(d.Until))
}

// at gives the description with the limits of a version.
func (d *Def) at(v release.Version) Def {
	e := *d
	for _, l := range d.Later {
		if v.AtLeast(l.From) {
			e.Min = l.Min
			if l.Enum != nil {
				e.Enum = l.Enum
			}
		}
	}
	return e
}

// Default gives the text of the default in a version: Null if there is none, and Absent if the version does
// not have the setting. It is the documented default: for what is really in force, and for the one default
// that was documented but not applied (enable.idempotence in 3.0.0 and 3.1.0), ask Values.
func (d *Def) Default(v release.Version) string {
	if !d.Exists(v) {
		return d.Absent
	}
	text := Null
	for _, e := range d.Eras {
		if v.AtLeast(e.From) {
			text = e.Text
		}
	}
	return text
}

// Lookup finds the description of a setting, for documentation.
func Lookup(s Section, key string) (Def, bool) {
	if i := index(s, key); i >= 0 {
		return tables[s][i], true
	}
	return Def{}, false
}

// by writes defaults: the first one, then pairs of the version in which it changed and the new one.
func by(first string, changes ...string) []Era {
	eras := []Era{{Text: first}}
	for i := 0; i+1 < len(changes); i += 2 {
		eras = append(eras, Era{ver(changes[i]), changes[i+1]})
	}
	return eras
}

// ver reads a version of the tables: the first release of its line unless a patch is named.
func ver(s string) release.Version { return release.First(s) }

// from says in which class of Kafka settings are defined, unless a row says it itself.
func from(class string, defs ...Def) []Def {
	for i := range defs {
		if defs[i].Source == "" {
			defs[i].Source = class
		}
	}
	return defs
}
