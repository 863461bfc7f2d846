package story

import (
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// The narrator's texts are written for one run: the file's own, with its release, its settings and its seed. Under others the run may
// contradict them. Up to the step at which the two part they are as true as there; the text that speaks of that step, and those behind
// it, are marked.

// ownRun marks a text that was written for another run than the one that is told.
var ownRun = map[string]string{"en": "(Written for the file's own run.) ", "zh": "（此段按文件自身的运行所写。）"}

// WrittenForOwn marks a text of the narrator as written for the file's own settings.
func WrittenForOwn(text, lang string) string {
	mark, ok := ownRun[lang]
	if !ok {
		mark = ownRun["en"]
	}
	return mark + text
}

// Own carries out the run that a file's texts were written for: its release, settings and seed as the file has them.
func Own(f *format.File, o Options) (*Story, error) {
	r, err := scenarios.New(f, scenarios.Options{})
	if err != nil {
		return nil, err
	}
	r.Finish()
	return New(r, o), nil
}

// WrittenFor marks what the narrator says from where the run parts from the one that the texts were written for.
func (s *Story) WrittenFor(own *Story) {
	parts := s.PartsFrom(own)
	if parts == 0 {
		return
	}
	// The first difference may be what this run does, or what it does not do.
	at := s.entries[parts-1].At
	if there := own.PartsFrom(s); there > 0 {
		at = min(at, own.entries[there-1].At)
	}
	s.elsewhere, s.ownExplain = parts, strings.TrimSpace(own.Run.File.Explain.In(s.opts.Lang))
	for i := range s.entries[:parts-1] {
		if e := &s.entries[i]; e.Kind == Say && e.At <= at {
			s.elsewhere = i + 1 // it speaks of what follows, up to the next
		}
	}
	for i := range s.entries {
		if e := &s.entries[i]; e.Kind == Say && s.Elsewhere(i) {
			e.What[0] = WrittenForOwn(e.What[0], s.opts.Lang)
		}
	}
}

// Explain is the file's own paragraph on the verdicts, marked if it was written for another run than this.
func (s *Story) Explain() string {
	text := strings.TrimSpace(s.Run.File.Explain.In(s.opts.Lang))
	if s.elsewhere > 0 && text != "" && text == s.ownExplain {
		return WrittenForOwn(text, s.opts.Lang)
	}
	return text
}

// Elsewhere says that what the narrator says at step i (an index) is about what the run does not share with the file's own.
func (s *Story) Elsewhere(i int) bool { return s.elsewhere > 0 && i+1 >= s.elsewhere }
