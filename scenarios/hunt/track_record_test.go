package hunt

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkatrial/checker"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

var (
	update  = flag.Bool("update", false, "measure anew and write docs/track-record.md")
	machine = flag.String("machine", "", "with -update: the machine, for the heading")
)

const (
	recordFile = "../../docs/track-record.md"
	seeds      = 20
	mostRuns   = 500 // for a planted fault; a seed that has found nothing by then counts as so many runs
)

// world is a scenario that only sends, in which planted faults are hunted.
type world struct {
	kafka, text string
}

func worlds() []world {
	const body = `
cluster: {brokers: 3, config: {replica.lag.time.max.ms: 3000}}
topics: {orders: {replicas: [[1, 2, 3]], config: {min.insync.replicas: 2}}}
producers: {p: {config: {acks: all}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - send: {count: 6, every: 1s}
  - after: 10s
claims: {at-least-once: holds}
`
	var all []world
	for _, kafka := range []string{"4.0", "2.8", "2.3"} {
		all = append(all, world{kafka, "name: six-records\ntitle: Six records and nothing else\nkafka: \"" + kafka + "\"" + body})
	}
	return all
}

func (w world) opened(t *testing.T) *scenarios.Opened {
	f, problems := format.Load("six-records.yaml", []byte(w.text), scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &scenarios.Opened{File: f, Path: "six-records.yaml", Source: []byte(w.text)}
}

// strikes are the faults of the worlds: what a cluster with acks=all and two in-sync replicas must stand.
func strikes() sim.FaultModel {
	a := Everything
	a.Node &^= sim.CanLosePower | sim.CanShutDown // an orderly stop breaks nothing that a guard is for; reElection draws them by a script
	a.Duplicate = false
	return a
}

// measured is what 20 hunts came to.
type measured struct {
	what    string
	runs    []int
	seconds []float64
	lengths []int
	found   int
}

func (m *measured) row() (runs, seconds, length string) {
	return fmt.Sprint(median(m.runs)), fmt.Sprintf("%.2f", median(m.seconds)), fmt.Sprint(median(m.lengths))
}

func median[T cmp.Ordered](all []T) (m T) {
	if len(all) == 0 {
		return m
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// measure hunts from 20 seeds. It gives up after three that find nothing.
func measure(t *testing.T, o *scenarios.Opened, limits shrink.Limits, options func(seed uint64) Options) (m measured) {
	for seed := uint64(1); seed <= seeds; seed++ {
		began := time.Now()
		r, err := Campaign(context.Background(), o, options(seed))
		if err != nil {
			t.Fatal(err)
		}
		m.runs, m.seconds = append(m.runs, r.Runs), append(m.seconds, time.Since(began).Seconds())
		if len(r.Found) > 0 {
			m.found++
			if m.what == "" {
				m.what = r.Found[0].Title()
			}
			c, ok := r.Found[0].Case()
			if !ok {
				t.Fatal("the answers do not lead to the run")
			}
			m.lengths = append(m.lengths, shrink.Shrink(c, limits).Length())
		}
		if seed == 3 && m.found == 0 {
			break
		}
	}
	return m
}

// firmly lists what the faithful model never breaks in a world, so that it counts as a finding.
func firmly(t *testing.T, w world) (claims []checker.Claim, invariants []string) {
	candidates := []checker.Claim{checker.AtMostOnce, checker.AtLeastOnce, checker.Ordered, checker.Linearizable, checker.MonotonicRead}
	r, err := Campaign(context.Background(), w.opened(t), Options{Runs: 4000, Seed: 99, Jobs: 2, Faults: strikes(), Claims: candidates, Invariants: InvariantNames()})
	if err != nil {
		t.Fatal(err)
	}
	broken := func(name string) bool {
		return slices.ContainsFunc(r.Violations, func(c Count) bool { return c.Name == name })
	}
	for _, c := range candidates {
		if !broken(string(c)) {
			claims = append(claims, c)
		}
	}
	for _, i := range InvariantNames() {
		if !broken(i) {
			invariants = append(invariants, i)
		}
	}
	return claims, invariants
}

// TestTrackRecord holds docs/track-record.md to the model: every planted fault is there, and what it says of a
// scenario is so. With -update it measures anew, which takes minutes, and writes the file.
func TestTrackRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("campaigns for every fault, known and planted")
	}
	if *update {
		if err := os.WriteFile(recordFile, []byte(record(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(recordFile)
	if os.IsNotExist(err) {
		t.Skip("the record has not been made yet, which takes the better part of an hour: go test ./scenarios/hunt -run TrackRecord -update -timeout 2h")
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(src)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows[strings.Trim(cells[1], "`")] = cells[2:]
		}
	}
	for _, g := range planted.All() {
		row, ok := rows[g.String()]
		if !ok {
			t.Errorf("%v is not in the track record: go test ./scenarios/hunt -run TrackRecord -update", g)
			continue
		}
		m := byScenario.FindStringSubmatch(strings.Join(row, "|"))
		if m == nil {
			continue
		}
		if kafka, differs := seenIn(t, m[1], g); !differs {
			t.Errorf("%v does not show in the scenario %s any more (%s)", g, m[1], kafka)
		}
	}
	for _, h := range append(historicals(), reElection()) {
		if _, ok := rows[h.name]; !ok {
			t.Errorf("%q is not in the track record", h.name)
		}
	}
	for _, name := range scenarios.Names() {
		if violated := breaks(t, name); violated != "" && rows[name] == nil {
			t.Errorf("the scenario %s breaks %s, and is not in the track record", name, violated)
		}
	}
}

var byScenario = regexp.MustCompile("scenario `([a-z0-9-]+)`")

// seenIn says whether taking a guard away changes a verdict of a scenario or of one of its comparisons, and of
// which release.
func seenIn(t *testing.T, name string, g planted.Guard) (kafka string, differs bool) {
	o, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append([]*format.File{o.File}, scenarios.Variants(o.File)...) {
		if with, without := verdicts(t, f, planted.Set{}), verdicts(t, f, planted.Off(g)); with != without {
			return f.Kafka.Text, true
		}
	}
	return "", false
}

func verdicts(t *testing.T, f *format.File, off planted.Set) string {
	r, err := scenarios.New(f, scenarios.Options{Planted: off})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	var b strings.Builder
	for _, v := range r.Report().Verdicts {
		fmt.Fprintf(&b, "%s %s %s\n", v.Claim, v.Level, v.Ruling)
	}
	return b.String()
}

// breaks lists the claims that a scenario's own run breaks.
func breaks(t *testing.T, name string) string {
	o, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, claim := range o.File.Claims {
		if slices.ContainsFunc(claim.Stated, func(s format.Stated) bool { return s.Verdict == format.Violated }) {
			all = append(all, claim.Name.Text)
		}
	}
	return strings.Join(all, ", ")
}

// record measures everything and writes the file.
func record(t *testing.T) string {
	var b strings.Builder
	where := cmp.Or(*machine, "two cores")
	fmt.Fprintf(&b, `# Track record

What the checker and the hunt have to show: every fault that can be planted in the model, every fault that Kafka once had and
a scenario documents, and how each is found. The file is made by

    go test ./scenarios/hunt -run TrackRecord -update -timeout 2h

and a test holds it to the model. Runs, seconds and lengths are medians of hunts from %d seeds, two jobs each, on
%s. A hunt for a planted fault that has found nothing after %d runs counts as so many. A length is
the number of decisions that are not calm, after shrinking; of planted faults only superfluous decisions are taken away, and
no shorter run is looked for.

## Faults that Kafka had, and the last one has, hunted in scenarios that only send

| fault | scenario | broken | runs | seconds | length | shortest known |
|---|---|---|---|---|---|---|
`, seeds, where, mostRuns)
	for _, h := range append(historicals(), reElection()) {
		m := measure(t, open(t, h.file), shrink.Limits{}, func(seed uint64) Options { return h.options(t, seed, 50_000) })
		runs, seconds, length := m.row()
		fmt.Fprintf(&b, "| %s | `%s.yaml` | %s | %s | %s | %s | %d |\n", h.name, h.file, m.what, runs, seconds, length, min(h.shortest, slices.Min(m.lengths)))
		t.Logf("%s: %d of %d, lengths %v", h.name, m.found, seeds, m.lengths)
	}
	fmt.Fprintf(&b, `
## Planted faults

Each is one guard of the model, switched off. A hunt looks for it in six records that are sent to three brokers with acks=all
and min.insync.replicas=2, and counts only what the faithful model never breaks there. Where a hunt of %d runs finds nothing,
the first scenario is named whose verdicts it changes; [planted-faults.md](planted-faults.md) has what else catches each.

| guard | found by | broken | runs | seconds | length | shortest found |
|---|---|---|---|---|---|---|
`, mostRuns)
	type firm struct {
		claims     []checker.Claim
		invariants []string
	}
	firms := map[string]firm{}
	for _, w := range worlds() {
		c, i := firmly(t, w)
		firms[w.kafka] = firm{c, i}
		t.Logf("Kafka %s: %v %v", w.kafka, c, i)
	}
	for _, g := range planted.All() {
		found := false
		for _, w := range worlds() {
			fm := firms[w.kafka]
			m := measure(t, w.opened(t), shrink.Limits{Search: -1}, func(seed uint64) Options {
				return Options{Runs: mostRuns, Seed: seed, Jobs: 2, Until: true, Faults: strikes(), Claims: fm.claims, Invariants: fm.invariants, Base: scenarios.Options{Planted: planted.Off(g)}}
			})
			if m.found <= seeds/2 {
				continue
			}
			runs, seconds, length := m.row()
			fmt.Fprintf(&b, "| `%s` | hunt, Kafka %s | %s | %s | %s | %s | %d |\n", g, w.kafka, m.what, runs, seconds, length, slices.Min(m.lengths))
			t.Logf("%v: Kafka %s, %s, lengths %v", g, w.kafka, m.what, m.lengths)
			found = true
			break
		}
		if found {
			continue
		}
		by := "neither; see planted-faults.md"
		for _, name := range scenarios.Names() {
			if kafka, differs := seenIn(t, name, g); differs {
				by = fmt.Sprintf("scenario `%s`, Kafka %s", name, kafka)
				break
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | | | | | |\n", g, by)
	}
	b.WriteString(`
## Scenarios that break a claim

| scenario | Kafka | source | breaks |
|---|---|---|---|
`)
	for _, name := range scenarios.Names() {
		if violated := breaks(t, name); violated != "" {
			o, err := scenarios.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, o.File.Kafka.Text, o.File.Source.In("en"), violated)
		}
	}
	return b.String()
}
