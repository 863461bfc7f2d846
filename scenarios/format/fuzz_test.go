package format

import (
	"reflect"
	"testing"
)

// FuzzLoad holds the loader to three promises for any bytes at all: it does not crash, it says the same thing twice, and it
// returns either a file or problems that point into the file.
func FuzzLoad(f *testing.F) {
	for _, file := range goodFiles(f) {
		f.Add(read(f, file))
	}
	f.Add([]byte(base))
	for _, src := range []string{"", "a", "- a\n- b", "name: {", "name: [", "a: 'b", "a: |\n  b\n c", "? a\n: b", "a: &b c\nd: *b", "%YAML 1.2\n---\na: b",
		"script: [{wait: {}}]", "script: [{send: {count: 3, prefix: a}}]", "topics: {t: }", "null: null", "{}: {}", "[a]: b", "a: !!map {b: c}",
		"cluster: {brokers: 1e9}", "kafka: .inf", "seed: 0x1F", "script:\n- - - - a", "a:\n - b: c\n   d", "\"\\ud800\": 1", "name: \"\\x00\""} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, problems := Load("f", src, model)
		again, problemsAgain := Load("f", src, model)
		if !reflect.DeepEqual(file, again) || !reflect.DeepEqual(problems, problemsAgain) {
			t.Fatal("two loads of the same bytes differ")
		}
		if (file == nil) == (len(problems) == 0) {
			t.Fatalf("file %v, problems %v", file, problems)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Col < 1 || p.Msg == "" {
				t.Fatalf("problem without a place or a message: %#v", p)
			}
			_ = p.Excerpt(src)
		}
		if file == nil {
			return
		}
		Lint(file, true)
		for _, v := range file.Compare {
			Lint(file.With(v), true)
		}
	})
}
