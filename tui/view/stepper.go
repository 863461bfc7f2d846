package view

import (
	"fmt"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Pane is a part of the stepper's screen.
type Pane uint8

// The panes, in the order in which Tab goes through them.
const (
	TimePane Pane = iota
	ClusterPane
	NowPane
	NumPanes
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
	Exactly  bool // the whole screen shows what exactly-once rests on
	Scroll   int  // of the lower pane
	Chain    []story.Cause
	ChainAt  int
	Ask      *Asking
	Verdicts []string // what became of predictions here
	Score    string
	Trouble  string
	Playing  bool
	Prompt   string // what is being typed, with its first character; "" if nothing is
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

// layout is how the rows of a screen are shared out.
type layout struct {
	left                                int // width of the cluster pane
	cluster, flights, time, now, claims int // body rows
	wide                                bool
	bare                                bool // no heading over the claims
}

// Stepper draws the stepper's screen, exactly as large as the terminal.
func (c *Context) Stepper(v *Stepper) string {
	s := v.S
	flights := flying(s.State(), s.Unfolded())
	l := c.plan(v, len(flights))
	lines := []string{c.Header(s, v.Variant, v.Branch, v.Playing)}
	if l.wide {
		right := c.Width - l.left - 2
		a := c.clusterPart(v, l, l.left)
		a = append(a, c.Rule("clients", l.left, false))
		a = append(a, c.block(c.Clients(s.State(), v.Chosen, l.left, l.clients(v, c.Height)), l.left, l.clients(v, c.Height))...)
		a = append(a, c.flightPart(flights, l, l.left)...)
		a = append(a, c.claimsPart(v, l, l.left)...)
		b := append(c.timePart(v, l, right), c.nowPart(v, l, right)...)
		height := c.Height - 2
		lines = append(lines, beside(c.block(a, l.left, height), c.block(b, right, height), "  ")...)
	} else {
		lines = append(lines, c.clusterBeside(v, l)...)
		lines = append(lines, c.flightPart(flights, l, c.Width)...)
		lines = append(lines, c.timePart(v, l, c.Width)...)
		lines = append(lines, c.nowPart(v, l, c.Width)...)
		lines = append(lines, c.claimsPart(v, l, c.Width)...)
	}
	lines = append(c.block(lines, c.Width, c.Height-1), c.StepperFooter(v))
	return c.Screen(lines)
}

// plan shares the rows out: what matters most gets what it needs, the time line the rest.
func (c *Context) plan(v *Stepper, flights int) layout {
	st := v.S.State()
	replicas := 1
	if p := st.Partition(v.Chosen); p != nil {
		replicas = len(p.Replicas)
	}
	others := max(0, len(st.Partitions)-1) + len(st.Transactions)
	wide := c.Width >= 110 && c.Height >= 30
	l := layout{wide: wide, left: c.Width}
	if wide {
		l.left = c.Width * 2 / 5
		height := c.Height - 2
		l.claims = 5
		if v.S.AtEnd() {
			l.claims = max(6, height/5)
		}
		l.flights = min(flights, max(3, height/6))
		l.cluster = min(replicas+others, max(4, height/3))
		l.now = max(6, height/3)
		l.time = height - 2 - l.now
		return l
	}
	if c.Width >= 64 {
		l.left = c.Width * 4 / 7
	} else {
		l.left = c.Width * 9 / 16
	}
	bodies := c.Height - 7 // header, five rules, footer
	l.claims = 3
	if l.bare = c.Height < 22; l.bare {
		bodies++
		l.claims = 2
	}
	if v.S.AtEnd() {
		l.claims = max(l.claims, min(bodies/3, 8))
	}
	l.now = max(2, bodies/4)
	if v.Lower != ShowNow || v.S.AtEnd() {
		l.now = max(l.now, min(bodies/3, 8))
	}
	l.cluster = max(2, min(max(replicas+min(others, bodies/6), c.clientRows(v)), bodies/3))
	l.flights = min(flights, max(1, bodies/5))
	l.time = bodies - l.claims - l.now - l.cluster - l.flights
	return l
}

func (c *Context) clientRows(v *Stepper) int {
	rows := 2 * len(v.S.State().Consumers)
	for i := range v.S.State().Producers {
		if rows++; v.S.State().Producers[i].Transaction != "" {
			rows++
		}
	}
	for i := range v.S.State().Consumers {
		if w := v.S.State().Consumers[i].Writes; w != nil && w.Transaction != "" {
			rows++
		}
	}
	return min(6, rows)
}

// clients gives the rows that are left for clients in the wide layout.
func (l layout) clients(v *Stepper, height int) int {
	return max(1, height-2-(1+l.cluster)-1-(1+l.flights)-(1+l.claims))
}

func (c *Context) clusterPart(v *Stepper, l layout, width int) []string {
	title, lines := c.Cluster(v.S.State(), v.S.Before(), v.Chosen, width, l.cluster)
	return append([]string{c.Rule(title, width, v.Focus == ClusterPane)}, c.block(lines, width, l.cluster)...)
}

// clusterBeside puts the clients to the right of the cluster.
func (c *Context) clusterBeside(v *Stepper, l layout) []string {
	right := c.Width - l.left - 1
	title, lines := c.Cluster(v.S.State(), v.S.Before(), v.Chosen, l.left, l.cluster)
	clients := c.Clients(v.S.State(), v.Chosen, right, l.cluster)
	return append([]string{c.Rule(title, c.Width, v.Focus == ClusterPane)},
		beside(c.block(lines, l.left, l.cluster), c.block(clients, right, l.cluster), " ")...)
}

func (c *Context) flightPart(flights []session.Flight, l layout, width int) []string {
	title := "in flight"
	if len(flights) == 0 {
		title = "in flight: nothing but routine"
	}
	return append([]string{c.Rule(title, width, false)}, c.block(c.Flights(flights, width, l.flights), width, l.flights)...)
}

func (c *Context) timePart(v *Stepper, l layout, width int) []string {
	rows := v.S.Rows()
	n := v.S.RowsUpTo(v.S.At())
	head, lines := c.Timeline(v.S, rows[:n], max(0, n-1-max(0, v.Selected)), width-1, l.time)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return append([]string{c.Rule(head, width, v.Focus == TimePane)}, c.block(lines, width, l.time)...)
}

func (c *Context) nowPart(v *Stepper, l layout, width int) []string {
	var title string
	var lines []string
	scrolled := true
	switch v.Lower {
	case ShowWhy:
		title, lines = c.Why(v.Chain, v.ChainAt, width, l.now)
		scrolled = false
	case ShowNotes:
		title, lines = c.Notes(v.S, width)
	case ShowAsk:
		title, lines = c.Ask(v.Ask, width)
	default:
		title, lines = c.Now(v.S, v.Row(), v.Trouble, v.Verdicts, width)
	}
	if v.Score != "" && v.Lower != ShowWhy {
		title += "   " + v.Score
	}
	if scrolled && len(lines) > l.now {
		first := max(0, min(v.Scroll, len(lines)-l.now))
		left := len(lines) - l.now - first
		lines = lines[first : first+l.now]
		if left > 0 {
			title += fmt.Sprintf("   (%s: tab, %s)", moreLines(left), c.Theme.G.Down)
		}
	}
	return append([]string{c.Rule(title, width, v.Focus == NowPane || v.Lower != ShowNow)}, c.block(lines, width, l.now)...)
}

func moreLines(n int) string {
	if n == 1 {
		return "1 more line"
	}
	return num(n) + " more lines"
}

func (c *Context) claimsPart(v *Stepper, l layout, width int) []string {
	if l.bare {
		return c.block(c.Claims(v.S, width, l.claims), width, l.claims)
	}
	title := "claims so far"
	if v.S.AtEnd() {
		title = "verdict"
	}
	return append([]string{c.Rule(title, width, false)}, c.block(c.Claims(v.S, width, l.claims), width, l.claims)...)
}

// StepperFooter shows what is being typed, what there is to say, or the keys that matter now.
func (c *Context) StepperFooter(v *Stepper) string {
	k := c.Keys
	switch {
	case strings.HasPrefix(v.Prompt, PromptFork):
		return c.Cut("name of the branch: "+v.Prompt[1:]+"_   (enter forks here, ctrl+u clears, esc leaves)", c.Width)
	case strings.HasPrefix(v.Prompt, PromptSave):
		return c.Cut("save as: "+v.Prompt[1:]+"_   (enter saves, ctrl+u clears, esc leaves)", c.Width)
	case v.Prompt != "":
		return v.Prompt + "_   (enter goes, esc leaves)"
	case v.Message != "":
		return c.Theme.Warn.Render(c.Cut(v.Message, c.Width))
	case v.Lower == ShowAsk && len(v.Ask.Question.Choices) == 0:
		return "type your answer, enter answers, esc skips"
	case v.Lower == ShowAsk:
		return c.footer([]string{"1-" + num(len(v.Ask.Question.Choices)) + " answer", "enter skip", hint(k.Predict, "ask no more")})
	case v.Lower == ShowWhy:
		return c.footer([]string{k.Up.Help().Key + "/" + k.Down.Help().Key + " choose", hint(k.Enter, "go there"), hint(k.Copy, "copy"), hint(k.Escape, "back")})
	}
	step := k.Forward.Help().Key + "/" + k.Back.Help().Key + " step"
	hints := []string{hint(k.NextFault, "fault"), hint(k.NextViolation, "violation"), hint(k.Why, "why"), hint(k.Choose, "choose"), hint(k.Find, "find")}
	if len(v.S.State().Transactions) > 0 { // in 80 places the key to play gives way to the one for transactions
		hints = append(hints, hint(k.Exactly, "transactions"), hint(k.Play, "play"))
	} else {
		hints = append([]string{hint(k.Play, "play")}, hints...)
	}
	return c.footer(append(append([]string{step}, hints...), hint(k.Compare, "compare"), hint(k.Command, "go to")))
}

// Help lists every key and every sign, from line scroll on.
func (c *Context) Help(scroll int) string {
	lines := c.helpLines()
	height := c.Height - 2
	scroll = max(0, min(scroll, c.HelpEnd()))
	shown := lines[scroll:min(len(lines), scroll+height)]
	foot := hint(c.Keys.Escape, "back")
	if len(lines) > height {
		foot = c.Keys.Up.Help().Key + "/" + c.Keys.Down.Help().Key + " more   " + foot
	}
	return c.Screen(append(append([]string{c.Rule("keys and signs", c.Width, true)}, c.block(shown, c.Width, height)...), foot))
}

// HelpEnd is how many lines the help can be scrolled down.
func (c *Context) HelpEnd() int { return max(0, len(c.helpLines())-(c.Height-2)) }

func (c *Context) helpLines() []string {
	t := c.Theme
	var lines []string
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
