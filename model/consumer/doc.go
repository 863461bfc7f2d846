// Package consumer is a consuming application: KafkaConsumer with partitions that the application takes for
// itself, and the loop around it.
//
// The loop is data, a list of verbs, and the order of the verbs is what the application promises:
// [poll, process, commit] repeats what a crash interrupts, [poll, commit, process] forgets it, and
// [poll, process] with enable.auto.commit repeats it too, because the commit inside a poll covers what
// earlier polls returned. Hand the records to another thread and that is no longer so.
//
// There is one thread for the consumer, as in Kafka. What brokers answer while the application does
// something else lies in the inbox until the next call of poll, commitSync or close looks at it; only
// connections, time-outs and metadata go on by themselves (in Kafka they too wait for the next call).
//
// Simplified: a position that is committed already is not committed again by the auto-commit (Kafka sends it
// every auto.commit.interval.ms); a partition whose fetch failed is fetched again after retry.backoff.ms or
// with newer metadata (Kafka asks again at once, as fast as the broker answers); a poll that finds nothing
// goes on waiting, where an application would call it again; there are no fetch sessions and no byte limits.
package consumer
