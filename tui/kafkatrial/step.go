package main

import (
	"github.com/spf13/cobra"
)

// pick lets a person choose a scenario in a terminal; elsewhere it prints the list.
func (a *app) pick() error {
	all, broken := a.scenarios()
	if err := a.list(all); err != nil {
		return err
	}
	return broken
}

func (a *app) stepCommand() *cobra.Command {
	var flags runFlags
	var at int
	c := &cobra.Command{Use: "step NAME|FILE", Short: "Step through a run, forward and back", Args: one("the name of a scenario"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.prepare(c, args[0], &flags)
			if err != nil {
				return err
			}
			return a.run(p, "text", "", false)
		}}
	flags.add(c)
	c.Flags().IntVar(&at, "at", 0, "open at this step")
	return c
}
