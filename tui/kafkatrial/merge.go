package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"kafkatrial/scenarios/hunt"
)

func (a *app) mergeCommand() *cobra.Command {
	var as string
	c := &cobra.Command{Use: "merge FILE...", Short: "Put the reports of a hunt's shards together",
		Long: `Reads reports that "kafkatrial hunt --shard i/n --format json" has written and puts those of one hunt together,
as if one machine had made all its runs. The exit status is that of such a hunt.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("merge: expected one or more reports of hunt --format json")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", as, "text", "json"); err != nil {
				return err
			}
			return a.merge(args, as)
		}}
	c.Flags().StringVar(&as, "format", "text", "text or json")
	return c
}

// merge puts reports of the same scenario together, in the order in which the scenarios first come up.
func (a *app) merge(paths []string, as string) error {
	var names []string
	shards := map[string][]*hunt.Report{}
	from := map[string][]string{}
	for _, path := range paths {
		reports, err := readReports(path)
		if err != nil {
			return err
		}
		for _, r := range reports {
			if shards[r.Scenario] == nil {
				names = append(names, r.Scenario)
			}
			shards[r.Scenario] = append(shards[r.Scenario], r)
			from[r.Scenario] = append(from[r.Scenario], path)
		}
	}
	var all []*hunt.Report
	for _, name := range names {
		r, err := hunt.Merge(shards[name], from[name])
		if err != nil {
			return fmt.Errorf("merge: %w", err)
		}
		all = append(all, r)
	}
	return a.tellHunts(all, as)
}
