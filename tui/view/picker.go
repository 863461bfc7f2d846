package view

import (
	"fmt"
	"strings"

	"kafkatrial/tui/story"
)

// Item is a scenario in the list.
type Item struct {
	Name, Title, Topic, Kafka, Source string
	Statements                        []string
	Claims                            []Stated
	Compares                          [][]Stated
}

// Stated is a verdict that a file states.
type Stated struct{ Claim, Level, Verdict string }

// Picker is all that the list's screen is drawn from.
type Picker struct {
	Items  []Item
	Of     int // without the filter
	At     int
	Filter string
	Typed  string // the filter as it is being typed
	Typing bool
	// Verdicts shows what the files state: it gives away how the runs end.
	Verdicts bool
}

// detailRoom is the width that the particulars of a scenario need to stand beside the list.
const detailRoom = 44

// Picker draws the list, grouped by topic, with the chosen scenario's particulars.
func (c *Context) Picker(p *Picker) string {
	t := c.Theme
	title := fmt.Sprintf("scenarios (%d)", p.Of)
	if p.Filter != "" || p.Typing {
		title = fmt.Sprintf("scenarios (%d of %d with %q)", len(p.Items), p.Of, p.Filter)
	}
	nameWidth, titleWidth := 0, 0
	for _, it := range p.Items {
		nameWidth, titleWidth = max(nameWidth, textWidth(it.Name)), max(titleWidth, textWidth(it.Title))
	}
	listWidth, detailWidth := c.Width, c.Width-1
	wide := 2+nameWidth+2+titleWidth+2+detailRoom <= c.Width // the particulars stand beside titles that are whole, else below them
	if wide {
		listWidth = 2 + nameWidth + 2 + titleWidth + 2
		detailWidth = c.Width - listWidth - 1
	}
	nameWidth = min(nameWidth, listWidth*9/20)
	detail := c.itemDetail(p, detailWidth)
	listHeight := c.Height - 2
	if !wide {
		listHeight -= len(detail) + 1
	}
	var lines []string
	at := 0
	topic := "\x00"
	for i, it := range p.Items {
		if it.Topic != topic {
			topic = it.Topic
			name := topic
			if name == "" {
				name = "without a topic"
			}
			lines = append(lines, t.Faint.Render(name))
		}
		mark := "  "
		if i == p.At {
			mark = t.G.Narrator + " "
			at = len(lines)
		}
		line := c.Fit(mark+c.Fit(it.Name, nameWidth)+"  "+it.Title, listWidth-1)
		if i == p.At {
			line = t.Strong.Render(line)
		}
		lines = append(lines, line)
	}
	if len(p.Items) == 0 {
		lines = []string{"", "No scenario fits the filter. esc clears it."}
	}
	list := c.block(window(lines, at, listHeight), listWidth, listHeight)
	out := []string{c.Rule(title, c.Width, true)}
	if wide {
		out = append(out, beside(list, c.block(detail, c.Width-listWidth, listHeight), "")...)
	} else {
		out = append(out, list...)
		out = append(out, c.Rule("", c.Width, false))
		out = append(out, detail...)
	}
	foot := c.footer(c.Keys.ForPicker(p.Verdicts))
	if p.Typing {
		foot = "/" + p.Typed + "   (enter keeps the filter, esc clears it)"
	}
	return c.Screen(append(c.block(out, c.Width, c.Height-1), foot))
}

// itemDetail tells what the chosen scenario puts on trial.
func (c *Context) itemDetail(p *Picker, width int) []string {
	if len(p.Items) == 0 {
		return []string{""}
	}
	it := p.Items[p.At]
	var lines []string
	for _, l := range Wrap(it.Title, width) {
		lines = append(lines, c.Theme.Strong.Render(l))
	}
	where := "Kafka " + it.Kafka
	if it.Source != "" {
		where += " " + c.Theme.G.Dot + " " + it.Source
	}
	lines = append(lines, Wrap(where, width)...)
	if len(it.Statements) > 0 {
		lines = append(lines, "statements "+strings.Join(it.Statements, ", "))
	}
	if p.Verdicts {
		lines = append(lines, c.stated(it.Claims, width)...)
	}
	if n := len(it.Compares); n == 1 {
		lines = append(lines, "one comparison (C in the stepper)")
	} else if n > 1 {
		lines = append(lines, fmt.Sprintf("%d comparisons (C in the stepper)", n))
	}
	return lines
}

// stated lists verdicts with their signs, as many on a line as fit.
func (c *Context) stated(claims []Stated, width int) []string {
	t := c.Theme
	var items []string
	for i := 0; i < len(claims); i++ {
		s := claims[i]
		text := s.Claim + " "
		if i+1 < len(claims) && claims[i+1].Claim == s.Claim {
			if claims[i+1].Verdict == s.Verdict {
				text += c.verdictWord(s.Verdict)
			} else {
				text += c.verdictWord(s.Verdict) + " at the " + level(s.Level) + ", " + c.verdictWord(claims[i+1].Verdict) + " at the " + level(claims[i+1].Level)
			}
			i++
		} else {
			text += c.verdictWord(s.Verdict)
		}
		items = append(items, text)
	}
	if len(items) == 0 {
		return []string{t.Faint.Render("no verdict is stated")}
	}
	var lines []string
	line := ""
	for _, it := range items {
		if line != "" && textWidth(line)+3+textWidth(it) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "   "
		}
		line += it
	}
	return append(lines, line)
}

func (c *Context) verdictWord(v string) string {
	t := c.Theme
	switch v {
	case "holds":
		return t.Good.Render(t.G.Holds + " " + v)
	case "violated":
		return t.Bad.Render(t.G.Violated + " " + v)
	}
	return t.Warn.Render(t.G.Undecided + " " + v)
}

// TroubleLines is what is wrong with a file, in the words of the loader.
func (c *Context) TroubleLines(lines []string) (body []string) {
	for _, l := range lines {
		for _, w := range Wrap(l, c.Width-2) {
			body = append(body, " "+w)
		}
	}
	return body
}

// Comparison is one line of the compare screen.
type Comparison struct {
	Label, Title string
	Summary      string
	PartsAt      int // step of the run that was left, 0 if they do not part
	Explain      string
	Claims       []Stated
	Refused      string // who refuses to start then, and why; empty if there is a run
}

// Compare draws the list of comparisons.
func (c *Context) Compare(name string, all []Comparison, at int) string {
	t := c.Theme
	var lines []string
	cursor := 0
	for i, x := range all {
		mark := "  "
		if i == at {
			mark = t.G.Narrator + " "
			cursor = len(lines)
		}
		head := x.Label
		if x.Title != "" {
			head += ": " + x.Title
		}
		head = c.Cut(mark+head, c.Width-1)
		if i == at {
			head = t.Strong.Render(head)
		}
		lines = append(lines, head)
		parts := story.NotParted
		if x.Refused != "" {
			parts = x.Refused
		} else if x.PartsAt > 0 {
			parts = fmt.Sprintf("the runs part at step %d", x.PartsAt)
		}
		for _, l := range append(append(c.stated(x.Claims, c.Width-5), Wrap(parts, c.Width-5)...), Wrap(x.Explain, c.Width-5)...) {
			lines = append(lines, "    "+l)
		}
		lines = append(lines, "")
	}
	if len(all) == 0 {
		lines = []string{" The file has no comparisons (key compare)."}
	}
	height := c.Height - 2
	foot := c.footer(c.Keys.ForComparisons())
	return c.Screen(append(append([]string{c.Rule(name+": the same script, and its verdicts", c.Width, true)},
		c.block(window(lines, cursor, height), c.Width, height)...), foot))
}

// level spells the place at which a claim is judged.
func level(l string) string {
	if l == "app" {
		return "application"
	}
	return l
}
