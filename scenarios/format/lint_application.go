package format

import (
	"fmt"
	"slices"
)

// applications looks for what applications forget. A file may well do so on purpose: that is what it is about then.
func (l *linter) applications() {
	for _, c := range l.file.Consumers {
		has := func(v Verb) bool { return slices.Contains(c.Loop, v) }
		if has(CommitTransacting) && !has(SendPositions) && !has(StorePositions) && !has(StagePositions) && c.Source == nil {
			l.say(c.Pos, fmt.Sprintf("the transactions of consumer %s do not hold its positions, so that what is committed can be done again", c.Name), "send-offsets before commit-transaction")
		}
		if has(StorePositions) && !l.resumes(c, ResumeDatabase) {
			l.say(c.Pos, fmt.Sprintf("consumer %s stores its positions in the database, and does not begin there", c.Name), "resume: database")
		}
		if has(StagePositions) && !l.resumes(c, ResumeStaged) {
			l.say(c.Pos, fmt.Sprintf("consumer %s stages its positions in the database, and does not begin there", c.Name), "resume: staged")
		}
		if has(Commit) && c.commitsByItself() {
			l.say(c.Pos, fmt.Sprintf("consumer %s commits twice over: in its loop, and, by enable.auto.commit, in poll() and when it closes, which takes all that poll() has returned for done", c.Name), "enable.auto.commit: false, or a loop without commit")
		}
		if _, given := c.Config.Get("auto.offset.reset"); !given && c.Source == nil {
			l.say(c.Pos, fmt.Sprintf("consumer %s does not set auto.offset.reset: by default it begins at the end of a partition of which it has no position, and misses what is there", c.Name), "auto.offset.reset: earliest, or latest in so many words")
		}
	}
}

// resumes says that an application begins from there, in the file or in one of its comparisons.
func (l *linter) resumes(c Consumer, from ResumeFrom) bool {
	return c.Resume == from || slices.ContainsFunc(l.file.Compare, func(v Variant) bool { return v.Resume == from })
}

// verbs looks for events that can not come: that a loop comes to a verb which it does not hold.
func (l *linter) verbs() {
	look := func(predicates []Predicate) {
		for _, f := range predicates {
			r, ok := f.(*Reaches)
			if !ok {
				continue
			}
			i := slices.IndexFunc(l.file.Consumers, func(c Consumer) bool { return c.Name.Text == r.Consumer.Text })
			if i < 0 {
				continue
			}
			c := l.file.Consumers[i]
			held := slices.Contains(c.Loop, r.Verb) || slices.ContainsFunc(l.file.Compare, func(v Variant) bool { return slices.Contains(l.file.loopIn(v, c), r.Verb) })
			if !held {
				l.say(r.Position(), fmt.Sprintf("the loop of consumer %s does not hold %s, and never reaches it", c.Name, r.Verb), fmt.Sprintf("one of %s", c.Loop))
			}
		}
	}
	for i := range l.file.Script {
		if s := &l.file.Script[i]; s.When != nil {
			look(s.When.Predicates)
		}
		if w, ok := l.file.Script[i].Do.(*Wait); ok {
			look(w.Predicates)
		}
	}
}
