package shrink

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// edit makes a scenario smaller. It reports false if there is nothing that it could take away.
type edit func(f *format.File) bool

// configuration takes away what of the scenario the failure does not need: whole clients and topics first, then
// brokers and partitions, steps and records, and at last settings, which go back to their defaults. The
// scenario becomes another one, whose text is Case.Source.
func (s *Shrinker) configuration(c *Case) *Case {
	own := *c
	own.File, own.Options.Kafka, own.Options.Set = c.Run.File, "", nil
	if next := s.edited(&own, wordless); next != nil {
		c = next
	} else {
		return c
	}
	for again := true; again && !s.spent(); {
		again = false
		for _, kind := range [...]func(*format.File) []edit{clients, topics, brokers, steps, records, settings} {
			for i := 0; ; {
				all := kind(c.File)
				if i >= len(all) || s.spent() {
					break
				}
				if next := s.edited(c, all[i]); next != nil && len(next.Decisions) <= len(c.Decisions) && next.noLonger(c) {
					c, again = next, true
					continue // what stood behind it has moved up
				}
				i++
			}
		}
	}
	return c
}

// edited tries an edit on a copy of the scenario; nil if it is not possible or the failure does not survive it.
func (s *Shrinker) edited(c *Case, e edit) *Case {
	f, _ := load(c.File.Pos.File, format.Write(c.File, nil))
	if f == nil || !e(f) {
		return nil
	}
	src := format.Write(f, nil)
	f, ok := load(c.File.Pos.File, src)
	if !ok {
		return nil
	}
	next := *c
	next.File, next.Source = f, src
	list := c.Decisions
	if gone := missingBroker(c.File, f); gone > 0 {
		if list, ok = renumbered(list, gone); !ok {
			return nil
		}
	}
	return s.try(&next, list)
}

func load(name string, src []byte) (*format.File, bool) {
	f, problems := format.Load(name, src, scenarios.Vocabulary)
	return f, f != nil && len(problems) == 0
}

// wordless takes away what is there for people only, and the comparisons.
func wordless(f *format.File) bool {
	f.Notes, f.Explain, f.Compare = format.Text{}, format.Text{}, nil
	var kept []format.Step
	for _, st := range f.Script {
		st.Act, st.Say, st.Notes = format.Text{}, format.Text{}, format.Text{}
		if _, question := st.Do.(*format.Predict); question {
			st.Do = nil
		}
		if st.Do != nil || st.At.Given() || st.After.Given() || st.When != nil {
			kept = append(kept, st)
		}
	}
	f.Script = kept
	return len(kept) > 0
}

func clients(f *format.File) (all []edit) {
	for i := range f.Consumers {
		all = append(all, func(f *format.File) bool { f.Consumers = slices.Delete(f.Consumers, i, i+1); return true })
	}
	for i := range f.Databases { // one that somebody uses is missed, and the scenario does not load
		all = append(all, func(f *format.File) bool { f.Databases = slices.Delete(f.Databases, i, i+1); return true })
	}
	for i := range f.Producers {
		all = append(all, func(f *format.File) bool {
			gone := f.Producers[i].Name.Text
			f.Producers = slices.Delete(f.Producers, i, i+1)
			f.Script = slices.DeleteFunc(f.Script, func(st format.Step) bool {
				send, ok := st.Do.(*format.Send)
				return ok && send.Producer.Text == gone
			})
			return true
		})
	}
	return all
}

func topics(f *format.File) (all []edit) {
	for i, t := range f.Topics {
		all = append(all, func(f *format.File) bool {
			gone := f.Topics[i].Name.Text
			f.Topics = slices.Delete(f.Topics, i, i+1)
			f.Script = slices.DeleteFunc(f.Script, func(st format.Step) bool {
				send, ok := st.Do.(*format.Send)
				return ok && send.Topic.Text == gone
			})
			for j := range f.Consumers {
				f.Consumers[j].Topics = slices.DeleteFunc(f.Consumers[j].Topics, func(n format.Name) bool { return n.Text == gone })
			}
			return true
		})
		for p := range t.Replicas {
			all = append(all, func(f *format.File) bool {
				r := &f.Topics[i].Replicas
				*r = slices.Delete(*r, p, p+1)
				return len(*r) > 0
			})
		}
	}
	return all
}

// brokers takes one broker away; those above it move down by one. Or it takes one replica of a partition away.
func brokers(f *format.File) (all []edit) {
	for k := f.Cluster.Brokers; k >= 1; k-- {
		all = append(all, func(f *format.File) bool { return withoutBroker(f, k) })
	}
	for i, t := range f.Topics {
		for p, replicas := range t.Replicas {
			for r := len(replicas) - 1; r >= 0 && len(replicas) > fewestReplicas; r-- {
				all = append(all, func(f *format.File) bool {
					list := &f.Topics[i].Replicas[p]
					*list = slices.Delete(*list, r, r+1)
					return true
				})
			}
		}
	}
	if f.Cluster.Controllers > 1 {
		all = append(all, func(f *format.File) bool { f.Cluster.Controllers--; return true })
	}
	return all
}

// removed is the mark by which edited knows that broker numbers have moved.
const removed = "removed-broker-"

func withoutBroker(f *format.File, k int) bool {
	if f.Cluster.Brokers < 2 {
		return false
	}
	f.Cluster.Brokers--
	for i := range f.Topics {
		for p := range f.Topics[i].Replicas {
			var kept []format.Node
			for _, n := range f.Topics[i].Replicas[p] {
				switch {
				case n.ID > k:
					n.ID--
					n.Name = "b" + strconv.Itoa(n.ID)
				case n.ID == k:
					continue
				}
				kept = append(kept, n)
			}
			if len(kept) < min(fewestReplicas, len(f.Topics[i].Replicas[p])) {
				return false
			}
			f.Topics[i].Replicas[p] = kept
		}
	}
	// Steps of the script name brokers in many places; where they do, the scenario stays as it is.
	for _, st := range f.Script {
		if brokerName.Match(format.Write(&format.File{Script: []format.Step{st}}, nil)) {
			return false
		}
	}
	f.Source = format.Text{Parts: []format.TextPart{{Text: removed + strconv.Itoa(k)}}, Pos: f.Pos}
	return true
}

var brokerName = regexp.MustCompile(`\bb[1-9][0-9]*\b`)

// missingBroker tells which broker an edit took away, 0 if none, and takes the mark of it back.
func missingBroker(before, after *format.File) int {
	k, ok := strings.CutPrefix(after.Source.In(""), removed)
	if !ok {
		return 0
	}
	after.Source = before.Source
	n, _ := strconv.Atoi(k)
	return n
}

// renumbered moves the names of brokers above k down by one, in decisions; it reports false if one is about k.
func renumbered(list []Decision, k int) ([]Decision, bool) {
	out := slices.Clone(list)
	ok := true
	down := func(s string) string {
		return brokerName.ReplaceAllStringFunc(s, func(name string) string {
			n, _ := strconv.Atoi(name[1:])
			if n > k {
				return "b" + strconv.Itoa(n-1)
			}
			return name
		})
	}
	about := "b" + strconv.Itoa(k)
	for i := range out {
		d := &out[i]
		ok = ok && !slices.Contains(brokerName.FindAllString(d.ID, -1), about)
		d.ID, d.Before = down(d.ID), down(d.Before)
		if d.Chosen.Node >= sim.NodeID(k) {
			d.Chosen.Node--
		}
		if d.Chosen.Peer >= sim.NodeID(k) {
			d.Chosen.Peer--
		}
	}
	return out, ok
}

// steps takes steps of the script away, the last first, and shortens waits.
func steps(f *format.File) (all []edit) {
	for i := len(f.Script) - 1; i >= 0; i-- {
		all = append(all, func(f *format.File) bool {
			f.Script = slices.Delete(f.Script, i, i+1)
			return len(f.Script) > 0
		})
		st := &f.Script[i]
		if st.Do != nil && (st.After.Given() || st.At.Given() || st.When != nil) {
			all = append(all, func(f *format.File) bool {
				f.Script[i].After, f.Script[i].At, f.Script[i].When = format.Duration{}, format.Duration{}, nil
				return true
			})
		}
		if half := st.After.Milliseconds() / 2; half >= 500 {
			half = half / 500 * 500
			all = append(all, func(f *format.File) bool { f.Script[i].After.Text = fmt.Sprintf("%dms", half); return true })
		}
	}
	return all
}

// records takes records away, one by one, the last first.
func records(f *format.File) (all []edit) {
	for i := len(f.Script) - 1; i >= 0; i-- {
		send, ok := f.Script[i].Do.(*format.Send)
		if !ok || len(send.Records) < 2 {
			continue
		}
		for size := len(send.Records) / 2; size > 0; size /= 2 {
			for at := len(send.Records) - size; at >= 0; at -= size {
				all = append(all, func(f *format.File) bool {
					send := f.Script[i].Do.(*format.Send)
					send.Records = slices.Delete(send.Records, at, at+size)
					send.Count, send.Prefix = 0, format.Name{}
					return true
				})
			}
		}
	}
	return all
}

// promises are the settings on which a guarantee rests. They stay: a record that acks=all lost is a failure of
// Kafka, the same record lost with the default of acks=1 is none.
var promises = []string{"acks", "min.insync.replicas", "unclean.leader.election.enable", "enable.idempotence", "transactional.id",
	"isolation.level", "enable.auto.commit", "auto.offset.reset", "max.in.flight.requests.per.connection"}

// fewestReplicas stay of a partition that has them, for the same reason: one copy promises nothing.
const fewestReplicas = 2

// settings puts settings back to their defaults, but for those that a guarantee rests on.
func settings(f *format.File) (all []edit) {
	configs := func(f *format.File) []*format.Config {
		list := []*format.Config{&f.Cluster.Config}
		for i := range f.Topics {
			list = append(list, &f.Topics[i].Config)
		}
		for i := range f.Producers {
			list = append(list, &f.Producers[i].Config)
		}
		for i := range f.Consumers {
			list = append(list, &f.Consumers[i].Config)
		}
		return list
	}
	for n, config := range configs(f) {
		for i, setting := range *config {
			if slices.Contains(promises, setting.Key.Text) {
				continue
			}
			all = append(all, func(f *format.File) bool {
				config := configs(f)[n]
				*config = slices.Delete(*config, i, i+1)
				return true
			})
		}
	}
	for i := range f.Features {
		all = append(all, func(f *format.File) bool { f.Features = slices.Delete(f.Features, i, i+1); return true })
	}
	for i := range f.Producers {
		if f.Producers[i].OnError != format.DropRecord {
			all = append(all, func(f *format.File) bool { f.Producers[i].OnError = format.DropRecord; return true })
		}
	}
	for i := range f.Consumers {
		if f.Consumers[i].RestartAfter.Given() {
			all = append(all, func(f *format.File) bool { f.Consumers[i].RestartAfter = format.Duration{}; return true })
		}
		for n := range f.Consumers[i].Fails {
			all = append(all, func(f *format.File) bool {
				fails := &f.Consumers[i].Fails
				*fails = slices.Delete(*fails, n, n+1)
				return true
			})
		}
		if c := &f.Consumers[i]; c.HandOff || c.Slow != nil || c.Takes.Duration > 0 {
			all = append(all, func(f *format.File) bool {
				c := &f.Consumers[i]
				c.HandOff, c.Slow, c.Takes = false, nil, format.Duration{}
				return true
			})
		}
	}
	if f.Cluster.Network.Jitter.Duration > 0 {
		all = append(all, func(f *format.File) bool { f.Cluster.Network.Jitter = format.Duration{}; return true })
	}
	return all
}
