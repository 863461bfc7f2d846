package format

import (
	"bytes"
	"testing"

	yaml "github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instance(t testing.TB, src []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(src, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	s := compiled(t)
	for _, file := range goodFiles(t) {
		if err := s.Validate(instance(t, read(t, file))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestSchemaIsTheSameEveryTime(t *testing.T) {
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("two calls of Schema differ")
	}
}
