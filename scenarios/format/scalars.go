package format

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	registry "kafkatrial/checker"
)

// special reads the types that have a notation of their own. It reports false for all others.
func (d *decoder) special(n *tree, v reflect.Value, f field, what string) bool {
	if words, ok := v.Interface().(enum); ok {
		d.wordInto(n, v, words.words(), what)
		return true
	}
	switch into := v.Addr().Interface().(type) {
	case *bool:
		if n.kind == treeBool {
			*into = n.text == "true"
		} else {
			d.wrong(n, what, "true or false", nil)
		}
	case *Switch:
		switch {
		case n.isScalar() && (n.text == "on" || n.text == "true"):
			*into = true
		case n.isScalar() && (n.text == "off" || n.text == "false"):
		default:
			d.wrong(n, what, "on or off", []string{"on", "off"})
		}
	case *AllWord:
		if *into = AllWord(n.isScalar() && n.text == "all"); !*into {
			d.wrong(n, what, "the word all or a mapping", []string{"all"})
		}
	case *int:
		d.intInto(n, into, f, what)
	case *Count:
		if n.isScalar() && n.text == "all" {
			into.All = true
		} else if number, ok := n.integer(); ok && number >= 1 && number <= 1_000_000 {
			into.N = number
		} else {
			d.wrong(n, what, d.expect(v.Type(), f), []string{"all"})
		}
	case *Keeps:
		if n.isScalar() && (n.text == "all" || n.text == "flushed") {
			*into = Keeps{Flushed: n.text == "flushed", All: n.text == "all"}
		} else if number, ok := n.integer(); ok && number >= 0 && number <= MaxRecords {
			into.Records = number
		} else {
			d.wrong(n, what, d.expect(v.Type(), f), []string{"flushed", "all"})
		}
	case *Name:
		d.nameInto(n, v, f, what)
	case *Value:
		*into = d.value(n, what, f.tag.Get("null") == "true")
	case *Duration:
		d.durationInto(n, into, f, what)
	case *Text:
		*into = d.text(n, what)
	case *Version:
		d.versionInto(n, into, what)
	case *Node:
		d.nodeInto(n, into, f, what)
	case *Nodes:
		d.nodesInto(n, into, f, what)
	case *Partition:
		if !n.isScalar() {
			d.wrong(n, what, d.expect(v.Type(), f), nil)
		} else if p, err := parsePartition(n.text, n.pos); err != nil {
			d.wrong(n, what, err.Error(), nil)
		} else {
			*into = p
		}
	case *Statement:
		ids := Statements()
		if !n.isScalar() || !slices.Contains(ids, n.text) {
			d.wrong(n, what, "the number of a statement, 1.1 to "+ids[len(ids)-1], ids)
		} else {
			*into = Statement{n.text, n.pos}
		}
	case *Misconception:
		if number, ok := n.integer(); ok && number >= 1 && number <= misconceptions {
			*into = Misconception{number, n.pos}
		} else {
			d.wrong(n, what, d.expect(v.Type(), f), nil)
		}
	case *Config:
		d.configInto(n, into, f, what)
	case *Claims:
		d.claimsInto(n, into, what)
	default:
		return false
	}
	return true
}

// expect says in words what a value of a type looks like.
func (d *decoder) expect(t reflect.Type, f field) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words, ok := reflect.Zero(t).Interface().(enum); ok {
		return "one of " + strings.Join(words.words(), ", ")
	}
	switch reflect.Zero(t).Interface().(type) {
	case bool:
		return "true or false"
	case Switch:
		return "on or off"
	case AllWord:
		return "the word all"
	case int:
		low, high := bounds(f.tag)
		return strings.TrimSpace("a whole number " + boundsText(low, high))
	case Count:
		return "a number from 1, or all"
	case Keeps:
		return "flushed, all, or a number of records"
	case Name:
		if ref := f.tag.Get("ref"); ref != "" {
			return "the name of a " + ref
		}
		return "a name"
	case Value:
		return "a single value"
	case Duration:
		return "a duration with a unit, such as 120ms, 30s, 2m or 7d"
	case Text:
		return "a text, or a mapping from languages to texts"
	case Version:
		return "a release such as 0.10, 2.0 or 3.9"
	case Node:
		return "a node such as " + exampleNodes(f.tag.Get("node"))
	case Nodes:
		return "a node or a list of nodes, or " + strings.ReplaceAll(f.tag.Get("words"), ",", " or ")
	case Partition:
		return "a topic and the number of a partition, as in orders-0"
	case Statement:
		return "the number of a statement, such as 5.6"
	case Misconception:
		return fmt.Sprintf("a number from 1 to %d", misconceptions)
	case Config:
		return "a mapping from Kafka's keys to values"
	case Claims:
		return "a mapping from claims to verdicts"
	}
	switch {
	case t.Kind() == reflect.Slice && f.named:
		return "a mapping from names"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Slice:
		return "a list of lists"
	case t.Kind() == reflect.Slice && isMapping(t.Elem()):
		return "a list; each entry " + d.expect(t.Elem(), field{tag: withoutBounds(f.tag)})
	case t.Kind() == reflect.Slice && t != reflect.TypeFor[Loop]():
		return d.expect(t.Elem(), field{tag: withoutBounds(f.tag)}) + ", or a list of them"
	case t.Kind() == reflect.Slice:
		return "a list of " + strings.Join(Verb("").words(), ", ")
	}
	return d.expectedMapping(shapeOf(t))
}

func (n *tree) integer() (int, bool) {
	number, err := strconv.Atoi(n.text)
	return number, err == nil && n.kind == treeNumber
}

func (d *decoder) wordInto(n *tree, v reflect.Value, words []string, what string) {
	if n.isScalar() && slices.Contains(words, n.text) {
		v.SetString(n.text)
		return
	}
	d.wrong(n, what, "one of "+strings.Join(words, ", "), words)
}

func (d *decoder) intInto(n *tree, into *int, f field, what string) {
	low, high := bounds(f.tag)
	number, ok := n.integer()
	if !ok || int64(number) < low || int64(number) > min(high, unbounded-1) {
		d.wrong(n, what, d.expect(reflect.TypeFor[int](), f), nil)
		return
	}
	*into = number
}

// nameInto reads a name or a reference. Whether a reference resolves is checked later, when all names are known.
func (d *decoder) nameInto(n *tree, v reflect.Value, f field, what string) {
	switch {
	case !n.isScalar():
		d.wrong(n, what, d.expect(v.Type(), f), nil)
		return
	case n.text == "" || utf8.RuneCountInString(n.text) > MaxName || strings.ContainsAny(n.text, "\n\t"):
		d.wrong(n, what, fmt.Sprintf("a name of 1 to %d characters", MaxName), nil)
		return
	}
	if section := Section(f.tag.Get("section")); section != "" {
		d.known(section, n.text, n.pos, what)
	}
	v.Set(reflect.ValueOf(Name{n.text, n.pos}))
}

// known asks Keys for a name of the model.
func (d *decoder) known(section Section, name string, pos Pos, what string) {
	if d.keys == nil {
		return
	}
	if ok, nearest := d.keys.Known(section, name); !ok {
		kinds := map[Section]string{KafkaVersion: "a release", FeatureName: "a feature", MessageKind: "a kind of message", ErrorName: "an error code"}
		expected := kinds[section] + " that the model knows"
		if e, ok := d.keys.(Expecter); ok {
			expected = cmp.Or(e.Expected(section), expected)
		}
		d.problem(pos, fmt.Sprintf("%s is %q", what, shorten(name)), expected, nearest)
	}
}

func (d *decoder) value(n *tree, what string, nullAllowed bool) Value {
	switch {
	case n.kind == treeNull && nullAllowed:
		return Value{Null: true, Pos: n.pos}
	case !n.isScalar():
		d.wrong(n, what, "a single value", nil)
		return Value{}
	case utf8.RuneCountInString(n.text) > MaxText:
		d.wrong(n, what, fmt.Sprintf("at most %d characters", MaxText), nil)
		return Value{}
	}
	return Value{Text: n.text, Pos: n.pos}
}

func (d *decoder) durationInto(n *tree, into *Duration, f field, what string) {
	if !n.isScalar() {
		d.wrong(n, what, d.expect(reflect.TypeFor[Duration](), f), nil)
		return
	}
	span, err := parseDuration(n.text)
	low, _ := bounds(f.tag)
	switch {
	case err != nil:
		d.wrong(n, what, err.Error(), nil)
	case low == 0 && span < 0:
		d.wrong(n, what, "a duration that is not negative", nil)
	default:
		*into = Duration{span, n.text, n.pos}
	}
}

func (d *decoder) text(n *tree, what string) Text {
	t := Text{Pos: n.pos}
	add := func(lang string, n *tree) {
		switch {
		case !n.isScalar() || strings.TrimSpace(n.text) == "":
			d.wrong(n, what, "a text, or a mapping from languages to texts", nil)
		case utf8.RuneCountInString(n.text) > MaxText:
			d.wrong(n, what, fmt.Sprintf("a text of at most %d characters", MaxText), nil)
		default:
			t.Parts = append(t.Parts, TextPart{lang, strings.TrimRight(n.text, "\n")})
		}
	}
	if n.kind != treeMap {
		add("", n)
		return t
	}
	for i, key := range n.keys {
		earlier := slices.ContainsFunc(n.keys[:i], func(k treeKey) bool { return k.name == key.name })
		switch {
		case !languageForm.MatchString(key.name):
			d.problem(key.pos, fmt.Sprintf("unknown key %q in %s", shorten(key.name), what),
				`a language such as en, zh or pt-BR, or quotes around a text that holds ": "`, "")
		case earlier:
			d.problem(key.pos, fmt.Sprintf("the language %q stands twice in %s", key.name, what), "it once", "")
		default:
			add(key.name, key.value)
		}
	}
	if len(n.keys) == 0 {
		d.wrong(n, what, "a text, or a mapping from languages to texts", nil)
	}
	return t
}

func (d *decoder) versionInto(n *tree, into *Version, what string) {
	if !n.isScalar() || !versionForm.MatchString(n.text) {
		d.wrong(n, what, d.expect(reflect.TypeFor[Version](), field{}), nil)
		return
	}
	d.known(KafkaVersion, n.text, n.pos, what)
	*into = Version{n.text, n.pos}
}

func (d *decoder) nodeInto(n *tree, into *Node, f field, what string) {
	if !n.isScalar() {
		d.wrong(n, what, d.expect(reflect.TypeFor[Node](), f), nil)
		return
	}
	node, err := parseNode(n.text, n.pos)
	if err != nil || utf8.RuneCountInString(n.text) > 2*MaxName {
		d.wrong(n, what, d.expect(reflect.TypeFor[Node](), f), nil)
		return
	}
	*into = node
}

func (d *decoder) nodesInto(n *tree, into *Nodes, f field, what string) {
	into.Pos = n.pos
	if n.isScalar() && slices.Contains(strings.Split(f.tag.Get("words"), ","), n.text) {
		into.All, into.None = n.text == "all", n.text == "none"
		return
	}
	d.listInto(n, reflect.ValueOf(&into.List).Elem(), f, what)
}

// configInto reads settings and asks Keys for each key in the sections that the tag names.
func (d *decoder) configInto(n *tree, into *Config, f field, what string) {
	if n.kind != treeMap {
		d.wrong(n, what, d.expect(reflect.TypeFor[Config](), f), nil)
		return
	}
	if len(n.keys) > 100 {
		d.wrong(n, what, "at most 100 settings", nil)
		return
	}
	for i, key := range n.keys {
		if slices.ContainsFunc(n.keys[:i], func(k treeKey) bool { return k.name == key.name }) {
			d.problem(key.pos, fmt.Sprintf("the key %q stands twice in %s", shorten(key.name), what), "it once", "")
			continue
		}
		setting := Setting{Key: Name{key.name, key.pos}}
		if key.value.kind == treeNull {
			d.problem(key.pos, fmt.Sprintf("the setting %q is empty", shorten(key.name)), `a value; "" for the empty string`, "")
			continue
		}
		setting.Value = d.value(key.value, key.name, false)
		if utf8.RuneCountInString(setting.Value.Text) > MaxName {
			d.wrong(key.value, key.name, fmt.Sprintf("at most %d characters", MaxName), nil)
		}
		if section := f.tag.Get("section"); section != "alter" { // alter-config is checked where its sibling keys are known
			d.settingKnown(&setting, sectionsOf(section))
		}
		*into = append(*into, setting)
	}
}

func sectionsOf(section string) []Section {
	if section == "any" {
		return []Section{BrokerConfig, TopicConfig, ProducerConfig, ConsumerConfig}
	}
	return []Section{Section(section)}
}

// settingKnown notes which of the sections know the key, and reports a key that none of them knows.
func (d *decoder) settingKnown(s *Setting, sections []Section) {
	nearest, names := "", []string{}
	for _, section := range sections {
		names = append(names, string(section))
		ok, near := true, ""
		if d.keys != nil {
			ok, near = d.keys.Known(section, s.Key.Text)
		}
		if ok {
			s.Sections = append(s.Sections, section)
			d.checkValue(section, s)
		} else if near != "" && (nearest == "" || editDistance(s.Key.Text, near) < editDistance(s.Key.Text, nearest)) {
			nearest = near
		}
	}
	if len(s.Sections) == 0 {
		d.problem(s.Key.Pos, fmt.Sprintf("%q is not a setting of a %s", shorten(s.Key.Text), strings.Join(names, ", ")),
			"a key that the model knows, spelt as Kafka spells it", nearest)
	}
}

func (d *decoder) checkValue(section Section, s *Setting) {
	checker, ok := d.keys.(ValueChecker)
	if !ok || !s.Value.Given() {
		return
	}
	if expected := checker.CheckValue(section, s.Key.Text, s.Value.Text); expected != "" {
		d.problem(s.Value.Pos, fmt.Sprintf("%s is %q", s.Key.Text, shorten(s.Value.Text)), expected, "")
	}
}

// claimsInto reads claims: one verdict, or one for each level where the claim has levels.
func (d *decoder) claimsInto(n *tree, into *Claims, what string) {
	names := ClaimNames()
	if n.kind != treeMap || len(n.keys) == 0 {
		d.wrong(n, what, "a mapping from claims to verdicts, such as at-least-once: holds", nil)
		return
	}
	for i, key := range n.keys {
		if slices.ContainsFunc(n.keys[:i], func(k treeKey) bool { return k.name == key.name }) {
			d.problem(key.pos, fmt.Sprintf("the claim %q stands twice in %s", shorten(key.name), what), "it once", "")
			continue
		}
		if !slices.Contains(names, key.name) {
			d.problem(key.pos, fmt.Sprintf("unknown claim %q", shorten(key.name)), "one of "+strings.Join(names, ", "), Nearest(key.name, names))
			continue
		}
		*into = append(*into, Claim{Placed: Placed{key.pos}, Name: Name{key.name, key.pos}, Stated: d.stated(key)})
	}
}

func (d *decoder) stated(key treeKey) []Stated {
	verdict := func(n *tree, level Level, what string) Stated {
		s := Stated{Level: level, Pos: n.pos}
		d.into(n, reflect.ValueOf(&s.Verdict).Elem(), field{}, what)
		return s
	}
	n := key.value
	switch {
	case StatedOnce(key.name), statingOf(key.name) == registry.StatedEither && n.kind != treeMap:
		return []Stated{verdict(n, "", key.name)}
	case n.kind != treeMap:
		stated := verdict(n, AtLog, key.name)
		return []Stated{stated, {AtApp, stated.Verdict, stated.Pos}}
	}
	var both struct {
		Placed
		Log *Verdict `yaml:"log"`
		App *Verdict `yaml:"app"`
	}
	d.structInto(n, reflect.ValueOf(&both).Elem(), key.name)
	var out []Stated
	if both.Log != nil {
		out = append(out, Stated{AtLog, *both.Log, n.pos})
	}
	if both.App != nil {
		out = append(out, Stated{AtApp, *both.App, n.pos})
	}
	if len(out) == 0 {
		d.wrong(n, key.name, "log, app or both, each with a verdict", nil)
	}
	return out
}
