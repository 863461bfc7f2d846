package view

import (
	"github.com/charmbracelet/bubbles/help"
	"github.com/charmbracelet/bubbles/key"
)

// KeyMap is the one place that names keys: what a key does, the help and the footer all come from it.
type KeyMap struct {
	Forward, Back, Play, Faster, Slower                                    key.Binding
	First, Last                                                            key.Binding
	NextFault, PrevFault, NextViolation, PrevViolation                     key.Binding
	Find, FindNext, FindPrev, Command                                      key.Binding
	Why, Predict, Notes, Compare, Unfold, Exactly                          key.Binding
	Choose, Fork, Previous, Branches, Beside, Save                         key.Binding
	PageDown, PageUp, Erase, Answer                                        key.Binding
	Focus, FocusBack, Up, Down, Enter, Copy, Look, Help, Escape, Quit, Die key.Binding
}

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// NewKeyMap gives the keys, spelt with the glyphs of a theme.
func NewKeyMap(g *Glyphs) *KeyMap {
	return &KeyMap{
		Forward:       bind(g.Forward, "one step forward", "right", "l"),
		Back:          bind(g.Back, "one step back", "left", "h"),
		Play:          bind("space", "play, and pause", " ", "."),
		Faster:        bind("+", "play faster", "+", "="),
		Slower:        bind("_", "play slower", "_"),
		First:         bind("g", "to the first step", "g", "home"),
		Last:          bind("G", "to the last step", "G", "end"),
		NextFault:     bind("f", "to the next fault", "f"),
		PrevFault:     bind("b", "to the fault before", "b"),
		NextViolation: bind("v", "to the next step that proves a violation, or first to the prediction that waits; in the list: show the stated verdicts", "v"),
		PrevViolation: bind("V", "to the one before", "V"),
		Find:          bind("/", "find a text", "/"),
		FindNext:      bind("n", "next match", "n"),
		FindPrev:      bind("N", "match before", "N"),
		Command:       bind(":", "go to a step (:42), a time (:120ms), an act (:act 2)", ":"),
		Why:           bind("w", "why: the chain of causes; Enter goes to one", "w"),
		Predict:       bind("p", "ask for predictions, or do not", "p"),
		Notes:         bind("s", "speaker's notes", "s"),
		Compare:       bind("C", "the same script under another release or setting", "C"),
		Exactly:       bind("x", "exactly-once: producer ids, sequence numbers, transactions, in full", "x"),
		Choose:        bind("c", "choose what happens next: anything that can", "c"),
		Fork:          bind("F", "fork: a branch from here, without what was decided after", "F"),
		Previous:      bind("-", "back to the branch before, as cd - does", "-"),
		Branches:      bind("B", "the branches and their verdicts", "B"),
		Beside:        bind("D", "two runs beside each other, where they part", "D"),
		Save:          bind("S", "save this run as an answers file", "S"),
		Unfold:        bind("z", "unfold routine traffic and internal topics", "z"),
		Focus:         bind("tab", "next pane", "tab"),
		FocusBack:     bind("shift+tab", "pane before", "shift+tab"),
		Up:            bind(g.Up, "up within the pane", "up", "k"),
		Down:          bind(g.Down, "down within the pane", "down", "j"),
		PageDown:      bind("pgdown", "a page down, in lists and texts; in a run one step forward", "pgdown"),
		PageUp:        bind("pgup", "a page up; in a run one step back", "pgup"),
		Erase:         bind("backspace", "erase what was typed; of an empty line, leave it", "backspace"),
		Answer:        bind("1-9", "answer a prediction", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Enter:         bind("enter", "open, or go there", "enter"),
		Copy:          bind("y", "copy the sentence", "y"),
		Look:          bind("t", "colours for a dark or a light background, no colours, ASCII", "t"),
		Help:          bind("?", "this help", "?"),
		Escape:        bind("esc", "one level up", "esc"),
		Quit:          bind("q", "close the view, then quit", "q"),
		Die:           bind("ctrl+c", "quit", "ctrl+c"),
	}
}

// Group is a heading of the help with its keys.
type Group struct {
	Title string
	Keys  []key.Binding
}

// Groups lists every key under a heading.
func (k *KeyMap) Groups() []Group {
	return []Group{
		{"Move", []key.Binding{k.Forward, k.Back, k.Play, k.Faster, k.Slower, k.First, k.Last, k.Command}},
		{"Find", []key.Binding{k.NextFault, k.PrevFault, k.NextViolation, k.PrevViolation, k.Find, k.FindNext, k.FindPrev}},
		{"Understand", []key.Binding{k.Why, k.Exactly, k.Predict, k.Answer, k.Compare, k.Notes, k.Unfold}},
		{"Choose", []key.Binding{k.Choose, k.Fork, k.Previous, k.Branches, k.Beside, k.Save}},
		{"Screen", []key.Binding{k.Focus, k.FocusBack, k.Up, k.Down, k.PageUp, k.PageDown, k.Enter, k.Erase, k.Copy, k.Look, k.Help, k.Escape, k.Quit, k.Die}},
	}
}

// as is a key with a short word for what it does where one is.
func as(b key.Binding, short string) key.Binding {
	return key.NewBinding(key.WithKeys(b.Keys()...), key.WithHelp(b.Help().Key, short))
}

// both is two keys with one word.
func both(a, b key.Binding, short string) key.Binding {
	return key.NewBinding(key.WithKeys(append(a.Keys(), b.Keys()...)...), key.WithHelp(a.Help().Key+"/"+b.Help().Key, short))
}

func (k *KeyMap) upDown(short string) key.Binding { return both(k.Up, k.Down, short) }

// The keys that matter on each screen, in the order in which the footer names as many as have room.

// ForPicker is for the list of scenarios.
func (k *KeyMap) ForPicker(told bool) []key.Binding {
	verdicts := "show verdicts"
	if told {
		verdicts = "hide verdicts"
	}
	return []key.Binding{k.upDown("choose"), as(k.Enter, "open"), as(k.Find, "filter"), as(k.NextViolation, verdicts), as(k.Look, "look"), as(k.Quit, "quit")}
}

// ForChoices is for what can happen next.
func (k *KeyMap) ForChoices() []key.Binding {
	return []key.Binding{k.upDown("choose"), as(k.Focus, "next group"), as(k.Enter, "take it"), as(k.Find, "filter"), as(k.Escape, "back")}
}

// ForBranches is for the list of branches.
func (k *KeyMap) ForBranches() []key.Binding {
	return []key.Binding{k.upDown("choose"), as(k.Enter, "go there"), as(k.Beside, "side by side"), as(k.Escape, "back")}
}

// ForComparisons is for the list of comparisons.
func (k *KeyMap) ForComparisons() []key.Binding {
	return []key.Binding{k.upDown("choose"), as(k.Enter, "open where the runs part"), as(k.Beside, "side by side"), as(k.Escape, "back")}
}

// ForBeside is for two runs beside each other.
func (k *KeyMap) ForBeside() []key.Binding {
	return []key.Binding{k.upDown("scroll both"), as(k.Enter, "go there in the second"), as(k.Escape, "back")}
}

// ForExactly is for what exactly-once rests on.
func (k *KeyMap) ForExactly() []key.Binding {
	return []key.Binding{both(k.Forward, k.Back, "step"), k.upDown("scroll"), as(k.NextFault, "fault"), as(k.NextViolation, "violation"), as(k.Exactly, "back")}
}

// ForSpec is for a counterexample of the bounded model.
func (k *KeyMap) ForSpec() []key.Binding {
	return []key.Binding{as(k.Back, "back"), as(k.Forward, "forward"), as(k.First, "first"), as(k.Last, "last"), as(k.Quit, "quit")}
}

// ForPages is for a text that fills the screen, and has more than is in sight.
func (k *KeyMap) ForPages(more bool) []key.Binding {
	if more {
		return []key.Binding{k.upDown("more"), as(k.Escape, "back")}
	}
	return []key.Binding{as(k.Escape, "back")}
}

// ForLines is for a line that is typed.
func (k *KeyMap) ForLines() []key.Binding {
	return []key.Binding{as(k.Enter, "take it"), as(k.Escape, "leave")}
}

// StepperKeys is for the stepper: for what its lower pane shows, or for the pane that has the focus.
func (c *Context) StepperKeys(v *Stepper) []key.Binding {
	k := c.Keys
	switch v.Lower {
	case ShowAsk:
		answer := key.NewBinding(key.WithKeys(k.Answer.Keys()...), key.WithHelp("1-"+num(len(v.Ask.Question.Choices)), "answer"))
		return []key.Binding{answer, as(k.Enter, "skip"), as(k.Predict, "ask no more")}
	case ShowWhy:
		return []key.Binding{k.upDown("choose"), as(k.Enter, "go there"), as(k.Copy, "copy"), as(k.Escape, "back")}
	}
	all := []key.Binding{both(k.Forward, k.Back, "step")}
	switch v.Focus {
	case ClusterPane:
		all = append(all, k.upDown("partition"))
	case NowPane:
		all = append(all, k.upDown("scroll"))
	}
	hints := []key.Binding{as(k.NextFault, "fault"), as(k.NextViolation, "violation"), as(k.Why, "why"), as(k.Choose, "choose"), as(k.Find, "find")}
	if len(v.S.State().Transactions) > 0 { // in 80 places the key to play gives way to the one for transactions
		hints = append(hints, as(k.Exactly, "transactions"), as(k.Play, "play"))
	} else {
		hints = append([]key.Binding{as(k.Play, "play")}, hints...)
	}
	return append(append(all, hints...), as(k.Compare, "compare"), as(k.Command, "go to"))
}

// footer names as many keys as there is room for; help always stays.
func (c *Context) footer(keys []key.Binding) string {
	for n := len(keys); ; n-- {
		if line := c.line(append(keys[:n:n], as(c.Keys.Help, "help"))); n == 0 || textWidth(line) <= c.Width {
			return line
		}
	}
}

// line names keys in a line.
func (c *Context) line(keys []key.Binding) string {
	h := help.Model{ShortSeparator: "  "}
	return h.ShortHelpView(keys)
}
