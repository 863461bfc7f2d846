package story

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// Settings says in one line how a run's cluster and applications are set up: how many brokers there are, and whatever
// the file, its comparison or the command line sets. What is left out has the release's default.
func Settings(f *format.File) string {
	parts := []string{clusterSettings(f)}
	var names []string
	var settings []string
	add := func(name string, with []string) {
		text := strings.Join(with, ", ")
		if text == "" {
			return
		}
		if i := slices.Index(settings, text); i >= 0 {
			names[i] += ", " + name
			return
		}
		names, settings = append(names, name), append(settings, text)
	}
	for i := range f.Topics {
		add(f.Topics[i].Name.Text, topicSettings(f, &f.Topics[i]))
	}
	for i := range f.Producers {
		p := &f.Producers[i]
		with := keys(p.Config)
		if p.OnError != "" && p.OnError != "drop" {
			with = append(with, "on-error "+string(p.OnError))
		}
		add(p.Name.Text, with)
	}
	for i := range f.Consumers {
		add(f.Consumers[i].Name.Text, consumerSettings(&f.Consumers[i]))
	}
	for i := range names {
		parts = append(parts, names[i]+": "+settings[i])
	}
	return strings.Join(parts, "; ")
}

func clusterSettings(f *format.File) string {
	c := &f.Cluster
	parts := []string{number(c.Brokers, "broker")}
	if c.Controllers > 1 {
		parts = append(parts, number(c.Controllers, "controller"))
	}
	switch c.Metadata {
	case format.KRaft:
		parts = append(parts, "KRaft")
	case format.ZooKeeper:
		parts = append(parts, "ZooKeeper")
	}
	for _, feature := range f.Features {
		parts = append(parts, scenarios.Switched(feature))
	}
	parts = append(parts, keys(c.Config)...)
	if c.Network.Jitter.Duration > 0 {
		parts = append(parts, fmt.Sprintf("jitter %v", c.Network.Jitter))
	}
	return strings.Join(parts, ", ")
}

// topicSettings leaves out one partition, and as many replicas as a topic gets by itself.
func topicSettings(f *format.File, t *format.Topic) []string {
	var with []string
	if len(t.Replicas) > 1 {
		with = append(with, number(len(t.Replicas), "partition"))
	}
	if len(t.Replicas) > 0 && len(t.Replicas[0]) != min(3, f.Cluster.Brokers) {
		with = append(with, number(len(t.Replicas[0]), "replica"))
	}
	return append(with, keys(t.Config)...)
}

func consumerSettings(c *format.Consumer) []string {
	with := append(keys(c.Config), databaseSettings(c)...)
	for _, s := range keys(c.Producer) {
		with = append(with, "its producer "+s)
	}
	if s := c.Store; s != nil && c.Source == nil {
		with = append(with, "store with the changelog "+s.Topic.Text)
	} else if s != nil {
		with = append(with, "keeps its position in "+s.Topic.Text)
	}
	if loop := c.Loop.String(); loop != "" && loop != "poll, process, commit" {
		with = append(with, "loop ["+loop+"]")
	}
	if c.HandOff {
		with = append(with, "hand-off")
	}
	return with
}

func keys(c format.Config) []string {
	var all []string
	for _, s := range c {
		all = append(all, s.Key.Text+"="+s.Value.Text)
	}
	return all
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
