package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
	"kafkatrial/tui/story"
)

func (a *app) shrinkCommand() *cobra.Command {
	var claim, out, scenario string
	c := &cobra.Command{Use: "shrink FILE.answers", Short: "Make a failing run small",
		Long: `Takes away from a recorded run what its failure does not need: decisions first, then brokers, partitions,
clients, records, settings and steps of the script. The failure stays the same: the same claim, at the same
level, about the same record. What is left is written as an answers file, with the scenario beside it if that
has changed, and told in a paragraph.

The exit status is 0 if a smaller or equal run was written, and 2 for bad input, such as a run that breaks no
claim.`,
		Args: one("an answers file"),
		RunE: func(_ *cobra.Command, args []string) error { return a.shrink(args[0], claim, out, scenario) }}
	c.Flags().StringVar(&claim, "claim", "", "the claim whose violation is to stay (default: the first that the run breaks)")
	c.Flags().StringVar(&out, "out", "", "where to write the answers file (default: the name with -shrunk)")
	c.Flags().StringVar(&scenario, "as-scenario", "", "also write a scenario file to edit, NAME.yaml: the decisions have become steps of its script")
	return c
}

func (a *app) shrink(path, claim, out, scenario string) error {
	o, err := a.open(path)
	if err != nil {
		return err
	}
	if o.Answers == nil {
		return fmt.Errorf("%s is a scenario; shrink takes an answers file, as hunt and run --save-answers write it", path)
	}
	var opts scenarios.Options
	if err := opts.Follow(o.File, o.Answers); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	failure, err := failureOf(path, o, opts, claim)
	if err != nil {
		return err
	}
	c, ok := shrink.New(o.File, opts, o.Answers.List, failure)
	if !ok {
		return fmt.Errorf("%s does not lead to its failure when it is replayed", path)
	}
	before := c
	collectLessOften()
	c = shrink.Shrink(c, shrink.Limits{Configuration: true})
	if out == "" {
		out = strings.TrimSuffix(path, filepath.Ext(path)) + "-shrunk.answers"
	}
	if err := a.writeSmall(out, o, c); err != nil {
		return err
	}
	look := a.look()
	for _, line := range story.Wrap(fmt.Sprintf("%s. From %s and %s to %s and %s.", capital(failure.String()), counted(before.Length(), "decision"), counted(before.Run.World.Steps(), "step"),
		counted(c.Length(), "decision"), counted(c.Run.World.Steps(), "step")), look.Width) {
		fmt.Fprintln(a.out, line)
	}
	fmt.Fprintln(a.out)
	for _, line := range story.Wrap(paragraph(c), look.Width) {
		fmt.Fprintln(a.out, line)
	}
	fmt.Fprintln(a.out)
	fmt.Fprintf(a.out, "open it: kafkatrial step %s\n", out)
	if scenario == "" {
		return nil
	}
	src, err := c.Scenario(strings.TrimSuffix(filepath.Base(scenario), filepath.Ext(scenario)))
	if err != nil {
		return fmt.Errorf("%s can not be written as a scenario: %w", out, err)
	}
	if err := os.WriteFile(scenario, src, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "edit it: %s, which has been run and fails in the same way\n", scenario)
	return nil
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// failureOf replays a run and finds in which way it fails.
func failureOf(path string, o *scenarios.Opened, opts scenarios.Options, claim string) (shrink.Failure, error) {
	var claims []checker.Claim
	if claim != "" {
		named, err := claimNamed(claim)
		if err != nil {
			return shrink.Failure{}, err
		}
		claims = append(claims, named)
	}
	replay := &sim.Replay{Answers: o.Answers.List}
	opts.Source = replay
	r, err := scenarios.New(o.File, opts)
	if err != nil {
		return shrink.Failure{}, err
	}
	r.Finish()
	if r.Err() != nil {
		return shrink.Failure{}, fmt.Errorf("%s: %w", path, r.Err())
	}
	f, ok := shrink.First(r, claims...)
	switch {
	case !ok && claim != "":
		return f, fmt.Errorf("%s does not break %s", path, claim)
	case !ok:
		return f, fmt.Errorf("%s breaks none of %s; --claim names another claim", path, enumerated(claimsThat(func(r checker.Row) bool { return r.Famous }), "and"))
	}
	return f, nil
}

// writeSmall writes a case as an answers file, and its scenario beside it if it is no longer the one it was.
func (a *app) writeSmall(path string, o *scenarios.Opened, c *shrink.Case) error {
	scenario, src := scenarioAsSeenFrom(path, o), o.Source
	if c.Source != nil {
		src = c.Source
		file := strings.TrimSuffix(path, filepath.Ext(path)) + ".yaml"
		scenario = filepath.Base(file)
		if err := os.WriteFile(file, src, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(c.Run.AnswersOf(scenario, src, c.Options).Text()), 0o644)
}

// paragraph tells what decides a run: its faults, who leads after them, what is cut, and how it ends.
func paragraph(c *shrink.Case) string {
	tale := story.New(c.Run, story.Options{})
	tale.Observe()
	var sentences []string
	for _, i := range shrink.Decisive(c) {
		if text := tale.Sentence(i); text != "" && len(tale.Entries()[i].What) > 0 {
			sentences = append(sentences, fmt.Sprintf("%s (step %d).", text, i+1))
		}
	}
	return strings.Join(append(sentences, c.Evidence.Sentence), " ")
}
