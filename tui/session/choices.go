package session

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Group says what a choice is about.
type Group uint8

// The groups, in the order in which they are listed.
const (
	ByItself Group = iota // what happens if nobody decides anything
	Unflushed
	Processes
	OnTheWay
	OutOfTurn
	Links
	NumGroups
)

// Choice is one thing that can happen next.
type Choice struct {
	ID      string // the stable name of the option
	Group   Group
	Text    string // a sentence, without a full stop
	Routine bool   // about a message that brings nothing new
	Op      sim.Op
	index   int
}

// Choices is everything that can happen at a moment of a run.
type Choices struct {
	Moment Moment
	All    []Choice // by group; the calm one comes first
	// Note says what comes before any choice, or why there is nothing to choose; "" if there is nothing to say.
	Note   string
	calls  int // decisions taken before this one
	prefix []sim.Answer
	point  sim.Answer // the decision: its step, kind, calm option and number of options
}

// Choices lists what can happen at the moment looked at: the run is carried out anew up to there, with every
// decision opened that a person may take. What the script does at this moment comes before any choice, and so
// does what becomes of messages as they are sent.
func (s *Session) Choices() (*Choices, error) {
	c := &Choices{Moment: s.Here(), calls: s.Here().calls}
	o := s.Options
	o.FaultModel = scenarios.Interactive(s.Options.FaultModel)
	o.Source = &sim.Replay{Answers: s.answers, ByName: true}
	r, err := scenarios.New(s.Opened.File, o)
	if err != nil {
		return nil, err
	}
	for range c.calls {
		if !r.Step() {
			break
		}
	}
	if c.Moment.after {
		r.Pending()
	}
	if r.Err() != nil || r.World.Steps() != c.Moment.Steps || len(r.Answers()) != len(s.run.Answers()) {
		return nil, fmt.Errorf("this run can not be opened to choices here: with every decision open it takes another course")
	}
	first := r.Phase()
	p, more := r.Pending()
	from, to := 0, 0
	for more && (p.Site == "script" || p.Kind == sim.Fate) {
		if p.Site == "script" {
			to, _ = r.Progress()
			if from == 0 {
				from = to
			}
		}
		if !r.Step() {
			break
		}
		c.calls++
		p, more = r.Pending()
	}
	c.prefix = slices.Clip(s.answers[:len(r.Answers())])
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case !more:
		c.Note = "The run is over: nothing happens any more."
	case r.Phase() != scenarios.Scripted:
		c.Note = "Everything is mended, and the run comes to rest: there is nothing left to choose."
		if first == scenarios.Scripted {
			c.Note = "The script is over, and everything is mended next: there is nothing left to choose."
		}
	default:
		c.list(s, r, p)
		if from > 0 {
			c.Note = "First the script goes on with " + s.scriptSteps(from, to) + "; what you choose comes right after."
		}
	}
	return c, nil
}

// scriptSteps names steps of the script, with their lines in the file.
func (s *Session) scriptSteps(from, to int) string {
	line := func(n int) int { return s.File.Script[n-1].Pos.Line }
	if from == to {
		return fmt.Sprintf("its step %d (line %d of the file)", from, line(from))
	}
	return fmt.Sprintf("its steps %d to %d (lines %d to %d of the file)", from, to, line(from), line(to))
}

// list names every option of a decision.
func (c *Choices) list(s *Session, r *scenarios.Run, p sim.Point) {
	c.point = sim.Answer{Step: p.Step, Kind: p.Kind, Before: p.ID(0), Of: len(p.Options)}
	w := wording{s: s, r: r, flights: r.World.InFlight()}
	for i, o := range p.Options {
		ch := Choice{ID: p.ID(i), Op: o.Op, index: i}
		ch.Group, ch.Text, ch.Routine = w.of(p, o)
		if i == 0 && p.Kind == sim.Next {
			ch.Group, ch.Text = ByItself, w.calm(p)
		}
		c.All = append(c.All, ch)
	}
	slices.SortStableFunc(c.All, func(a, b Choice) int {
		if a.Group != b.Group {
			return int(a.Group) - int(b.Group)
		}
		if a.Routine != b.Routine {
			if b.Routine {
				return -1
			}
			return 1
		}
		return 0
	})
}

// answer is the recorded answer that a choice is; ok is false for the calm one, which is not recorded.
func (c *Choices) answer(i int) (a sim.Answer, ok bool) {
	a = c.point
	a.ID, a.Index = c.All[i].ID, c.All[i].index
	return a, a.Index > 0
}

// wording puts options into sentences.
type wording struct {
	s       *Session
	r       *scenarios.Run
	flights []sim.InFlight
}

func (w *wording) name(n sim.NodeID) string { return w.r.World.Name(n) }

// message names the message of an option, with what it carries in short, and says whether it is routine.
func (w *wording) message(o sim.Option) (text string, routine bool) {
	for _, f := range w.flights {
		if f.From == o.Node && f.To == o.Peer && f.Msg.Type() == o.Type && f.N == o.Seq {
			text = w.s.Story().Message(f.From, f.To, f.Msg)
			if d := Detail(f.Msg); d != "" {
				text += " (" + d + ")"
			}
			return text, f.Msg.Routine()
		}
	}
	return "the message", false
}

// calm tells what happens if nobody decides anything.
func (w *wording) calm(p sim.Point) string {
	o := p.Options[0]
	switch what := p.Event(); what {
	case "message":
		text, _ := w.message(o)
		return text + " arrives"
	case "disconnected":
		return fmt.Sprintf("%s learns that a connection to %s is gone", w.name(o.Node), w.name(o.Peer))
	case "start":
		return w.name(o.Node) + " starts"
	case "command":
		return w.name(o.Node) + " takes the order that waited for it"
	default:
		return fmt.Sprintf("on %s the timer %s runs out", w.name(o.Node), what)
	}
}

// of tells what an option does.
func (w *wording) of(p sim.Point, o sim.Option) (g Group, text string, routine bool) {
	switch {
	case o.Op == sim.OpKeep:
		return Unflushed, w.tear(o), false
	case o.IsMsg && p.Kind == sim.Next && o.Op != sim.OpStep:
		m, routine := w.message(o)
		return w.inFlight(o, m, routine)
	case o.IsMsg:
		m, routine := w.message(o)
		return OnTheWay, m + ": " + o.Op.String(), routine
	}
	a, b := w.name(o.Node), ""
	if o.Peer != sim.Nobody {
		b = w.name(o.Peer)
	}
	switch o.Op {
	case sim.OpKill:
		text := fmt.Sprintf("the process of %s is killed, and its memory is gone", a)
		if w.r.Cluster.Directory.Broker(o.Node) != protocol.NoBroker {
			text += "; what it has written stays in the page cache"
		}
		return Processes, text, false
	case sim.OpShutdown:
		return Processes, fmt.Sprintf("%s is asked to stop in order: it hands over what it leads, and flushes", a), false
	case sim.OpPause:
		return Processes, fmt.Sprintf("%s stops in its tracks, as in a long pause of the garbage collector, and keeps its memory and its connections", a), false
	case sim.OpPowerLoss:
		text := fmt.Sprintf("the machine of %s loses power, and nobody is told", a)
		if n := w.r.World.Disk(o.Node).Unflushed(); n > 0 {
			text += "; how much survives of what is not flushed is chosen next"
		}
		return Processes, text, false
	case sim.OpDiskLoss:
		return Processes, fmt.Sprintf("the process of %s dies, and an empty disk takes the place of its own", a), false
	case sim.OpRestart:
		return Processes, fmt.Sprintf("a new process starts on %s, on the disk as it is", a), false
	case sim.OpResume:
		return Processes, fmt.Sprintf("%s runs on, and handles what has come in meanwhile", a), false
	case sim.OpCut:
		return Links, fmt.Sprintf("nothing gets from %s to %s any more; the other way is open", a, b), false
	case sim.OpCutBoth:
		return Links, fmt.Sprintf("nothing passes between %s and %s any more", a, b), false
	case sim.OpHeal:
		return Links, fmt.Sprintf("messages pass between %s and %s again; what waited goes on", a, b), false
	}
	return ByItself, o.Op.String(), false
}

func (w *wording) inFlight(o sim.Option, m string, routine bool) (Group, string, bool) {
	switch o.Op {
	case sim.OpDeliver:
		return OutOfTurn, m + " arrives now, ahead of its time", routine
	case sim.OpLose:
		return OnTheWay, m + " is lost, and with it what is behind it on its connection", routine
	case sim.OpDuplicate:
		return OnTheWay, m + " arrives twice", routine
	case sim.OpHold:
		return OnTheWay, m + " is held back until you let it go; what is behind it on its connection waits", routine
	case sim.OpRelease:
		return OnTheWay, m + ", held back so far, goes on", routine
	case sim.OpLate:
		return OnTheWay, fmt.Sprintf("%s arrives %v later", m, sim.Time(o.N)), routine
	}
	return OnTheWay, m + ": " + o.Op.String(), routine
}

// tear tells what of a file a power loss takes.
func (w *wording) tear(o sim.Option) string {
	disk := w.r.World.Disk(o.Node)
	name := disk.Names()[o.File]
	f := disk.File(name)
	blocks := f.Blocks()
	what := func(bs []sim.Block) string {
		var ids []string
		for _, b := range bs {
			if batch, ok := b.(*record.RecordBatch); ok {
				ids = append(ids, recordNames(batch))
			}
		}
		if len(ids) == 0 {
			return ""
		}
		return ": " + strings.Join(ids, " ")
	}
	of := fmt.Sprintf(" (file %s of %s)", name, w.name(o.Node))
	unflushed := len(blocks) - f.Flushed()
	switch n := int(o.N); {
	case n == 0:
		return fmt.Sprintf("all of it survives, also %s not flushed%s%s", count(unflushed, "write that was", "writes that were"), what(blocks[f.Flushed():]), of)
	case n == unflushed:
		return fmt.Sprintf("only what was flushed survives, and %s lost%s%s", count(n, "write is", "writes are"), what(blocks[f.Flushed():]), of)
	default:
		return fmt.Sprintf("the last %s lost%s%s", count(n, "write is", "writes are"), what(blocks[len(blocks)-n:]), of)
	}
}

// count writes a number with what is counted.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
