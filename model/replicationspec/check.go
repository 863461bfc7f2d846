package replicationspec

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/sim/explore"
)

// Config is one bounded model. TLC's runs of the public specification are usually named by four numbers,
// Replicas/LogSize/Records/Epochs, for instance 3/2/2/2.
type Config struct {
	Generation Generation
	Replicas   int // how many replicas the partition has, 1 to MaxReplicas
	LogSize    int // how many records a log can hold, 1 to MaxLogSize
	Records    int // how many records are ever written, by whomever, 1 to MaxRecords
	Epochs     int // the largest leader epoch, 0 to MaxEpochs; the controller acts at most Epochs+1 times

	// SplitFetch has a leader serve a fetch in one step and note it in another, with anything between, as Kafka does; one fetch is
	// between the two at a time. Only for a generation in which leaders remember their followers.
	SplitFetch bool

	// Symmetry takes two states for the same if they differ only in which replica is called what. There are fewer states to
	// visit then, up to n! times fewer for n replicas, and the answer is the same.
	Symmetry bool

	// Workers is how many goroutines search, at least 1; 0 means 1. The result is the same for any number.
	Workers int

	// Invariants names those that are checked, in this order; see InvariantNames. The empty list checks none, and counts states.
	Invariants []string

	// MaxStates and MaxDepth bound the search, for a model that is too large to visit; 0 means no bound. See explore.Options.
	MaxStates int
	MaxDepth  int
}

// String is the configuration's short form, for instance "kip-320 3/2/2/2".
func (c Config) String() string {
	s := fmt.Sprintf("%s %d/%d/%d/%d", c.Generation, c.Replicas, c.LogSize, c.Records, c.Epochs)
	if c.SplitFetch {
		s += " split-fetch"
	}
	return s
}

// Result is what Check found. Distinct, Generated and Depth are counted as TLC counts them; see explore.Result.
type Result struct {
	Config    Config
	Distinct  int
	Generated int
	Depth     int

	// Complete says that every reachable state was visited and that every invariant holds in all of them.
	Complete bool

	// Stopped says in a sentence which bound ended the search; it is empty if none did.
	Stopped string

	// Violation is a shortest way to a state in which an invariant does not hold, or nil.
	Violation *Trace
}

// Check visits every reachable state of the model, breadth first, up to the first state in which an invariant does not hold.
// The error says what is wrong with the configuration.
func Check(c Config) (Result, error) {
	m, err := newModel(c)
	if err != nil {
		return Result{}, err
	}
	return m.explore(c)
}

func (m *model) explore(c Config) (Result, error) {
	found, err := explore.Run[packed, action](m, explore.Options{Workers: c.Workers, MaxStates: c.MaxStates, MaxDepth: c.MaxDepth})
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Config:    c,
		Distinct:  found.Distinct,
		Generated: found.Generated,
		Depth:     found.Depth,
		Complete:  found.Complete,
		Stopped:   found.Stopped,
	}
	if found.Violated != "" {
		r.Violation = m.trace(c, found.Violated, found.Trace)
	}
	return r, nil
}

// newModel checks a configuration and makes its model.
func newModel(c Config) (*model, error) {
	rules, err := rulesOf(c.Generation)
	if err != nil {
		return nil, err
	}
	for _, b := range []struct {
		what             string
		value, low, high int
	}{
		{"the number of replicas", c.Replicas, 1, MaxReplicas},
		{"the log size", c.LogSize, 1, MaxLogSize},
		{"the number of records", c.Records, 1, MaxRecords},
		{"the largest leader epoch", c.Epochs, 0, MaxEpochs},
	} {
		if b.value < b.low || b.value > b.high {
			return nil, fmt.Errorf("%s must be from %d to %d; it is %d", b.what, b.low, b.high, b.value)
		}
	}
	if c.SplitFetch && !rules.remembers {
		return nil, fmt.Errorf("in %s a leader notes nothing of a fetch, so a fetch has no second step; the generations that have are %s", c.Generation, strings.Join(remembering(), ", "))
	}
	m := &model{
		rules:    rules,
		split:    c.SplitFetch,
		replicas: c.Replicas,
		logSize:  c.LogSize,
		records:  c.Records,
		epochs:   c.Epochs,
	}
	for _, name := range c.Invariants {
		i := slices.IndexFunc(invariants(), func(inv invariant) bool { return inv.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown invariant %q; the invariants are %s", name, strings.Join(InvariantNames(), ", "))
		}
		m.invariants = append(m.invariants, invariants()[i])
	}
	if c.Symmetry {
		m.renamings = renamingsOf(c.Replicas)
	}
	return m, nil
}
