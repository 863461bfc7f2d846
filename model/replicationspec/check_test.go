package replicationspec

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestWorkersChangeNothing(t *testing.T) {
	for _, c := range []Config{
		bounds(KIP320, 3, 2, 2, 1),
		symmetric(bounds(TruncateToHW, 3, 2, 2, 1)),
		checking(bounds(KIP101, 3, 2, 2, 1), WeakIsr, StrongIsr),
		checking(symmetric(bounds(KIP279, 3, 2, 2, 2)), StrongIsr),
	} {
		c.Workers = 1
		one := check(t, c)
		for workers := 2; workers <= 3; workers++ {
			c.Workers = workers
			many := check(t, c)
			many.Config.Workers = 1
			if !reflect.DeepEqual(one, many) {
				t.Errorf("%s: 1 worker and %d workers differ:\n%+v\n%+v", testName(c), workers, one, many)
			}
		}
	}
}

func TestConfigIsRefused(t *testing.T) {
	good := checking(bounds(KIP320, 2, 2, 2, 1), WeakIsr)
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Generation = "kip-966" }, `unknown generation "kip-966"; the generations are truncate-to-hw, kip-101,`},
		{func(c *Config) { c.Replicas = 0 }, "the number of replicas must be from 1 to 5; it is 0"},
		{func(c *Config) { c.Replicas = 6 }, "the number of replicas must be from 1 to 5; it is 6"},
		{func(c *Config) { c.LogSize = 5 }, "the log size must be from 1 to 4; it is 5"},
		{func(c *Config) { c.LogSize = 0 }, "the log size must be from 1 to 4; it is 0"},
		{func(c *Config) { c.Records = 5 }, "the number of records must be from 1 to 4; it is 5"},
		{func(c *Config) { c.Records = 0 }, "the number of records must be from 1 to 4; it is 0"},
		{func(c *Config) { c.Epochs = 5 }, "the largest leader epoch must be from 0 to 4; it is 5"},
		{func(c *Config) { c.Epochs = -1 }, "the largest leader epoch must be from 0 to 4; it is -1"},
		{func(c *Config) { c.Workers = -1 }, "workers must be at least 1"},
		{func(c *Config) { c.MaxStates = -1 }, "the bound on states must not be negative"},
		{func(c *Config) { c.MaxDepth = -1 }, "the bound on depth must not be negative"},
		{func(c *Config) { c.Invariants = []string{"TypeOk"} }, `unknown invariant "TypeOk"; the invariants are WeakIsr, StrongIsr, LeaderInIsrOrNone`},
	} {
		c := good
		test.change(&c)
		if _, err := Check(c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", c, err, test.want)
		}
	}
	if _, err := Check(good); err != nil {
		t.Error(err)
	}
}

func TestBoundIsReported(t *testing.T) {
	c := bounds(KIP320, 3, 2, 2, 1)
	c.MaxDepth = 5
	if r := check(t, c); r.Complete || r.Depth != 5 || !strings.Contains(r.Stopped, "stopped at depth 5, its bound") {
		t.Errorf("%+v", r)
	}
	c.MaxDepth, c.MaxStates = 0, 1000
	if r := check(t, c); r.Complete || r.Distinct < 1000 || r.Distinct > 20_000 || !strings.Contains(r.Stopped, "its bound is 1000 states") {
		t.Errorf("%+v", r)
	}
}

func TestTraceJSON(t *testing.T) {
	trace := check(t, checking(bounds(TruncateToHW, 2, 2, 2, 1), StrongIsr)).Violation
	text, err := trace.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Trace
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*trace, back) {
		t.Errorf("read back:\n%+v\nwant:\n%+v", back, *trace)
	}
	for _, want := range []string{
		`"config": "truncate-to-hw 2/2/2/1"`,
		`"action": "controller elects b1"`,
		`"text": "b2 becomes follower of b1 in epoch 1 and truncates its log to offset 0, losing record 0."`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the JSON does not contain %s", want)
		}
	}
}

// Every kind of action has a name of its own and a sentence.
func TestEveryActionIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("visits every state of many bounded models")
	}
	told := map[kind]string{}
	for _, g := range Generations() {
		m, err := newModel(bounds(g, 3, 2, 1, 1))
		if err != nil {
			t.Fatal(err)
		}
		states, _ := reachable(m)
		for i := range states {
			names := map[string]state{}
			for _, next := range m.next(nil, &states[i]) {
				name := next.action.name()
				if other, ok := names[name]; ok && !reflect.DeepEqual(other, next.state) {
					t.Fatalf("%s: %q leads to two states", g, name)
				}
				names[name] = next.state
				told[next.action.kind] = next.action.sentence(&states[i], &next.state)
			}
		}
	}
	atTheStart := action{}.sentence(&state{}, &state{})
	for k := controllerElects; k <= leaderExpands; k++ {
		if told[k] == "" || told[k] == atTheStart || !strings.HasSuffix(told[k], ".") {
			t.Errorf("kind %d: %q", k, told[k])
		}
	}
}
