package referencecase

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Fields reads one mapping of a case. It notes which keys were read: a key that nobody read is one that the test does
// not understand, and is named instead of being dropped in silence.
type Fields struct {
	t     *testing.T
	path  string
	m     map[string]any
	read  map[string]bool
	known *known
}

// known is what a case's mappings share.
type known struct {
	readme map[string]bool // the words of the README of the cases
	since  string
	// unread and uncompared are keys of the two sides that the README describes and the test does not know.
	unread, uncompared []string
	wrong              []string // where the outcome is another, and keys that nobody describes
	undescribed        bool     // some of them are that
}

// outcome is what the case comes to: what is wrong, or else why it is skipped; neither if it has been compared and is right.
// A part of what is given that the test does not know makes the comparison worthless.
func (k *known) outcome() (skipped string, wrong []string) {
	switch {
	case len(k.unread) > 0 && !k.undescribed:
		return "the model, or this test, lacks " + strings.Join(k.unread, ", "), nil
	case len(k.wrong) > 0:
		return "", k.wrong
	case len(k.uncompared) > 0:
		return "compared but for " + strings.Join(k.uncompared, ", ") + ": the model, or this test, lacks it", nil
	}
	return "", nil
}

func newFields(t *testing.T, path string, v any, k *known) *Fields {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		t.Fatalf("%s is %v, want a mapping", path, v)
	}
	return &Fields{t: t, path: path, m: m, read: map[string]bool{}, known: k}
}

// New reads a mapping that is a part of the case, or was made for it.
func (f *Fields) New(path string, v any) *Fields {
	f.t.Helper()
	return newFields(f.t, path, v, f.known)
}

// Path is where the mapping stands in the case.
func (f *Fields) Path() string { return f.path }

// Empty says that the mapping has no key, or is not there.
func (f *Fields) Empty() bool { return len(f.m) == 0 }

// Raw gives a value as the file has it, nil if there is none. It does not count as read.
func (f *Fields) Raw(key string) any { return f.m[key] }

// Names says that the key is there, though its value may be null. It does not count as read.
func (f *Fields) Names(key string) bool {
	_, ok := f.m[key]
	return ok
}

// Forget takes a key away.
func (f *Fields) Forget(key string) { delete(f.m, key) }

// Since is the release whose source the case follows, empty: the trunk of October 2024.
func (f *Fields) Since() string { return f.known.since }

// Unknown says that the test does not know a word of the case, such as an operation. What the README describes is
// lacking, and the case ends there; anything else is an error.
func (f *Fields) Unknown(what, word string) {
	f.t.Helper()
	if f.known.readme[word] {
		f.t.Skipf("%s: the model, or this test, has no %s %q", f.path, what, word)
	}
	f.t.Fatalf("%s: there is no %s %q", f.path, what, word)
}

// Lacks says why a key of what is expected is not compared.
func (f *Fields) Lacks(key, why string) {
	if f.Names(key) {
		f.known.uncompared = append(f.known.uncompared, f.path+"."+key+" ("+why+")")
		f.Forget(key)
	}
}

// lacks names a key that the test does not know.
func (f *Fields) lacks(names *[]string, key, what string) {
	f.t.Helper()
	if f.known.readme[key] {
		*names = append(*names, f.path+"."+key)
		return
	}
	f.known.wrong = append(f.known.wrong, fmt.Sprintf("%s.%s: this test does not %s %q, nor does the README of the cases describe it", f.path, key, what, key))
	f.known.undescribed = true
}

// Has says that the key has a value.
func (f *Fields) Has(key string) bool {
	f.read[key] = true
	v, ok := f.m[key]
	return ok && v != nil
}

// Num reads a number; one that is absent or null is otherwise.
func (f *Fields) Num(key string, otherwise int64) int64 {
	f.t.Helper()
	if !f.Has(key) {
		return otherwise
	}
	n, ok := Number(f.m[key])
	if !ok {
		f.t.Fatalf("%s.%s is %v, want a number", f.path, key, f.m[key])
	}
	return n
}

// Must reads a number that has to be there.
func (f *Fields) Must(key string) int64 {
	f.t.Helper()
	if !f.Has(key) {
		f.t.Fatalf("%s lacks %s", f.path, key)
	}
	return f.Num(key, 0)
}

// Text reads a text.
func (f *Fields) Text(key, otherwise string) string {
	f.t.Helper()
	if !f.Has(key) {
		return otherwise
	}
	s, ok := f.m[key].(string)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want text", f.path, key, f.m[key])
	}
	return s
}

// Flag reads true or false.
func (f *Fields) Flag(key string, otherwise bool) bool {
	f.t.Helper()
	if !f.Has(key) {
		return otherwise
	}
	b, ok := f.m[key].(bool)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want true or false", f.path, key, f.m[key])
	}
	return b
}

// List reads a list, nil if there is none.
func (f *Fields) List(key string) []any {
	f.t.Helper()
	if !f.Has(key) {
		return nil
	}
	l, ok := f.m[key].([]any)
	if !ok {
		f.t.Fatalf("%s.%s is %v, want a list", f.path, key, f.m[key])
	}
	return l
}

// Ints reads a list of numbers.
func (f *Fields) Ints(key string) []int {
	f.t.Helper()
	var out []int
	for _, v := range f.List(key) {
		n, ok := Number(v)
		if !ok {
			f.t.Fatalf("%s.%s holds %v, want numbers", f.path, key, v)
		}
		out = append(out, int(n))
	}
	return out
}

// Sub reads a mapping, an empty one if there is none.
func (f *Fields) Sub(key string) *Fields {
	f.t.Helper()
	if !f.Has(key) {
		return f.New(f.path+"."+key, nil)
	}
	return f.New(f.path+"."+key, f.m[key])
}

// Keys gives the keys, sorted.
func (f *Fields) Keys() []string {
	out := make([]string, 0, len(f.m))
	for k := range f.m { // order does not matter: sorted below
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Done names the keys that were not understood.
func (f *Fields) Done() {
	f.t.Helper()
	for _, k := range f.Keys() {
		if !f.read[k] {
			f.lacks(&f.known.unread, k, "know what is meant by")
		}
	}
}

// Compare holds what came out against an expected mapping: the keys that are present there, no others.
func (f *Fields) Compare(got map[string]any) {
	f.t.Helper()
	for _, k := range f.Keys() {
		g, ok := got[k]
		if !ok {
			f.lacks(&f.known.uncompared, k, "compute")
			continue
		}
		if want, have := Plain(f.m[k]), Plain(g); !reflect.DeepEqual(want, have) {
			f.known.wrong = append(f.known.wrong, fmt.Sprintf("%s.%s: got %v, Kafka has %v", f.path, k, have, want))
		}
	}
}

// EachStep runs a case's operations and compares every outcome with its entry in the list expect[key].
func EachStep(t *testing.T, given, expect *Fields, key string, do func(op *Fields) map[string]any) {
	t.Helper()
	ops, want := given.List("ops"), expect.List(key)
	if len(ops) != len(want) {
		t.Fatalf("%d operations, but %d results", len(ops), len(want))
	}
	for i, v := range ops {
		op := given.New(fmt.Sprintf("given.ops[%d]", i), v)
		got := do(op)
		op.Done()
		expect.New(fmt.Sprintf("after operation %d (%v): expect.%s[%d]", i, op.m, key, i), want[i]).Compare(got)
	}
	given.Done()
	expect.Done()
}

// Number gives a value of YAML as a number.
func Number(v any) (int64, bool) {
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

// Plain brings what YAML gave and what the model gave to the same types.
func Plain(v any) any {
	if n, ok := Number(v); ok {
		return n
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = Plain(r.Index(i).Interface())
		}
		return out
	case reflect.Map:
		mapping := map[string]any{}
		for _, k := range r.MapKeys() { // order does not matter: into a map
			mapping[k.String()] = Plain(r.MapIndex(k).Interface())
		}
		return mapping
	case reflect.String:
		return r.String()
	}
	return v
}
