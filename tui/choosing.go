package tui

import (
	"fmt"
	"strings"

	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// choosing is the list of what can happen next.
type choosing struct {
	list   *session.Choices
	shown  []int // places in list.All
	at     int   // in shown
	filter string
	typing bool
}

// openChoices lists what can happen at the moment looked at.
func (m *model) openChoices(v *stepper) {
	if len(m.steps) > 1 {
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
	m.choosing = &choosing{list: list}
	m.choosing.apply()
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
	filter := strings.ToLower(strings.TrimSpace(c.filter))
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
	c.at = max(0, min(c.at, len(c.shown)-1))
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

func (c *choosing) move(by int) { c.at = max(0, min(c.at+by, len(c.shown)-1)) }

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

func (m *model) choosingKey(hit hitFunc, k, text string) want {
	c, keys := m.choosing, m.c.Keys
	if c.typing {
		before := c.filter
		c.typing, c.filter = typeLine(c.typing, c.filter, k, text)
		if c.filter != before {
			c.at = 0
		}
		c.apply()
		return nothing
	}
	switch {
	case hit(keys.Down):
		c.move(1)
	case hit(keys.Up):
		c.move(-1)
	case k == "pgdown":
		c.move(10)
	case k == "pgup":
		c.move(-10)
	case hit(keys.First):
		c.at = 0
	case hit(keys.Last):
		c.move(len(c.shown))
	case hit(keys.Focus):
		c.nextGroup(1)
	case hit(keys.FocusBack):
		c.nextGroup(-1)
	case hit(keys.Find):
		c.typing = true
	case hit(keys.Enter):
		m.take()
	case hit(keys.Help):
		m.openHelp()
	case hit(keys.Look):
		m.setLook((m.look + 1) % len(m.looks))
	case hit(keys.Escape) && c.filter != "":
		c.filter = ""
		c.apply()
	case hit(keys.Escape), hit(keys.Quit), hit(keys.Choose):
		m.choosing = nil
	}
	return nothing
}

// take lets the choice under the cursor happen, and stands behind it.
func (m *model) take() {
	c := m.choosing
	if len(c.shown) == 0 {
		return
	}
	m.choosing = nil
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
		m.choosing = &choosing{list: list}
		m.choosing.apply()
	}
}

// enterMeans says what Enter makes of a choice.
func (m *model) enterMeans(i int) string {
	c := m.choosing.list
	switch begins, changes := m.tree.Effect(c, i); {
	case !changes:
		return "Enter goes on: this is what the run does anyway."
	case begins:
		return fmt.Sprintf("Enter takes it, and begins %s here.", m.tree.NextName())
	}
	return fmt.Sprintf("Enter takes it, and adds it to %s.", m.tree.Here().Name)
}

func (m *model) chooserView() *view.Chooser {
	c := m.choosing
	p := &view.Chooser{Of: len(c.list.All), At: c.at, Filter: c.filter, Typing: c.typing, Note: c.list.Note,
		Step: c.list.Moment.Steps, Now: c.list.Moment.Now}
	for _, i := range c.shown {
		p.Shown = append(p.Shown, c.list.All[i])
	}
	if len(c.shown) > 0 {
		p.Enter = m.enterMeans(c.shown[c.at])
	}
	return p
}
