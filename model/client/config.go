package client

import (
	"kafkatrial/model/config"
	"kafkatrial/sim"
)

// Config holds the settings that producer and consumer share, with Kafka's keys.
type Config struct {
	RequestTimeout       sim.Time // request.timeout.ms; before 0.9 (KIP-19) a client waits for ever
	RetryBackoff         sim.Time // retry.backoff.ms; also the least time between two metadata requests
	RetryBackoffMax      sim.Time // retry.backoff.max.ms from 3.7; before, RetryBackoff: no growth
	ReconnectBackoff     sim.Time // reconnect.backoff.ms
	ReconnectBackoffMax  sim.Time // reconnect.backoff.max.ms from 0.11; before, ReconnectBackoff
	ConnectionTimeout    sim.Time // socket.connection.setup.timeout.ms from 2.7; before, RequestTimeout
	ConnectionTimeoutMax sim.Time // socket.connection.setup.timeout.max.ms
	MetadataMaxAge       sim.Time // metadata.max.age.ms
	MaxInFlight          int      // requests on one connection: max.in.flight.requests.per.connection; a consumer has 100
	Rebootstrap          bool     // metadata.recovery.strategy=rebootstrap (KIP-899)
}

// ConfigOf reads the shared settings. maxInFlight is the bound on requests of one connection.
func ConfigOf(v *config.Values, maxInFlight int) Config {
	c := Config{
		RequestTimeout:       sim.Never,
		RetryBackoff:         v.Ms("retry.backoff.ms"),
		RetryBackoffMax:      v.Ms("retry.backoff.max.ms"),
		ReconnectBackoff:     v.Ms("reconnect.backoff.ms"),
		ReconnectBackoffMax:  v.Ms("reconnect.backoff.max.ms"),
		ConnectionTimeout:    v.Ms("socket.connection.setup.timeout.ms"),
		ConnectionTimeoutMax: v.Ms("socket.connection.setup.timeout.max.ms"),
		MetadataMaxAge:       v.Ms("metadata.max.age.ms"),
		MaxInFlight:          maxInFlight,
		Rebootstrap:          v.Text("metadata.recovery.strategy") == "rebootstrap",
	}
	if v.Has("request.timeout.ms") {
		c.RequestTimeout = v.Ms("request.timeout.ms")
	}
	return c
}

// Backoff is the wait before another attempt: initial after the first failure (failures 0), then doubled
// with every further one, at most max.
//
// Kafka: ExponentialBackoff with base 2; its jitter of 20 % is left out.
func Backoff(initial, max sim.Time, failures int) sim.Time {
	b := initial
	for i := 0; i < failures && b < max; i++ {
		b *= 2
	}
	return min(b, max)
}
