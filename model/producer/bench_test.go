package producer

import (
	"strconv"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// BenchmarkSendToAck measures one record from send() to its acknowledgement: the command, the end of
// linger.ms, two messages, and the producer's events.
func BenchmarkSendToAck(b *testing.B) {
	for _, perCommand := range []int{1, 100} {
		b.Run(strconv.Itoa(perCommand)+"-a-command", func(b *testing.B) {
			v := release.Version{Major: 4}
			rules := release.Of(v)
			c := &cluster{logs: map[protocol.TopicPartition][]record.Record{}, seen: map[protocol.BrokerID]int{}, live: []protocol.BrokerID{1},
				states: []protocol.PartitionState{{TP: orders, Leader: 1}}, quiet: true}
			c.dir.Brokers = []sim.NodeID{0}
			w := sim.New(sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, Nodes: []sim.NodeSpec{
				{Name: "b1", New: func() sim.Node { return &fakeBroker{c: c, id: 1} }},
				{Name: "p", New: func() sim.Node { return New(config.New(config.Producer, v), &c.dir, &rules, Application{}) }}}})
			h := &harness{w: w, p: 1}
			h.until(10 * sim.Millisecond)
			records := make([]record.Record, perCommand)
			for i := range records {
				records[i] = record.Record{ID: "m", Value: "value"}
			}
			cmd := &protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: -1, Records: records}}
			b.ReportAllocs()
			for i := 0; i < b.N; i += perCommand {
				w.Command(1, cmd)
				for h.producer().Incomplete() > 0 {
					w.Pending()
					w.Resolve(0)
				}
			}
			if acked, _, _ := h.producer().Counts(); acked < b.N {
				b.Fatal(acked, b.N)
			}
		})
	}
}
