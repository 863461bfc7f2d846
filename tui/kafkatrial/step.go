package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kafkatrial/tui"
	"kafkatrial/tui/session"
)

// pick lets a person choose a scenario in a terminal; elsewhere it prints the list.
func (a *app) pick() error {
	if a.interactive() {
		return a.screen(tui.Pick(a.screenOptions()))
	}
	all, broken := a.scenarios()
	if err := a.list(all); err != nil {
		return err
	}
	return broken
}

func (a *app) stepCommand() *cobra.Command {
	var flags runFlags
	var at string
	c := &cobra.Command{Use: "step NAME|FILE", Short: "Step through a run, forward and back", Args: one("the name of a scenario"),
		Long: `Opens a run in the stepper, in which it can be taken forward and back, step by step. Where no screen can be
drawn, because the output is not a terminal, TERM is dumb, or --linear asks for lines, it tells the run as
"run --linear" does.`,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.prepare(c, args[0], &flags)
			if err != nil {
				return err
			}
			return a.step(p, at)
		}}
	flags.add(c)
	c.Flags().StringVar(&at, "at", "", "where to open: a step (11), a time (120ms), an act (\"act 2\"), start or end")
	return c
}

// step opens the stepper. A replay is carried out first, so that what is wrong with it is said in words.
func (a *app) step(p *prepared, at string) error {
	r, replay, err := p.start()
	if err != nil {
		return err
	}
	if p.answers != nil {
		r.Finish()
		if err := p.replayed(a, r, replay); err != nil {
			return err
		}
	}
	if !a.interactive() {
		return a.stepInLines(p, at)
	}
	o := a.screenOptions()
	o.Run, o.At = p.opts, at
	if p.answers != nil {
		_, replay, err := p.start()
		if err != nil {
			return err
		}
		o.Run.Source = replay
	}
	return a.screen(tui.Step(p.opened, o))
}

// stepInLines tells the run line by line, from a step on if one is given.
func (a *app) stepInLines(p *prepared, at string) error {
	a.linear = true
	from := 0
	if at != "" {
		o := p.opts
		if p.answers != nil {
			_, replay, err := p.start()
			if err != nil {
				return err
			}
			o.Source = replay
		}
		s, err := session.Open(p.opened, o, a.lang)
		if err != nil {
			return err
		}
		i, err := s.Find(at)
		if err != nil {
			return fmt.Errorf("--at %w", err)
		}
		from = s.Moment(i).Steps
	}
	return a.run(p, output{from: from})
}

func (a *app) screenOptions() tui.Options {
	look := a.look()
	return tui.Options{Lang: a.lang, NoColor: !look.Color, ASCII: look.ASCII, Light: look.Light}
}

// screen ends a screen: that the terminal has gone away is no error.
func (a *app) screen(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the screen: %w", err)
	}
	return nil
}
