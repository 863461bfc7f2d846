package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/model/replicationspec"
)

// Spec draws a counterexample of the bounded model at one of its steps: the steps on the left, the state of the replicas on the
// right, and what happens in a sentence.
func (c *Context) Spec(trace *replicationspec.Trace, at int) string {
	t := c.Theme
	step := &trace.Steps[at]
	right := fmt.Sprintf("step %d/%d", step.Number, len(trace.Steps))
	title := trace.Config + " " + t.G.Dot + " " + trace.Invariant + " does not hold"
	out := []string{t.Strong.Render(c.Fit(title, c.Width-textWidth(right)-1)) + " " + right}

	told := c.specTold(trace, at)
	height := c.Height - 3 - len(told)
	listWidth := max(18, min(c.Width*2/5, 48, c.Width-42))
	list := c.block(append([]string{c.Rule("steps", listWidth-1, true)}, window(c.specSteps(trace, at, listWidth-1), at, height-1)...), listWidth, height)
	state := c.block(append([]string{c.Rule("state", c.Width-listWidth, false)}, c.specState(step)...), c.Width-listWidth, height)
	out = append(out, beside(list, state, "")...)
	out = append(out, c.Rule("", c.Width, false))
	out = append(out, told...)
	return c.Screen(append(out, c.footer(c.Keys.ForSpec())))
}

// specTold is the step in a sentence, and at the last one why the invariant does not hold. It takes as many lines as the longest of
// them, so that the panes keep their place, but leaves the panes room.
func (c *Context) specTold(trace *replicationspec.Trace, at int) []string {
	sentences := func(i int) []string {
		lines := Wrap(trace.Steps[i].Text, c.Width)
		if i == len(trace.Steps)-1 {
			for _, l := range Wrap(trace.Reason, c.Width) {
				lines = append(lines, style(c.Theme.Bad, l))
			}
		}
		return lines
	}
	most := 0
	for i := range trace.Steps {
		most = max(most, len(sentences(i)))
	}
	return c.block(sentences(at), c.Width, min(most, c.Height/3))
}

func (c *Context) specSteps(trace *replicationspec.Trace, at, width int) []string {
	var lines []string
	for i := range trace.Steps {
		mark := " "
		if i == at {
			mark = c.Theme.G.Narrator
		}
		line := c.Fit(fmt.Sprintf("%s %2d %s", mark, i+1, trace.Steps[i].Action), width)
		if i == at {
			line = c.Theme.Strong.Render(line)
		}
		lines = append(lines, line)
	}
	return lines
}

// specState shows each replica in two lines: what it believes, and its log up to the high watermark and on.
func (c *Context) specState(step *replicationspec.TraceStep) []string {
	t := c.Theme
	var lines []string
	believes := func(name, epoch, leader string, isr []string) {
		line := "  " + fill(name, 6) + " epoch " + fill(epoch, 2) + " leader " + fill(leader, 4) + " isr {" + strings.Join(isr, " ") + "}"
		if slices.Contains(step.Changed, name) {
			line = t.Warn.Render("*" + line[1:])
		}
		lines = append(lines, line)
	}
	for _, r := range step.State.Replicas {
		believes(r.ID, specEpoch(r.Epoch), r.Leader, r.ISR)
		var cells []string
		for o, rec := range r.Log {
			if o == r.HW {
				cells = append(cells, t.G.HW)
			}
			cells = append(cells, fmt.Sprintf("%d/%d", rec.ID, rec.Epoch))
		}
		if r.HW >= len(r.Log) {
			cells = append(cells, t.G.HW)
		}
		lines = append(lines, fmt.Sprintf("         log [%s]  hw %d  leo %d", strings.Join(cells, " "), r.HW, r.LEO))
	}
	q := step.State.Quorum
	believes("quorum", specEpoch(q.Epoch), q.Leader, q.ISR)
	return lines
}

func specEpoch(epoch int) string {
	if epoch < 0 {
		return "-"
	}
	return num(epoch)
}

// SpecHelp explains that screen and its keys.
func (c *Context) SpecHelp() string {
	k := c.Keys
	lines := []string{c.Rule("help", c.Width, true)}
	for _, l := range []string{
		"Each step is one action of the bounded model, and the state after it. A star marks what the step changed.",
		"A cell of a log is written as record/epoch. " + c.Theme.G.HW + " stands at the high watermark: what is left of it counts as committed.",
		"Each replica shows what it believes itself; the quorum is what ZooKeeper or the controllers hold.",
	} {
		lines = append(lines, Wrap(l, c.Width)...)
	}
	lines = append(lines, "")
	for _, b := range []key.Binding{k.Forward, k.Back, k.First, k.Last, k.Help, k.Quit} {
		lines = append(lines, "  "+fill(b.Help().Key, 5)+" "+b.Help().Desc)
	}
	return c.Screen(lines)
}
