package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
)

const withStore = `name: small
title: Small
kafka: "3.9"
cluster: {brokers: 1}
topics: {in: {}, out: {}, kept: {}}
producers: {p: {}}
databases: {db: {}}
consumers:
  app: {config: {auto.offset.reset: earliest, enable.auto.commit: false}, APP}
  reader: {topics: [out], config: {auto.offset.reset: earliest, enable.auto.commit: false}}
script:
  - send: {producer: p, topic: in, records: [{name: m1, key: a}]}
  - insert-rows: {table: t, rows: [m2]}
  - wait: {quiet: true}
claims: {exactly-once: holds}
`

// TestWhatAStoreIsToTheClaims: the changelog is what an application has done if it sends nothing else, and else its
// memory; a record of it is owed to the log in any case. A position in a source is nobody's record.
func TestWhatAStoreIsToTheClaims(t *testing.T) {
	for _, test := range []struct{ app, effects, sent string }{
		{"topics: [in], store: kept, loop: [poll, process, update, flush, commit]", "m1 in kept", "m1 in in, m1.kept in kept"},
		{"topics: [in], store: kept, sends: out, loop: [poll, process, update, send, flush, commit]", "m1 in out", "m1 in in, m1.kept in kept, m1.out in out"},
		{"source: {database: db, table: t}, store: kept, sends: out, loop: [poll, send, flush, store-position]", "", "m1 in in, m2 in t, m2 in out"},
	} {
		f, err := format.Load("f", []byte(strings.Replace(withStore, "APP", test.app, 1)), Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		r, e := New(f, Options{})
		if e != nil {
			t.Fatal(e)
		}
		r.Finish()
		h := checker.Extract(r.Cluster, checker.Ending{Ended: true, Rested: true})
		var effects, sent []string
		for _, e := range h.Effects {
			if e.Application == "app" {
				effects = append(effects, fmt.Sprintf("%s in %s", e.Record, e.Sink))
			}
		}
		for _, s := range h.Submissions {
			sent = append(sent, fmt.Sprintf("%s in %s", s.Record, s.TP.Topic))
		}
		for _, l := range h.Logs {
			if test.effects == "" && l.TP.Topic == "kept" {
				t.Errorf("%s: the positions are a log", test.app)
			}
		}
		slices.Sort(sent)
		want := strings.Split(test.sent, ", ")
		slices.Sort(want)
		if got := strings.Join(effects, ", "); got != test.effects {
			t.Errorf("%s: the effects are %q, want %q", test.app, got, test.effects)
		}
		if !slices.Equal(sent, want) {
			t.Errorf("%s: sent is %q, want %q", test.app, sent, want)
		}
	}
}
