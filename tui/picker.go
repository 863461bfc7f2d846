package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/view"
)

// picker is the list of scenarios to choose from, grouped by the topic of the lectures.
type picker struct {
	all    []view.Item
	shown  []view.Item
	cursor // in shown
	filter line
	typing bool
	told   bool // the stated verdicts are shown
}

// newPicker lists the embedded scenarios. One that does not load is listed with what is wrong.
func newPicker(lang string) *picker {
	var items []view.Item
	for _, name := range scenarios.Names() {
		o, err := scenarios.Open(name)
		if err != nil {
			items = append(items, view.Item{Name: name, Title: "does not load: " + err.Error()})
			continue
		}
		items = append(items, itemOf(o.File, lang))
	}
	return pickerOf(items)
}

// pickerOf sorts items into their topics.
func pickerOf(items []view.Item) *picker {
	p := &picker{filter: newLine("")}
	for _, topic := range append(format.Subjects(), "") {
		for _, it := range items {
			if it.Topic == topic {
				p.all = append(p.all, it)
			}
		}
	}
	p.apply()
	return p
}

func itemOf(f *format.File, lang string) view.Item {
	it := view.Item{Name: f.Name.Text, Title: f.Title.In(lang), Topic: string(f.Subject), Kafka: scenarios.Release(f.Kafka.Text), Source: f.Source.In(lang)}
	for _, s := range f.Statements {
		it.Statements = append(it.Statements, s.ID)
	}
	it.Claims = stated(f.Claims)
	for _, v := range f.Compare {
		it.Compares = append(it.Compares, stated(v.Claims))
	}
	return it
}

// stated writes down the verdicts that a file states.
func stated(claims format.Claims) []view.Stated {
	var all []view.Stated
	for _, c := range claims {
		for _, s := range c.Stated {
			all = append(all, view.Stated{Claim: c.Name.Text, Level: string(s.Level), Verdict: string(s.Verdict)})
		}
	}
	return all
}

// apply keeps what the filter fits, and the cursor on something.
func (p *picker) apply() {
	p.shown = p.shown[:0:0]
	words := strings.Fields(strings.ToLower(p.filter.Value()))
	for _, it := range p.all {
		text := strings.ToLower(strings.Join(append(append([]string{it.Name, it.Title, it.Topic, it.Source, "kafka " + it.Kafka}, it.Statements...), claims(it)...), " "))
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if fits {
			p.shown = append(p.shown, it)
		}
	}
	p.keep(len(p.shown))
}

// claims lists the claims that a scenario states a verdict on.
func claims(it view.Item) (names []string) {
	for _, s := range append(slices.Concat(it.Compares...), it.Claims...) {
		names = append(names, s.Claim)
	}
	return names
}

// choice is the name under the cursor, "" if nothing fits the filter.
func (p *picker) choice() string {
	if len(p.shown) == 0 {
		return ""
	}
	return p.shown[p.at].Name
}

func (p *picker) key(m *model, x press) want {
	k := m.c.Keys
	switch {
	case p.typing:
		p.typing = typing(&p.filter, x, k)
		p.apply()
	case p.cursor.key(x, k, len(p.shown)):
	case x.is(k.Find):
		p.typing = true
	case x.is(k.Enter), x.is(k.Forward):
		m.choose(p.choice())
	case x.is(k.Escape):
		p.filter.SetValue("")
		p.apply()
	case x.is(k.NextViolation):
		p.told = !p.told
	case x.is(k.Look):
		m.nextLook()
	case x.is(k.Help):
		m.openHelp()
	case x.is(k.Quit):
		return wantQuit
	}
	return nothing
}

// typing takes a key of a filter: enter keeps it, esc clears it. It reports whether typing goes on.
func typing(l *line, p press, k *view.KeyMap) bool {
	switch {
	case p.is(k.Enter):
		return false
	case p.is(k.Escape):
		l.SetValue("")
		return false
	}
	l.take(p)
	return true
}

func (p *picker) view(m *model) string {
	return m.c.Picker(&view.Picker{Items: p.shown, Of: len(p.all), At: p.at, Filter: p.filter.Value(), Typed: p.filter.typed(), Typing: p.typing, Verdicts: p.told})
}

func (p *picker) help(m *model) []key.Binding { return m.c.Keys.ForPicker(p.told) }
