package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/explore"
)

type exploreFlags struct {
	deviations     int
	budget         int
	faults         string
	atNews         bool
	maxStates      int
	maxTransitions int64
	format         string
	save           string
	kafka          string
	set            []string
	recent         bool
}

// exploreFaults is what may happen in an exploration that does not say: any broker may crash and come back.
const exploreFaults = "kill"

func (a *app) exploreCommand() *cobra.Command {
	var flags exploreFlags
	c := &cobra.Command{Use: "explore NAME|FILE", Short: "Try everything that can happen in a scenario, within bounds",
		Long: `Runs a scenario in every way there is within the bounds: each fault at each moment, each message ahead of each
other, as far as the flags allow. States that were met before are not gone through again. It tells how many
distinct outcomes there are, in how many an acknowledged record is lost or a record takes effect twice, and for
each the shortest run that leads there. A bound that kept something from being tried is said.

The exit status is 0 if no outcome breaks at-most-once or at-least-once and everything within reach was tried, 1 if
one does, 2 for bad input, and 3 if none does and a bound or an interrupt left something out.`,
		Args: one("the name of a scenario or a scenario file"),
		RunE: func(_ *cobra.Command, args []string) error { return a.explore(args[0], &flags) }}
	f := c.Flags()
	f.Var(numberOf(&flags.deviations, explore.DefaultDeviations), "deviations", "how many answers of a run may differ from the calm one; -1: any number")
	f.Var(numberOf(&flags.budget, 1), "budget", "how many faults may strike in a run, at most")
	f.StringVar(&flags.faults, "faults", "", "what there is to choose, as in the header of an answers file (default: "+exploreFaults+")")
	f.BoolVar(&flags.atNews, "at-news", false, "faults strike only right after a step that changed something: fewer moments, nearly as much to find")
	f.Var(numberOf(&flags.maxStates, 2_000_000), "max-states", "stop after so many distinct states; 0: no bound")
	f.Var(numberOf(&flags.maxTransitions, 0), "max-transitions", "stop after so many steps; 0: no bound")
	f.BoolVar(&flags.recent, "recent", false, "rule on the claim recent as well, although the file does not name it: more states, for what readers were told counts")
	f.StringVar(&flags.format, "format", "text", "text or json")
	f.StringVar(&flags.save, "save", "", "directory for an answers file of each outcome's shortest run")
	f.StringVar(&flags.kafka, "kafka", "", "run under another release of Kafka")
	f.StringArrayVar(&flags.set, "set", nil, "change a setting, KEY=VALUE, wherever the key exists; may be repeated")
	return c
}

func (f *exploreFlags) options() (o explore.Options, err error) {
	switch {
	case f.budget < 0:
		return o, fmt.Errorf("--budget %d; expected a number from 0", f.budget)
	case f.maxStates < 0:
		return o, fmt.Errorf("--max-states %d; expected a number from 0", f.maxStates)
	case f.maxTransitions < 0:
		return o, fmt.Errorf("--max-transitions %d; expected a number from 0", f.maxTransitions)
	case f.deviations < -1 || f.deviations == 0:
		return o, fmt.Errorf("--deviations %d; expected a number from 1, or -1 for any number", f.deviations)
	}
	if err := oneOf("--format", f.format, "text", "json"); err != nil {
		return o, err
	}
	faults := f.faults
	if faults == "" {
		faults = exploreFaults
	}
	if o.Faults, err = faultsOf(faults); err != nil {
		return o, err
	}
	if o.Faults.Budget == 0 {
		o.Faults.Budget = f.budget
	}
	o.Deviations, o.AtNews, o.MaxStates, o.MaxTransitions = f.deviations, f.atNews, f.maxStates, f.maxTransitions
	o.Base.Kafka, o.Recent = f.kafka, f.recent
	o.Base.Set, err = settings(f.set)
	return o, err
}

func (a *app) explore(name string, flags *exploreFlags) error {
	o, err := flags.options()
	if err != nil {
		return err
	}
	opened, err := a.open(name)
	if err != nil {
		return err
	}
	if opened.Answers != nil {
		return fmt.Errorf("%s is an answers file; explore takes a scenario", name)
	}
	collectLessOften()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bar := a.bar(opened.File.Name.Text)
	o.Progress = bar.explored
	r, err := explore.Run(ctx, opened, o)
	bar.clear()
	if err != nil {
		return err
	}
	if flags.format == "json" {
		err = a.json(r)
	} else {
		_, err = fmt.Fprint(a.out, r.Text(a.look().Width))
	}
	if err != nil {
		return err
	}
	if err := a.saveWitnesses(r, opened, flags); err != nil {
		return err
	}
	switch {
	case r.Lost+r.Doubled+r.Unwanted > 0:
		return exitStatus(exitDiffers)
	case !r.Complete || r.Undecided > 0:
		return exitStatus(exitUndecided)
	}
	return nil
}

// saveWitnesses writes an answers file for each outcome, so that "step" opens its shortest run.
func (a *app) saveWitnesses(r *explore.Report, o *scenarios.Opened, flags *exploreFlags) error {
	if flags.save == "" {
		return nil
	}
	if err := os.MkdirAll(flags.save, 0o755); err != nil {
		return err
	}
	for i, outcome := range r.Outcomes {
		path := filepath.Join(flags.save, fmt.Sprintf("%s-outcome-%d.answers", o.File.Name.Text, i+1))
		text := outcome.Identity(scenarioAsSeenFrom(path, o)).Text()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		if flags.format != "json" {
			fmt.Fprintf(a.out, "open %d:  kafkatrial step %s\n", i+1, path)
		}
	}
	return nil
}
