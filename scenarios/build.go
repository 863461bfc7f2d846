package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/consumer"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/scenarios/format"
)

// varied lays options over a file: another release, other settings.
func varied(f *format.File, o Options) (*format.File, error) {
	if o.Kafka == "" && len(o.Set) == 0 {
		return f, nil
	}
	v := format.Variant{Title: f.Title, Claims: f.Claims, Refused: f.Refused, Explain: f.Explain}
	if o.Kafka != "" {
		v.Kafka = f.Kafka
		v.Kafka.Text = o.Kafka
	}
	for _, s := range o.Set {
		var sections []format.Section
		var keys []string
		for _, sec := range []format.Section{format.BrokerConfig, format.TopicConfig, format.ProducerConfig, format.ConsumerConfig} {
			ok, nearest := Vocabulary.Known(sec, s.Key)
			if ok {
				sections = append(sections, sec)
			}
			keys = append(keys, nearest)
		}
		if len(sections) == 0 {
			if nearest := format.Nearest(s.Key, keys); nearest != "" {
				return nil, fmt.Errorf("--set %s: there is no setting %q; did you mean %q?", s.Key, s.Key, nearest)
			}
			if rule := ruleNamed(s.Key); rule != "" {
				return nil, fmt.Errorf("--set %s: %s is a rule of Kafka's releases and no setting; a scenario switches it with features: {%s: %s}", s.Key, rule, rule, s.Value)
			}
			return nil, fmt.Errorf("--set %s: there is no setting %q", s.Key, s.Key)
		}
		v.Set = append(v.Set, format.Setting{Key: format.Name{Text: s.Key}, Value: format.Value{Text: s.Value}, Sections: sections})
	}
	out := f.With(v)
	out.Compare = nil
	return out, nil
}

// ruleNamed finds a rule of releases, however its name is written; "" if there is none.
func ruleNamed(name string) string {
	for i := range release.All {
		if strings.EqualFold(release.All[i].Key, name) {
			return release.All[i].Key
		}
	}
	return ""
}

// clusterSpec turns a file into the cluster it describes.
func clusterSpec(f *format.File, o Options) (model.Spec, error) {
	version, err := release.Parse(f.Kafka.Text)
	if err != nil {
		return model.Spec{}, err
	}
	rules := release.Of(version)
	switch f.Cluster.Metadata {
	case format.KRaft:
		rules.KRaft = true
	case format.ZooKeeper:
		rules.KRaft = false
	}
	for _, feature := range f.Features {
		if err := rules.Set(feature.Name.Text, bool(feature.On)); err != nil {
			return model.Spec{}, fmt.Errorf("%v: %w", feature.Position(), err)
		}
	}
	if why, expected := f.Cluster.MetadataIn(f.Kafka).NotIn(f.Kafka); why != "" { // a release from the command line
		return model.Spec{}, fmt.Errorf("%v: %s; expected %s", f.Cluster.Position(), why, expected)
	}
	b := builder{version: version, errs: divided(f)}
	spec := model.Spec{Version: version, Rules: rules, Brokers: f.Cluster.Brokers, Controllers: f.Cluster.Controllers,
		Latency: duration(f.Cluster.Network.Latency), Planted: o.Planted}
	if rules.KRaft {
		spec.Controllers = 1
	}
	b.who = "broker"
	spec.Config = b.values(config.Broker, f.Cluster.Config, f.Cluster.Pos)
	for _, t := range f.Topics {
		b.who = t.Name.Text
		ts := model.TopicSpec{Name: t.Name.Text, Config: b.values(config.Topic, t.Config, t.Pos)}
		for _, replicas := range t.Replicas {
			var ids []protocol.BrokerID
			for _, n := range replicas {
				ids = append(ids, n.ID)
			}
			ts.Replicas = append(ts.Replicas, ids)
		}
		spec.Topics = append(spec.Topics, ts)
	}
	for _, p := range f.Producers {
		b.who = p.Name.Text
		spec.Producers = append(spec.Producers, model.ProducerSpec{Name: p.Name.Text, Idle: !p.Started, Config: b.values(config.Producer, p.Config, p.Pos),
			App: producer.Application{OnError: onError(p.OnError)}})
	}
	for _, c := range f.Consumers {
		b.who = c.Name.Text
		app, err := application(f, c)
		if err != nil {
			return model.Spec{}, err
		}
		if c.Produces() {
			app.Producer = b.values(config.Producer, c.Producer, c.Pos)
		}
		grouped := append(slices.Clone(c.Config), format.Setting{Key: format.Name{Text: "group.id"}, Value: format.Value{Text: app.Group}})
		spec.Consumers = append(spec.Consumers, model.ConsumerSpec{Name: c.Name.Text, Idle: !c.Started, Config: b.values(config.Consumer, grouped, c.Pos), App: app})
	}
	for _, d := range f.Databases {
		spec.Databases = append(spec.Databases, model.DatabaseSpec{Name: d.Name.Text, Idle: !d.Started})
	}
	b.altered(f)
	return spec, errors.Join(b.errs...)
}

func onError(o format.OnError) producer.OnError {
	switch o {
	case format.ResendRecord:
		return producer.Resend
	case format.StopSending:
		return producer.Stop
	case format.AbortOnError:
		return producer.Abort
	}
	return producer.Drop
}

// builder collects what is wrong with settings, so that all of it is told at once.
type builder struct {
	version release.Version
	who     string // whose settings are looked at: a name of the file, or broker
	errs    []error
}

// values sets what a section has. What is refused of several settings together is told at the first of them that the section sets,
// else where the section is.
func (b *builder) values(s config.Section, c format.Config, section format.Pos) *config.Values {
	v := config.New(s, b.version)
	for _, setting := range c {
		err := v.Set(setting.Key.Text, setting.Value.Text)
		if def, known := config.Lookup(s, setting.Key.Text); err == nil {
			err = withoutEffect(v, setting.Key.Text)
		} else if known && def.Exists(b.version) {
			err = &Refusal{b.who, err}
		}
		b.refuse(setting, err)
	}
	if err := v.Check(); err != nil {
		b.errs = append(b.errs, fmt.Errorf("%s%w", together(c, section, err), &Refusal{b.who, err}))
	}
	return v
}

// refuse notes what is wrong with a setting, if anything is.
func (b *builder) refuse(setting format.Setting, err error) {
	if err == nil {
		return
	}
	where := ""
	if setting.Key.Pos.Line > 0 {
		where = setting.Key.Pos.String() + ": "
	}
	b.errs = append(b.errs, fmt.Errorf("%s%w", where, err))
}

// together says where settings are that config.Values.Check refuses together: its error tells them by their keys alone.
func together(c format.Config, section format.Pos, err error) string {
	words := strings.FieldsFunc(err.Error(), func(r rune) bool { return strings.ContainsRune(" ,()", r) })
	for _, setting := range c {
		if setting.Key.Pos.Line > 0 && slices.Contains(words, setting.Key.Text) {
			section = setting.Key.Pos
			break
		}
	}
	if section.Line == 0 {
		return ""
	}
	return section.String() + ": "
}

// groupOf is a consumer's group: what the file calls it, else its group.id, else the consumer's own name, which the
// loader fills in.
func groupOf(c format.Consumer) string {
	if id, ok := c.Config.Get("group.id"); ok && c.Group.Text == c.Name.Text {
		return id
	}
	return c.Group.Text
}

func application(f *format.File, c format.Consumer) (consumer.Application, error) {
	app := consumer.Application{Group: groupOf(c), HandOff: c.HandOff, ProcessTime: consumer.DefaultProcessTime}
	app.Subscribes = rebalanced(f, app.Group)
	for _, t := range c.Topics {
		app.Topics = append(app.Topics, t.Text)
	}
	for _, p := range c.Partitions {
		app.Partitions = append(app.Partitions, topicPartition(p))
	}
	for _, v := range c.Loop {
		verb, ok := consumer.ParseVerb(string(v))
		if !ok {
			return app, fmt.Errorf("%v: the model has no verb %q yet", c.Position(), v)
		}
		app.Loop = append(app.Loop, verb)
	}
	if c.Takes.Given() && c.Takes.Duration > 0 {
		app.ProcessTime = duration(c.Takes)
	}
	for _, s := range c.Slow {
		app.Slow = append(app.Slow, consumer.SlowRecord{Record: s.Name.Text, Time: duration(s.Takes)})
	}
	for _, f := range c.Fails {
		app.Fails = append(app.Fails, consumer.FailingRecord{Record: f.Name.Text, Times: f.Times})
	}
	if s := c.Sends; s != nil {
		app.Sends = consumer.Sends{Topic: s.Topic.Text, Partition: -1}
		if s.Partition != nil {
			app.Sends.Partition = int32(*s.Partition)
		}
	}
	if s := c.Store; s != nil {
		app.Store = &consumer.StateStore{Topic: s.Topic.Text}
	}
	if u := c.Database; u != nil {
		app.Database = &consumer.DatabaseUse{Name: u.Database.Text, Table: u.Table.Text, Outbox: u.Outbox.Text, Fence: u.Fence}
	}
	if s := c.Source; s != nil {
		app.Source = &consumer.SourceTable{Name: s.Database.Text, Table: s.Table.Text}
	}
	switch c.Resume {
	case format.ResumeDatabase:
		app.Resume = consumer.FromDatabase
	case format.ResumeStaged:
		app.Resume = consumer.FromStaged
	}
	if c.OnAbort == format.GoOn {
		app.OnAbort = consumer.GoOn
	}
	if c.OnUnknown == format.RedoBatch {
		app.OnUnknown = consumer.Redo
	}
	app.GroupOnly, app.RestartAfter = !c.GroupMetadata, duration(c.RestartAfter)
	return app, nil
}

// InNoRelease says that a name in a file's `features` is a rule that no release of Kafka has.
func InNoRelease(feature string) bool {
	return slices.ContainsFunc(release.All, func(r release.Rule) bool { return r.Key == feature && r.InNoRelease() })
}

// Vocabulary tells the loader of scenario files what the model knows.
var Vocabulary format.Keys = vocabulary{}

type vocabulary struct{}

var configSections = map[format.Section]config.Section{format.BrokerConfig: config.Broker, format.TopicConfig: config.Topic,
	format.ProducerConfig: config.Producer, format.ConsumerConfig: config.Consumer}

// Known implements format.Keys.
func (vocabulary) Known(s format.Section, key string) (bool, string) {
	var names []string
	switch s {
	case format.KafkaVersion:
		_, err := release.Parse(key)
		var never *release.NeverReleased
		var beyond *release.OutOfRange
		switch {
		case errors.As(err, &never):
			return false, never.Nearest
		case errors.As(err, &beyond):
			return false, beyond.Nearest.String()
		}
		return err == nil, ""
	case format.FeatureName:
		for _, r := range release.All {
			names = append(names, r.Key)
		}
	case format.MessageKind:
		for _, n := range protocol.MessageNames {
			names = append(names, n)
			if !strings.HasSuffix(n, "Response") {
				names = append(names, n+"Request")
			}
		}
	case format.ErrorName:
		names = protocol.ErrorNames()
	default:
		if section, ok := configSections[s]; ok {
			return config.Known(section, key)
		}
		return true, ""
	}
	if slices.Contains(names, key) {
		return true, ""
	}
	return false, format.Nearest(key, names)
}

// Expected implements format.Expecter.
func (vocabulary) Expected(s format.Section) string {
	if s == format.KafkaVersion {
		return fmt.Sprintf("a release from %v to %v, as kafkatrial releases lists them", release.Oldest, release.Newest)
	}
	return ""
}

// CheckValue implements format.ValueChecker: a value must be possible in some release. What the run's own
// release refuses shows when the run is prepared.
func (vocabulary) CheckValue(s format.Section, key, value string) string {
	section, ok := configSections[s]
	if !ok {
		return ""
	}
	def, ok := config.Lookup(section, key)
	if !ok {
		return ""
	}
	expected := ""
	for _, line := range []string{"4.0", "3.9", "2.8", "0.10", "0.9", "0.8.2", "0.8.0"} {
		version, _ := release.Parse(line)
		if !def.Exists(version) {
			continue
		}
		err := config.New(section, version).Set(key, value)
		if err == nil {
			return ""
		}
		var wrong *config.ValueError
		switch {
		case expected != "":
		case errors.As(err, &wrong):
			expected = wrong.Expected
		default:
			expected = err.Error()
		}
	}
	return expected
}
