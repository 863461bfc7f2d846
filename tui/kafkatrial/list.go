package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/checker/columns"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/story"
)

// listed is one scenario of list --format json.
type listed struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Topic      string   `json:"topic"`
	Statements []string `json:"statements"`
	Source     string   `json:"source"`
}

func (a *app) listCommand() *cobra.Command {
	var as string
	c := &cobra.Command{Use: "list [TOPIC|STATEMENT]", Short: "List the scenarios, all or those of a topic (14, idempotence) or a statement (14.2)",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			about, err := aboutOf(args)
			if err != nil {
				return err
			}
			if err := oneOf("--format", as, "text", "json"); err != nil {
				return err
			}
			all, broken := a.scenarios()
			all = slices.DeleteFunc(all, func(l listed) bool { return !about(l) })
			print := a.list
			if as == "json" {
				print = func(all []listed) error { return a.json(all) }
			}
			if err := print(all); err != nil {
				return err
			}
			return broken
		}}
	c.Flags().StringVar(&as, "format", "text", "text or json")
	return c
}

// aboutOf gives the test of what is listed: all, or the scenarios of one topic, by its number or its name, or of one
// statement.
func aboutOf(args []string) (func(listed) bool, error) {
	switch len(args) {
	case 0:
		return func(listed) bool { return true }, nil
	case 1:
	default:
		return nil, fmt.Errorf("list: expected one topic or statement; found %d arguments", len(args))
	}
	what, topics := args[0], format.Subjects()
	if slices.Contains(format.Statements(), what) {
		return func(l listed) bool { return slices.Contains(l.Statements, what) }, nil
	}
	n, err := strconv.Atoi(what)
	if err != nil {
		n = slices.Index(topics, what) + 1
	}
	if n < 1 || n > len(topics) {
		var known []string
		for i, t := range topics {
			known = append(known, fmt.Sprintf("%d %s", i+1, t))
		}
		return nil, fmt.Errorf("list: there is no topic or statement %q; expected a statement, such as 14.2, or one of %s%s", what, strings.Join(known, ", "),
			didYouMean(what, topics))
	}
	prefix := strconv.Itoa(n) + "."
	return func(l listed) bool {
		return l.Topic == topics[n-1] || slices.ContainsFunc(l.Statements, func(s string) bool { return strings.HasPrefix(s, prefix) })
	}, nil
}

// scenarios lists what loads; broken says that something does not, which has then been printed.
func (a *app) scenarios() (all []listed, broken error) {
	all = []listed{}
	for _, name := range scenarios.Names() {
		o, err := a.open(name)
		if err != nil {
			broken = err
			continue
		}
		all = append(all, entryOf(o.File, a.lang))
	}
	return all, broken
}

func entryOf(f *format.File, lang string) listed {
	l := listed{Name: f.Name.Text, Title: f.Title.In(lang), Topic: string(f.Subject), Statements: []string{}, Source: f.Source.In(lang)}
	for _, s := range f.Statements {
		l.Statements = append(l.Statements, s.ID)
	}
	return l
}

// list prints the scenarios under the topics of the lectures they belong to.
func (a *app) list(all []listed) error {
	look := a.look()
	width := 0
	for _, l := range all {
		width = max(width, columns.Width(l.Name))
	}
	for _, topic := range append(format.Subjects(), "") {
		heading := false
		for _, l := range all {
			if l.Topic != topic {
				continue
			}
			if !heading {
				heading = true
				if topic != "" {
					fmt.Fprintf(a.out, "%s\n", topic)
				}
			}
			name := columns.PadRight(l.Name, width)
			for _, line := range story.Wrap(l.Title, look.Width-width-4) {
				fmt.Fprintf(a.out, "  %s  %s\n", name, line)
				name = columns.PadRight("", width)
			}
		}
	}
	return nil
}

func (a *app) json(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
