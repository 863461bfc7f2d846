package format

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Load reads one scenario. It reports everything that is wrong, in the order of the file, up to MaxProblems, and after these how
// many more there are; the File is nil unless there is no problem at all. name stands in the positions. A nil Keys accepts every config key, release, feature,
// message kind and error code.
func Load(name string, src []byte, k Keys) (*File, []Problem) {
	root, problems := parseTree(name, src)
	if root == nil || len(problems) > 0 {
		return nil, Sorted(problems)
	}
	return fromTree(root, k)
}

func fromTree(root *tree, k Keys) (*File, []Problem) {
	d := &decoder{keys: k, spoilt: map[Pos]bool{}}
	f := &File{}
	if root.kind != treeMap {
		d.wrong(root, "the file", "a mapping with the keys of a scenario", nil)
	} else {
		d.structInto(root, reflect.ValueOf(f).Elem(), "the scenario")
		d.check(f)
	}
	if len(d.problems) > 0 {
		return nil, Sorted(d.problems)
	}
	return f, nil
}

// decoder fills the types from a tree and collects problems on the way. What cannot be read stays zero.
type decoder struct {
	keys     Keys
	problems []Problem
	spoilt   map[Pos]bool // mappings with a problem inside, by the place that their type keeps
}

// spoil notes that something inside a mapping could not be read, if that is so: rules about the mapping as a whole would then
// only repeat the complaint.
func (d *decoder) spoil(at Pos, problemsBefore int) {
	if len(d.problems) > problemsBefore {
		d.spoilt[at] = true
	}
}

// rule reports the breach of a rule about a mapping as a whole. A mapping without a place was never read.
func (d *decoder) rule(at Pos, msg, expected string) {
	if !d.spoilt[at] && at.Line > 0 {
		d.problem(at, msg, expected, "")
	}
}

func (d *decoder) problem(at Pos, msg, expected, nearest string) {
	d.problems = append(d.problems, ProblemAt(at, msg, expected, nearest))
}

// wrong reports a value that is not what it should be.
func (d *decoder) wrong(n *tree, what, expected string, candidates []string) {
	nearest := ""
	if n.kind != treeList && n.kind != treeMap {
		nearest = Nearest(n.text, candidates)
	}
	d.problem(n.pos, what+" is "+n.describe(), expected, nearest)
}

func (n *tree) describe() string {
	switch n.kind {
	case treeNull:
		return "empty"
	case treeList, treeMap:
		return n.kind.String()
	}
	return strconv.Quote(shorten(n.text))
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

func (n *tree) isScalar() bool {
	return n.kind == treeString || n.kind == treeNumber || n.kind == treeBool
}

// structInto reads a mapping. what names it in messages.
func (d *decoder) structInto(n *tree, v reflect.Value, what string) {
	s := shapeOf(v.Type())
	before := len(d.problems)
	defer func() { d.spoil(n.pos, before) }()
	if s.placed != nil {
		v.FieldByIndex(s.placed).Set(reflect.ValueOf(n.pos))
	}
	if n.kind != treeMap {
		if s.short != nil && n.kind != treeNull {
			d.into(n, v.FieldByIndex(s.short.index), *s.short, what)
			d.fillMissing(n, v, s, what, []string{s.short.key})
			return
		}
		d.wrong(n, what, d.expectedMapping(s), nil)
		return
	}
	var seen []string
	first := map[string]Pos{}
	for _, key := range n.keys {
		if at, twice := first[key.name]; twice {
			d.problem(key.pos, fmt.Sprintf("the key %q stands twice in %s", key.name, what),
				fmt.Sprintf("it once; the first is in line %d", at.Line), "")
			continue
		}
		first[key.name] = key.pos
		seen = append(seen, key.name)
		if i := slices.IndexFunc(s.fields, func(f field) bool { return f.key == key.name }); i >= 0 {
			d.into(key.value, v.FieldByIndex(s.fields[i].index), s.fields[i], key.name)
			if at := v.FieldByName("LoopPos"); s.fields[i].typ == reflect.TypeFor[Loop]() && at.IsValid() {
				at.Set(reflect.ValueOf(key.value.pos))
			}
		} else if !d.fromTable(key, v, s) {
			d.unknownKey(key, what, s)
		}
	}
	d.fillMissing(n, v, s, what, seen)
}

func (d *decoder) expectedMapping(s shape) string {
	if len(s.fields) == 0 && s.oneOf == nil && s.someOf == nil && s.short != nil {
		return "a single value"
	}
	return "a mapping with " + listKeys(s.keys())
}

// listKeys names keys for a message, and not more than a reader takes in.
func listKeys(keys []string) string {
	const most = 14
	if len(keys) > most {
		return strings.Join(keys[:most], ", ") + " …"
	}
	return strings.Join(keys, ", ")
}

func (d *decoder) unknownKey(key treeKey, what string, s shape) {
	keys := s.keys()
	nearest := Nearest(key.name, keys)
	expected := "one of " + strings.Join(keys, ", ")
	if nearest != "" && len(keys) > 14 {
		expected = ""
	}
	if len(keys) == 0 {
		expected = "a single value"
	}
	d.problem(key.pos, fmt.Sprintf("unknown key %q in %s", shorten(key.name), what), expected, nearest)
}

// fromTable reads a key of a oneof or someof table.
func (d *decoder) fromTable(key treeKey, v reflect.Value, s shape) bool {
	for _, f := range []*field{s.oneOf, s.someOf} {
		for _, row := range s.table(f) {
			if row.key != key.name {
				continue
			}
			made := reflect.New(row.typ)
			before := len(d.problems)
			if key.value.kind == treeNull {
				d.problem(key.pos, key.name+" is empty", d.expectedMapping(shapeOf(row.typ)), "")
			} else {
				d.structInto(key.value, made.Elem(), key.name)
			}
			made.Elem().FieldByName("Pos").Set(reflect.ValueOf(key.pos))
			d.spoil(key.pos, before)
			into := v.FieldByIndex(f.index)
			if f == s.someOf {
				into.Set(reflect.Append(into, made))
			} else if into.IsNil() {
				into.Set(made)
			} else {
				d.problem(key.pos, fmt.Sprintf("a second action, %s, in one step", key.name), "a step of its own for each action", "")
			}
			return true
		}
	}
	return false
}

// fillMissing reports required keys that are not there and fills in defaults.
func (d *decoder) fillMissing(n *tree, v reflect.Value, s shape, what string, seen []string) {
	for _, f := range s.fields {
		if slices.Contains(seen, f.key) {
			continue
		}
		into := v.FieldByIndex(f.index)
		if f.tag.Get("required") == "true" {
			d.problem(n.pos, fmt.Sprintf("%s has no %q", what, f.key), lowerFirst(strings.TrimSuffix(f.tag.Get("doc"), ".")), "")
		} else if text, given := f.tag.Lookup("default"); given {
			d.into(defaultTree(text, n.pos), into, f, f.key)
		} else if into.Kind() == reflect.Struct && isMapping(into.Type()) {
			d.structInto(&tree{kind: treeMap, pos: n.pos}, into, f.key)
		}
	}
	if s.someOf != nil && v.FieldByIndex(s.someOf.index).Len() == 0 && !slices.ContainsFunc(seen, func(key string) bool { return !slices.Contains(s.keys(), key) }) {
		var names []string
		for _, row := range s.table(s.someOf) {
			names = append(names, row.key)
		}
		d.problem(n.pos, what+" names no condition", "one of "+strings.Join(names, ", "), "")
	}
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' || len(s) > 1 && s[1] == ' ' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// isMapping reports whether a struct type is read from a mapping with keys of its own and not by scalarInto.
func isMapping(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	_, placed := t.FieldByName("Placed")
	return placed && len(shapeOf(t).fields) > 0
}

// defaultTree makes the tree of a default tag: one word, or words in brackets.
func defaultTree(text string, pos Pos) *tree {
	if list, found := strings.CutPrefix(text, "["); found {
		t := &tree{kind: treeList, pos: pos}
		for _, word := range strings.Split(strings.TrimSuffix(list, "]"), ", ") {
			t.items = append(t.items, defaultTree(word, pos))
		}
		return t
	}
	kind := treeString
	if _, err := strconv.Atoi(text); err == nil {
		kind = treeNumber
	} else if text == "true" || text == "false" {
		kind = treeBool
	}
	return &tree{kind: kind, pos: pos, text: text}
}

// into reads a value of any type. The field carries the tags that narrow the type down.
func (d *decoder) into(n *tree, v reflect.Value, f field, what string) {
	if n.kind == treeNull && f.tag.Get("null") != "true" {
		d.problem(n.pos, what+" is empty", d.expect(v.Type(), f), "")
		return
	}
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.into(n, v.Elem(), f, what)
	case d.special(n, v, f, what):
	case v.Kind() == reflect.Slice && f.named:
		d.namedInto(n, v, f, what)
	case v.Kind() == reflect.Slice:
		d.listInto(n, v, f, what)
	case v.Kind() == reflect.Struct:
		d.structInto(n, v, what)
	}
}

// listInto reads a list. A single value stands for a list of one, unless the elements are lists themselves.
func (d *decoder) listInto(n *tree, v reflect.Value, f field, what string) {
	items := n.items
	if n.kind != treeList {
		if v.Type().Elem().Kind() == reflect.Slice || n.kind == treeMap && v.Type().Elem().Kind() != reflect.Struct {
			d.wrong(n, what, d.expect(v.Type(), f), nil)
			return
		}
		items = []*tree{n}
	}
	if !d.within(n.pos, len(items), f, what, "entries") {
		return
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	inner := f
	inner.tag = withoutBounds(f.tag)
	for i, item := range items {
		if out.Index(i).Kind() == reflect.Slice && item.kind != treeList {
			d.wrong(item, "an entry of "+what, fmt.Sprintf("a list, as in %s: [[1, 2]]", what), nil)
			continue
		}
		d.into(item, out.Index(i), inner, entryName(f.key, i))
	}
	v.Set(out)
}

func entryName(key string, i int) string {
	if key == "script" {
		return fmt.Sprintf("step %d", i+1)
	}
	return "an entry of " + key
}

// withoutBounds drops min and max, which bound the list and not its elements.
func withoutBounds(tag reflect.StructTag) reflect.StructTag {
	var kept []string
	for _, key := range []string{"ref", "node", "section", "words"} {
		if value, found := tag.Lookup(key); found {
			kept = append(kept, fmt.Sprintf("%s:%q", key, value))
		}
	}
	return reflect.StructTag(strings.Join(kept, " "))
}

// namedInto reads a mapping from names to things into a list of things that know their names.
func (d *decoder) namedInto(n *tree, v reflect.Value, f field, what string) {
	if n.kind != treeMap {
		d.wrong(n, what, "a mapping from names", nil)
		return
	}
	if !d.within(n.pos, len(n.keys), f, what, "entries") {
		return
	}
	elem := v.Type().Elem()
	first := map[string]Pos{}
	for _, key := range n.keys {
		if at, twice := first[key.name]; twice {
			d.problem(key.pos, fmt.Sprintf("the name %q stands twice in %s", key.name, what),
				fmt.Sprintf("it once; the first is in line %d", at.Line), "")
			continue
		}
		first[key.name] = key.pos
		made := reflect.New(elem).Elem()
		before := len(d.problems)
		value := key.value
		if value.kind == treeNull && isMapping(elem) {
			value = &tree{kind: treeMap, pos: key.pos} // "p:" is a producer with nothing but defaults
		}
		d.into(value, made, field{typ: elem}, shorten(key.name))
		made.FieldByName("Pos").Set(reflect.ValueOf(key.pos))
		name := made.FieldByName("Name")
		nameField, _ := elem.FieldByName("Name")
		d.nameInto(&tree{kind: treeString, pos: key.pos, text: key.name}, name, field{tag: nameField.Tag}, "a name in "+what)
		d.spoil(key.pos, before)
		v.Set(reflect.Append(v, made))
	}
}

// within checks the bounds of a number or of a length. It reports false where reading on would be too much.
func (d *decoder) within(at Pos, n int, f field, what, unit string) bool {
	low, high := bounds(f.tag)
	if int64(n) >= low && int64(n) <= high {
		return true
	}
	d.problem(at, fmt.Sprintf("%s has %d %s", what, n, unit), boundsText(low, high), "")
	return false
}

// unbounded is one more than the largest number that a file can hold: a file means the same where an int has 32 bits.
const unbounded int64 = 1 << 31

func bounds(tag reflect.StructTag) (low, high int64) {
	low, high = -unbounded, unbounded
	if text := tag.Get("min"); text != "" {
		low, _ = strconv.ParseInt(text, 10, 64)
	}
	if text := tag.Get("max"); text != "" {
		high, _ = strconv.ParseInt(text, 10, 64)
	}
	return low, high
}

func boundsText(low, high int64) string {
	switch {
	case low == -unbounded && high == unbounded:
		return ""
	case high == unbounded:
		return fmt.Sprintf("at least %d", low)
	case low == -unbounded:
		return fmt.Sprintf("at most %d", high)
	case low == high:
		return fmt.Sprintf("exactly %d", low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
