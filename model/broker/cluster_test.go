package broker_test

import (
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// trial is a whole cluster that a test drives: brokers, a controller, ZooKeeper where the release has it, and
// one producer, p.
type trial struct {
	*testing.T
	*model.Cluster
	w *sim.World
}

var orders = protocol.TopicPartition{Topic: "orders"}

// cluster brings up brokers and the topic orders, with one entry of replicas a partition. Settings are
// broker settings, KEY=VALUE; the producer has acks=1 unless acks=all is among them.
func cluster(t *testing.T, version string, brokers int, replicas [][]int, settings ...string) *trial {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	broker, topic, client := config.New(config.Broker, v), config.New(config.Topic, v), config.New(config.Producer, v)
	set := func(values *config.Values, key, value string) {
		if err := values.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	set(client, "acks", "1")
	if v.AtLeast(release.Version{Major: 0, Minor: 11}) {
		set(client, "enable.idempotence", "false")
	}
	rules := release.Of(v)
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		switch {
		case rules.Set(key, value == "on") == nil: // a switch of the model
		case key == "acks":
			set(client, key, value)
		default:
			set(broker, key, value)
		}
	}
	c := model.New(model.Spec{Version: v, Rules: rules, Brokers: brokers, Controllers: 1, Latency: sim.Millisecond, Config: broker,
		Topics:    []model.TopicSpec{{Name: "orders", Replicas: replicas, Config: topic}},
		Producers: []model.ProducerSpec{{Name: "p", Config: client, App: producer.Application{}}}})
	tr := &trial{t, c, c.World}
	tr.until("the cluster has come up", func() bool { return tr.w.Steps() > 0 && len(tr.Moving()) == 0 })
	return tr
}

func (tr *trial) step() bool {
	if _, more := tr.w.Pending(); !more {
		return false
	}
	tr.w.Resolve(0)
	return true
}

// until runs the cluster until something is true, for at most two minutes.
func (tr *trial) until(what string, ok func() bool) {
	tr.Helper()
	for limit := tr.w.Now() + 2*sim.Minute; !ok(); {
		if tr.w.NextAt() > limit || !tr.step() {
			tr.Fatalf("in vain: %s; still moving: %v", what, tr.Moving())
		}
	}
}

func (tr *trial) pass(d sim.Time) {
	for limit := tr.w.Now() + d; tr.w.NextAt() <= limit && tr.step(); {
	}
}

func (tr *trial) node(name string) sim.NodeID {
	n, ok := tr.w.Lookup(name)
	if !ok {
		tr.Fatalf("no node %s", name)
	}
	return n
}

func (tr *trial) send(partition int32, ids ...string) {
	c := &protocol.SendCommand{Topic: "orders", Partition: partition}
	for _, id := range ids {
		c.Records = append(c.Records, record.Record{ID: id, Value: id, Timestamp: record.NoTimestamp})
	}
	tr.w.Command(tr.node("p"), &protocol.Command{Send: c})
}

// log gives what broker b has in its log of a partition, "" if its process is down.
func (tr *trial) log(b int, tp protocol.TopicPartition) string {
	k := tr.Broker(b)
	if k == nil || k.Replica(tp) == nil {
		return ""
	}
	var ids []string
	for _, batch := range k.Replica(tp).Log().Batches() {
		for i := range batch.Records {
			ids = append(ids, batch.Records[i].ID)
		}
	}
	return strings.Join(ids, " ")
}

func (tr *trial) hw(b int) int64 { return tr.Broker(b).Replica(orders).Log().HighWatermark() }

func (tr *trial) leads(b int) func() bool {
	return func() bool { l := tr.Leader(orders); return l != nil && l.ID() == b && tr.ledBy(b) }
}

func (tr *trial) ledBy(b int) bool { s, _ := tr.State(orders); return s.Leader == b }

func (tr *trial) isr(tp protocol.TopicPartition) string {
	s, _ := tr.State(tp)
	set := map[int]bool{}
	for _, b := range s.ISR {
		set[b] = true
	}
	var all []string
	for b := 1; b <= len(tr.Directory.Brokers); b++ {
		if set[b] {
			all = append(all, fmt.Sprint(b))
		}
	}
	return strings.Join(all, " ")
}

// told lists the events of a kind that a broker recorded about orders-0, as say puts them.
func (tr *trial) told(b int, kind event.Event, say func(*sim.Recorded) string) string {
	var all []string
	events := tr.w.Trace().Events
	for i := range events {
		if f := &events[i]; event.KindOf(f.Event) == kind.Kind() && f.Node == tr.Directory.Node(b) && (event.Topic(f.Event) == "" || event.Partition(f.Event) == orders) {
			all = append(all, say(f))
		}
	}
	return strings.Join(all, "; ")
}

func (tr *trial) hold(from, to string, kind string) {
	p := sim.Pattern{From: tr.node(from), To: tr.node(to), AnyType: kind == ""}
	for i, name := range protocol.MessageNames {
		if name == kind {
			p.Type = sim.MsgType(i)
		}
	}
	tr.w.AddRule(&sim.LinkRule{Pattern: p, Act: sim.Hold})
}

func (tr *trial) release(count int) {
	tr.w.Release(sim.Pattern{From: sim.Nobody, To: sim.Nobody, AnyType: true}, count)
}
