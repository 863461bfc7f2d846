package format

import (
	"slices"

	registry "kafkatrial/checker"
)

// With returns the scenario as a variant runs it: a copy in which what the variant sets has replaced what the file says. The
// copy has no Compare of its own and shares with the original what neither changes, so neither may be written to afterwards.
func (f *File) With(v Variant) *File {
	out := *f
	out.Compare = nil
	out.Claims, out.Refused = v.Claims, v.Refused
	for _, c := range registry.Which(func(r registry.Row) bool { return r.OnlyAsked }) {
		if f.Asks(string(c)) && !out.Asks(string(c)) {
			out.Claims = append(slices.Clone(out.Claims), Claim{Name: Name{Text: string(c)}}) // asked for, and nothing stated
		}
	}
	if !v.Title.IsZero() {
		out.Title = v.Title
	}
	if !v.Explain.IsZero() {
		out.Explain = v.Explain
	}
	if v.Kafka.Text != "" {
		out.Kafka = v.Kafka
	}
	if v.Metadata != "" {
		out.Cluster.Metadata = v.Metadata
	}
	if v.OrderBy != "" {
		out.OrderBy = v.OrderBy
	}
	if v.Seed != nil {
		out.Seed = *v.Seed
	}
	if v.InSomeRuns != nil {
		out.Seed, out.Cluster.Network.Jitter = v.InSomeRuns.Seed, v.InSomeRuns.Jitter
	}
	out.Features = mergeFeatures(f.Features, v.Features)
	out.Topics = slices.Clone(f.Topics)
	out.Producers = slices.Clone(f.Producers)
	out.Consumers = slices.Clone(f.Consumers)
	for i := range out.Producers {
		if v.OnError != "" {
			out.Producers[i].OnError = v.OnError
		}
	}
	for i := range out.Consumers {
		if loop := f.loopIn(v, out.Consumers[i]); loop != nil {
			out.Consumers[i].Loop, out.Consumers[i].LoopPos = loop, v.Pos
		}
		if v.HandOff != nil {
			out.Consumers[i].HandOff = *v.HandOff
		}
		out.Consumers[i].varyDatabase(v)
		if v.OnAbort != "" {
			out.Consumers[i].OnAbort = v.OnAbort
		}
		if v.OnUnknown != "" {
			out.Consumers[i].OnUnknown = v.OnUnknown
		}
		if v.GroupMetadata != nil {
			out.Consumers[i].GroupMetadata = *v.GroupMetadata
		}
	}
	for _, s := range v.Set {
		out.apply(s)
	}
	for i := range out.Consumers {
		out.Consumers[i].followSetting()
	}
	return &out
}

// apply gives a setting to every part of the scenario whose section knows the key.
func (f *File) apply(s Setting) {
	for _, section := range s.Sections {
		one := Setting{s.Key, s.Value, []Section{section}}
		switch section {
		case BrokerConfig:
			f.Cluster.Config = f.Cluster.Config.with(one)
		case TopicConfig:
			for i := range f.Topics {
				f.Topics[i].Config = f.Topics[i].Config.with(one)
			}
		case ProducerConfig:
			for i := range f.Producers {
				f.Producers[i].Config = f.Producers[i].Config.with(one)
			}
			for i := range f.Consumers {
				if f.Consumers[i].Produces() {
					f.Consumers[i].Producer = f.Consumers[i].Producer.with(one)
				}
			}
		case ConsumerConfig:
			for i := range f.Consumers {
				f.Consumers[i].Config = f.Consumers[i].Config.with(one)
			}
		}
	}
}

func mergeFeatures(base, over []Feature) []Feature {
	out := slices.Clone(base)
	for _, o := range over {
		if i := slices.IndexFunc(out, func(b Feature) bool { return b.Name.Text == o.Name.Text }); i >= 0 {
			out[i] = o
		} else {
			out = append(out, o)
		}
	}
	return out
}
