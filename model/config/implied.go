package config

import (
	"math"

	"kafkatrial/model/release"
)

// implied gives what other settings make of one that is not set.
func (v *Values) implied(key string) (value, bool) {
	switch v.section {
	case Producer:
		return v.impliedProducer(key)
	case Consumer:
		return v.impliedConsumer(key)
	}
	return value{}, false
}

// impliedProducer follows the producer's constructor: what it puts in the place of defaults.
//
// Kafka: ProducerConfig.postProcessParsedConfig, KafkaProducer.configureDeliveryTimeout (2.1) and, for the
// deprecated names, the constructor of KafkaProducer (0.9).
func (v *Values) impliedProducer(key string) (value, bool) {
	switch key {
	case "enable.idempotence":
		if v.idempotent() {
			return value{n: 1, text: "true"}, true
		}
		return value{text: "false"}, true
	case "acks":
		if v.idempotent() {
			return value{n: -1, text: "all"}, true
		}
	case "retries":
		if v.idempotent() {
			return number(math.MaxInt32), true
		}
	case "max.in.flight.requests.per.connection":
		// KAFKA-5494 (1.0) allowed five.
		if v.idempotent() && v.version.Less(ver("1.0")) {
			return number(1), true
		}
	case "delivery.timeout.ms":
		if v.Has(key) {
			least := v.lingerAndRequestTimeout()
			if v.own(key).n < least {
				return number(least), true
			}
		}
	case "request.timeout.ms":
		if v.Has(key) && v.IsSet("timeout.ms") {
			return v.own("timeout.ms"), true
		}
	case "timeout.ms":
		if v.Has(key) && v.Has("request.timeout.ms") {
			return v.own("request.timeout.ms"), true
		}
	case "max.block.ms":
		if v.IsSet("block.on.buffer.full") && v.own("block.on.buffer.full").n == 1 {
			return number(math.MaxInt64), true
		}
		if v.IsSet("metadata.fetch.timeout.ms") {
			return v.own("metadata.fetch.timeout.ms"), true
		}
	}
	return v.impliedClient(key)
}

// impliedConsumer follows ConsumerConfig.postProcessParsedConfig.
func (v *Values) impliedConsumer(key string) (value, bool) {
	switch key {
	case "enable.auto.commit":
		// KIP-289: without a group there is nothing to commit to.
		if v.version.AtLeast(ver("2.2")) && !v.IsSet("group.id") {
			return value{text: "false"}, true
		}
	case "dual.commit.enabled":
		if v.Has(key) && v.Text("offsets.storage") == "kafka" {
			return value{n: 1, text: "true"}, true
		}
	}
	return v.impliedClient(key)
}

// impliedClient keeps the wait before a reconnection from growing for those who chose it and know of no
// bound.
//
// Kafka: CommonClientConfigs.postProcessReconnectBackoffConfigs.
func (v *Values) impliedClient(key string) (value, bool) {
	if key == "reconnect.backoff.max.ms" && v.Has(key) && v.IsSet("reconnect.backoff.ms") {
		return v.own("reconnect.backoff.ms"), true
	}
	return value{}, false
}

// idempotent says whether the producer is idempotent, with or without having been told to be.
//
// Up to 2.8, and in 3.0.0 and 3.1.0, where the new default was documented but not applied (KAFKA-13598), it
// is idempotent if it says so or if it has a transactional.id. Since then it is unless something that was
// set contradicts it (KAFKA-13673).
//
// Kafka: KafkaProducer.configureTransactionState (0.11), ProducerConfig.idempotenceEnabled (2.8, 3.0.0),
// ProducerConfig.postProcessAndValidateIdempotenceConfigs (3.0.1).
func (v *Values) idempotent() bool {
	if v.IsSet("enable.idempotence") {
		return v.own("enable.idempotence").n == 1
	}
	if !idempotentByDefault(v.version) {
		return v.IsSet("transactional.id")
	}
	return !(v.IsSet("retries") && v.own("retries").n == 0 ||
		v.IsSet("acks") && v.own("acks").n != -1 ||
		v.IsSet("max.in.flight.requests.per.connection") && v.own("max.in.flight.requests.per.connection").n > 5)
}

// idempotentByDefault says whether a version applies the default that it documents.
func idempotentByDefault(version release.Version) bool {
	return version.AtLeast(ver("3.0.1")) && version != ver("3.1")
}

// lingerAndRequestTimeout is the least time in which a record can be sent once and its request time out.
func (v *Values) lingerAndRequestTimeout() int64 {
	linger := min(v.Int("linger.ms"), math.MaxInt32)
	return min(linger+v.Int("request.timeout.ms"), math.MaxInt32)
}

// timestampBound lets the older bound of a timestamp's distance stand for the two newer ones while they are
// at their default.
//
// Kafka: LogConfig.getMessageTimestampBeforeMaxMs and getMessageTimestampAfterMaxMs (3.6 to 3.9).
func (v *Values) timestampBound(d *Def, val value) value {
	older := ""
	switch d.Key {
	case "message.timestamp.before.max.ms", "message.timestamp.after.max.ms":
		older = "message.timestamp.difference.max.ms"
	case "log.message.timestamp.before.max.ms", "log.message.timestamp.after.max.ms":
		older = "log.message.timestamp.difference.max.ms"
	}
	if older == "" || val.n != math.MaxInt64 || !v.Has(older) {
		return val
	}
	_, val = v.read(older, "Ms")
	return val
}

// own looks at a setting's choice, or else its default, without what others imply.
func (v *Values) own(key string) value { return v.cells[v.at(key)].value }
