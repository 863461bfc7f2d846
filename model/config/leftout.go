package config

import (
	"slices"
	"strings"
)

// without are settings of Kafka that have no row in the tables, put together by why.
type without struct {
	// harmless says that no value which Kafka takes can change a verdict. Only then may a scenario set one.
	harmless bool
	why      string
	nodes    []string // of producers, consumers and brokers
	of       [sections][]string
}

// leftOut has the settings of Kafka 0.8.2 to 4.4, from the classes that define them, that the model has no part for.
// Each list is sorted.
var leftOut = []without{
	{harmless: true, why: "whoever connects here may do what it does, and nothing is encrypted",
		nodes: []string{
			"principal.builder.class", "sasl.client.callback.handler.class", "sasl.enabled.mechanisms", "sasl.jaas.config",
			"sasl.kerberos.kinit.cmd", "sasl.kerberos.min.time.before.relogin", "sasl.kerberos.principal.to.local.rules",
			"sasl.kerberos.service.name", "sasl.kerberos.ticket.renew.jitter", "sasl.kerberos.ticket.renew.window.factor",
			"sasl.login.callback.handler.class", "sasl.login.class", "sasl.login.connect.timeout.ms",
			"sasl.login.read.timeout.ms", "sasl.login.refresh.buffer.seconds", "sasl.login.refresh.min.period.seconds",
			"sasl.login.refresh.window.factor", "sasl.login.refresh.window.jitter", "sasl.login.retry.backoff.max.ms",
			"sasl.login.retry.backoff.ms", "sasl.mechanism", "sasl.oauthbearer.allow.unverified.audience",
			"sasl.oauthbearer.allow.unverified.issuer", "sasl.oauthbearer.assertion.algorithm",
			"sasl.oauthbearer.assertion.claim.aud", "sasl.oauthbearer.assertion.claim.exp.seconds",
			"sasl.oauthbearer.assertion.claim.iss", "sasl.oauthbearer.assertion.claim.jti.include",
			"sasl.oauthbearer.assertion.claim.nbf.seconds", "sasl.oauthbearer.assertion.claim.sub",
			"sasl.oauthbearer.assertion.file", "sasl.oauthbearer.assertion.private.key.file",
			"sasl.oauthbearer.assertion.private.key.passphrase", "sasl.oauthbearer.assertion.template.file",
			"sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.credentials.client.secret",
			"sasl.oauthbearer.clock.skew.seconds", "sasl.oauthbearer.expected.audience", "sasl.oauthbearer.expected.issuer",
			"sasl.oauthbearer.header.urlencode", "sasl.oauthbearer.jwks.endpoint.refresh.ms",
			"sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
			"sasl.oauthbearer.jwks.endpoint.url", "sasl.oauthbearer.jwt.retriever.class",
			"sasl.oauthbearer.jwt.validator.class", "sasl.oauthbearer.scope", "sasl.oauthbearer.scope.claim.name",
			"sasl.oauthbearer.sub.claim.name", "sasl.oauthbearer.token.endpoint.url", "security.protocol",
			"security.providers", "ssl.cipher.suites", "ssl.client.auth", "ssl.enabled.protocols",
			"ssl.endpoint.identification.algorithm", "ssl.engine.factory.class", "ssl.key.password",
			"ssl.keymanager.algorithm", "ssl.keystore.certificate.chain", "ssl.keystore.key", "ssl.keystore.location",
			"ssl.keystore.password", "ssl.keystore.type", "ssl.protocol", "ssl.provider", "ssl.secure.random.implementation",
			"ssl.trustmanager.algorithm", "ssl.truststore.certificates", "ssl.truststore.location",
			"ssl.truststore.password", "ssl.truststore.type",
		},
		of: [sections][]string{
			Broker: {
				"authorizer.class.name", "connection.failed.authentication.delay.ms", "connections.max.reauth.ms",
				"delegation.token.expiry.check.interval.ms", "delegation.token.expiry.time.ms",
				"delegation.token.master.key", "delegation.token.max.lifetime.ms", "delegation.token.secret.key",
				"password.encoder.cipher.algorithm", "password.encoder.iterations", "password.encoder.key.length",
				"password.encoder.keyfactory.algorithm", "password.encoder.old.secret", "password.encoder.secret",
				"sasl.mechanism.controller.protocol", "sasl.mechanism.inter.broker.protocol",
				"sasl.server.callback.handler.class", "sasl.server.max.receive.size",
				"security.inter.broker.protocol", "ssl.allow.dn.changes", "ssl.allow.san.changes",
				"ssl.principal.mapping.rules", "zookeeper.client.secure", "zookeeper.clientCnxnSocket",
				"zookeeper.set.acl", "zookeeper.ssl.cipher.suites", "zookeeper.ssl.client.enable",
				"zookeeper.ssl.crl.enable", "zookeeper.ssl.enabled.protocols",
				"zookeeper.ssl.endpoint.identification.algorithm", "zookeeper.ssl.keystore.location",
				"zookeeper.ssl.keystore.password", "zookeeper.ssl.keystore.type", "zookeeper.ssl.ocsp.enable",
				"zookeeper.ssl.protocol", "zookeeper.ssl.truststore.location", "zookeeper.ssl.truststore.password",
				"zookeeper.ssl.truststore.type",
			},
		}},
	{harmless: true, why: "nodes find each other by their names here",
		nodes: []string{
			"bootstrap.resolve.timeout.ms",
		},
		of: [sections][]string{
			Producer: {
				"client.dns.lookup",
			},
			Consumer: {
				"client.dns.lookup", "consumer.id", "zookeeper.connect",
			},
			Broker: {
				"advertised.host.name", "advertised.listeners", "advertised.port", "controller.listener.names",
				"controller.quorum.bootstrap.servers", "early.start.listeners", "host.name",
				"inter.broker.listener.name", "listener.security.protocol.map", "listeners", "port",
				"zookeeper.connect",
			},
		}},
	{harmless: true, why: "it is about what is measured and reported",
		nodes: []string{
			"auto.include.jmx.reporter", "metric.reporters", "metrics.num.samples", "metrics.recording.level",
			"metrics.sample.window.ms",
		},
		of: [sections][]string{
			Producer: {
				"enable.metrics.push",
			},
			Consumer: {
				"enable.metrics.push",
			},
			Broker: {
				"controller.performance.always.log.threshold.ms", "controller.performance.sample.period.ms",
				"kafka.metrics.polling.interval.secs", "kafka.metrics.reporters", "telemetry.max.bytes",
			},
		}},
	{harmless: true, why: "it is about memory and speed, and not about what is sent or kept",
		of: [sections][]string{
			Producer: {
				"buffer.memory.allocation.strategy", "receive.buffer.bytes", "send.buffer.bytes",
			},
			Consumer: {
				"receive.buffer.bytes", "send.buffer.bytes", "socket.receive.buffer.bytes",
			},
			Broker: {
				"background.threads", "delete.records.purgatory.purge.interval.requests",
				"fetch.purgatory.purge.interval.requests", "group.coordinator.background.threads",
				"group.coordinator.cached.buffer.max.bytes", "group.coordinator.threads", "log.cleaner.dedupe.buffer.size",
				"log.cleaner.io.buffer.load.factor", "log.cleaner.io.buffer.size", "log.cleaner.io.max.bytes.per.second",
				"log.preallocate", "num.replica.alter.log.dirs.threads", "offsets.load.buffer.size",
				"producer.purgatory.purge.interval.requests", "replica.socket.receive.buffer.bytes",
				"share.coordinator.load.buffer.size", "share.fetch.purgatory.purge.interval.requests",
				"socket.listen.backlog.size", "socket.receive.buffer.bytes", "socket.send.buffer.bytes",
				"transaction.state.log.load.buffer.size",
			},
			Topic: {
				"preallocate",
			},
		}},
	{harmless: true, why: "a record says the same however it is compressed",
		of: [sections][]string{
			Producer: {
				"compression.gzip.level", "compression.lz4.level", "compression.zstd.level",
			},
			Broker: {
				"compression.gzip.level", "compression.lz4.level", "compression.zstd.level",
				"offsets.topic.compression.codec",
			},
			Topic: {
				"compression.gzip.level", "compression.lz4.level", "compression.zstd.level",
			},
		}},
	{harmless: true, why: "a broker here has one directory, which is lost as a whole or not at all",
		of: [sections][]string{
			Broker: {
				"log.dir", "log.dirs", "metadata.log.dir",
			},
		}},
	{harmless: true, why: "it is about share groups and groups of the streams protocol, and no application here is in one",
		of: [sections][]string{
			Consumer: {
				"share.acknowledgement.mode", "share.acquire.mode",
			},
			Broker: {
				"errors.deadletterqueue.auto.create.topics.enable", "errors.deadletterqueue.topic.name.prefix",
				"group.share.assignment.interval.ms", "group.share.assignor.offload.enable", "group.share.assignors",
				"group.share.delivery.count.limit", "group.share.dlq.manager.class.name", "group.share.enable",
				"group.share.heartbeat.interval.ms", "group.share.initialize.retry.interval.ms",
				"group.share.max.assignment.interval.ms", "group.share.max.delivery.count.limit", "group.share.max.groups",
				"group.share.max.heartbeat.interval.ms", "group.share.max.partition.max.record.locks",
				"group.share.max.record.lock.duration.ms", "group.share.max.session.timeout.ms",
				"group.share.max.share.sessions", "group.share.max.size", "group.share.min.assignment.interval.ms",
				"group.share.min.delivery.count.limit", "group.share.min.heartbeat.interval.ms",
				"group.share.min.partition.max.record.locks", "group.share.min.record.lock.duration.ms",
				"group.share.min.session.timeout.ms", "group.share.partition.max.record.locks",
				"group.share.persister.class.name", "group.share.record.lock.duration.ms", "group.share.session.timeout.ms",
				"group.streams.acceptable.recovery.lag", "group.streams.assignment.interval.ms",
				"group.streams.assignor.offload.enable", "group.streams.assignors", "group.streams.heartbeat.interval.ms",
				"group.streams.initial.rebalance.delay.ms", "group.streams.max.assignment.interval.ms",
				"group.streams.max.heartbeat.interval.ms", "group.streams.max.session.timeout.ms", "group.streams.max.size",
				"group.streams.max.standby.replicas", "group.streams.max.warmup.replicas",
				"group.streams.min.assignment.interval.ms", "group.streams.min.heartbeat.interval.ms",
				"group.streams.min.session.timeout.ms", "group.streams.min.task.offset.interval.ms",
				"group.streams.num.standby.replicas", "group.streams.num.warmup.replicas",
				"group.streams.rack.aware.assignment.tags", "group.streams.session.timeout.ms",
				"group.streams.task.offset.interval.ms", "group.streams.topology.description.plugin.class",
				"share.coordinator.append.linger.ms", "share.coordinator.cached.buffer.max.bytes",
				"share.coordinator.cold.partition.snapshot.interval.ms",
				"share.coordinator.snapshot.update.records.per.snapshot", "share.coordinator.state.topic.compression.codec",
				"share.coordinator.state.topic.min.isr", "share.coordinator.state.topic.num.partitions",
				"share.coordinator.state.topic.prune.interval.ms", "share.coordinator.state.topic.replication.factor",
				"share.coordinator.state.topic.segment.bytes", "share.coordinator.threads",
				"share.coordinator.write.timeout.ms", "share.fetch.max.fetch.records",
			},
			Topic: {
				"errors.deadletterqueue.group.enable",
			},
		}},
	{harmless: true, why: "no application here subscribes by a pattern",
		of: [sections][]string{
			Consumer: {
				"exclude.internal.topics",
			},
			Broker: {
				"group.consumer.regex.refresh.interval.ms",
			},
		}},
	{harmless: true, why: "the controller here keeps its whole log",
		of: [sections][]string{
			Broker: {
				"metadata.log.max.record.bytes.between.snapshots", "metadata.log.max.snapshot.interval.ms",
				"metadata.log.segment.bytes", "metadata.log.segment.min.bytes", "metadata.log.segment.ms",
				"metadata.max.retention.bytes", "metadata.max.retention.ms",
			},
		}},
	{why: "it is code of one's own, which the model does not run",
		of: [sections][]string{
			Producer: {
				"config.providers", "interceptor.classes",
			},
			Consumer: {
				"config.providers", "interceptor.classes",
			},
			Broker: {
				"alter.config.policy.class.name", "client.quota.callback.class", "config.providers",
				"create.topic.policy.class.name", "group.consumer.assignors", "replica.selector.class",
			},
		}},
	{why: "the model does not slow anybody down",
		of: [sections][]string{
			Broker: {
				"alter.log.dirs.replication.quota.window.num",
				"alter.log.dirs.replication.quota.window.size.seconds", "controller.quota.window.num",
				"controller.quota.window.size.seconds", "follower.replication.throttled.rate",
				"leader.replication.throttled.rate", "quota.consumer.default", "quota.producer.default",
				"quota.window.num", "quota.window.size.seconds", "replica.alter.log.dirs.io.max.bytes.per.second",
				"replication.quota.window.num", "replication.quota.window.size.seconds",
			},
			Topic: {
				"follower.replication.throttled.replicas", "leader.replication.throttled.replicas",
			},
		}},
	{why: "the model's connections have no bound, and are not closed for being idle",
		nodes: []string{
			"connections.max.idle.ms",
		},
		of: [sections][]string{
			Consumer: {
				"num.consumer.fetchers", "queued.max.message.chunks",
			},
			Broker: {
				"controller.message.queue.size", "fetch.max.bytes", "max.connection.creation.rate",
				"max.connections", "max.connections.per.ip", "max.connections.per.ip.overrides",
				"max.incremental.fetch.session.cache.slots", "max.request.partition.size.limit",
				"queued.max.request.bytes", "socket.connection.setup.timeout.max.ms",
				"socket.connection.setup.timeout.ms", "socket.request.max.bytes", "zookeeper.max.in.flight.requests",
			},
		}},
	{why: "the model has no tiered storage",
		of: [sections][]string{
			Broker: {
				"follower.fetch.last.tiered.offset.enable", "log.local.retention.bytes", "log.local.retention.ms",
				"log.remote.copy.lag.bytes", "log.remote.copy.lag.ms", "remote.fetch.max.wait.ms",
				"remote.list.offsets.request.timeout.ms", "remote.log.copy.disable", "remote.log.delete.on.disable",
				"remote.log.index.file.cache.total.size.bytes", "remote.log.index.file.cache.ttl.ms",
				"remote.log.manager.copier.thread.pool.size", "remote.log.manager.copy.max.bytes.per.second",
				"remote.log.manager.copy.quota.window.num", "remote.log.manager.copy.quota.window.size.seconds",
				"remote.log.manager.expiration.thread.pool.size", "remote.log.manager.fetch.max.bytes.per.second",
				"remote.log.manager.fetch.quota.window.num", "remote.log.manager.fetch.quota.window.size.seconds",
				"remote.log.manager.follower.thread.pool.size", "remote.log.manager.task.interval.ms",
				"remote.log.manager.task.retry.backoff.max.ms", "remote.log.manager.task.retry.backoff.ms",
				"remote.log.manager.task.retry.jitter", "remote.log.manager.thread.pool.size",
				"remote.log.metadata.consume.wait.ms", "remote.log.metadata.custom.metadata.max.bytes",
				"remote.log.metadata.initialization.retry.interval.ms",
				"remote.log.metadata.initialization.retry.max.timeout.ms", "remote.log.metadata.manager.class.name",
				"remote.log.metadata.manager.class.path", "remote.log.metadata.manager.impl.prefix",
				"remote.log.metadata.manager.listener.name", "remote.log.metadata.topic.min.isr",
				"remote.log.metadata.topic.num.partitions", "remote.log.metadata.topic.replication.factor",
				"remote.log.metadata.topic.retention.ms", "remote.log.reader.max.pending.tasks", "remote.log.reader.threads",
				"remote.log.storage.manager.class.name", "remote.log.storage.manager.class.path",
				"remote.log.storage.manager.impl.prefix", "remote.log.storage.system.enable", "remote.storage.enable",
			},
			Topic: {
				"local.retention.bytes", "local.retention.ms", "remote.copy.lag.bytes", "remote.copy.lag.ms",
				"remote.log.copy.disable", "remote.log.delete.on.disable", "remote.storage.enable",
			},
		}},
	{why: "the model deletes records only by delete-records",
		of: [sections][]string{
			Broker: {
				"log.flush.interval.ms.per.topic", "log.initial.task.delay.ms", "log.retention.bytes.per.topic",
				"log.retention.hours.per.topic", "log.roll.hours.per.topic", "log.segment.bytes.per.topic",
			},
		}},
	{why: "the rules of a run are those of its release; features switches single ones",
		of: [sections][]string{
			Producer: {
				"transaction.two.phase.commit.enable",
			},
			Broker: {
				"eligible.leader.replicas.enable", "group.coordinator.new.enable", "inter.broker.protocol.version",
				"log.message.downconversion.enable", "log.message.format.version", "transaction.two.phase.commit.enable",
				"unstable.api.versions.enable", "unstable.feature.versions.enable", "unstable.metadata.versions.enable",
				"zookeeper.metadata.migration.enable", "zookeeper.metadata.migration.min.batch.size",
			},
			Topic: {
				"message.downconversion.enable", "message.format.version",
			},
		}},
	{why: "the nodes of a run, and what each of them is, are as the scenario has them",
		of: [sections][]string{
			Producer: {
				"metadata.cluster.check.enable",
			},
			Consumer: {
				"metadata.cluster.check.enable",
			},
			Broker: {
				"alter.config.policy.kraft.compatibility.enable", "broker.id", "broker.id.generation.enable",
				"control.plane.listener.name", "controller.quorum.auto.join.enable", "controller.quorum.fetch.max.bytes",
				"controller.quorum.fetch.snapshot.max.bytes", "controller.quorum.voters", "cordoned.log.dirs",
				"internal.metadata.max.fetch.size.in.bytes", "log.dir.failure.timeout.ms", "node.id", "process.roles",
				"reserved.broker.max.id", "server.max.startup.time.ms", "zookeeper.sync.time.ms",
			},
		}},
	{why: "the model works out no rebalance of a group by itself; a script orders it",
		of: [sections][]string{
			Broker: {
				"group.consumer.assignment.interval.ms", "group.consumer.assignor.offload.enable",
				"group.consumer.max.assignment.interval.ms", "group.consumer.max.size",
				"group.consumer.migration.policy", "group.consumer.min.assignment.interval.ms",
				"group.coordinator.append.linger.ms",
			},
		}},
	{why: "the model goes by other rules there",
		of: [sections][]string{
			Producer: {
				"client.rack", "internal.auto.downgrade.txn.commit", "partitioner.availability.timeout.ms",
				"partitioner.rack.aware",
			},
			Consumer: {
				"internal.leave.group.on.close", "internal.throw.on.fetch.stable.offset.unsupported",
				"metadata.fetch.timeout.ms", "offsets.channel.backoff.ms", "offsets.channel.socket.timeout.ms",
				"offsets.commit.max.retries",
			},
			Broker: {
				"add.partitions.to.txn.retry.backoff.max.ms", "add.partitions.to.txn.retry.backoff.ms",
				"internal.metadata.delete.delay.millis", "internal.metadata.log.segment.bytes",
				"internal.metadata.max.batch.size.in.bytes", "internal.segment.bytes", "max.decompressed.message.bytes",
			},
			Topic: {
				"internal.segment.bytes", "max.decompressed.message.bytes",
			},
		}},
}

// outside finds a setting of Kafka that the model has no part for. It is told apart from a misspelt key, because the
// advice is another.
func outside(s Section, key string) (without, bool) {
	if of, ok := strings.CutPrefix(key, "listener.name."); ok && s == Broker { // for one listener: its name, and the setting
		_, key, _ = strings.Cut(of, ".")
	}
	for _, w := range leftOut {
		if _, found := slices.BinarySearch(w.of[s], key); found {
			return w, true
		}
		if _, found := slices.BinarySearch(w.nodes, key); found && s != Topic {
			return w, true
		}
	}
	return without{}, false
}

// outsideKeys lists the keys of a section that the tables do not have.
func outsideKeys(s Section) (keys []string) {
	for _, w := range leftOut {
		if keys = append(keys, w.of[s]...); s != Topic {
			keys = append(keys, w.nodes...)
		}
	}
	return keys
}

// Harmless says that a setting of Kafka, whatever its value, can not change a verdict, and why.
func Harmless(s Section, key string) (why string, yes bool) {
	if i := index(s, key); i >= 0 {
		d := &tables[s][i]
		return d.Unmodelled, d.Harmless
	}
	w, ok := outside(s, key)
	return w.why, ok && w.harmless
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
