package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kafkatrial/model/release"
	"kafkatrial/tui/story"
)

// ruled is one switch of rules --format json.
type ruled struct {
	Key    string   `json:"rule"`
	Since  []string `json:"since"` // releases, one a line of Kafka that got it after its first release, and last the one from which all have it; none: in no release
	Until  []string `json:"until"` // the same of the releases that do not have it any more
	In     *bool    `json:"inForce,omitempty"`
	Title  string   `json:"title"`
	Source string   `json:"source"`
}

func (a *app) rulesCommand() *cobra.Command {
	var as, kafka string
	c := &cobra.Command{Use: "rules [RULE]", Short: "List the rules that releases of Kafka differ in, which a scenario's features switch",
		Long: `Lists every rule that a scenario may switch by name (features: {kip-101: on}), with the releases that have it and where it
was read. A rule that came to several lines at once names the first release of each: "since 2.7.2, 2.8.1 and 3.0.0" leaves out 2.7.1 and
2.8.0. With --kafka only the rules in force in that release; "2.8" is the last release of that line.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("rules: expected one rule at most; found %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", as, "text", "json"); err != nil {
				return err
			}
			rules, err := chosen(args, kafka)
			if err != nil {
				return err
			}
			if as == "json" {
				return a.json(rules)
			}
			a.rules(rules)
			return nil
		}}
	c.Flags().StringVar(&as, "format", "text", "text or json")
	c.Flags().StringVar(&kafka, "kafka", "", "only what is in force in this release")
	return c
}

// chosen gives the rules that are asked for: all, those in force in a release, or the one of that name.
func chosen(args []string, kafka string) ([]ruled, error) {
	var version release.Version
	if kafka != "" {
		var err error
		if version, err = release.Parse(kafka); err != nil {
			return nil, fmt.Errorf("--kafka: %w", err)
		}
	}
	all := []ruled{}
	for _, r := range byRelease() {
		j := ruled{Key: r.Key, Since: namesOf(r.Since), Until: namesOf(r.Until), Title: r.Title, Source: r.Source}
		in := r.In(version)
		switch {
		case len(args) == 1 && !strings.EqualFold(args[0], r.Key):
			continue
		case len(args) == 1 && kafka != "":
			j.In = &in
		case kafka != "" && !in:
			continue
		}
		all = append(all, j)
	}
	if len(all) == 0 && len(args) == 1 {
		return nil, fmt.Errorf("there is no rule %q%s; kafkatrial rules lists them all", args[0], didYouMean(args[0], ruleNames()))
	}
	return all, nil
}

// byRelease lists the rules as they came; last those of no release.
func byRelease() []*release.Rule {
	var all []*release.Rule
	for i := range release.All {
		all = append(all, &release.All[i])
	}
	slices.SortStableFunc(all, func(a, b *release.Rule) int {
		switch {
		case a.InNoRelease() || b.InNoRelease():
			return bit(a.InNoRelease()) - bit(b.InNoRelease())
		case a.Since[0].Less(b.Since[0]):
			return -1
		case b.Since[0].Less(a.Since[0]):
			return 1
		}
		return 0
	})
	return all
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func namesOf(rs release.Releases) []string {
	names := []string{}
	for _, v := range rs {
		names = append(names, v.String())
	}
	return names
}

// rules prints a paragraph for each rule: its name and its releases, what it says, and the source.
func (a *app) rules(all []ruled) {
	width := a.look().Width
	for _, r := range all {
		where := "in no release"
		if len(r.Since) > 0 {
			where = "since " + enumerated(r.Since, "and")
		}
		if len(r.Until) > 0 {
			where += ", until " + enumerated(r.Until, "and")
		}
		if r.In != nil {
			where += "; in force: " + map[bool]string{true: "yes", false: "no"}[*r.In]
		}
		fmt.Fprintf(a.out, "%s  %s\n", r.Key, where)
		for _, line := range append(story.Wrap(r.Title, width-4), story.Wrap(r.Source, width-4)...) {
			fmt.Fprintf(a.out, "    %s\n", line)
		}
	}
}

// enumerated joins words as a sentence does, the last one with and or or.
func enumerated(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

func (a *app) releasesCommand() *cobra.Command {
	return &cobra.Command{Use: "releases", Short: "List the releases of Kafka that the model knows, one line of them a row", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, line := range release.Lines() {
				fmt.Fprintln(a.out, strings.Join(namesOf(line), "  "))
			}
			return nil
		}}
}

func ruleNames() []string {
	var names []string
	for i := range release.All {
		names = append(names, release.All[i].Key)
	}
	return names
}
