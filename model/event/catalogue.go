package event

// Kind is what is known of all events of one type.
type Kind struct {
	ID     string // stable: it enters the running hash, whatever the type is called
	Group  Group
	Weight int // of several events of a step, the heaviest gives it its sign on the time line
	Sign   Sign
	// Routine says that nothing is said of an event of the kind: a step that tells nothing else is folded.
	Routine bool
	// Words says that events of the kind do not tell one run from another: they are what is said of it.
	Words bool
}

// Group is what part of the system a kind belongs to.
type Group uint8

// The groups.
const (
	Replication  Group = iota + 1 // logs and replicas, by a broker
	Broker                        // a broker's life
	Transactions                  // coordinator, markers
	Groups                        // of consumers, by the coordinator
	Controller                    // and ZooKeeper
	Producer
	Client // connections and metadata of any client
	Consumer
	Application // the loop around a consumer, and what it keeps
	Database
	Script
)

// Sign is what stands for an event on the time line.
type Sign uint8

// The signs.
const (
	Other Sign = iota + 1
	Append
	Copy
	Cut
	HW
	Elected
	Crash
	ISR
	Send
	Ack
	Fail
	Retry
	Read
	Process
	CommitSign
	Told
)

// Catalogue lists the kinds of event, by what tells them.
var Catalogue = [...]Kind{
	// Logs and replicas, told by the broker.
	{ID: "leader-appended", Group: Replication, Weight: 7, Sign: Append},
	{ID: "follower-appended", Group: Replication, Weight: 7, Sign: Copy},
	{ID: "truncated", Group: Replication, Weight: 9, Sign: Cut},
	{ID: "high-watermark", Group: Replication, Weight: 6, Sign: HW},
	{ID: "log-start", Group: Replication, Weight: 5, Sign: Other},
	{ID: "became-leader", Group: Replication, Weight: 5, Sign: Elected},
	{ID: "became-follower", Group: Replication, Weight: 5, Sign: Other},
	{ID: "recovered", Group: Replication, Weight: 5, Sign: Other},
	{ID: "flushed", Group: Replication, Weight: 5, Sign: Other},
	{ID: "isr-proposed", Group: Replication, Weight: 5, Sign: ISR},
	{ID: "isr-committed", Group: Replication, Weight: 5, Sign: ISR},
	{ID: "isr-refused", Group: Replication, Weight: 5, Sign: Fail},
	{ID: "produce-refused", Group: Replication, Weight: 5, Sign: Fail},
	{ID: "produce-answered", Group: Replication, Weight: 6, Sign: Other},
	{ID: "fetch-refused", Group: Replication, Weight: 5, Sign: Fail},
	{ID: "epoch-answered", Group: Replication, Weight: 5, Sign: Other},
	{ID: "offsets-committed", Group: Groups, Weight: 5, Sign: CommitSign},
	{ID: "shutdown-began", Group: Broker, Weight: 5, Sign: Other},
	{ID: "shutdown-done", Group: Broker, Weight: 5, Sign: Crash},
	{ID: "broker-registered", Group: Broker, Weight: 5, Sign: Other},
	{ID: "duplicate-recognised", Group: Replication, Weight: 5, Sign: Other},
	{ID: "producer-state-forgotten", Group: Replication, Weight: 5, Sign: Other},
	{ID: "producer-state-loaded", Group: Replication, Weight: 5, Sign: Other},
	{ID: "divergence-found", Group: Replication, Weight: 5, Sign: Other},

	// Transactions, told by the coordinator and by the leaders.
	{ID: "transaction-state", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transaction-partition", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transaction-producer-fenced", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transaction-timed-out", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transactional-id-expired", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "marker-sent", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "marker-written", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transaction-verified", Group: Transactions, Weight: 5, Sign: Other},
	{ID: "transaction-not-verified", Group: Transactions, Weight: 5, Sign: Other},

	// Groups with members, told by the coordinator.
	{ID: "group-rebalancing", Group: Groups, Weight: 5, Sign: Other},
	{ID: "group-rebalanced", Group: Groups, Weight: 5, Sign: Other},

	// Controller and ZooKeeper.
	{ID: "broker-fenced", Group: Controller, Weight: 5, Sign: Crash},
	{ID: "broker-unfenced", Group: Controller, Weight: 5, Sign: Other},
	{ID: "broker-joined", Group: Controller, Weight: 5, Sign: Other},
	{ID: "broker-gone", Group: Controller, Weight: 5, Sign: Crash},
	{ID: "leader-elected", Group: Controller, Weight: 8, Sign: Elected},
	{ID: "partition-offline", Group: Controller, Weight: 8, Sign: Crash},
	{ID: "isr-changed", Group: Controller, Weight: 5, Sign: ISR},
	{ID: "elr-changed", Group: Controller, Weight: 5, Sign: ISR},
	{ID: "isr-change-refused", Group: Controller, Weight: 5, Sign: Fail},
	{ID: "election-refused", Group: Controller, Weight: 5, Sign: Fail},
	{ID: "order-refused", Group: Controller, Weight: 5, Sign: Fail},
	{ID: "controller-elected", Group: Controller, Weight: 5, Sign: Elected},
	{ID: "controller-resigned", Group: Controller, Weight: 5, Sign: Other},
	{ID: "topic-changed", Group: Controller, Weight: 5, Sign: Other},
	{ID: "config-changed", Group: Controller, Weight: 5, Sign: Other},
	{ID: "session-expired", Group: Controller, Weight: 5, Sign: Crash},

	// Producers.
	{ID: "record-sent", Group: Producer, Weight: 5, Sign: Send},
	{ID: "records-batched", Group: Producer, Weight: 5, Sign: Send},
	{ID: "batch-acked", Group: Producer, Weight: 7, Sign: Ack},
	{ID: "batch-failed", Group: Producer, Weight: 7, Sign: Fail},
	{ID: "batch-retried", Group: Producer, Weight: 5, Sign: Retry},
	{ID: "producer-id-given", Group: Producer, Weight: 5, Sign: Other},
	{ID: "producer-id-dropped", Group: Producer, Weight: 5, Sign: Other},
	{ID: "epoch-bumped", Group: Producer, Weight: 5, Sign: Other},
	{ID: "sequences-reset", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-initialized", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-began", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-commit-asked", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-abort-asked", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-committed", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-aborted", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-offsets-sent", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-failed", Group: Producer, Weight: 5, Sign: Other},
	{ID: "txn-abortable", Group: Producer, Weight: 5, Sign: Other},
	{ID: "producer-failed", Group: Producer, Weight: 5, Sign: Other},
	{ID: "record-rejected", Group: Producer, Weight: 5, Sign: Fail},
	{ID: "client-metadata", Group: Client, Weight: 5, Sign: Other},
	{ID: "connection-lost", Group: Client, Weight: 5, Sign: Retry},
	{ID: "request-given-up", Group: Client, Weight: 5, Sign: Retry},

	// Consumers and the applications that use them.
	{ID: "assigned", Group: Consumer, Weight: 5, Sign: Read},
	{ID: "fetched", Group: Consumer, Weight: 5, Sign: Read},
	{ID: "polled", Group: Consumer, Weight: 5, Sign: Read},
	{ID: "processed", Group: Application, Weight: 7, Sign: Process},
	{ID: "commit-sent", Group: Consumer, Weight: 5, Sign: Send},
	{ID: "committed", Group: Consumer, Weight: 5, Sign: CommitSign},
	{ID: "commit-failed", Group: Consumer, Weight: 5, Sign: Fail},
	{ID: "position-reset", Group: Consumer, Weight: 5, Sign: Retry},
	{ID: "truncation-seen", Group: Consumer, Weight: 5, Sign: Retry},
	{ID: "end-offset", Group: Consumer, Weight: 5, Sign: Other},
	{ID: "consumer-failed", Group: Application, Weight: 5, Sign: Fail},
	{ID: "group-joined", Group: Consumer, Weight: 5, Sign: Other},
	{ID: "assignment-taken", Group: Consumer, Weight: 5, Sign: Other},
	{ID: "group-told", Group: Consumer, Weight: 5, Sign: Other},
	{ID: "partition-revoked", Group: Consumer, Weight: 5, Sign: Other},
	{ID: "verb-began", Group: Application, Weight: 0, Sign: Other, Routine: true},
	{ID: "process-failed", Group: Application, Weight: 5, Sign: Other},
	{ID: "call-repeated", Group: Application, Weight: 5, Sign: Other},
	{ID: "batch-given-up", Group: Application, Weight: 5, Sign: Other},
	{ID: "commit-redone", Group: Application, Weight: 5, Sign: Other},
	{ID: "store-updated", Group: Application, Weight: 5, Sign: Other},
	{ID: "store-restored", Group: Application, Weight: 5, Sign: Other},
	{ID: "source-position-read", Group: Application, Weight: 5, Sign: Other},

	// Databases beside Kafka.
	{ID: "row-inserted", Group: Database, Weight: 5, Sign: Append},
	{ID: "row-unchanged", Group: Database, Weight: 5, Sign: Other},
	{ID: "rows-read", Group: Application, Weight: 5, Sign: Read},
	{ID: "row-marked", Group: Database, Weight: 5, Sign: Other},
	{ID: "position-stored", Group: Database, Weight: 5, Sign: CommitSign},
	{ID: "position-taken-over", Group: Database, Weight: 5, Sign: Other},
	{ID: "database-committed", Group: Database, Weight: 5, Sign: CommitSign},
	{ID: "database-rolled-back", Group: Database, Weight: 5, Sign: Fail},
	{ID: "database-prepared", Group: Database, Weight: 5, Sign: Other},
	{ID: "database-refused", Group: Database, Weight: 5, Sign: Fail},
	{ID: "database-recovered", Group: Database, Weight: 5, Sign: Other},
	{ID: "database-retried", Group: Application, Weight: 5, Sign: Retry},
	{ID: "database-failed", Group: Application, Weight: 5, Sign: Fail},

	// The script.
	{ID: "said", Group: Script, Weight: 5, Sign: Told, Words: true},
	{ID: "act", Group: Script, Weight: 5, Sign: Told, Words: true},
	{ID: "asked", Group: Script, Weight: 5, Sign: Told, Words: true},
	{ID: "answered", Group: Script, Weight: 5, Sign: Told, Words: true},
	{ID: "healed", Group: Script, Weight: 5, Sign: Told},
	{ID: "script-end", Group: Script, Weight: 5, Sign: Told},
	{ID: "defect-found", Group: Script, Weight: 9, Sign: Fail},
	{ID: "arranged", Group: Script, Weight: 5, Sign: Other},
}
