package story

import (
	"fmt"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Comparison is the same script under another release or other settings, really run.
type Comparison struct {
	Label  string // what differs: "under Kafka 0.11", "with acks=all"
	Title  string // the file's own words for it; may be empty
	Kafka  string
	Result scenarios.Result
	// PartsAt is the step of the main run (from 1) at which the two first differ in what they tell; 0 if they
	// do not.
	PartsAt int
}

// Compare runs the file's comparisons and finds where each parts from the run that is told. replay are the
// answers that the run followed; they are followed in the comparisons as far as they apply.
func (s *Story) Compare(replay []sim.Answer) ([]Comparison, error) {
	f := s.Run.File
	variants := scenarios.Variants(f)
	var all []Comparison
	for i, v := range f.Compare {
		o := scenarios.Options{}
		if s.Run.Seed != f.Seed && v.Seed == nil {
			o.Seed = s.Run.Seed
		}
		if len(replay) > 0 {
			o.Source = &sim.Replay{Answers: replay, Lenient: true}
		}
		r, err := scenarios.New(variants[i], o)
		if err != nil {
			return nil, err
		}
		r.Finish()
		other := New(r, s.opts)
		all = append(all, Comparison{Label: label(&v), Title: v.Title.In(s.opts.Lang), Kafka: r.File.Kafka.Text, Result: r.Result(), PartsAt: s.PartsFrom(other)})
	}
	return all, nil
}

// label says what a variant changes.
func label(v *format.Variant) string {
	var with []string
	for _, f := range v.Features {
		state := "off"
		if f.On {
			state = "on"
		}
		with = append(with, f.Name.Text+" "+state)
	}
	for _, set := range v.Set {
		with = append(with, set.Key.Text+"="+set.Value.Text)
	}
	if v.Loop != nil {
		var verbs []string
		for _, verb := range v.Loop {
			verbs = append(verbs, string(verb))
		}
		with = append(with, "the loop "+strings.Join(verbs, ", "))
	}
	if v.HandOff != nil {
		if *v.HandOff {
			with = append(with, "a hand-off to another thread")
		} else {
			with = append(with, "no hand-off")
		}
	}
	if v.OrderBy != "" {
		with = append(with, "order by "+string(v.OrderBy))
	}
	if v.Seed != nil {
		with = append(with, fmt.Sprintf("seed %d", *v.Seed))
	}
	if v.OnError != "" {
		with = append(with, "on-error "+string(v.OnError))
	}
	switch v.Metadata {
	case format.KRaft:
		with = append(with, "KRaft")
	case format.ZooKeeper:
		with = append(with, "ZooKeeper")
	}
	text := ""
	if v.Kafka.Text != "" {
		text = "under Kafka " + v.Kafka.Text
	}
	if len(with) > 0 {
		if text != "" {
			text += " "
		}
		text += "with " + strings.Join(with, " and ")
	}
	if text == "" {
		text = "once more"
	}
	return text
}

// lane is what one node did after the script began, in order: time and step aside.
type lane struct {
	steps []int
	texts []string
}

func (s *Story) lanes() map[string]*lane {
	lanes := map[string]*lane{}
	for i := max(s.begins, 0); s.begins >= 0 && i < len(s.entries); i++ {
		e := &s.entries[i]
		if e.Kind != Event && e.Kind != Fault && e.Kind != Stopped {
			continue
		}
		l := lanes[e.Who]
		if l == nil {
			l = &lane{}
			lanes[e.Who] = l
		}
		l.steps = append(l.steps, e.Step)
		l.texts = append(l.texts, strings.Join(e.What, "; "))
	}
	return lanes
}

// PartsFrom gives the first step (from 1) of this run at which some node does what it does not do in the
// other run, 0 if there is none. Nodes are compared one by one, each with itself, so that a mere difference
// in timing does not count.
func (s *Story) PartsFrom(other *Story) int {
	here, there := s.lanes(), other.lanes()
	first := 0
	note := func(step int) {
		if first == 0 || step < first {
			first = step
		}
	}
	for who, l := range here {
		o := there[who]
		for k := range l.texts {
			if o == nil || k >= len(o.texts) || l.texts[k] != o.texts[k] {
				note(l.steps[k])
				break
			}
		}
	}
	// What only the other run has lies behind the last step that this node takes here.
	for who, o := range there {
		l := here[who]
		if n := len(o.texts); (l == nil || n > len(l.texts)) && first == 0 {
			note(len(s.entries))
		}
	}
	return first
}

// famous are the three claims that every verdict shows.
var famous = []checker.Claim{checker.AtMostOnce, checker.AtLeastOnce, checker.ExactlyOnce}
