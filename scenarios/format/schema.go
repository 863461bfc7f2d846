package format

import (
	"encoding/json"
	"reflect"
	"strings"

	registry "kafkatrial/checker"
)

type object = map[string]any

// Schema returns the JSON schema (draft 2020-12) of a scenario file, for editors. It is made from the Go types, and so never
// says anything else than the loader; but a schema cannot follow references, which only Load checks.
func Schema() []byte {
	b := schemaBuilder{defs: object{}}
	root := b.mapping(reflect.TypeFor[File]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Scenario of Kafka on Trial"
	root["$defs"] = b.defs
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil { // only strings, numbers, maps and slices are in it
		panic(err)
	}
	return append(out, '\n')
}

type schemaBuilder struct{ defs object }

// of returns the schema of a value of a type; a mapping becomes a reference to a definition of its own.
func (b *schemaBuilder) of(t reflect.Type, f field) object {
	if t.Kind() == reflect.Pointer {
		return b.of(t.Elem(), f)
	}
	if s := scalarSchema(t, f); s != nil {
		return s
	}
	switch {
	case t == reflect.TypeFor[Claims]():
		return claimsSchema()
	case t == reflect.TypeFor[Nodes]():
		return object{"anyOf": []any{object{"enum": strings.Split(f.tag.Get("words"), ",")}, b.list(reflect.TypeFor[[]Node](), f)}}
	case t.Kind() == reflect.Slice && f.named:
		return bounded(object{"type": "object", "additionalProperties": b.element(t.Elem())}, f, "Properties")
	case t.Kind() == reflect.Slice:
		return b.list(t, f)
	}
	return b.ref(t)
}

// element is the value of an entry of a named list, which may be left empty where every key of it may be left out.
func (b *schemaBuilder) element(t reflect.Type) object {
	if isMapping(t) {
		return object{"anyOf": []any{b.ref(t), object{"type": "null"}}}
	}
	return b.ref(t)
}

func (b *schemaBuilder) list(t reflect.Type, f field) object {
	item := b.of(t.Elem(), field{tag: withoutBounds(f.tag)})
	if t.Elem().Kind() == reflect.Slice { // as in listInto: only the lists inside are spelt out
		item = object{"type": "array", "items": b.of(t.Elem().Elem(), field{tag: withoutBounds(f.tag)})}
	}
	list := bounded(object{"type": "array", "items": item}, f, "Items")
	if low, _ := bounds(f.tag); t.Elem().Kind() == reflect.Slice || low > 1 {
		return list
	}
	return object{"anyOf": []any{list, item}}
}

// bounded adds minItems and maxItems, or minProperties and maxProperties.
func bounded(schema object, f field, what string) object {
	low, high := bounds(f.tag)
	if low != -unbounded {
		schema["min"+what] = low
	}
	if high != unbounded {
		schema["max"+what] = high
	}
	return schema
}

func (b *schemaBuilder) ref(t reflect.Type) object {
	if _, made := b.defs[t.Name()]; !made {
		b.defs[t.Name()] = object{} // a definition that refers to itself would never end
		b.defs[t.Name()] = b.withShort(t)
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

// withShort allows the single value or list that a type takes in place of its mapping.
func (b *schemaBuilder) withShort(t reflect.Type) object {
	s := shapeOf(t)
	if s.short == nil {
		return b.mapping(t)
	}
	short := b.of(s.short.typ, *s.short)
	if len(s.keys()) == 0 {
		return short
	}
	return object{"anyOf": []any{short, b.mapping(t)}}
}

func (b *schemaBuilder) mapping(t reflect.Type) object {
	s := shapeOf(t)
	properties, required := object{}, []string{}
	for _, f := range s.fields {
		p := b.of(f.typ, f)
		if doc := f.tag.Get("doc"); doc != "" {
			p = with(p, "description", doc)
		}
		if text, given := f.tag.Lookup("default"); given {
			p = with(p, "default", text)
		}
		properties[f.key] = p
		if f.tag.Get("required") == "true" {
			required = append(required, f.key)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	var choices, none []any
	for _, f := range []*field{s.oneOf, s.someOf} {
		for _, row := range s.table(f) {
			properties[row.key] = with(b.ref(row.typ), "description", row.doc)
			choices = append(choices, object{"required": []string{row.key}})
			none = append(none, object{"required": []string{row.key}})
		}
	}
	switch {
	case s.oneOf != nil:
		out["oneOf"] = append(choices, object{"not": object{"anyOf": none}})
	case s.someOf != nil:
		out["anyOf"] = choices
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func with(schema object, key string, value any) object {
	out := object{key: value}
	for k, v := range schema {
		out[k] = v
	}
	return out
}

// durationPattern is the notation of parseDuration.
const durationPattern = `^[+-]?([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h|d))+$`

// scalarSchema returns the schema of the types that special reads, or nil. Where the file may write a number in place of a
// text (kafka: 0.10, node: 1) the schema allows both.
func scalarSchema(t reflect.Type, f field) object {
	zero := reflect.Zero(t).Interface()
	if words, ok := zero.(enum); ok {
		return object{"enum": words.words()}
	}
	switch zero.(type) {
	case bool:
		return object{"type": "boolean"}
	case Switch:
		return object{"enum": []any{"on", "off", true, false}}
	case AllWord:
		return object{"const": "all"}
	case int:
		low, high := bounds(f.tag)
		schema := object{"type": "integer"}
		if low != -unbounded {
			schema["minimum"] = low
		}
		if high != unbounded {
			schema["maximum"] = high
		}
		return schema
	case Count:
		return object{"anyOf": []any{object{"const": "all"}, object{"type": "integer", "minimum": 1}}}
	case Keeps:
		return object{"anyOf": []any{object{"enum": []string{"flushed", "all"}}, object{"type": "integer", "minimum": 0}}}
	case Name, Node, Partition:
		return object{"type": []string{"string", "number", "boolean"}}
	case Value:
		types := []string{"string", "number", "boolean"}
		if f.tag.Get("null") == "true" {
			types = append(types, "null")
		}
		return object{"type": types}
	case Duration:
		return object{"anyOf": []any{object{"type": "string", "pattern": durationPattern}, object{"const": 0}, object{"const": "0"}}}
	case Text:
		single := object{"type": []string{"string", "number", "boolean"}}
		return object{"anyOf": []any{single, object{"type": "object", "minProperties": 1, "additionalProperties": single,
			"propertyNames": object{"pattern": languageForm.String()}}}}
	case Version:
		return object{"anyOf": []any{object{"type": "string", "pattern": versionForm.String()}, object{"type": "number"}}}
	case Statement:
		return object{"anyOf": []any{object{"enum": Statements()}, object{"type": "number"}}}
	case Misconception:
		return object{"type": "integer", "minimum": 1, "maximum": misconceptions}
	case Config:
		return object{"type": "object", "maxProperties": 100, "additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	}
	return nil
}

func claimsSchema() object {
	properties := object{}
	verdict := object{"enum": Verdict("").words()}
	for _, claim := range claimRows() {
		p := verdict
		if claim.Stated != registry.StatedOnce {
			p = object{"anyOf": []any{verdict, object{"type": "object", "minProperties": 1, "additionalProperties": false,
				"properties": object{"log": verdict, "app": verdict}}}}
		}
		properties[string(claim.Name)] = with(p, "description", claim.Says)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1}
}
