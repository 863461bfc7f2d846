package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/model/replicationspec"
	"kafkatrial/tui"
)

// specified is what spec --format json prints.
type specified struct {
	Generation string                 `json:"generation"`
	Replicas   int                    `json:"replicas"`
	Log        int                    `json:"log"`
	Records    int                    `json:"records"`
	Epochs     int                    `json:"epochs"`
	Symmetry   bool                   `json:"symmetry"`
	Invariants []string               `json:"invariants"`
	Distinct   int                    `json:"distinct"`
	Generated  int                    `json:"generated"`
	Depth      int                    `json:"depth"`
	Complete   bool                   `json:"complete"`
	Stopped    string                 `json:"stopped,omitempty"`
	Violation  *replicationspec.Trace `json:"violation"`
}

func (a *app) specCommand() *cobra.Command {
	var cfg replicationspec.Config
	var as string
	var step bool
	var names []string
	for _, g := range replicationspec.Generations() {
		names = append(names, string(g))
	}
	c := &cobra.Command{Use: "spec GENERATION", Short: "Visit every state of a small model of one partition's replication",
		Long: `Visits every state of a bounded model of one partition's replication, as the TLA+ model checker TLC does with the
public specification, and counts states and steps as TLC counts them. If an invariant does not hold in some
state, it tells the shortest way there, step by step.

Generations: ` + strings.Join(names, ", ") + `.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("spec: expected one generation, %s; found %d", strings.Join(names, ", "), len(args))
			}
			if !slices.Contains(names, args[0]) {
				return fmt.Errorf("there is no generation %q; expected one of %s%s", args[0], strings.Join(names, ", "), didYouMean(args[0], names))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := oneOf("--format", as, "text", "json"); err != nil {
				return err
			}
			if len(cfg.Invariants) == 0 {
				return fmt.Errorf("--invariant \"\"; expected %s", strings.Join(replicationspec.InvariantNames(), " or "))
			}
			for _, i := range cfg.Invariants {
				if err := oneOf("--invariant", i, replicationspec.InvariantNames()...); err != nil {
					return err
				}
			}
			if step && as == "json" {
				return errors.New("--step and --format json do not go together")
			}
			if cfg.Workers < 1 {
				return fmt.Errorf("--jobs must be at least 1; it is %d", cfg.Workers)
			}
			cfg.Generation = replicationspec.Generation(args[0])
			return a.spec(cfg, as == "json", step)
		}}
	f := c.Flags()
	f.Var(numberOf(&cfg.Replicas, 3), "replicas", fmt.Sprintf("how many replicas the partition has, 1 to %d", replicationspec.MaxReplicas))
	f.Var(numberOf(&cfg.LogSize, 2), "log", fmt.Sprintf("how many records a log can hold, 1 to %d", replicationspec.MaxLogSize))
	f.Var(numberOf(&cfg.Records, 2), "records", fmt.Sprintf("how many records are ever written, 1 to %d", replicationspec.MaxRecords))
	f.Var(numberOf(&cfg.Epochs, 2), "epochs", fmt.Sprintf("the largest leader epoch, 0 to %d", replicationspec.MaxEpochs))
	f.BoolVar(&cfg.SplitFetch, "split-fetch", false, "a leader serves a fetch in one step and notes it in another; for generations in which it remembers its followers")
	f.BoolVar(&cfg.Symmetry, "symmetry", false, "take states for the same that differ only in which replica is called what")
	f.StringSliceVar(&cfg.Invariants, "invariant", replicationspec.InvariantNames(), "what should hold in every state")
	f.Var(numberOf(&cfg.Workers, runtime.NumCPU()), "jobs", "how many processors to use; the result does not depend on it")
	f.Var(numberOf(&cfg.MaxStates, 0), "max-states", "stop after so many states (default: no bound)")
	f.Var(numberOf(&cfg.MaxDepth, 0), "max-depth", "stop at this depth (default: no bound)")
	f.BoolVar(&step, "step", false, "open the counterexample, to step through it")
	f.StringVar(&as, "format", "text", "text or json")
	return c
}

// spec searches, prints what was found, and says by its status whether the invariants hold.
func (a *app) spec(c replicationspec.Config, asJSON, step bool) error {
	r, err := replicationspec.Check(c)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = a.json(specified{string(c.Generation), c.Replicas, c.LogSize, c.Records, c.Epochs, c.Symmetry, c.Invariants,
			r.Distinct, r.Generated, r.Depth, r.Complete, r.Stopped, r.Violation})
	case step && r.Violation != nil && a.interactive():
		err = a.screen(tui.StepSpec(r.Violation, a.screenOptions()))
	default:
		a.specText(&r)
	}
	switch {
	case err != nil:
		return err
	case r.Violation != nil:
		return exitStatus(exitDiffers)
	case !r.Complete:
		return exitStatus(exitUndecided)
	}
	return nil
}

func (a *app) specText(r *replicationspec.Result) {
	symmetry := ""
	if r.Config.Symmetry {
		symmetry = ", symmetry"
	}
	fmt.Fprintf(a.out, "%v%s: %d distinct states, %d generated, depth %d\n\n", r.Config, symmetry, r.Distinct, r.Generated, r.Depth)
	switch {
	case r.Violation != nil:
		fmt.Fprint(a.out, r.Violation)
	case r.Stopped != "":
		fmt.Fprintf(a.out, "%s Up to there %s in every state.\n", r.Stopped, hold(r.Config.Invariants))
	default:
		fmt.Fprintf(a.out, "%s in every state.\n", hold(r.Config.Invariants))
	}
}

func hold(invariants []string) string {
	if len(invariants) > 1 {
		return enumerated(invariants, "and") + " hold"
	}
	return enumerated(invariants, "and") + " holds"
}
