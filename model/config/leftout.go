package config

import (
	"slices"
	"strings"
)

// families begin the names of settings that no section has a part for: encryption, quotas, monitoring,
// addresses, tiered storage, share groups.
var families = []string{
	"advertised.",
	"delegation.",
	"group.share.",
	"internal.",
	"kafka.metrics",
	"listener",
	"metric.",
	"metrics.",
	"password.",
	"quota.",
	"remote.log",
	"sasl.",
	"security.",
	"ssl.",
	"telemetry.",
	"zookeeper.ssl",
}

// others are the remaining settings of Kafka, of any version, that the model leaves out. Each list is sorted.
var others = [sections][]string{
	Producer: {
		"auto.include.jmx.reporter", "client.dns.lookup", "compression.gzip.level", "compression.lz4.level",
		"compression.zstd.level", "connections.max.idle.ms", "enable.metrics.push", "interceptor.classes",
		"partitioner.availability.timeout.ms", "receive.buffer.bytes", "send.buffer.bytes",
	},
	Consumer: {
		"auto.include.jmx.reporter", "client.dns.lookup", "connections.max.idle.ms", "consumer.id",
		"enable.metrics.push", "exclude.internal.topics", "interceptor.classes", "metadata.fetch.timeout.ms",
		"num.consumer.fetchers", "offsets.channel.backoff.ms", "offsets.channel.socket.timeout.ms",
		"offsets.commit.max.retries", "queued.max.message.chunks", "receive.buffer.bytes", "send.buffer.bytes",
		"socket.receive.buffer.bytes", "zookeeper.connect",
	},
	Broker: {
		"alter.config.policy.class.name", "alter.log.dirs.replication.quota.window.num",
		"alter.log.dirs.replication.quota.window.size.seconds", "authorizer.class.name", "auto.include.jmx.reporter",
		"background.threads", "broker.id", "broker.id.generation.enable", "client.quota.callback.class",
		"connection.failed.authentication.delay.ms", "connections.max.idle.ms", "control.plane.listener.name",
		"controller.listener.names", "controller.message.queue.size", "controller.quorum.bootstrap.servers",
		"controller.quorum.voters", "controller.quota.window.num", "controller.quota.window.size.seconds",
		"create.topic.policy.class.name", "delete.records.purgatory.purge.interval.requests", "early.start.listeners",
		"fetch.max.bytes", "fetch.purgatory.purge.interval.requests", "group.consumer.assignors",
		"group.consumer.max.size", "group.consumer.migration.policy", "group.coordinator.append.linger.ms",
		"group.coordinator.new.enable", "group.coordinator.threads", "host.name", "inter.broker.listener.name",
		"inter.broker.protocol.version", "log.cleaner.dedupe.buffer.size", "log.cleaner.io.buffer.load.factor",
		"log.cleaner.io.buffer.size", "log.cleaner.io.max.bytes.per.second", "log.dir", "log.dir.failure.timeout.ms",
		"log.dirs", "log.flush.interval.ms.per.topic", "log.initial.task.delay.ms", "log.local.retention.bytes",
		"log.local.retention.ms", "log.message.downconversion.enable", "log.message.format.version", "log.preallocate",
		"log.retention.bytes.per.topic", "log.retention.hours.per.topic", "log.roll.hours.per.topic",
		"log.segment.bytes.per.topic", "max.connection.creation.rate", "max.connections", "max.connections.per.ip",
		"max.connections.per.ip.overrides", "max.incremental.fetch.session.cache.slots",
		"max.request.partition.size.limit", "metadata.log.dir", "metadata.log.max.record.bytes.between.snapshots",
		"metadata.log.max.snapshot.interval.ms", "metadata.log.segment.bytes", "metadata.log.segment.min.bytes",
		"metadata.log.segment.ms", "metadata.max.retention.bytes", "metadata.max.retention.ms", "node.id",
		"num.replica.alter.log.dirs.threads", "offsets.load.buffer.size", "offsets.topic.compression.codec",
		"process.roles", "producer.purgatory.purge.interval.requests", "queued.max.request.bytes",
		"replica.selector.class", "replica.socket.receive.buffer.bytes", "replication.quota.window.num",
		"replication.quota.window.size.seconds", "reserved.broker.max.id", "server.max.startup.time.ms",
		"socket.connection.setup.timeout.max.ms", "socket.connection.setup.timeout.ms", "socket.listen.backlog.size",
		"socket.receive.buffer.bytes", "socket.request.max.bytes", "socket.send.buffer.bytes",
		"transaction.state.log.load.buffer.size", "unstable.api.versions.enable", "unstable.feature.versions.enable",
		"unstable.metadata.versions.enable", "zookeeper.connect", "zookeeper.max.in.flight.requests",
		"zookeeper.metadata.migration.enable", "zookeeper.metadata.migration.min.batch.size", "zookeeper.set.acl",
		"zookeeper.sync.time.ms",
	},
	Topic: {
		"compression.gzip.level", "compression.lz4.level", "compression.zstd.level",
		"follower.replication.throttled.replicas", "leader.replication.throttled.replicas", "local.retention.bytes",
		"local.retention.ms", "message.downconversion.enable", "message.format.version", "preallocate",
		"remote.storage.enable",
	},
}

// leftOut says whether a key is a setting of Kafka that the model has no part for. It is told apart from a
// misspelt key because the advice is another: leave it away.
func leftOut(s Section, key string) bool {
	for _, f := range families {
		if strings.HasPrefix(key, f) {
			return true
		}
	}
	_, found := slices.BinarySearch(others[s], key)
	return found
}

// features says what stands for a feature level, which kafka-features.sh sets and no configuration.
func features(key string) (instead string, ok bool) {
	switch key {
	case "eligible.leader.replicas.version", "eligible.leader.replicas.enable":
		return "switch the rule kip-966", true
	case "transaction.version", "group.version", "share.version", "metadata.version", "kraft.version":
		return "it comes with the version of Kafka", true
	}
	return "", false
}
