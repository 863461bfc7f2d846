package format

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	registry "kafkatrial/checker"
)

// Write spells a scenario out as a file. Loading the file gives the scenario again, except for where things
// stand in it; what is as when it is left out is left out. comments are put above the steps of the script they
// are given for, by index from 0.
func Write(f *File, comments map[int]string) []byte {
	var b strings.Builder
	s := shapeOf(reflect.TypeFor[File]())
	v := reflect.ValueOf(f).Elem()
	for _, fd := range s.fields {
		value := v.FieldByIndex(fd.index)
		switch {
		case fd.key == "script":
			b.WriteString("script:\n")
			for i := range f.Script {
				writeStep(&b, &f.Script[i], comments[i])
			}
		case fd.named && value.Len() > 0:
			b.WriteString(fd.key + ":\n")
			for i := range value.Len() {
				fmt.Fprintf(&b, "  %s: %s\n", plain(value.Index(i).FieldByName("Name").Interface().(Name).Text), spell(value.Index(i), field{typ: value.Type().Elem()}))
			}
		case fd.key == "compare":
			for i := range value.Len() {
				if i == 0 {
					b.WriteString("compare:\n")
				}
				fmt.Fprintf(&b, "  - %s\n", spell(value.Index(i), field{typ: value.Type().Elem()}))
			}
		default:
			if text, given := spelt(value, fd); given {
				fmt.Fprintf(&b, "%s: %s\n", fd.key, text)
			}
		}
	}
	return []byte(b.String())
}

func writeStep(b *strings.Builder, st *Step, comment string) {
	for line := range strings.Lines(comment) {
		fmt.Fprintf(b, "  # %s\n", strings.TrimRight(line, "\n"))
	}
	lead := "  - "
	for _, entry := range entries(reflect.ValueOf(st).Elem()) {
		fmt.Fprintf(b, "%s%s\n", lead, entry)
		lead = "    "
	}
	if lead == "  - " {
		b.WriteString("  - {}\n")
	}
}

// entries spells the keys of a mapping with their values.
func entries(v reflect.Value) (all []string) {
	s := shapeOf(v.Type())
	for _, f := range s.fields {
		if text, given := spelt(v.FieldByIndex(f.index), f); given {
			all = append(all, f.key+": "+text)
		}
	}
	if s.oneOf != nil {
		if do := v.FieldByIndex(s.oneOf.index); !do.IsNil() {
			all = append(all, row1(do, s.table(s.oneOf)))
		}
	}
	if s.someOf != nil {
		predicates := v.FieldByIndex(s.someOf.index)
		for i := range predicates.Len() {
			all = append(all, row1(predicates.Index(i), s.table(s.someOf)))
		}
	}
	return all
}

// FactText writes a predicate as a file does: acked: m1, or reaches: {consumer: app, verb: send}.
func FactText(f Predicate) string { return row1(reflect.ValueOf(&f).Elem(), predicates) }

func row1(v reflect.Value, table []variant) string {
	of := v.Elem().Elem()
	for _, r := range table {
		if r.typ == of.Type() {
			return r.key + ": " + spell(of, field{typ: r.typ})
		}
	}
	panic("format: nothing spells " + of.Type().String())
}

// spelt gives a field's value; given is false for one that is as when it is left out.
func spelt(v reflect.Value, f field) (text string, given bool) {
	def, hasDefault := f.tag.Lookup("default")
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", false
		}
		v = v.Elem()
		hasDefault = false
	} else if f.tag.Get("required") == "" && (v.Kind() == reflect.Slice && v.IsNil() || !hasDefault && v.Kind() != reflect.Slice && isNothing(v)) {
		return "", false
	}
	text = spell(v, f)
	return text, !(hasDefault && text == def) && text != "{}" && text != ""
}

// isNothing says that a value is not in the file at all.
func isNothing(v reflect.Value) bool {
	switch x := v.Interface().(type) {
	case Value:
		return !x.Given()
	case Duration:
		return !x.Given()
	case Text:
		return x.IsZero()
	case Node:
		return x.IsZero()
	case Partition:
		return x.IsZero()
	case Name:
		return x.IsZero()
	case Nodes:
		return !x.All && !x.None && x.List == nil
	}
	return !isMapping(v.Type()) && v.IsZero()
}

// spell spells a value in one line.
func spell(v reflect.Value, f field) string {
	switch x := v.Interface().(type) {
	case Name:
		return plain(x.Text)
	case Value:
		if x.Null {
			return "null"
		}
		return plain(x.Text)
	case Duration:
		return x.Text
	case Version:
		return strconv.Quote(x.Text)
	case Text:
		return textOf(x)
	case Node:
		return plain(x.Name)
	case Nodes:
		switch {
		case x.All:
			return "all"
		case x.None:
			return "none"
		}
		return spell(reflect.ValueOf(x.List), f)
	case Partition:
		return x.String()
	case Statement:
		return x.ID
	case Misconception:
		return strconv.Itoa(x.Number)
	case Count:
		if x.All {
			return "all"
		}
		return strconv.Itoa(x.N)
	case Keeps:
		switch {
		case x.All:
			return "all"
		case x.Flushed:
			return "flushed"
		}
		return strconv.Itoa(x.Records)
	case Switch:
		if x {
			return "on"
		}
		return "off"
	case AllWord:
		return "all"
	case Config:
		var words []string
		for _, s := range x {
			words = append(words, plain(s.Key.Text)+": "+plain(s.Value.Text))
		}
		return "{" + strings.Join(words, ", ") + "}"
	case Claims:
		return claimsText(x)
	case Topic:
		return mapping(withoutKeys(entries(v), "partitions", "replication-factor"))
	case Consumer:
		if x.Group.Text == x.Name.Text {
			x.Group = Name{}
		}
		return mapping(entries(reflect.ValueOf(&x).Elem()))
	case Send:
		if x.Count > 0 {
			x.Records = nil
		}
		return mapping(entries(reflect.ValueOf(&x).Elem()))
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.String:
		return plain(v.String())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[][]Node]() {
			return replicas(v.Interface().([][]Node))
		}
		return list(v, f)
	}
	return mappingOf(v)
}

func list(v reflect.Value, f field) string {
	var words []string
	for i := range v.Len() {
		word := spell(v.Index(i), field{typ: v.Type().Elem(), tag: withoutBounds(f.tag)})
		if f.named {
			word = plain(v.Index(i).FieldByName("Name").Interface().(Name).Text) + ": " + word
		}
		words = append(words, word)
	}
	if f.named {
		return mapping(words)
	}
	if t := v.Type().Elem(); len(words) == 1 && (t == reflect.TypeFor[Node]() || t == reflect.TypeFor[Name]()) && words[0] != "all" && words[0] != "none" {
		return words[0]
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// replicas are lists in a list, with one entry too.
func replicas(all [][]Node) string {
	var words []string
	for _, nodes := range all {
		var names []string
		for _, n := range nodes {
			names = append(names, plain(n.Name))
		}
		words = append(words, "["+strings.Join(names, ", ")+"]")
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// mappingOf spells a mapping, in its short form if that says all there is to say.
func mappingOf(v reflect.Value) string {
	s := shapeOf(v.Type())
	all := entries(v)
	if s.short == nil {
		return mapping(all)
	}
	short := v.FieldByIndex(s.short.index)
	if len(all) == 0 {
		return spell(short, *s.short)
	}
	if text, given := spelt(short, *s.short); given && len(all) == 1 && all[0] == s.short.key+": "+text && !strings.HasPrefix(text, "{") {
		return text
	}
	return mapping(all)
}

func mapping(entries []string) string { return "{" + strings.Join(entries, ", ") + "}" }

func withoutKeys(entries []string, keys ...string) (kept []string) {
	for _, e := range entries {
		key, _, _ := strings.Cut(e, ":")
		drop := false
		for _, k := range keys {
			drop = drop || k == key
		}
		if !drop {
			kept = append(kept, e)
		}
	}
	return kept
}

func textOf(t Text) string {
	var words []string
	for _, p := range t.Parts {
		if p.Lang == "" {
			return plain(p.Text)
		}
		words = append(words, p.Lang+": "+plain(p.Text))
	}
	return mapping(words)
}

func claimsText(claims Claims) string {
	var words []string
	for _, c := range claims {
		if len(c.Stated) == 0 {
			continue // asked for, and nothing stated
		}
		text := string(c.Stated[0].Verdict)
		both := len(c.Stated) == 2 && c.Stated[0].Verdict == c.Stated[1].Verdict && statingOf(c.Name.Text) != registry.StatedEither
		if !both && c.Stated[0].Level != "" {
			var levels []string
			for _, s := range c.Stated {
				levels = append(levels, string(s.Level)+": "+string(s.Verdict))
			}
			text = mapping(levels)
		}
		words = append(words, c.Name.Text+": "+text)
	}
	return mapping(words)
}

var plainForm = regexp.MustCompile(`^[A-Za-z0-9_.+-]+( [A-Za-z0-9_.+-]+)*$`)

// plain writes a scalar without quotes where that can not be misread.
func plain(s string) string {
	if plainForm.MatchString(s) && s != "null" && s != "~" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "+") {
		return s
	}
	return quoted(s)
}

// quoted writes a scalar in double quotes, as YAML and JSON both read it.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\r`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
