// Package referencecase runs the reference cases: Kafka's behaviour as inputs and expected results, written by people
// who did not write this model. KAFKA_CASES=<dir> points the same tests at another folder of such files.
//
// A test brings a Runner for every kind of case that it knows. What the model has no component for is skipped by
// name, with the reason: a kind without a runner, and a key that the README of the cases describes and the runner
// does not know. A key that not even the README describes fails its case: it would be dropped in silence.
package referencecase

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Runner does what a case's given says, and compares the outcome with its expect.
type Runner func(t *testing.T, given, expect *Fields)

// Case is one entry of a file.
type Case struct {
	ID, Source, Verified, Since, Note string
	Given, Expect                     map[string]any
}

// Kind is the shape of the case's given.
func (c *Case) Kind() string {
	kind, _ := c.Given["kind"].(string)
	return kind
}

// Folder is where the cases are: KAFKA_CASES, or the copy that lies in the repository at own. It says which.
func Folder(own string) (dir string, isOwn bool) {
	if dir = os.Getenv("KAFKA_CASES"); dir != "" {
		return dir, false
	}
	return own, true
}

// Read gives the cases of all files (*.yaml) of a folder, by the name of the file and in its order.
func Read(t *testing.T, dir string) (files []string, cases map[string][]Case) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no reference cases (*.yaml) in %s: %v", dir, err)
	}
	slices.Sort(paths)
	cases = map[string][]Case{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var of []Case
		if err := yaml.Unmarshal(text, &of); err != nil {
			t.Fatalf("%s: %s", path, yaml.FormatError(err, false, true))
		}
		name := filepath.Base(path)
		files, cases[name] = append(files, name), of
	}
	return files, cases
}

// Run runs the cases of the kinds that runners knows. own is the folder of the copy in the repository.
func Run(t *testing.T, own string, runners map[string]Runner) {
	dir, isOwn := Folder(own)
	readme := described(t, dir, own)
	files, cases := Read(t, dir)
	ran := 0
	for _, file := range files {
		for _, c := range cases[file] {
			run := runners[c.Kind()]
			if run == nil {
				continue
			}
			ran++
			t.Run(file+"/"+c.ID, func(t *testing.T) { runOne(t, &c, run, readme) })
		}
	}
	switch {
	case ran > 0:
	case isOwn:
		t.Fatalf("%s holds no case of the kinds that this test runs", dir)
	default:
		t.Skipf("%s holds no case of this subject", dir)
	}
}

func runOne(t *testing.T, c *Case, run Runner, readme map[string]bool) {
	delete(c.Given, "kind")
	k := &known{readme: readme, since: c.Since}
	given, expect := newFields(t, "given", c.Given, k), newFields(t, "expect", c.Expect, k)
	run(t, given, expect)
	skipped, wrong := k.outcome()
	for _, w := range wrong {
		t.Error(w)
	}
	switch {
	case t.Failed():
		t.Logf("the case is from %s (%s) %s", c.Source, c.Verified, c.Note)
	case skipped != "":
		t.Skip(skipped)
	}
}

// RunOthers names the cases that no test runs, with the reason why: elsewhere says of a kind that another test runs
// it, and reasons what the model lacks.
func RunOthers(t *testing.T, own string, elsewhere map[string]bool, reasons map[string]string) {
	dir, isOwn := Folder(own)
	files, cases := Read(t, dir)
	for _, file := range files {
		for _, c := range cases[file] {
			kind := c.Kind()
			if elsewhere[kind] {
				continue
			}
			t.Run(file+"/"+c.ID, func(t *testing.T) {
				switch reason := reasons[kind]; {
				case reason != "":
					t.Skipf("%s: %s", kind, reason)
				case isOwn:
					t.Errorf("the kind %q has no test, and no reason why it has none", kind)
				default:
					t.Skipf("no test knows the kind %q", kind)
				}
			})
		}
	}
}

// described lists the words of the README of the cases: a key that is none of them is described nowhere.
func described(t *testing.T, dirs ...string) map[string]bool {
	t.Helper()
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "README.md"))
		if err != nil {
			continue
		}
		words := map[string]bool{}
		for _, w := range strings.FieldsFunc(string(text), func(r rune) bool {
			return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		}) {
			words[w] = true
		}
		return words
	}
	t.Fatalf("there is no README.md in any of %v", dirs)
	return nil
}
