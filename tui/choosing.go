package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// choosing is the list of what can happen next.
type choosing struct {
	list   *session.Choices
	shown  []int // places in list.All
	cursor       // in shown
	filter line
	typing bool
}

// openChoices lists what can happen at the moment looked at.
func (m *model) openChoices(v *stepper) {
	if len(m.runs()) > 1 {
		v.Message = "This is a comparison. esc goes back to the run, where you can choose."
		return
	}
	list, err := v.S.Choices()
	if err != nil {
		v.Message = sentence(err)
		return
	}
	if len(list.All) < 2 {
		v.Message = list.Note
		return
	}
	m.choices(list)
}

// choices opens the list of what can happen.
func (m *model) choices(list *session.Choices) {
	c := &choosing{list: list, filter: newLine("")}
	c.apply()
	m.push(c)
}

// sentence writes an error as one.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// apply keeps what the filter fits: those whose names hold it, or, if there are none, those that have every
// word of it in the name, the sentence or the group.
func (c *choosing) apply() {
	c.shown = c.shown[:0]
	filter := strings.ToLower(strings.TrimSpace(c.filter.Value()))
	for i, ch := range c.list.All {
		if strings.Contains(strings.ToLower(ch.ID), filter) {
			c.shown = append(c.shown, i)
		}
	}
	if len(c.shown) == 0 {
		for i, ch := range c.list.All {
			if hasWords(ch.ID+" "+ch.Text+" "+view.GroupTitle(ch.Group), filter) {
				c.shown = append(c.shown, i)
			}
		}
	}
	c.keep(len(c.shown))
}

func hasWords(text, words string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(words) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// nextGroup goes to the first choice of the group after this one, or (by -1) before it, round the ends.
func (c *choosing) nextGroup(by int) {
	if len(c.shown) == 0 {
		return
	}
	group := func(k int) session.Group { return c.list.All[c.shown[k]].Group }
	at, n := c.at, len(c.shown)
	for range n {
		at = (at + by + n) % n
		if group(at) != group(c.at) {
			break
		}
	}
	for at > 0 && group(at-1) == group(at) {
		at--
	}
	c.at = at
}

func (c *choosing) key(m *model, p press) want {
	k := m.c.Keys
	switch {
	case c.typing:
		before := c.filter.Value()
		c.typing = typing(&c.filter, p, k)
		if c.filter.Value() != before {
			c.at = 0
		}
		c.apply()
	case c.cursor.key(p, k, len(c.shown)):
	case p.is(k.Focus):
		c.nextGroup(1)
	case p.is(k.FocusBack):
		c.nextGroup(-1)
	case p.is(k.Find):
		c.typing = true
	case p.is(k.Enter):
		m.take(c)
	case p.is(k.Help):
		m.openHelp()
	case p.is(k.Look):
		m.nextLook()
	case p.is(k.Escape) && c.filter.Value() != "":
		c.filter.SetValue("")
		c.apply()
	case p.is(k.Escape), p.is(k.Quit), p.is(k.Choose):
		m.pop()
	}
	return nothing
}

func (c *choosing) help(m *model) []key.Binding { return m.c.Keys.ForChoices() }

// take lets the choice under the cursor happen, and stands behind it.
func (m *model) take(c *choosing) {
	if len(c.shown) == 0 {
		return
	}
	i := c.shown[c.at]
	before := m.tree.Here()
	begun, err := m.tree.Take(c.list, i)
	m.follow()
	v := m.top()
	chosen := c.list.All[i].ID
	switch here := m.tree.Here(); {
	case err != nil:
		v.Message = sentence(err)
		return
	case begun:
		v.Message = fmt.Sprintf("%s. This is %s now; %s goes back to %s.", chosen, here.Name, m.c.Keys.Previous.Help().Key, before.Name)
	case here.Parent >= 0:
		v.Message = fmt.Sprintf("%s, in %s.", chosen, here.Name)
	}
	if list, err := v.S.Choices(); err == nil && len(list.All) > 1 && list.All[0].Group == session.Unflushed {
		m.choices(list)
	}
}

// enterMeans says what Enter makes of a choice.
func (m *model) enterMeans(c *session.Choices, i int) string {
	switch begins, changes := m.tree.Effect(c, i); {
	case !changes:
		return "Enter goes on: this is what the run does anyway."
	case begins:
		return fmt.Sprintf("Enter takes it, and begins %s here.", m.tree.NextName())
	}
	return fmt.Sprintf("Enter takes it, and adds it to %s.", m.tree.Here().Name)
}

func (c *choosing) view(m *model) string {
	p := &view.Chooser{Of: len(c.list.All), At: c.at, Filter: c.filter.Value(), Typed: c.filter.typed(), Typing: c.typing, Note: c.list.Note,
		Step: c.list.Moment.Steps, Now: c.list.Moment.Now}
	for _, i := range c.shown {
		p.Shown = append(p.Shown, c.list.All[i])
	}
	if len(c.shown) > 0 {
		p.Enter = m.enterMeans(c.list, c.shown[c.at])
	}
	return m.c.Chooser(p)
}
