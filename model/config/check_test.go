package config

import (
	"strings"
	"testing"
)

// TestIdempotenceInForce: what a producer is and does under each version, with what was set.
func TestIdempotenceInForce(t *testing.T) {
	for _, c := range []struct {
		kafka, set                     string
		idempotent                     bool
		acks, retries, maxInFlightText string
	}{
		{"0.10", "", false, "1", "0", "5"},
		{"0.11", "", false, "1", "0", "5"},
		{"0.11", "enable.idempotence=true", true, "all", "2147483647", "1"},
		{"1.0", "enable.idempotence=true", true, "all", "2147483647", "5"},
		{"0.11", "transactional.id=t", true, "all", "2147483647", "1"},
		{"2.8", "", false, "1", "2147483647", "5"},
		{"2.8", "transactional.id=t", true, "all", "2147483647", "5"},
		{"3.0.0", "", false, "all", "2147483647", "5"}, // KAFKA-13598
		{"3.0.0", "transactional.id=t", true, "all", "2147483647", "5"},
		{"3.0.1", "", true, "all", "2147483647", "5"},
		{"3.1.0", "", false, "all", "2147483647", "5"},
		{"3.1.1", "", true, "all", "2147483647", "5"},
		{"3.2.0", "", true, "all", "2147483647", "5"},
		{"3.9", "acks=1", false, "1", "2147483647", "5"},
		{"3.9", "retries=0", false, "all", "0", "5"},
		{"3.9", "max.in.flight.requests.per.connection=6", false, "all", "2147483647", "6"},
		{"4.0", "acks=1", false, "1", "2147483647", "5"},
		{"4.0", "enable.idempotence=false", false, "all", "2147483647", "5"},
	} {
		v := New(Producer, version(t, c.kafka))
		if c.set != "" {
			key, text, _ := strings.Cut(c.set, "=")
			set(t, v, key, text)
		}
		if err := v.Check(); err != nil {
			t.Errorf("%s %s: %v", c.kafka, c.set, err)
		}
		got := []string{v.Text("acks"), v.Text("retries"), v.Text("max.in.flight.requests.per.connection")}
		if v.Bool("enable.idempotence") != c.idempotent || got[0] != c.acks || got[1] != c.retries || got[2] != c.maxInFlightText {
			t.Errorf("%s %s: idempotent %v, acks, retries, in flight %v", c.kafka, c.set, v.Bool("enable.idempotence"), got)
		}
	}
	if got := New(Producer, version(t, "3.0.0")).Default("enable.idempotence"); got != "true" {
		t.Errorf("3.0.0 documents enable.idempotence=%s", got)
	}
}

func TestTimeoutsThatFollowOthers(t *testing.T) {
	for _, c := range []struct {
		s               Section
		kafka, set, key string
		want            string
	}{
		{s: Producer, kafka: "2.1", set: "request.timeout.ms=200000", key: "delivery.timeout.ms", want: "200000"},
		{s: Producer, kafka: "4.0", set: "request.timeout.ms=200000", key: "delivery.timeout.ms", want: "200005"},
		{s: Producer, kafka: "4.0", set: "linger.ms=9000000000", key: "delivery.timeout.ms", want: "2147483647"},
		{s: Producer, kafka: "4.0", set: "linger.ms=10", key: "delivery.timeout.ms", want: "120000"},
		{s: Producer, kafka: "0.10", set: "timeout.ms=7", key: "request.timeout.ms", want: "7"},
		{s: Producer, kafka: "0.11", set: "request.timeout.ms=7", key: "timeout.ms", want: "7"},
		{s: Producer, kafka: "0.9", set: "request.timeout.ms=7", key: "timeout.ms", want: "7"},
		{s: Producer, kafka: "0.9", set: "timeout.ms=7", key: "timeout.ms", want: "7"},
		{s: Producer, kafka: "0.8.2", set: "timeout.ms=7", key: "timeout.ms", want: "7"},
		{s: Producer, kafka: "0.8.2", set: "timeout.ms=7", key: "request.timeout.ms", want: "2147483647"},
		{s: Producer, kafka: "0.9", set: "metadata.fetch.timeout.ms=7", key: "max.block.ms", want: "7"},
		{s: Producer, kafka: "0.9", set: "block.on.buffer.full=true", key: "max.block.ms", want: maxLong},
		{s: Producer, kafka: "0.9", set: "block.on.buffer.full=false", key: "max.block.ms", want: "60000"},
		{s: Producer, kafka: "0.11", set: "reconnect.backoff.ms=7", key: "reconnect.backoff.max.ms", want: "7"},
		{s: Consumer, kafka: "4.0", set: "reconnect.backoff.ms=7", key: "reconnect.backoff.max.ms", want: "7"},
		{s: Consumer, kafka: "2.6", set: "request.timeout.ms=7", key: "socket.connection.setup.timeout.ms", want: "7"},
		{s: Consumer, kafka: "2.2", set: "client.id=c", key: "enable.auto.commit", want: "false"},
		{s: Consumer, kafka: "2.2", set: "group.id=g", key: "enable.auto.commit", want: "true"},
		{s: Consumer, kafka: "2.1", set: "client.id=c", key: "enable.auto.commit", want: "true"},
		{s: Broker, kafka: "3.3", set: "transactional.id.expiration.ms=7", key: "producer.id.expiration.ms", want: "7"},
		{s: Broker, kafka: "3.4", set: "transactional.id.expiration.ms=7", key: "producer.id.expiration.ms", want: "86400000"},
	} {
		v := New(c.s, version(t, c.kafka))
		key, text, _ := strings.Cut(c.set, "=")
		set(t, v, key, text)
		if got := v.Text(c.key); got != c.want {
			t.Errorf("%s %s: %s = %s, want %s", c.kafka, c.set, c.key, got, c.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		s          Section
		kafka, set string
		want       string // part of the error; empty: accepted
	}{
		{Producer, "2.1", "delivery.timeout.ms=29999", "delivery.timeout.ms (29999) must not be less than linger.ms (0) + request.timeout.ms (30000)"},
		{Producer, "2.1", "delivery.timeout.ms=30000", ""},
		{Producer, "4.0", "delivery.timeout.ms=30000", "linger.ms (5)"},
		{Producer, "0.11", "enable.idempotence=true acks=1", "acks must be all"},
		{Producer, "3.9", "enable.idempotence=true acks=1", "acks must be all"},
		{Producer, "3.9", "acks=1", ""},
		{Producer, "2.8", "transactional.id=t acks=0", "acks must be all"},
		{Producer, "3.9", "transactional.id=t acks=0", "transactional.id needs an idempotent producer"},
		{Producer, "2.8", "transactional.id=t enable.idempotence=false", "transactional.id needs an idempotent producer"},
		{Producer, "2.0", "enable.idempotence=true retries=0", "retries must not be 0"},
		{Producer, "0.11", "enable.idempotence=true max.in.flight.requests.per.connection=2", "must be at most 1"},
		{Producer, "1.0", "enable.idempotence=true max.in.flight.requests.per.connection=5", ""},
		{Producer, "1.0", "enable.idempotence=true max.in.flight.requests.per.connection=6", "must be at most 5"},
		{Producer, "3.9", "max.in.flight.requests.per.connection=6", ""},
		{Producer, "4.0", "max.in.flight.requests.per.connection=6", "must be at most 5 unless enable.idempotence is set to false"},
		{Producer, "4.0", "max.in.flight.requests.per.connection=6 enable.idempotence=false", ""},
		{Producer, "4.0", "max.in.flight.requests.per.connection=6 acks=1", "must be at most 5"},

		{Consumer, "3.0", "heartbeat.interval.ms=45000", "heartbeat.interval.ms (45000) must be less than session.timeout.ms (45000)"},
		{Consumer, "3.9", "heartbeat.interval.ms=45000 group.protocol=consumer group.id=g", ""},
		{Consumer, "0.10", "request.timeout.ms=10000", "must be greater than session.timeout.ms (10000)"},
		{Consumer, "1.1", "request.timeout.ms=11000 fetch.max.wait.ms=11000", "must be greater than fetch.max.wait.ms (11000)"},
		{Consumer, "2.0", "request.timeout.ms=10000", ""},
		{Consumer, "2.2", "enable.auto.commit=true", "there is no group.id"},
		{Consumer, "2.1", "enable.auto.commit=true", ""},
		{Consumer, "3.7", "group.remote.assignor=uniform", "needs group.protocol=consumer"},

		{Broker, "4.0", "replica.fetch.wait.max.ms=30001", "must not be greater than replica.socket.timeout.ms (30000)"},
		{Broker, "2.0", "replica.fetch.wait.max.ms=10001", "must not be greater than replica.lag.time.max.ms (10000)"},
		{Broker, "0.10.0", "replica.fetch.max.bytes=1000", "must not be less than message.max.bytes"},
		{Broker, "0.10.1", "replica.fetch.max.bytes=1000", ""},
		{Broker, "4.0", "log.retention.ms=0", "log.retention.ms must be -1"},
		{Broker, "3.9", "offsets.commit.required.acks=4", "must not be greater than offsets.topic.replication.factor (3)"},
		{Broker, "4.0", "group.consumer.session.timeout.ms=60001", "must lie between"},
		{Broker, "4.0", "group.consumer.heartbeat.interval.ms=4999", "must lie between"},

		{Topic, "2.3", "min.compaction.lag.ms=2 max.compaction.lag.ms=1", "min.compaction.lag.ms (2) must not be greater than max.compaction.lag.ms (1)"},
		{Topic, "2.2", "min.compaction.lag.ms=2", ""},
	} {
		v := New(c.s, version(t, c.kafka))
		for _, f := range strings.Fields(c.set) {
			key, text, _ := strings.Cut(f, "=")
			set(t, v, key, text)
		}
		err := v.Check()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s %s: %v", c.kafka, c.set, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s: %v, want %q", c.kafka, c.set, err, c.want)
		}
	}
}

// TestDefaultsPassTheChecks: no version refuses its own defaults.
func TestDefaultsPassTheChecks(t *testing.T) {
	for s := Section(0); s < sections; s++ {
		for _, b := range branches {
			if err := New(s, branchVersion(t, b)).Check(); err != nil {
				t.Errorf("%s %s: %v", s, b, err)
			}
		}
	}
}
