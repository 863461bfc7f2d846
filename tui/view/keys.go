package view

import (
	"strings"

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
	Focus, FocusBack, Up, Down, Enter, Copy, Look, Help, Escape, Quit, Die key.Binding
}

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// NewKeyMap gives the keys, spelt with the glyphs of a theme.
func NewKeyMap(g *Glyphs) *KeyMap {
	return &KeyMap{
		Forward:       bind(g.Forward, "one step forward", "right", "l", "pgdown"),
		Back:          bind(g.Back, "one step back", "left", "h", "pgup"),
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
		{"Understand", []key.Binding{k.Why, k.Exactly, k.Predict, k.Compare, k.Notes, k.Unfold}},
		{"Choose", []key.Binding{k.Choose, k.Fork, k.Previous, k.Branches, k.Beside, k.Save}},
		{"Screen", []key.Binding{k.Focus, k.FocusBack, k.Up, k.Down, k.Enter, k.Copy, k.Look, k.Help, k.Escape, k.Quit, k.Die}},
	}
}

// hint is one entry of the footer.
func hint(b key.Binding, short string) string { return b.Help().Key + " " + short }

// footer writes as many hints as there is room for; help always stays.
func (c *Context) footer(hints []string) string {
	last := hint(c.Keys.Help, "help")
	line := ""
	for _, h := range hints {
		if textWidth(line)+textWidth(h)+2+textWidth(last) > c.Width {
			break
		}
		line += h + "  "
	}
	return strings.TrimRight(line+last, " ")
}
