package config

import (
	"fmt"
	"strings"

	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Values are the settings of one client, one broker or one topic in one version of Kafka.
type Values struct {
	section Section
	version release.Version
	cells   []cell  // as the table of the section
	broker  *Values // of a topic: whose defaults it takes over; may be nil
}

// cell is one setting's value.
type cell struct {
	set bool
	value
}

// New gives the defaults of a section in a version.
func New(s Section, version release.Version) *Values {
	v := &Values{section: s, version: version, cells: make([]cell, len(tables[s]))}
	for i := range v.cells {
		d := &tables[s][i]
		text := d.Default(version)
		if text == "" && !d.Exists(version) {
			continue
		}
		limits := d.at(version)
		val, err := limits.parse(text, true)
		if err != nil {
			panic(fmt.Sprintf("config: default of %s: %v", d.Key, err))
		}
		v.cells[i].value = val
	}
	return v
}

// Clone gives a copy that can be changed on its own.
func (v *Values) Clone() *Values {
	w := *v
	w.cells = append([]cell(nil), v.cells...)
	return &w
}

// Section says whose settings these are.
func (v *Values) Section() Section { return v.section }

// Version says of which Kafka.
func (v *Values) Version() release.Version { return v.version }

// Set chooses a value; of a harmless setting that the tables do not have, none is kept. The error says what is expected: the nearest key for one that does not exist, since
// or until when a setting exists that this version does not have, the type and the range of the value.
// Nothing changes if there is an error.
func (v *Values) Set(key, text string) error {
	i := index(v.section, key)
	if _, harmless := Harmless(v.section, key); i < 0 && harmless {
		return nil
	} else if i < 0 {
		return unknown(v.section, key)
	}
	d := &tables[v.section][i]
	if !d.Exists(v.version) {
		return outOfTime(d, v.version)
	}
	limits := d.at(v.version)
	val, err := limits.parse(text, false)
	if err != nil {
		return err
	}
	v.cells[i] = cell{set: true, value: val}
	return nil
}

// unknown is the error for a key that the section does not have.
func unknown(s Section, key string) error {
	for other := Section(0); other < sections; other++ {
		if other != s && index(other, key) >= 0 {
			return fmt.Errorf("%s is a %s setting, not a %s setting", key, other, s)
		}
	}
	if instead, ok := features(key); ok {
		return fmt.Errorf("%s is a feature level and not a setting: %s", key, instead)
	}
	if w, ok := outside(s, key); ok {
		return fmt.Errorf("%s is a %s setting of Kafka that the model does not follow, and a verdict could depend on it: %s", key, s, w.why)
	}
	_, nearest := Known(s, key)
	return fmt.Errorf("there is no %s setting %q; the nearest is %s", s, key, nearest)
}

// outOfTime is the error for a setting that the version does not have.
func outOfTime(d *Def, version release.Version) error {
	if version.Less(d.Since) {
		return fmt.Errorf("%s exists since %s; this is Kafka %s", d.Key, d.Since, version)
	}
	if d.Gone != "" {
		return fmt.Errorf("%s does not exist in Kafka %s: %s", d.Key, version, d.Gone)
	}
	return fmt.Errorf("%s is gone since %s; this is Kafka %s", d.Key, d.Until, version)
}

// IsSet says whether the key was chosen with Set, rather than left at its default.
func (v *Values) IsSet(key string) bool { return v.cells[v.at(key)].set }

// Has says whether this version has the setting.
func (v *Values) Has(key string) bool { return tables[v.section][v.at(key)].Exists(v.version) }

// Default gives the text of the default in this version, as Kafka documents it: Null if there is none, "" or
// Absent if the version does not have the setting.
func (v *Values) Default(key string) string {
	d := &tables[v.section][v.at(key)]
	return d.Default(v.version)
}

// Int reads a whole number in the unit of the key. acks reads as 0, 1, or -1 for all.
func (v *Values) Int(key string) int64 {
	d, val := v.read(key, "Int")
	if val.null {
		panic(fmt.Sprintf("config: %s is null and has no number", key))
	}
	switch {
	case d.Kind == Int || d.Kind == Long, d.Key == "acks":
		return val.n
	}
	panic(fmt.Sprintf("config: %s is a %s, not a number", key, d.Kind))
}

// Ms reads a length of time, whatever unit of time the key counts in. What has no limit (-1 where Kafka
// allows it, or more than simulated time can hold) is sim.Never.
func (v *Values) Ms(key string) sim.Time {
	d, val := v.read(key, "Ms")
	unit := d.Unit.length()
	if unit == 0 {
		panic(fmt.Sprintf("config: %s is not a length of time", key))
	}
	if val.null || val.n < 0 || val.n > int64(sim.Never)/int64(unit) {
		return sim.Never
	}
	return sim.Time(val.n) * unit
}

// Bool reads a boolean.
func (v *Values) Bool(key string) bool {
	d, val := v.read(key, "Bool")
	if d.Kind != Boolean {
		panic(fmt.Sprintf("config: %s is a %s, not a boolean", key, d.Kind))
	}
	return val.n == 1
}

// Text reads any setting as text, in one spelling: "all" for acks=-1, class names without their package,
// "" for a word that is null.
func (v *Values) Text(key string) string {
	_, val := v.read(key, "Text")
	return val.text
}

// Words reads a list.
func (v *Values) Words(key string) []string {
	_, val := v.read(key, "Words")
	if val.text == "" {
		return nil
	}
	return strings.Split(val.text, ",")
}

// Millionths reads a decimal fraction in millionths: 500000 for 0.5.
func (v *Values) Millionths(key string) int64 {
	d, val := v.read(key, "Millionths")
	if d.Kind != Double {
		panic(fmt.Sprintf("config: %s is a %s, not a fraction", key, d.Kind))
	}
	return val.n
}

// at is the place of a key in the table. A key that is not declared is a mistake of the program.
func (v *Values) at(key string) int {
	i := index(v.section, key)
	if i < 0 {
		panic(fmt.Sprintf("config: %v", unknown(v.section, key)))
	}
	return i
}

// read finds what is in force: the choice, else the broker's value of a topic, else what other settings
// imply, else the default, else the first fallback that is not null, in the unit of the key that was asked
// for. In a version without the setting it is what did the same there, else Absent.
func (v *Values) read(key, how string) (*Def, value) {
	i := v.at(key)
	d, c := &tables[v.section][i], v.cells[i]
	if c.set {
		return d, v.timestampBound(d, c.value)
	}
	if d.Synonym != "" && v.broker != nil {
		from, val := v.broker.read(d.Synonym, how)
		return d, v.timestampBound(d, val.in(from.Unit, d.Unit))
	}
	if !d.Exists(v.version) && d.Formerly != "" {
		from, val := v.read(d.Formerly, how)
		return d, val.in(from.Unit, d.Unit)
	}
	if !d.Exists(v.version) && d.Absent == "" {
		panic(fmt.Sprintf("config: %s(%q): %v; ask Has first", how, key, outOfTime(d, v.version)))
	}
	if val, ok := v.implied(key); ok {
		return d, val
	}
	if c.null {
		for _, k := range d.Fallback {
			if !v.Has(k) {
				continue
			}
			if from, val := v.read(k, how); !val.null {
				return d, val.in(from.Unit, d.Unit)
			}
		}
	}
	return d, v.timestampBound(d, c.value)
}
