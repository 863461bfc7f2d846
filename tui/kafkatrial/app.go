package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"kafkatrial/checker"
	"kafkatrial/model/release"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/story"
)

// app is one invocation of the command.
type app struct {
	in   io.Reader
	out  io.Writer // buffered
	err  io.Writer
	file io.Writer // what out ends in: asked whether it is a terminal

	color  string
	theme  string
	ascii  bool
	linear bool
	lang   string
	width  int
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "kafkatrial",
		Short: "Puts the guarantees of Kafka on trial",
		Long: `kafkatrial runs scenarios of a simulated Kafka cluster, tells what happens step by step, and rules on
at-most-once, at-least-once and exactly-once. Every run can be repeated: same input, same bytes.

Without a command it opens a list to choose from in a terminal, and prints the list otherwise.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noCommand(c, args[0])
			}
			return nil
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if f := c.Flags().Lookup("kafka"); f != nil && f.Changed && f.Value.String() == "" {
				return fmt.Errorf("--kafka \"\"; expected a release such as %s", release.Default)
			}
			return a.check(args)
		},
		RunE: func(*cobra.Command, []string) error { return a.pick() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	f := root.PersistentFlags()
	f.StringVar(&a.color, "color", "auto", "colours: auto, always or never")
	f.StringVar(&a.theme, "theme", "auto", "colours for a light or a dark background; auto asks the terminal")
	f.BoolVar(&a.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&a.linear, "linear", os.Getenv("ACCESSIBLE") != "", "text line by line, for screen readers and logs (also: environment variable ACCESSIBLE)")
	f.StringVar(&a.lang, "lang", "", "language of the scenario's own texts, en or zh: titles, narration, questions and explanations; the program itself speaks English")
	f.Var(numberOf(&a.width, 0), "width", "places a line, 80 to 200 (default: the terminal's width, 80 to 120)")
	root.AddCommand(a.listCommand(), a.showCommand(), a.runCommand(), a.stepCommand(), a.specCommand(), a.lintCommand(), a.schemaCommand(),
		a.configCommand(), a.rulesCommand(), a.releasesCommand(), a.versionCommand())
	root.AddCommand(a.huntCommand(), a.mergeCommand(), a.shrinkCommand(), a.exploreCommand())
	root.SetHelpCommand(&cobra.Command{Use: "help [command]", Short: "Help about a command", RunE: func(c *cobra.Command, args []string) error {
		target, rest, err := c.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return noCommand(c.Root(), strings.Join(args, " "))
		}
		target.InitDefaultHelpFlag()
		return target.Help()
	}})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, err) })
	return root
}

// check looks at the flags that all commands share.
func (a *app) check(args []string) error {
	switch a.color {
	case "auto", "always", "never":
	default:
		return fmt.Errorf("--color %q; expected auto, always or never", a.color)
	}
	if err := oneOf("--theme", a.theme, "auto", "light", "dark"); err != nil {
		return err
	}
	if a.width != 0 && (a.width < 80 || a.width > 200) {
		return fmt.Errorf("--width %d; expected a number from 80 to 200", a.width)
	}
	return a.checkLanguage(args)
}

// look says how text is laid out, from the flags, the environment and the terminal.
func (a *app) look() story.Look {
	l := story.Look{Width: a.width, ASCII: a.ascii || os.Getenv("TERM") == "dumb", Color: a.useColor()}
	l.Light = l.Color && a.lightGround()
	if l.Width == 0 {
		l.Width = min(max(a.terminalWidth(), 80), 120)
	}
	return l
}

// useColor follows NO_COLOR (no-color.org), CLICOLOR and CLICOLOR_FORCE, and TERM=dumb; --color goes before
// all of them.
func (a *app) useColor() bool {
	switch {
	case a.color == "always":
		return true
	case a.color == "never", a.linear, os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	case os.Getenv("CLICOLOR") == "0", os.Getenv("TERM") == "dumb":
		return false
	}
	return a.isTerminal()
}

// lightGround says whether colours are for a light background. A terminal was asked when the program began, by Bubble Tea, before anybody
// reads keys; the answer is kept. What is no terminal is taken for dark.
func (a *app) lightGround() bool {
	switch a.theme {
	case "light", "dark":
		return a.theme == "light"
	}
	return a.isTerminal() && !lipgloss.HasDarkBackground()
}

func (a *app) isTerminal() bool {
	f, ok := a.file.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// interactive says whether a screen can be drawn and keys can be read.
func (a *app) interactive() bool {
	in, ok := a.in.(*os.File)
	return ok && term.IsTerminal(in.Fd()) && a.isTerminal() && os.Getenv("TERM") != "dumb" && !a.linear
}

func (a *app) terminalWidth() int {
	if f, ok := a.file.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil {
			return w
		}
	}
	return 0
}

// fail writes an error to standard error: problems of a file with an excerpt each, all else in one line.
func (a *app) fail(err error) {
	fmt.Fprintf(a.err, "kafkatrial: %v\n", err)
}

func didYouMean(word string, names []string) string {
	if near := format.Nearest(word, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// claimNamed reads what --claim says.
func claimNamed(name string) (checker.Claim, error) {
	names := claimsThat(func(checker.Row) bool { return true })
	if !slices.Contains(names, name) {
		return "", fmt.Errorf("--claim %q; expected one of %s%s", name, strings.Join(names, ", "), didYouMean(name, names))
	}
	return checker.Claim(name), nil
}

// claimsThat names the claims of which something is so, in the order of every report.
func claimsThat(so func(checker.Row) bool) []string {
	var names []string
	for _, c := range checker.Which(so) {
		names = append(names, string(c))
	}
	return names
}

// noCommand is the error for a word that is no command; scenarios are opened by run and step.
func noCommand(root *cobra.Command, word string) error {
	if slices.Contains(scenarios.Names(), word) {
		return fmt.Errorf("%q is a scenario, not a command; run it: kafkatrial run %s", word, word)
	}
	return fmt.Errorf("there is no command %q%s", word, didYouMean(word, commandNames(root)))
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// problems prints what is wrong with a file, each with the line it is about.
func (a *app) problems(ps scenarios.Problems, src []byte) {
	for _, p := range ps {
		fmt.Fprint(a.err, p.Excerpt(src))
	}
}
