package story

import (
	"strings"
	"testing"

	"kafkatrial/scenarios"
)

// Under another release the narrator's texts are marked from where the runs part, and not before; under the file's own, or another
// seed of a run without a draw, none is.
func TestNarrationIsMarkedWhereTheRunPartsFromTheFiles(t *testing.T) {
	for _, c := range []struct {
		o              scenarios.Options
		marked, spared []string
	}{
		{scenarios.Options{Kafka: "0.11"}, []string{"Broker 3 has a new leader", "Broker 3 leads with what it has"}, []string{"Now m2", "Before that answer"}},
		{scenarios.Options{Seed: 5}, nil, []string{"Broker 3 has a new leader", "Broker 3 leads with what it has"}},
	} {
		r := open(t, "kip-101-truncation", c.o)
		r.Finish()
		s := New(r, Options{})
		opened, err := scenarios.Open("kip-101-truncation")
		if err != nil {
			t.Fatal(err)
		}
		own, err := Own(opened.File, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.WrittenFor(own)
		said := map[string]string{}
		for _, e := range s.Entries() {
			if e.Kind == Say {
				for _, text := range append(append([]string{}, c.marked...), c.spared...) {
					if strings.Contains(e.What[0], text) {
						said[text] = e.What[0]
					}
				}
			}
		}
		for _, text := range c.marked {
			if !strings.HasPrefix(said[text], "(Written for the file's own run.) ") {
				t.Errorf("%+v: %q is not marked", c.o, said[text])
			}
		}
		for _, text := range c.spared {
			if said[text] == "" || strings.HasPrefix(said[text], "(") {
				t.Errorf("%+v: %q is marked", c.o, said[text])
			}
		}
	}
}
