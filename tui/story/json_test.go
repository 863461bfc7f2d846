package story

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// keysOf lists the JSON keys of a type and of everything in it.
func keysOf(t reflect.Type, into map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keysOf(t.Elem(), into)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			into[name] = true
			keysOf(f.Type, into)
		}
	}
}

// docs/output.md explains every key.
func TestDocumentedKeys(t *testing.T) {
	doc, err := os.ReadFile("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[RunJSON](), keys)
	if len(keys) < 25 {
		t.Fatalf("only %d keys found", len(keys))
	}
	for key := range keys {
		if !strings.Contains(string(doc), "`"+key+"`") {
			t.Errorf("docs/output.md does not explain %q", key)
		}
	}
}

// The graver verdict stands on top, with its own level and evidence.
func TestClaimOnTop(t *testing.T) {
	at := func(l checker.Level, r checker.Ruling, observed bool) checker.Verdict {
		return checker.Verdict{Claim: checker.AtLeastOnce, Level: l, Ruling: r, NotObserved: !observed, Evidence: checker.Evidence{Short: string(l)}}
	}
	for _, c := range []struct {
		name     string
		verdicts []checker.Verdict
		verdict  checker.Ruling
		level    checker.Level
	}{
		{"both hold", []checker.Verdict{at(checker.AtLog, checker.Holds, true), at(checker.AtApplication, checker.Holds, true)}, checker.Holds, checker.AtLog},
		{"application worse", []checker.Verdict{at(checker.AtLog, checker.Holds, true), at(checker.AtApplication, checker.Violated, true)}, checker.Violated, checker.AtApplication},
		{"log worse", []checker.Verdict{at(checker.AtLog, checker.Violated, true), at(checker.AtApplication, checker.Undecided, true)}, checker.Violated, checker.AtLog},
		{"nobody at the application", []checker.Verdict{at(checker.AtLog, checker.Holds, true), at(checker.AtApplication, checker.Undecided, false)}, checker.Holds, checker.AtLog},
		{"nobody at all", []checker.Verdict{at(checker.AtApplication, checker.Undecided, false)}, checker.Undecided, checker.AtApplication},
		{"one level", []checker.Verdict{at(checker.AtLog, checker.Undecided, true)}, checker.Undecided, checker.AtLog},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := claimJSON(&scenarios.Result{Report: checker.Report{Verdicts: c.verdicts}}, checker.AtLeastOnce)
			if !ok || got.Verdict != c.verdict || got.Level != c.level || got.Evidence.Short != string(c.level) || len(got.Levels) != len(c.verdicts) {
				t.Errorf("%+v, %v; want %s at the %s", got, ok, c.verdict, c.level)
			}
		})
	}
	if _, ok := claimJSON(&scenarios.Result{}, checker.AtLeastOnce); ok {
		t.Error("a claim that was not judged has a verdict")
	}
}

// Every scenario's object holds what the text says.
func TestJSONSaysWhatTheTextSays(t *testing.T) {
	for _, name := range scenarios.Names() {
		r := open(t, name, scenarios.Options{})
		r.Finish()
		end, err := New(r, Options{}).Ending(name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(end.JSON())
		if err != nil {
			t.Fatal(err)
		}
		var j RunJSON
		if err := json.Unmarshal(raw, &j); err != nil {
			t.Fatal(err)
		}
		if j.Scenario != name || j.Steps != r.World.Steps() || len(j.Hash) != 16 || j.AsStated != end.AsStated() || len(j.Comparisons) != len(r.File.Compare) {
			t.Errorf("%s: %s", name, raw)
		}
		for _, c := range checker.Famous() {
			overall, ok := end.Result.Report.Overall(c)
			if got, found := j.Claims[string(c)]; !ok || !found || got.Verdict != overall {
				t.Errorf("%s: %s is %v in JSON and %v in the report", name, c, got.Verdict, overall)
			}
		}
	}
}
