package config

// unread lists the settings that nothing in the model reads yet, and why: a scenario that sets one is told so
// rather than misled.
var unread = map[string]string{
	"retention.ms":                         noRetention,
	"retention.bytes":                      noRetention,
	"log.retention.ms":                     noRetention,
	"log.retention.minutes":                noRetention,
	"log.retention.hours":                  noRetention,
	"log.retention.bytes":                  noRetention,
	"log.retention.check.interval.ms":      noRetention,
	"flush.ms":                             noTimedFlush,
	"log.flush.interval.ms":                noTimedFlush,
	"log.flush.scheduler.interval.ms":      noTimedFlush,
	"fetch.max.bytes":                      noFetchBytes,
	"max.partition.fetch.bytes":            noFetchBytes,
	"replica.fetch.max.bytes":              noFetchBytes,
	"replica.fetch.min.bytes":              noFetchBytes,
	"replica.fetch.response.max.bytes":     noFetchBytes,
	"message.max.bytes":                    noMessageBound,
	"max.message.bytes":                    noMessageBound,
	"message.timestamp.before.max.ms":      noTimestampBound,
	"message.timestamp.after.max.ms":       noTimestampBound,
	"num.partitions":                       asTheScenarioSays,
	"default.replication.factor":           asTheScenarioSays,
	"controlled.shutdown.retry.backoff.ms": "the model's broker asks again at once",
	"unclean.leader.election.interval.ms":  "the model's controller looks every five minutes",
	"controller.socket.timeout.ms":         "the model's brokers wait 30 s for the controller",
	"offsets.retention.minutes":            "the model's committed positions do not expire",
	"zookeeper.connection.timeout.ms":      "the model's clients wait for ZooKeeper without a bound",
}

const (
	noRetention       = "the model deletes records only by delete-records"
	noTimedFlush      = "the model's logs are flushed by count, on an orderly shutdown, and by a flush step"
	noFetchBytes      = "the model's fetches are bounded in records"
	noMessageBound    = "the model's brokers take batches of any size"
	noTimestampBound  = "the model's brokers do not judge timestamps"
	asTheScenarioSays = "the model's topics are as the scenario lists them"
)

// harmless lists settings without effect here that could not change a verdict whatever their value: they say how nodes find
// and name each other, how bytes are written, how fast something is, or how topics are made that nobody lists.
var harmless = []string{
	"allow.auto.create.topics", "auto.create.topics.enable", "bootstrap.servers", "broker.rack", "check.crcs", "client.id",
	"compression.type", "default.replication.factor", "delete.topic.enable", "file.delete.delay.ms", "index.interval.bytes",
	"key.deserializer", "key.serializer", "log.cleaner.threads", "log.index.interval.bytes", "log.segment.delete.delay.ms",
	"num.io.threads", "num.network.threads", "num.partitions", "num.recovery.threads.per.data.dir", "offset.metadata.max.bytes",
	"value.deserializer", "value.serializer",
}
