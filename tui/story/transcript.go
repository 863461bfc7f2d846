package story

import (
	"fmt"
	"io"
	"strings"

	"kafkatrial/checker/columns"
	"kafkatrial/model/projection"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Look says how text is laid out.
type Look struct {
	Width int  // places a line, at least 80
	ASCII bool // no character beyond ASCII of the program's own
	Color bool
	Light bool // with colours for a light background
	All   bool // show routine steps one by one
	From  int  // lines only: the first step to tell, from 1; 0 for all
}

// Transcript writes the whole story so far: a header, then the steps, in columns.
func (s *Story) Transcript(w io.Writer, look Look) error {
	t := s.transcript(look)
	t.header()
	t.steps()
	return t.writeTo(w)
}

// transcript lays out a story in columns: step, time, who, what, and the logs that the step changed.
type transcript struct {
	page
	s    *Story
	time int // width of the column time
	who  int
	what int
	logs int
}

func (s *Story) transcript(look Look) *transcript {
	t := &transcript{s: s, page: page{look: look}}
	t.time, t.who = 9, 3
	for i := range s.entries {
		t.time = max(t.time, 1+columns.Width(Clock(s.entries[i].At))) // runs of hours take more
		t.who = max(t.who, columns.Width(s.entries[i].Who))
	}
	t.who = min(t.who, 10)
	room := look.Width - t.left()
	for i := range s.entries {
		if s.entries[i].Kind == StartUp {
			continue
		}
		for _, c := range s.Cells(i, room*2/5) {
			t.logs = max(t.logs, columns.Width(c))
		}
	}
	t.logs = max(min(t.logs, room*2/5), 10)
	t.what = room - t.logs - 2
	return t
}

// left is where the column what begins.
func (t *transcript) left() int { return 6 + t.time + 2 + t.who + 2 }

func (t *transcript) header() {
	f := t.s.Run.File
	right := "Kafka " + scenarios.Release(f.Kafka.Text) + " · seed " + fmt.Sprint(t.s.Run.Seed)
	if src := f.Source.In(t.s.opts.Lang); src != "" {
		right += " · " + src
	}
	gap := t.look.Width - columns.Width(f.Name.Text) - columns.Width(right)
	if gap >= 2 {
		t.line(bold, f.Name.Text+strings.Repeat(" ", gap)+right)
	} else {
		t.line(bold, f.Name.Text)
		t.wrapped(plain, right, "")
	}
	t.wrapped(plain, f.Title.In(t.s.opts.Lang), "")
	t.wrapped(dim, "Settings: "+Settings(f), "  ")
	t.line(plain, "")
	logs := "logs"
	if t.s.single {
		logs = t.s.only.String()
	}
	t.line(dim, columns.PadLeft("step", 6)+columns.PadLeft("time", t.time)+"  "+columns.PadRight("who", t.who+2)+columns.PadRight("what", t.what+2)+logs)
}

func (t *transcript) steps() {
	rows := t.s.rows(t.look.All)
	for i := 0; i < len(rows); i++ {
		r := &rows[i]
		t.hidden(r)
		if r.entry < 0 {
			continue
		}
		t.row(r)
		if period, times := repeats(rows[i:]); times >= 3 && !t.look.All {
			for k := 1; k < period; k++ {
				t.hidden(&rows[i+k])
				t.row(&rows[i+k])
			}
			last := &rows[i+period*times-1]
			from := rows[i+period-1].step(t.s) + 1
			t.fold(fmt.Sprintf("(the same %s, until %s: %d steps)", more(times-1), Clock(t.s.entries[last.entry].At), last.step(t.s)-from+1))
			i += period*times - 1
		}
	}
}

// fewHidden is up to how many folded steps need no line of their own: the numbers of the steps show the gap.
const fewHidden = 4

func (t *transcript) hidden(r *row) {
	if r.hidden > fewHidden || r.hidden > 0 && r.startUp {
		t.fold(r.hiddenText())
	}
}

func more(times int) string {
	if times == 1 {
		return "once more"
	}
	return fmt.Sprintf("%d times more", times)
}

func (t *transcript) fold(text string) {
	t.line(dim, columns.PadLeft("⋮", 6)+strings.Repeat(" ", t.left()-6)+text)
}

// row writes one row of the transcript.
func (t *transcript) row(r *row) {
	e := &t.s.entries[r.entry]
	margin := strings.Repeat(" ", t.left())
	switch e.Kind {
	case Act:
		t.line(plain, "")
		t.wrapped(bold, "  ── "+e.What[0], "     ")
		return
	case Healed:
		t.line(plain, "")
		t.wrapped(bold, "  ── "+Capital(e.What[0]), "     ")
		return
	case Stopped:
		t.wrapped(warn, margin+"! "+Capital(e.What[0]), margin+"  ")
		return
	case Say:
		t.wrapped(said, margin+"▸ "+e.What[0], margin+"  ")
		return
	case Ask:
		t.wrapped(said, margin+"? "+e.What[0], margin+"  ")
		return
	case Answer:
		t.wrapped(said, margin+"= "+e.What[0], margin+"  ")
		return
	}
	cells := t.s.Cells(r.entry, t.logs)
	text := strings.Join(e.What, "; ")
	if r.text != "" {
		text = r.text
	}
	style := plain
	switch {
	case e.Kind == Fault && e.Mends:
		text = "+ " + text
	case e.Kind == Fault:
		style, text = warn, "✖ "+text
	}
	width := t.what
	if len(cells) == 0 {
		width = t.look.Width - t.left()
	}
	lines := Wrap(t.glyphs(text), width)
	head := columns.PadLeft(fmt.Sprint(e.Step), 6) + columns.PadLeft(Clock(e.At), t.time) + "  " + columns.PadRight(e.Who, t.who+2)
	for k := range max(len(lines), len(cells), 1) {
		l, c := "", ""
		if k < len(lines) {
			l = lines[k]
		}
		if k < len(cells) {
			c = t.glyphs(cells[k])
		}
		cut := plain
		if strings.HasPrefix(strings.TrimSpace(c), t.glyphs("←")) {
			cut = gone
		}
		if c == "" {
			t.line(style, head+l)
		} else {
			t.spans(piece{style, head + columns.PadRight(l, t.what+2)}, piece{cut, c})
		}
		head = margin
	}
}

// Clock writes a time as people read it: 17ms, 7.25ms, and from ten seconds on 12.530s.
func Clock(t sim.Time) string {
	switch {
	case t >= 10*sim.Second:
		return fmt.Sprintf("%d.%03ds", t/sim.Second, t%sim.Second/sim.Millisecond)
	case t%sim.Millisecond < 10 || t >= sim.Second:
		return fmt.Sprintf("%dms", t/sim.Millisecond)
	}
	return t.String()
}

// Cells writes the states that step i changed, one a line, in at most width places: "b2 [m1 m2] HW 1", and
// under it "   ← m3" for what the step has cut.
func (s *Story) Cells(i, width int) []string {
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
		switch {
		case touched.Broker != protocol.NoBroker:
			r := p.Replica(touched.Broker)
			if r == nil {
				continue
			}
			held := prefix + cell(r, width-columns.Width(prefix))
			cut := "← " + few(touched.Cut)
			switch {
			case len(touched.Cut) == 0:
				cells = append(cells, held)
			case columns.Width(held)+2+columns.Width(cut) <= width:
				cells = append(cells, held+"  "+cut)
			default:
				cells = append(cells, held)
				for k, l := range Wrap(cut, width-3) {
					if k > 0 {
						l = "  " + l
					}
					cells = append(cells, "   "+l)
				}
			}
		case !touched.Leader:
			cells = append(cells, prefix+"ISR "+brokers(p.ISR))
		case p.Leader == protocol.NoBroker:
			cells = append(cells, prefix+"no leader")
		default:
			cells = append(cells, prefix+"leader "+protocol.BrokerName(p.Leader))
		}
	}
	return cells
}

// cell writes a replica's log in at most width places, its last records if there are too many: b2 [m1 m2] HW 1.
// What is left out last is the high watermark.
func cell(r *projection.Replica, width int) string {
	head, tail := protocol.BrokerName(r.Broker)+" [", fmt.Sprintf("] HW %d", r.HighWatermark)
	text := ""
	for n := len(r.Records) - 1; n >= 0; n-- {
		next := r.Records[n].ID
		if text != "" {
			next += " " + text
		}
		more := ""
		if n > 0 {
			more = "… "
		}
		if text != "" && columns.Width(head+more+next+tail) > width {
			text = "… " + text
			break
		}
		text = next
	}
	if columns.Width(head+text+tail) > width {
		tail = "]" // one record takes all the room
	}
	return head + text + tail
}
