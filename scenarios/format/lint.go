package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	registry "kafkatrial/checker"
)

// Lint gives advice on a scenario that loads: steps that have no effect, and mistakes that are easily made. house adds what a
// scenario of the library must have besides, for readers, lecturers and the test suite. The order is that of the file.
func Lint(f *File, house bool) []Problem {
	l := &linter{file: f}
	l.words()
	l.verdicts(house)
	if house {
		l.rules()
	}
	l.unused()
	l.applications()
	l.verbs()
	l.pairs()
	return Sorted(l.advice)
}

type linter struct {
	file   *File
	advice []Problem
}

// say says that it is advice: the file is not refused.
func (l *linter) say(at Pos, msg, expected string) {
	l.advice = append(l.advice, Advice(at, msg, expected))
}

// Advice is a problem that says of itself that the file is not refused for it.
func Advice(at Pos, msg, expected string) Problem {
	return ProblemAt(at, "advice: "+msg, expected, "")
}

// words looks at what a list of scenarios shows.
func (l *linter) words() {
	f := l.file
	base := strings.TrimSuffix(filepath.Base(f.Pos.File), filepath.Ext(f.Pos.File))
	if base != f.Name.Text {
		l.say(f.Name.Pos, fmt.Sprintf("the file is called %s and the scenario %s", base, f.Name), "the same name for both")
	}
	for _, part := range f.Title.Parts {
		if utf8.RuneCountInString(part.Text) > 100 {
			l.say(f.Title.Pos, "the title has more than 100 characters", "one sentence that fits on a screen")
		}
	}
}

// rules wants what every scenario of the library has.
func (l *linter) rules() {
	f := l.file
	var lacks []string
	if f.Explain.IsZero() {
		lacks = append(lacks, "explain (a paragraph that says why the verdict is so)")
	}
	if f.Source.IsZero() {
		lacks = append(lacks, "source (a KIP, a ticket or a report)")
	}
	if len(f.Statements) == 0 && len(f.Misconceptions) == 0 {
		lacks = append(lacks, "statements or misconceptions")
	}
	if len(lacks) > 0 {
		l.say(f.Pos, "a scenario of the library has "+strings.Join(lacks, ", and "), "")
	}
}

// verdicts wants the three famous claims, since every verdict shows them: of a file that states any, and of the library.
func (l *linter) verdicts(house bool) {
	if len(l.file.Claims) == 0 && !house {
		return
	}
	var silent []string
	for _, claim := range registry.Famous() {
		name := string(claim)
		_, log := l.file.Claims.Verdict(name, AtLog)
		_, app := l.file.Claims.Verdict(name, AtApp)
		reads := len(l.file.Consumers) > 0
		switch {
		case !log && (!app || !reads):
			silent = append(silent, name)
		case !log:
			silent = append(silent, name+" at the log")
		case !app && reads:
			silent = append(silent, name+" at the application")
		}
	}
	if len(silent) > 0 {
		l.say(l.file.Pos, "claims says nothing of "+strings.Join(silent, ", "), "a verdict")
	}
}

// unused looks for what is declared and never taken up.
func (l *linter) unused() {
	used := map[string]bool{}
	for _, s := range l.file.Script {
		switch do := s.Do.(type) {
		case *Send:
			used["producer "+do.Producer.Text] = true
			used["topic "+do.Topic.Text] = true
		case *SendOffsets: // the positions are those of what a script leaves out
			used["topic "+do.Partition.Topic.Text] = true
		}
	}
	for _, k := range l.file.Consumers {
		if k.Sends != nil {
			used["topic "+k.Sends.Topic.Text] = true
		}
		if k.Store != nil {
			used["topic "+k.Store.Topic.Text] = true
		}
	}
	for _, p := range l.file.Producers {
		if !used["producer "+p.Name.Text] {
			l.say(p.Pos, fmt.Sprintf("producer %s sends nothing", p.Name), "a send step, or no such producer")
		}
	}
	for _, t := range l.file.Topics {
		if !used["topic "+t.Name.Text] && internalTopics[t.Name.Text] == 0 {
			l.say(t.Pos, fmt.Sprintf("nothing is sent to topic %s", t.Name), "a send step, or no such topic")
		}
	}
}

// pairs follows the script and looks for steps that undo what was not done, and for questions with nothing after them.
func (l *linter) pairs() {
	down := map[string]bool{}
	for _, p := range l.file.Producers {
		down[p.Name.Text] = !p.Started
	}
	for _, c := range l.file.Consumers {
		down[c.Name.Text] = !c.Started
	}
	for _, d := range l.file.Databases {
		down[d.Name.Text] = !d.Started
	}
	paused := map[string]bool{}
	cut, held := false, false
	for i, s := range l.file.Script {
		switch do := s.Do.(type) {
		case *Crash:
			mark(down, do.Nodes, true)
		case *PowerLoss:
			mark(down, do.Nodes, true)
		case *LoseDisk:
			mark(down, do.Nodes, true)
		case *Shutdown:
			mark(down, do.Nodes, true)
		case *Throw:
			down[do.Consumer.Text] = true
		case *Restart:
			mark(down, do.Nodes, false)
		case *Start:
			l.undone(down, do.Nodes, "start", "is not down")
			mark(down, do.Nodes, false)
		case *Pause:
			mark(paused, do.Nodes, true)
		case *Resume:
			l.undone(paused, do.Nodes, "resume", "is not paused")
			mark(paused, do.Nodes, false)
		case *Cut:
			cut = true
		case *Heal:
			if !cut {
				l.say(s.Pos, "heal, but nothing is cut", "a cut step before it")
			}
		case *Hold:
			held = true
		case *Release:
			if !held {
				l.say(s.Pos, "release, but nothing is held", "a hold step before it")
			}
		case *Predict:
			if i == len(l.file.Script)-1 && do.About.At == AtNow {
				l.say(s.Pos, "predict about now is the last step", "a question about the end, or steps that follow")
			}
		}
	}
}

func mark(set map[string]bool, nodes []Node, on bool) {
	for _, n := range nodes {
		set[n.Name] = on
	}
}

// undone leaves roles alone: which node they are shows only in the run.
func (l *linter) undone(set map[string]bool, nodes []Node, verb, why string) {
	for _, n := range nodes {
		if !set[n.Name] && !slices.Contains([]NodeKind{ActiveController, LeaderOf, CoordinatorOf}, n.Kind) {
			l.say(n.Pos, fmt.Sprintf("%s %s, which %s", verb, n, why), "a step before it that makes it so")
		}
	}
}
