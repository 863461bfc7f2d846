package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lint gives advice on a scenario that loads: what a reader, a lecturer or the test suite would miss, and steps that have no
// effect. The order is that of the file.
func Lint(f *File) []Problem {
	l := &linter{file: f}
	l.words()
	l.verdicts()
	l.unused()
	l.pairs()
	return sortProblems(l.advice)
}

type linter struct {
	file   *File
	advice []Problem
}

func (l *linter) say(at Pos, msg, expected string) {
	l.advice = append(l.advice, ProblemAt(at, msg, expected, ""))
}

// words looks at what people read.
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
	if f.Explain.IsZero() {
		l.say(f.Pos, "nothing explains the verdict", "explain: a paragraph that says why it is so")
	}
	if f.Source.IsZero() {
		l.say(f.Pos, "there is no source", "source: a KIP, a ticket or a report")
	}
	if len(f.Statements) == 0 && len(f.Misconceptions) == 0 {
		l.say(f.Pos, "the scenario puts no statement on trial", "statements or misconceptions")
	}
}

// verdicts wants the three famous claims, since every verdict shows them.
func (l *linter) verdicts() {
	for _, name := range []string{"at-most-once", "at-least-once", "exactly-once"} {
		if _, found := l.file.Claims.Verdict(name, AtLog); !found {
			l.say(l.file.Pos, "claims says nothing of "+name+" at the log", "a verdict")
		}
		if _, found := l.file.Claims.Verdict(name, AtApp); !found && len(l.file.Consumers) > 0 {
			l.say(l.file.Pos, "claims says nothing of "+name+" at the application", "a verdict")
		}
	}
}

// unused looks for what is declared and never taken up.
func (l *linter) unused() {
	used := map[string]bool{}
	for _, s := range l.file.Script {
		if send, ok := s.Do.(*Send); ok {
			used["producer "+send.Producer.Text] = true
			used["topic "+send.Topic.Text] = true
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
