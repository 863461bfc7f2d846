package config

import (
	"fmt"
)

// Check reports what Kafka refuses when it looks at several settings together: what it throws as a
// ConfigException, or for a broker at its start. The error says which settings, what they are, and what is
// wanted. A topic is checked with the broker's values if it has them.
func (v *Values) Check() error {
	switch v.section {
	case Producer:
		return first(v.checkDeliveryTimeout, v.checkIdempotence, v.checkTransactionalID)
	case Consumer:
		return first(v.checkHeartbeat, v.checkConsumerRequestTimeout, v.checkGroup)
	case Broker:
		return first(v.checkReplicaFetch, v.checkRetention, v.checkCommitAcks, v.checkConsumerGroups)
	case Topic:
		return v.checkCompactionLag()
	}
	return nil
}

func first(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkDeliveryTimeout: a record must have the time to be sent once.
//
// Kafka: KafkaProducer.configureDeliveryTimeout (2.1, KIP-91).
func (v *Values) checkDeliveryTimeout() error {
	if !v.Has("delivery.timeout.ms") || !v.IsSet("delivery.timeout.ms") {
		return nil
	}
	if d, least := v.Int("delivery.timeout.ms"), v.lingerAndRequestTimeout(); d < least {
		return fmt.Errorf("delivery.timeout.ms (%d) must not be less than linger.ms (%d) + request.timeout.ms (%d)",
			d, v.Int("linger.ms"), v.Int("request.timeout.ms"))
	}
	return nil
}

// checkIdempotence: sequence numbers keep their promise only if every in-sync replica has them, failed
// batches are sent again, and the broker remembers as many batches as can be under way.
//
// Kafka: KafkaProducer.configureRetries, configureAcks and configureInflightRequests (0.11, 1.0),
// ProducerConfig.postProcessAndValidateIdempotenceConfigs (3.0.1). That the last of them counts from 4.0 on
// even without enable.idempotence is what 3.x announces in its log.
func (v *Values) checkIdempotence() error {
	if !v.Has("enable.idempotence") {
		return nil
	}
	const inFlight = "max.in.flight.requests.per.connection"
	off := v.IsSet("enable.idempotence") && !v.Bool("enable.idempotence")
	if n := v.Int(inFlight); n > 5 && !off && v.version.AtLeast(ver("4.0")) {
		return fmt.Errorf("%s (%d) must be at most 5 unless enable.idempotence is set to false", inFlight, n)
	}
	if !v.idempotent() {
		return nil
	}
	if v.Int("retries") == 0 {
		return fmt.Errorf("retries must not be 0 with an idempotent producer")
	}
	if v.Int("acks") != -1 {
		return fmt.Errorf("acks must be all with an idempotent producer, not %s", v.Text("acks"))
	}
	most := int64(5)
	if v.version.Less(ver("1.0")) {
		most = 1
	}
	if n := v.Int(inFlight); n > most {
		return fmt.Errorf("%s (%d) must be at most %d with an idempotent producer in Kafka %s", inFlight, n, most, v.version)
	}
	return nil
}

// checkTransactionalID: transactions are built on idempotence.
func (v *Values) checkTransactionalID() error {
	if v.Has("transactional.id") && v.IsSet("transactional.id") && !v.idempotent() {
		return fmt.Errorf("transactional.id needs an idempotent producer, and enable.idempotence is false")
	}
	return nil
}

// checkHeartbeat: a member must be heard within its session.
//
// Kafka: the constructor of Heartbeat (0.9).
func (v *Values) checkHeartbeat() error {
	if !v.Has("heartbeat.interval.ms") || v.Text("group.protocol") != "classic" {
		return nil
	}
	if h, s := v.Int("heartbeat.interval.ms"), v.Int("session.timeout.ms"); h >= s {
		return fmt.Errorf("heartbeat.interval.ms (%d) must be less than session.timeout.ms (%d)", h, s)
	}
	return nil
}

// checkConsumerRequestTimeout: before KIP-266 (2.0) one time-out was for all requests, those that wait at
// the broker included.
//
// Kafka: the constructor of KafkaConsumer (0.9 to 1.1).
func (v *Values) checkConsumerRequestTimeout() error {
	if !v.Has("request.timeout.ms") || v.version.AtLeast(ver("2.0")) {
		return nil
	}
	r := v.Int("request.timeout.ms")
	for _, key := range []string{"session.timeout.ms", "fetch.max.wait.ms"} {
		if n := v.Int(key); r <= n {
			return fmt.Errorf("request.timeout.ms (%d) must be greater than %s (%d) in Kafka %s", r, key, n, v.version)
		}
	}
	return nil
}

// checkGroup: what needs a group, and what needs the other group protocol.
//
// Kafka: ConsumerConfig.maybeOverrideEnableAutoCommit (2.2, KIP-289), checkGroupRemoteAssignor (3.7).
func (v *Values) checkGroup() error {
	if v.version.AtLeast(ver("2.2")) && !v.IsSet("group.id") && v.Bool("enable.auto.commit") {
		return fmt.Errorf("enable.auto.commit is true, but there is no group.id to commit for")
	}
	if v.Has("group.remote.assignor") && v.Text("group.remote.assignor") != "" && v.Text("group.protocol") == "classic" {
		return fmt.Errorf("group.remote.assignor needs group.protocol=consumer")
	}
	return nil
}

// checkReplicaFetch: a follower must be able to fetch in time, and to fetch the largest batch.
//
// Kafka: KafkaConfig.validateValues; the size until KIP-74 (0.10.1), when a batch larger than the bound is
// sent all the same.
func (v *Values) checkReplicaFetch() error {
	wait := v.Int("replica.fetch.wait.max.ms")
	for _, key := range []string{"replica.socket.timeout.ms", "replica.lag.time.max.ms"} {
		if n := v.Int(key); wait > n {
			return fmt.Errorf("replica.fetch.wait.max.ms (%d) must not be greater than %s (%d)", wait, key, n)
		}
	}
	if v.version.Less(ver("0.10.1")) {
		if r, m := v.Int("replica.fetch.max.bytes"), v.Int("message.max.bytes"); r < m {
			return fmt.Errorf("replica.fetch.max.bytes (%d) must not be less than message.max.bytes (%d) in Kafka %s", r, m, v.version)
		}
	}
	return nil
}

// checkRetention: no time at all is not a retention.
//
// Kafka: KafkaConfig.validateValues (0.9).
func (v *Values) checkRetention() error {
	for _, key := range []string{"log.retention.ms", "log.retention.minutes", "log.retention.hours"} {
		if v.IsSet(key) && v.Int(key) == 0 {
			return fmt.Errorf("%s must be -1 for no bound, or at least 1", key)
		}
	}
	return nil
}

// checkCommitAcks: a commit can not wait for more replicas than there are.
//
// Kafka: KafkaConfig.validateValues (0.9), GroupCoordinatorConfig (3.9).
func (v *Values) checkCommitAcks() error {
	if !v.Has("offsets.commit.required.acks") {
		return nil
	}
	if a, r := v.Int("offsets.commit.required.acks"), v.Int("offsets.topic.replication.factor"); a > r {
		return fmt.Errorf("offsets.commit.required.acks (%d) must not be greater than offsets.topic.replication.factor (%d)", a, r)
	}
	return nil
}

// checkConsumerGroups: the time-outs of KIP-848 lie between their bounds.
//
// Kafka: KafkaConfig.validateValues (3.5), GroupCoordinatorConfig (3.9).
func (v *Values) checkConsumerGroups() error {
	if !v.Has("group.consumer.session.timeout.ms") {
		return nil
	}
	for _, what := range []string{"session.timeout.ms", "heartbeat.interval.ms"} {
		low, n, high := v.Int("group.consumer.min."+what), v.Int("group.consumer."+what), v.Int("group.consumer.max."+what)
		if n < low || n > high {
			return fmt.Errorf("group.consumer.%s (%d) must lie between group.consumer.min.%s (%d) and group.consumer.max.%s (%d)",
				what, n, what, low, what, high)
		}
	}
	return nil
}

// checkCompactionLag: what must be compacted by then may be compacted by then.
//
// Kafka: LogConfig.validateValues (2.3, KIP-354).
func (v *Values) checkCompactionLag() error {
	if low, high := v.Int("min.compaction.lag.ms"), v.Int("max.compaction.lag.ms"); low > high {
		return fmt.Errorf("min.compaction.lag.ms (%d) must not be greater than max.compaction.lag.ms (%d)", low, high)
	}
	return nil
}

// Unmodelled says whether a setting has no effect here although a verdict could depend on it, and why.
func (v *Values) Unmodelled(key string) (why string, yes bool) {
	if _, harmless := Harmless(v.section, key); harmless {
		return "", false
	}
	why = tables[v.section][v.at(key)].Unmodelled
	return why, why != ""
}
