package client

import (
	"kafkatrial/model/config"
	"kafkatrial/sim"
)

// Config holds the settings that producer and consumer share, with Kafka's keys.
type Config struct {
	RequestTimeout       sim.Time // request.timeout.ms; before 0.9 (KIP-19) a client waits for ever
	RetryBackoff         sim.Time // retry.backoff.ms; also the least time between two metadata requests
	RetryBackoffMax      sim.Time // retry.backoff.max.ms from 3.7; RetryBackoff before: no growth
	ReconnectBackoff     sim.Time // reconnect.backoff.ms
	ReconnectBackoffMax  sim.Time // reconnect.backoff.max.ms from 0.11; ReconnectBackoff before
	ConnectionTimeout    sim.Time // socket.connection.setup.timeout.ms from 2.7; RequestTimeout before
	ConnectionTimeoutMax sim.Time // socket.connection.setup.timeout.max.ms
	MetadataMaxAge       sim.Time // metadata.max.age.ms
	MaxInFlight          int      // requests on one connection: max.in.flight.requests.per.connection; a consumer has 100
	Rebootstrap          bool     // metadata.recovery.strategy=rebootstrap (KIP-899)
}

// ConfigOf reads the shared settings. maxInFlight is the bound on requests of one connection.
func ConfigOf(v *config.Values, maxInFlight int) Config {
	c := Config{
		RequestTimeout:   optional(v, "request.timeout.ms", sim.Never),
		RetryBackoff:     v.Ms("retry.backoff.ms"),
		ReconnectBackoff: v.Ms("reconnect.backoff.ms"),
		MetadataMaxAge:   v.Ms("metadata.max.age.ms"),
		MaxInFlight:      maxInFlight,
	}
	c.RetryBackoffMax = optional(v, "retry.backoff.max.ms", c.RetryBackoff)
	c.ReconnectBackoffMax = optional(v, "reconnect.backoff.max.ms", c.ReconnectBackoff)
	c.ConnectionTimeout = optional(v, "socket.connection.setup.timeout.ms", c.RequestTimeout)
	c.ConnectionTimeoutMax = optional(v, "socket.connection.setup.timeout.max.ms", c.ConnectionTimeout)
	if known, _ := config.Known(v.Section(), "metadata.recovery.strategy"); known && v.Has("metadata.recovery.strategy") {
		c.Rebootstrap = v.Text("metadata.recovery.strategy") == "rebootstrap"
	}
	return c
}

// optional reads a length of time that not every version has.
func optional(v *config.Values, key string, absent sim.Time) sim.Time {
	if known, _ := config.Known(v.Section(), key); known && v.Has(key) {
		return v.Ms(key)
	}
	return absent
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
