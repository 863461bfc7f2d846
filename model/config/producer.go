package config

const (
	maxInt  = "2147483647"
	maxLong = "9223372036854775807"
)

// Why a setting has no effect.
const (
	noMembership = "the model works out no rebalance of a group by itself; a script orders it"
	noCompaction = "the model does not compact logs yet"
	noSegments   = "the model does not cut logs into segments yet"
	noEncoding   = "the model counts bytes but does not encode records"
	noAddresses  = "the model's clients know every broker"
	noZkConsumer = "the model has no consumer that keeps its state in ZooKeeper"
	noQuorum     = "the model has no election among controllers yet"
)

// producerDefs are the settings of the Java producer. It came with 0.8.2; a model of 0.8.0 or 0.8.1 is
// given that producer, and not the Scala one, whose settings were others.
var producerDefs = from("ProducerConfig",
	Def{Key: "acks", Kind: String, Enum: []string{"all", "-1", "0", "1"}, Eras: by("1", "3.0", "all"),
		Meaning: "what the leader waits for before it answers: nothing (0), its own log (1), all in-sync replicas (all)",
		Note:    "an idempotent producer has all unless acks is set (before 3.0 too); 3.0 by KIP-679"},
	Def{Key: "retries", Kind: Int, Eras: by("0", "2.1", maxInt),
		Meaning: "how often a failed batch is sent again",
		Note:    "an idempotent producer has 2147483647 unless retries is set; 2.1 by KIP-91"},
	Def{Key: "delivery.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("2.1"), Eras: by("120000"), Absent: maxInt,
		Meaning: "longest time from send() to the outcome of a record",
		Note:    "KIP-91; if it is not set and less than linger.ms + request.timeout.ms, it is their sum"},
	Def{Key: "request.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("30000"), Absent: maxInt,
		Meaning: "longest wait for the answer to a request; also how long a broker waits for acks=all",
		Note:    "KIP-19; the producer of 0.8.2 waits for an answer until the connection breaks"},
	Def{Key: "timeout.ms", Kind: Int, Unit: Milliseconds, Until: ver("0.11"), Eras: by("30000"), Formerly: "request.timeout.ms",
		Meaning: "how long a broker waits for acks=all",
		Note:    "from 0.9 on a deprecated name of request.timeout.ms (KIP-19), which it then reads as"},
	Def{Key: "retry.backoff.ms", Kind: Long, Unit: Milliseconds, Eras: by("100"),
		Meaning: "wait before a failed request is tried again"},
	Def{Key: "retry.backoff.max.ms", Kind: Long, Unit: Milliseconds, Since: ver("3.7"), Eras: by("1000"), Formerly: "retry.backoff.ms",
		Meaning: "bound of that wait, which doubles with every failure",
		Note:    "KIP-580; before, the wait does not grow"},
	Def{Key: "reconnect.backoff.ms", Kind: Long, Unit: Milliseconds, Eras: by("10", "0.9", "50"),
		Meaning: "wait before a broken connection is opened again"},
	Def{Key: "reconnect.backoff.max.ms", Kind: Long, Unit: Milliseconds, Since: ver("0.11"), Eras: by("1000"), Formerly: "reconnect.backoff.ms",
		Meaning: "bound of that wait, which doubles with every failure",
		Note:    "KIP-144; if only reconnect.backoff.ms is set, the wait does not grow"},
	Def{Key: "linger.ms", Kind: Long, Unit: Milliseconds, Eras: by("0", "4.0", "5"),
		Meaning: "how long a batch waits for more records",
		Note:    "4.0 by KIP-1030"},
	Def{Key: "batch.size", Kind: Int, Eras: by("16384"),
		Meaning: "bytes at which a batch is full"},
	Def{Key: "buffer.memory", Kind: Long, Eras: by("33554432"),
		Meaning: "bytes of records that may wait in the producer; then send() blocks"},
	Def{Key: "max.block.ms", Kind: Long, Unit: Milliseconds, Since: ver("0.9"), Eras: by("60000"), Formerly: "metadata.fetch.timeout.ms",
		Meaning: "how long send() blocks for metadata or for buffer space",
		Note:    "KIP-19"},
	Def{Key: "block.on.buffer.full", Kind: Boolean, Until: ver("0.11"), Eras: by("true", "0.9", "false"), Absent: "false",
		Meaning: "whether send() blocks for good when the buffer is full, instead of for max.block.ms",
		Note:    "with false, the producer of 0.8.2 fails at once"},
	Def{Key: "metadata.fetch.timeout.ms", Kind: Long, Unit: Milliseconds, Until: ver("0.11"), Eras: by("60000"), Absent: "60000",
		Meaning: "how long send() blocks for metadata",
		Note:    "from 0.9 on a deprecated name of max.block.ms (KIP-19)"},
	Def{Key: "max.request.size", Kind: Int, Eras: by("1048576"),
		Meaning: "bytes of the largest request, and so of the largest record"},
	Def{Key: "max.in.flight.requests.per.connection", Kind: Int, Min: 1, Eras: by("5"),
		Meaning: "requests that may be without an answer on one connection",
		Note:    "with idempotence: 1 in 0.11, at most 5 from 1.0 on; from 4.0 on more than 5 is an error unless idempotence is set to false"},
	Def{Key: "enable.idempotence", Kind: Boolean, Since: ver("0.11"), Eras: by("false", "3.0", "true"), Absent: "false",
		Meaning: "whether brokers recognise a batch that they have already",
		Instead: "the default is documented, and applied from 3.0.1, 3.1.1 and 3.2.0 on (KAFKA-13598)",
		Note:    "KIP-98, KIP-679; off if acks, retries or max.in.flight contradict it and it is not set"},
	Def{Key: "transactional.id", Kind: String, Since: ver("0.11"), Eras: by(Null), Absent: Null,
		Meaning: "name under which a producer's transactions outlive its process",
		Note:    "KIP-98; implies idempotence"},
	Def{Key: "transaction.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.11"), Eras: by("60000"), Absent: "60000",
		Meaning: "after which the coordinator aborts an open transaction"},
	Def{Key: "metadata.max.age.ms", Kind: Long, Unit: Milliseconds, Eras: by("300000"),
		Meaning: "age at which metadata are asked for again"},
	Def{Key: "metadata.max.idle.ms", Kind: Long, Unit: Milliseconds, Min: 5000, Since: ver("2.5"), Eras: by("300000"), Absent: "300000",
		Unmodelled: "the model's clients do not forget a topic",
		Meaning:    "after which a topic that is not written to is forgotten"},
	recoveryStrategy(), rebootstrapTrigger(), connectionSetup(), connectionSetupMax(),
	Def{Key: "partitioner.class", Kind: Class, Since: ver("0.9"), Eras: by("DefaultPartitioner", "3.3", Null), Absent: "DefaultPartitioner",
		Enum: []string{"DefaultPartitioner"}, Later: []Limits{
			{From: ver("2.4"), Enum: []string{"DefaultPartitioner", "RoundRobinPartitioner", "UniformStickyPartitioner"}},
			{From: ver("4.0"), Enum: []string{"RoundRobinPartitioner"}}},
		Unmodelled: "the model's producer has the partitioner of its version",
		Meaning:    "what chooses the partition of a record",
		Note:       "from 3.3 on null: the producer's own (KIP-794)"},
	Def{Key: "partitioner.adaptive.partitioning.enable", Kind: Boolean, Since: ver("3.3"), Eras: by("true"), Absent: "false",
		Unmodelled: "the model's partitioner does not look at queues",
		Meaning:    "whether a slow partition gets fewer records without a key"},
	Def{Key: "partitioner.ignore.keys", Kind: Boolean, Since: ver("3.3"), Eras: by("false"), Absent: "false",
		Unmodelled: "the model's partitioner honours keys",
		Meaning:    "whether records with a key are spread as those without"},
	Def{Key: "client.id", Kind: String, Eras: by(""),
		Unmodelled: "the model names clients after the scenario's names",
		Meaning:    "name of the client in logs and quotas"},
	Def{Key: "compression.type", Kind: String, Enum: []string{"none", "gzip", "snappy", "lz4"}, Eras: by("none"), Unmodelled: noEncoding,
		Later:   []Limits{{From: ver("2.1"), Enum: []string{"none", "gzip", "snappy", "lz4", "zstd"}}},
		Meaning: "how batches are compressed"},
	Def{Key: "bootstrap.servers", Kind: List, Eras: by(Required, "1.1", "", "4.2", Required), Unmodelled: noAddresses,
		Meaning: "brokers asked first"},
	Def{Key: "key.serializer", Kind: Class, Eras: by(Required), Unmodelled: noEncoding,
		Meaning: "what turns a key into bytes"},
	Def{Key: "value.serializer", Kind: Class, Eras: by(Required), Unmodelled: noEncoding,
		Meaning: "what turns a value into bytes"},
)

// The next four are the same for producers and consumers.

func recoveryStrategy() Def {
	return Def{Key: "metadata.recovery.strategy", Kind: String, Enum: []string{"none", "rebootstrap"}, Since: ver("3.8"),
		Eras: by("none", "4.0", "rebootstrap"), Absent: "none",
		Meaning: "what a client does when it knows no broker that answers",
		Note:    "KIP-899; the default of 4.0 by KIP-1102, which came after the source that was read"}
}

func rebootstrapTrigger() Def {
	return Def{Key: "metadata.recovery.rebootstrap.trigger.ms", Kind: Long, Unit: Milliseconds, Since: ver("4.0"),
		Eras: by("300000"), Absent: maxLong, Unmodelled: "the model starts anew only when no broker is left to ask",
		Meaning: "after which a client without fresh metadata starts anew from bootstrap.servers",
		Note:    "KIP-1102, which came after the source that was read"}
}

func connectionSetup() Def {
	return Def{Key: "socket.connection.setup.timeout.ms", Kind: Long, Unit: Milliseconds, Since: ver("2.7"),
		Eras: by("10000"), Formerly: "request.timeout.ms",
		Meaning: "longest wait for a connection to be established",
		Note:    "KIP-601"}
}

func connectionSetupMax() Def {
	return Def{Key: "socket.connection.setup.timeout.max.ms", Kind: Long, Unit: Milliseconds, Since: ver("2.7"),
		Eras: by("127000", "2.8", "30000"), Formerly: "request.timeout.ms",
		Meaning: "bound of that wait, which doubles with every failure",
		Note:    "KIP-601"}
}
