package format

import (
	"reflect"
	"strings"
	"sync"
)

// shape is what a mapping of the file may hold, read off the Go type it goes into.
type shape struct {
	fields  []field
	oneOf   *field // takes exactly one key of a table, or none
	someOf  *field // takes any number of keys of a table
	short   *field // where a single value or a list goes that stands in place of the mapping
	placed  []int  // index of Pos
	nameKey []int  // index of Name, for elements of a ",named" list
}

type field struct {
	key   string // "" for oneOf and someOf
	named bool
	index []int
	typ   reflect.Type
	tag   reflect.StructTag
}

// shapes keeps what has been worked out; a script names the same few types again and again.
var shapes sync.Map // reflect.Type to shape

func shapeOf(t reflect.Type) shape {
	if known, ok := shapes.Load(t); ok {
		return known.(shape)
	}
	s := shape{}
	shortName := ""
	s.collect(t, nil, &shortName)
	if sf, ok := t.FieldByName("Pos"); ok {
		s.placed = sf.Index
	}
	if sf, ok := t.FieldByName("Name"); ok {
		s.nameKey = sf.Index
	}
	if shortName != "" {
		sf, _ := t.FieldByName(shortName)
		s.short = &field{key: shortKey(sf), index: sf.Index, typ: sf.Type, tag: sf.Tag}
	}
	shapes.Store(t, s)
	return s
}

// shortKey names the short field in messages; a field without a key of its own is called by its Go name in lower case.
func shortKey(sf reflect.StructField) string {
	if key, _, _ := strings.Cut(sf.Tag.Get("yaml"), ","); key != "-" {
		return key
	}
	return strings.ToLower(sf.Name)
}

func (s *shape) collect(t reflect.Type, prefix []int, shortName *string) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(append([]int{}, prefix...), i)
		if short := sf.Tag.Get("short"); sf.Anonymous && short != "" {
			*shortName = short
		}
		yamlTag, present := sf.Tag.Lookup("yaml")
		if !present || yamlTag == "-" {
			continue
		}
		key, option, _ := strings.Cut(yamlTag, ",")
		f := field{key: key, named: option == "named", index: index, typ: sf.Type, tag: sf.Tag}
		switch option {
		case "inline":
			s.collect(sf.Type, index, shortName)
		case "oneof":
			s.oneOf = &f
		case "someof":
			s.someOf = &f
		default:
			s.fields = append(s.fields, f)
		}
	}
}

// keys lists every key that the mapping may hold, in the order of the type.
func (s shape) keys() []string {
	var keys []string
	for _, f := range s.fields {
		keys = append(keys, f.key)
	}
	for _, table := range []*field{s.oneOf, s.someOf} {
		for _, v := range s.table(table) {
			keys = append(keys, v.key)
		}
	}
	return keys
}

func (s shape) table(f *field) []variant {
	switch {
	case f == nil:
		return nil
	case f.typ.Kind() == reflect.Slice:
		return variantsOf(f.typ.Elem())
	}
	return variantsOf(f.typ)
}
