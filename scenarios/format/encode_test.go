package format

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestWhatIsWrittenIsReadAgain writes every scenario of the library and reads it: nothing may differ but where
// things stand.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	paths, _ := filepath.Glob("../library/*.yaml")
	if len(paths) < 10 {
		t.Fatal("the library is not where it was")
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, problems := Load(path, src, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		text := Write(before, map[int]string{0: "A comment,\nin two lines."})
		after, problems := Load(path, text, nil)
		if len(problems) > 0 {
			t.Fatalf("%s: %v\n%s", path, problems, text)
		}
		if a, b := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem(); !same(a, b) {
			t.Errorf("%s: what was written is not what was read\n%s", path, text)
		}
	}
}

// same compares everything but positions, and durations by their length.
func same(a, b reflect.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[Pos]() {
			return (a.FieldByName("Line").Int() > 0) == (b.FieldByName("Line").Int() > 0)
		}
		for i := range a.NumField() {
			if a.Type().Field(i).Name == "LoopPos" { // a loop that is as when it is left out is not written
				continue
			}
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
