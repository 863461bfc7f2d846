package view

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/model/protocol"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Lower is what the lower pane shows.
type Lower uint8

// What it can show.
const (
	ShowNow Lower = iota
	ShowWhy
	ShowNotes
	ShowAsk
)

// Stepper is all that the stepper's screen is drawn from.
type Stepper struct {
	S        *session.Session
	Variant  string // how this run differs from the file's, "" if it does not
	Branch   string // the branch that is looked at, "" for the run that was opened
	Focus    Pane
	Chosen   protocol.TopicPartition
	Selected int // rows back from the present, in the time line
	Lower    Lower
	Scroll   int // of the lower pane
	Chain    []story.Cause
	ChainAt  int
	Ask      *Asking
	Verdicts []string // what became of predictions here
	Score    string
	Trouble  string
	Playing  bool
	Prompt   string // what is being typed, after the character that says what for; "" if nothing is
	Message  string // takes the footer's place until the next key
}

// What a prompt asks for, by its first character.
const (
	PromptFind    = "/"
	PromptCommand = ":"
	PromptFork    = "F" // the name of a branch
	PromptSave    = "S" // the path of a file
)

// Row gives the selected row of the time line, nil if it is the present.
func (v *Stepper) Row() *session.Row {
	n := v.S.RowsUpTo(v.S.At())
	if v.Selected <= 0 || n == 0 {
		return nil
	}
	return &v.S.Rows()[max(0, n-1-v.Selected)]
}

// Stepper draws the stepper's screen, exactly as large as the terminal.
func (c *Context) Stepper(v *Stepper) string {
	lines := append([]string{c.Header(v.S, v.Variant, v.Branch, v.Playing)}, c.arrange(v)...)
	return c.Screen(append(c.block(lines, c.Width, c.Height-1), c.StepperFooter(v)))
}

// StepperFooter shows what is being typed, what there is to say, or the keys that matter now.
func (c *Context) StepperFooter(v *Stepper) string {
	switch {
	case strings.HasPrefix(v.Prompt, PromptFork):
		return c.Cut("name of the branch: "+v.Prompt[1:]+"   (enter forks here, ctrl+u clears, esc leaves)", c.Width)
	case strings.HasPrefix(v.Prompt, PromptSave):
		return c.Cut("save as: "+v.Prompt[1:]+"   (enter saves, ctrl+u clears, esc leaves)", c.Width)
	case v.Prompt != "":
		return c.Cut(v.Prompt+"   (enter goes, esc leaves)", c.Width)
	case v.Message != "":
		return c.message(v)
	case v.Lower == ShowAsk && len(v.Ask.Question.Choices) == 0:
		return "type your answer, enter answers, esc skips"
	}
	return c.footer(c.StepperKeys(v))
}

// message is what there is to say, in one line.
func (c *Context) message(v *Stepper) string {
	return c.Theme.Warn.Render(c.Cut(strings.ReplaceAll(v.Message, "\n", " "), c.Width))
}

// Page draws a text that fills the screen, of which these lines are in sight.
func (c *Context) Page(title string, lines []string, more bool) string {
	height := c.Height - 2
	return c.Screen(append(append([]string{c.Rule(title, c.Width, true)}, c.block(lines, c.Width, height)...), c.line(c.Keys.ForPages(more))))
}

// HelpLines lists every key and every sign, first the keys that matter here.
func (c *Context) HelpLines(here []key.Binding) []string {
	t := c.Theme
	var lines []string
	var short []string
	for _, b := range here {
		short = append(short, c.line([]key.Binding{b}))
	}
	lines = append(lines, c.flow(t.Strong.Render("Here:")+"  ", short, c.Width-2)...)
	lines = append(lines, "")
	for _, g := range c.Keys.Groups() {
		lines = append(lines, t.Strong.Render(g.Title))
		for _, b := range g.Keys {
			keys := keysOf(b.Keys())
			for _, l := range Wrap(b.Help().Desc, c.Width-20) {
				lines = append(lines, "  "+fill(keys, 16)+" "+l)
				keys = ""
			}
		}
		lines = append(lines, "")
	}
	lines = append(lines, t.Strong.Render("Signs"))
	for _, l := range c.legend() {
		lines = append(lines, "  "+l)
	}
	for _, l := range []string{
		t.G.Holds + " holds   " + t.G.Risk + " at risk   " + t.G.Violated + " violated   " + t.G.Undecided + " undecided",
		"[m1]" + t.G.Bar + "[m2]  the bar is the high watermark (HW): m1 is committed, m2 is not",
		"(m1) of an open transaction   /m1/ of one that was aborted",
		"<COMMIT> <ABORT>  the markers that end a transaction; in little room <C> <A>",
		"[m1]" + t.G.Stable + "(m2)  the dotted bar is the last stable offset (LSO): readers of committed records stop there",
		"txn shop at b1: Ongoing e3, orders-0  what the coordinator of transactional.id shop has: state, epoch, partitions. x shows it in full",
	} {
		for i, w := range Wrap(l, c.Width-6) {
			if i > 0 {
				w = "  " + w
			}
			lines = append(lines, "  "+w)
		}
	}
	lines = append(lines, "")
	return append(lines, Wrap("A step forward goes to the next step that changed something; z shows the others too.", c.Width-2)...)
}

// keysOf writes keys as a person reads them.
func keysOf(keys []string) string {
	out := ""
	for i, k := range keys {
		if i > 0 {
			out += " "
		}
		if k == " " {
			k = "space"
		}
		out += k
	}
	return out
}
