package story

import (
	"fmt"
	"io"
	"strings"

	"kafkatrial/model/protocol"
)

// Look says how text is laid out.
type Look struct {
	Width int  // places a line, at least 60
	ASCII bool // no character beyond ASCII of the program's own
	Color bool
	All   bool // show routine steps one by one
}

// transcript lays out a story.
type transcript struct {
	s    *Story
	look Look
	out  strings.Builder
	who  int // width of the column who
	what int
}

// Transcript writes the whole story so far: a header, then the steps.
func (s *Story) Transcript(w io.Writer, look Look) error {
	t := transcript{s: s, look: look}
	t.columns()
	t.header()
	t.steps()
	_, err := io.WriteString(w, t.finish())
	return err
}

func (t *transcript) columns() {
	t.who = 3
	for i := range t.s.entries {
		t.who = max(t.who, Width(t.s.entries[i].Who))
	}
	t.who = min(t.who, 10)
	states := 20
	for i := range t.s.entries {
		for _, c := range t.s.Cells(i) {
			states = max(states, Width(c))
		}
	}
	states = min(states, (t.look.Width-t.left())*2/5)
	t.what = t.look.Width - t.left() - states - 2
}

// left is where the column what begins.
func (t *transcript) left() int { return 6 + 1 + 8 + 2 + t.who + 2 }

func (t *transcript) header() {
	f := t.s.Run.File
	right := "Kafka " + f.Kafka.Text + " · seed " + fmt.Sprint(t.s.Run.Seed)
	if src := f.Source.In(t.s.opts.Lang); src != "" {
		right += " · " + src
	}
	t.line(PadRight(f.Name.Text, max(t.look.Width-Width(right), Width(f.Name.Text)+2)) + right)
	t.line(f.Title.In(t.s.opts.Lang))
	for _, u := range t.s.Run.Unmodelled() {
		for _, l := range Wrap(u, t.look.Width) {
			t.line(l)
		}
	}
	t.line("")
	logs := "logs"
	if t.s.single {
		logs = t.s.only.String()
	}
	t.line(PadLeft("step", 6) + PadLeft("time", 9) + "  " + PadRight("who", t.who+2) + PadRight("what", t.what+2) + logs)
}

func (t *transcript) line(s string) {
	t.out.WriteString(strings.TrimRight(s, " "))
	t.out.WriteByte('\n')
}

func (t *transcript) steps() {
	routine := 0
	fold := func() {
		if routine > 0 {
			t.line(PadLeft("⋮", 6) + strings.Repeat(" ", 11) + fmt.Sprintf("(%d routine step%s)", routine, plural(routine)))
		}
		routine = 0
	}
	for i := range t.s.entries {
		e := &t.s.entries[i]
		if (e.Kind == Routine || e.Kind == StartUp) && !t.look.All {
			routine++
			continue
		}
		fold()
		t.entry(i, e)
	}
	fold()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (t *transcript) entry(i int, e *Entry) {
	indent := strings.Repeat(" ", t.left())
	switch e.Kind {
	case Act:
		t.line("")
		t.line("  ── " + e.What[0])
		return
	case Say, Ask, Answer:
		mark := map[Kind]string{Say: "▸ ", Ask: "? ", Answer: "= "}[e.Kind]
		for k, l := range Wrap(e.What[0], t.look.Width-19) {
			if k > 0 {
				mark = "  "
			}
			t.line(strings.Repeat(" ", 17) + mark + l)
		}
		return
	}
	cells := t.s.Cells(i)
	text := strings.Join(e.What, "; ")
	width := t.what
	if len(cells) == 0 {
		width = t.look.Width - t.left()
	}
	lines := Wrap(text, width)
	head := PadLeft(fmt.Sprint(e.Step), 6) + PadLeft(e.At.String(), 9) + "  " + PadRight(e.Who, t.who+2)
	for k := 0; k < max(len(lines), len(cells), 1); k++ {
		l, c := "", ""
		if k < len(lines) {
			l = lines[k]
		}
		if k < len(cells) {
			c = cells[k]
		}
		t.line(head + PadRight(l, t.what+2) + c)
		head = indent
	}
}

func (t *transcript) finish() string { return t.out.String() }

// Cells writes the states that step i changed, one a line: b2 [m1 m2] HW 1.
func (s *Story) Cells(i int) []string {
	e := &s.entries[i]
	if len(e.Touched) == 0 {
		return nil
	}
	after := s.After(i)
	var cells []string
	for _, touched := range e.Touched {
		p := after.Partition(touched.TP)
		if p == nil {
			continue
		}
		prefix := ""
		if !s.single {
			prefix = touched.TP.String() + " "
		}
		if touched.Broker == protocol.NoBroker {
			cells = append(cells, prefix+leaderCell(p))
			continue
		}
		c := prefix + p.Replica(touched.Broker).Cell()
		if len(touched.Cut) > 0 {
			c += " ← " + strings.Join(touched.Cut, " ") + " cut"
		}
		cells = append(cells, c)
	}
	return cells
}

func leaderCell(p *Partition) string {
	if p.Leader == protocol.NoBroker {
		return "no leader"
	}
	return "leader " + protocol.BrokerName(p.Leader)
}

// Cell writes the log of a replica: b2 [m1 m2] HW 1.
func (r *Replica) Cell() string {
	var ids []string
	for _, h := range r.Records {
		ids = append(ids, h.ID)
	}
	if len(ids) > 6 {
		ids = append([]string{"…"}, ids[len(ids)-5:]...)
	}
	return fmt.Sprintf("%s [%s] HW %d", protocol.BrokerName(r.Broker), strings.Join(ids, " "), r.HighWatermark)
}
