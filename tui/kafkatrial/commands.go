package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/model/config"
	"kafkatrial/model/release"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "Print a scenario's file as it is", Args: one("the name of a scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := a.open(args[0])
			if err != nil {
				return err
			}
			src := o.Source
			if o.Answers != nil {
				if src, err = os.ReadFile(args[0]); err != nil {
					return err
				}
			}
			_, err = a.out.Write(src)
			return err
		}}
}

func (a *app) lintCommand() *cobra.Command {
	return &cobra.Command{Use: "lint FILE|DIR...", Short: "Check scenario files and give advice",
		Long: `Checks scenario files without running them. What is wrong goes to standard error and the exit status is 2;
advice goes to standard output and does not change the exit status, which is 0 if nothing is wrong. Scenarios of the
library are also asked for what each of them has: an explanation, a source and the statements that it puts on trial.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("lint: expected one or more files, or names of scenarios")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.lint(args) }}
}

func (a *app) lint(names []string) error {
	status := exitAsStated
	var paths []string
	for _, name := range names {
		files, err := scenarioFiles(name)
		if err != nil {
			return err
		}
		paths = append(paths, files...)
	}
	for _, name := range paths {
		o, err := a.open(name)
		if err == nil {
			err = scenarios.Prepare(o.File)
		}
		if err != nil {
			status = exitBadInput
			var said exitStatus
			if !errors.As(err, &said) {
				a.fail(err)
			}
			continue
		}
		_, house := scenarios.Source(o.File.Name.Text)
		for _, p := range scenarios.Lint(o.File, house) {
			fmt.Fprint(a.out, p.Excerpt(o.Source))
		}
	}
	if status != exitAsStated {
		return exitStatus(status)
	}
	return nil
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON schema of scenario files, for editors", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(format.Schema())
			return err
		}}
}

func (a *app) configCommand() *cobra.Command {
	var kafka string
	sections := []config.Section{config.Producer, config.Consumer, config.Broker, config.Topic}
	c := &cobra.Command{Use: "config [producer|consumer|broker|topic]", Short: "Print Kafka's settings with the defaults of a release",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("config: expected one section, producer, consumer, broker or topic; found %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			version := release.Default
			if kafka != "" {
				var err error
				if version, err = release.Parse(kafka); err != nil {
					return fmt.Errorf("--kafka: %w", err)
				}
			}
			var names []string
			for _, s := range sections {
				names = append(names, s.String())
			}
			if len(args) == 1 && !slices.Contains(names, args[0]) {
				return fmt.Errorf("there is no section %q; expected one of %s%s", args[0], strings.Join(names, ", "), didYouMean(args[0], names))
			}
			for i, s := range sections {
				switch {
				case len(args) == 1 && args[0] != s.String():
					continue
				case len(args) == 0:
					if i > 0 {
						fmt.Fprintln(a.out)
					}
					fmt.Fprintf(a.out, "%s, Kafka %v\n\n", s, version)
				}
				a.settings(s, version)
			}
			return nil
		}}
	c.Flags().StringVar(&kafka, "kafka", "", "release of Kafka (default "+fmt.Sprint(release.Default)+")")
	return c
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			version := "(devel)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			fmt.Fprintf(a.out, "kafkatrial %s\nmodel %s, Kafka %v to %v, %d scenarios\n", version, scenarios.ModelVersion,
				release.Oldest, release.Newest, len(scenarios.Names()))
			return nil
		}}
}

// open finds a scenario or an answers file. What is wrong with the file itself has then been printed.
func (a *app) open(name string) (*scenarios.Opened, error) {
	o, err := scenarios.Open(name)
	var ps scenarios.Problems
	switch {
	case errors.As(err, &ps):
		src, readErr := os.ReadFile(ps[0].File)
		if readErr != nil {
			src, _ = scenarios.Source(strings.TrimSuffix(ps[0].File, ".yaml"))
		}
		a.problems(ps, src)
		return nil, exitStatus(exitBadInput)
	case err != nil:
		return nil, err
	}
	return o, nil
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: takes no arguments; found %q", c.Name(), args[0])
	}
	return nil
}

func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s: expected %s, or the path of a file; found %d arguments", c.Name(), what, len(args))
		}
		return nil
	}
}

func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s %q; expected %s%s", flag, value, strings.Join(allowed, " or "), didYouMean(value, allowed))
}

// flagError adds the flag that is spelt nearest.
func flagError(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		text, _, isSwitch := strings.Cut(err.Error(), ": strconv.ParseBool")
		if isSwitch {
			return fmt.Errorf("%s: %s: expected true or false", c.Name(), text)
		}
		return fmt.Errorf("%s: %w", c.Name(), err)
	}
	var names []string
	for _, line := range strings.Fields(c.Flags().FlagUsages() + c.InheritedFlags().FlagUsages()) {
		if flag, ok := strings.CutPrefix(line, "--"); ok {
			names = append(names, flag)
		}
	}
	return fmt.Errorf("%s: there is no flag --%s%s", c.Name(), name, didYouMean(name, names))
}
