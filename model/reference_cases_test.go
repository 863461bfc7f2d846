package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"testing"

	"github.com/goccy/go-yaml"
)

// The reference cases state Kafka's behaviour as inputs and expected results, written by people who did
// not write this model. KAFKA_CASES=<dir> points the same tests at another folder of such files; cases
// of a kind that a test does not know are left to others.

func TestReferenceCasesLeaderEpoch(t *testing.T) {
	runReferenceCases(t, map[string]caseRunner{
		"epoch_cache":                     runEpochCacheCase,
		"follower_truncation":             runFollowerTruncationCase,
		"fetch_divergence":                runFetchDivergenceCase,
		"offset_for_leader_epoch_request": runOffsetForLeaderEpochCase,
	})
}

func TestReferenceCasesReplication(t *testing.T) {
	runReferenceCases(t, map[string]caseRunner{
		"isr":         runISRCase,
		"ack_check":   runAckCheckCase,
		"follower_hw": runFollowerHWCase,
		"fetch_state": runFetchStateCase,
		"min_isr":     runMinISRCase,
	})
}

// caseRunner does what a case's given says, and compares the outcome with its expect.
type caseRunner func(t *testing.T, given, expect *fields)

type referenceCase struct {
	ID, Source, Verified, Since, Note string
	Given, Expect                     map[string]any
}

func runReferenceCases(t *testing.T, runners map[string]caseRunner) {
	dir, own := os.Getenv("KAFKA_CASES"), false
	if dir == "" {
		dir, own = filepath.Join("testdata", "kafka-cases"), true
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference cases (*.yaml) in %s: %v", dir, err)
	}
	sort.Strings(files)
	ran := 0
	for _, file := range files {
		for _, c := range readReferenceCases(t, file) {
			kind, _ := c.Given["kind"].(string)
			run := runners[kind]
			if run == nil {
				continue
			}
			ran++
			t.Run(filepath.Base(file)+"/"+c.ID, func(t *testing.T) {
				delete(c.Given, "kind")
				given := newFields(t, "given", c.Given)
				given.since = c.Since
				run(t, given, newFields(t, "expect", c.Expect))
				if t.Failed() {
					t.Logf("the case is from %s (%s) %s", c.Source, c.Verified, c.Note)
				}
			})
		}
	}
	switch {
	case ran > 0:
	case own:
		t.Fatalf("%s holds no case of the kinds %v", dir, runners)
	default:
		t.Skipf("%s holds no case of this subject", dir)
	}
}

func readReferenceCases(t *testing.T, file string) []referenceCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []referenceCase
	if err := yaml.Unmarshal(text, &cases); err != nil {
		t.Fatalf("%s: %s", file, yaml.FormatError(err, false, true))
	}
	return cases
}

// fields reads one mapping of a case. It notes which keys were read: a key that nobody read is one that
// the test does not understand, and fails the case instead of being dropped in silence.
type fields struct {
	t     *testing.T
	path  string
	m     map[string]any
	read  map[string]bool
	since string // the release whose source the case follows, empty: trunk of October 2024
}

func newFields(t *testing.T, path string, v any) *fields {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		t.Fatalf("%s is %v, want a mapping", path, v)
	}
	f := &fields{t: t, path: path, m: m, read: map[string]bool{}}
	return f
}

func (f *fields) has(key string) bool {
	f.read[key] = true
	v, ok := f.m[key]
	return ok && v != nil
}

// num reads a number; one that is absent or null is otherwise.
func (f *fields) num(key string, otherwise int64) int64 {
	f.t.Helper()
	if !f.has(key) {
		return otherwise
	}
	n, ok := asNumber(f.m[key])
	if !ok {
		f.t.Fatalf("%s.%s is %v, want a number", f.path, key, f.m[key])
	}
	return n
}

func (f *fields) must(key string) int64 {
	f.t.Helper()
	if !f.has(key) {
		f.t.Fatalf("%s lacks %s", f.path, key)
	}
	return f.num(key, 0)
}

func (f *fields) text(key, otherwise string) string {
	f.t.Helper()
	if !f.has(key) {
		return otherwise
	}
	s, ok := f.m[key].(string)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want text", f.path, key, f.m[key])
	}
	return s
}

func (f *fields) flag(key string, otherwise bool) bool {
	f.t.Helper()
	if !f.has(key) {
		return otherwise
	}
	b, ok := f.m[key].(bool)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want true or false", f.path, key, f.m[key])
	}
	return b
}

func (f *fields) list(key string) []any {
	f.t.Helper()
	if !f.has(key) {
		return nil
	}
	l, ok := f.m[key].([]any)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want a list", f.path, key, f.m[key])
	}
	return l
}

func (f *fields) ints(key string) []int {
	f.t.Helper()
	var out []int
	for _, v := range f.list(key) {
		n, ok := asNumber(v)
		if !ok {
			f.t.Fatalf("%s.%s holds %v, want numbers", f.path, key, v)
		}
		out = append(out, int(n))
	}
	return out
}

func (f *fields) sub(key string) *fields {
	f.t.Helper()
	if !f.has(key) {
		return newFields(f.t, f.path+"."+key, nil)
	}
	return newFields(f.t, f.path+"."+key, f.m[key])
}

func (f *fields) keys() []string {
	out := make([]string, 0, len(f.m))
	for k := range f.m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// done fails the case if a key was not understood.
func (f *fields) done() {
	f.t.Helper()
	for _, k := range f.keys() {
		if !f.read[k] {
			f.t.Errorf("%s.%s: this test does not know what %q means here", f.path, k, k)
		}
	}
}

// compare holds what came out against an expected mapping: the keys that are present there, no others.
func (f *fields) compare(got map[string]any) {
	f.t.Helper()
	for _, k := range f.keys() {
		g, ok := got[k]
		if !ok {
			f.t.Errorf("%s.%s: this test does not compute %q", f.path, k, k)
			continue
		}
		if want, have := plain(f.m[k]), plain(g); !reflect.DeepEqual(want, have) {
			f.t.Errorf("%s.%s: got %v, Kafka has %v", f.path, k, have, want)
		}
	}
}

// eachStep runs a case's operations and compares every outcome with its entry in the list expect[key].
func eachStep(t *testing.T, given, expect *fields, key string, do func(op *fields) map[string]any) {
	t.Helper()
	ops, want := given.list("ops"), expect.list(key)
	if len(ops) != len(want) {
		t.Fatalf("%d operations, but %d results", len(ops), len(want))
	}
	for i, v := range ops {
		op := newFields(t, fmt.Sprintf("given.ops[%d]", i), v)
		got := do(op)
		op.done()
		newFields(t, fmt.Sprintf("after operation %d (%v): expect.%s[%d]", i, op.m, key, i), want[i]).compare(got)
	}
	given.done()
	expect.done()
}

func asNumber(v any) (int64, bool) {
	switch n := reflect.ValueOf(v); {
	case !n.IsValid():
		return 0, false
	case n.CanInt():
		return n.Int(), true
	case n.CanUint():
		return int64(n.Uint()), true
	}
	return 0, false
}

// plain brings what YAML gave and what the model gave to the same types.
func plain(v any) any {
	if n, ok := asNumber(v); ok {
		return n
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = plain(r.Index(i).Interface())
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range r.MapKeys() {
			out[k.String()] = plain(r.MapIndex(k).Interface())
		}
		return out
	case reflect.String:
		return r.String()
	}
	return v
}
