package release

import "fmt"

// Rules are the switches of the protocol generations: one field a rule, true when the rule is in force.
// The zero value is the oldest Kafka.
type Rules struct {
	KRaft bool // metadata in a Raft log on the controllers; otherwise ZooKeeper

	// Replication.
	NoMessageLag          bool // KIP-16: a follower lags by time only
	CaughtUpAtLastFetch   bool // KAFKA-4485: a follower that has what the leader had at its previous fetch was caught up then; the ISR is looked at twice as often
	HWCheckpointKept      bool // KAFKA-1647: a replica without a leader keeps its high-watermark checkpoint
	LeaderEpochTruncation bool // KIP-101: a follower truncates where the leader says its epoch ends, not to its HW
	EpochInAnswer         bool // KIP-279: that answer names the epoch it speaks of
	FetchFencing          bool // KIP-320: fetches and epoch look-ups carry the current leader epoch
	TruncateOnFetch       bool // KIP-595: the leader tells of the divergence in the fetch response
	NoHaltOnTruncation    bool // KAFKA-7414: a follower ahead of its leader truncates; before, it stopped its whole process unless unclean election was on
	FetcherClosedAtOnce   bool // KAFKA-6051: a fetcher that has nothing to follow any more is closed at once; before, its broker waited for the answer to its last request
	ShutdownHearsOfLeads  bool // KAFKA-13858: in a controlled shutdown a broker still hears of the partitions that it leads (KRaft)
	ShutdownHearsOfAll    bool // KAFKA-14296: and of those that it follows from then on, so that it stops leading
	DivergingNotCounted   bool // KAFKA-13141: a fetch whose answer says where the logs part tells nothing of how far the follower has come
	FetchAnswerInEpoch    bool // KAFKA-18723: a follower takes the answer to a fetch only in the leader epoch in which it asked
	TruncateAfterGap      bool // KAFKA-7164: a follower whose leader is the same begins anew if it has missed an epoch
	EpochStartNoted       bool // KAFKA-7415: a new leader notes where its epoch begins, and the cache of epochs drops what a new entry contradicts
	JoinPastEpochStart    bool // KAFKA-7128: a follower joins the ISR only past the leader's epoch start
	CaughtUpByEnd         bool // KAFKA-7152: a follower that has all the leader has is in sync, however long ago it fetched
	OffsetNotAvailable    bool // KIP-207: no end offset is told before the HW has reached the epoch start
	AlterPartition        bool // KIP-497: ISR changes go to the controller, the maximal ISR counts meanwhile
	ControllerEpochCAS    bool // KAFKA-6082: ZooKeeper writes of a controller are conditional on its epoch
	FencedOutOfISR        bool // KIP-841: a fenced or shutting-down broker can not be put into the ISR
	BrokerEpochInISR      bool // KIP-903: nor can one that has restarted since it fetched
	HWNeedsMinISR         bool // KAFKA-15583: the HW does not advance while the ISR is below min.insync.replicas
	ELR                   bool // KIP-966: eligible leader replicas
	LastKnownLeaderLive   bool // KAFKA-19522: without ISR and ELR the last known leader is elected only if it is live
	LastKnownAtOnce       bool // a partition that loses its leader notes who it was, whatever its ISR
	ExpiryClearsQueue     bool // KAFKA-5642: a controller drops what it had queued before it begins a new ZooKeeper session
	UncleanAtOnce         bool // KAFKA-6835: turning unclean election on for a topic is acted on at once (ZooKeeper)
	BrokerEpochInOrders   bool // KIP-380: a controller's orders name the broker epoch they are meant for
	KRaftUnclean          bool // KAFKA-12670: unclean.leader.election.enable is heeded under KRaft
	EpochBumpOnShrink     bool // KAFKA-15021, the old way: a shrink of the ISR bumps the leader epoch (KRaft, 3.0 to 3.5)

	// Replication, in no release: three ways to close what docs/findings.md tells of.
	ForgetOnSkippedEpoch bool // a leader that is elected again forgets where its followers' logs ended, if it has missed an epoch in between
	ForgetOnEveryEpoch   bool // it forgets in any case
	EpochWithLogEnd      bool // it keeps them with the epoch they were told in, and counts those of its present epoch alone

	// In no release: what would mend that which docs/findings.md suspects, or has seen.
	KeepELRWithoutLeader bool // a change of min.insync.replicas clears the ELR only where somebody leads
	PendingISRKept       bool // metadata of the partition epoch that a leader knows do not end an ISR change that is under way
	SettingsFirst        bool // a broker applies changed settings before changed partitions
	LoadWhenReplicated   bool // a new transaction coordinator waits until what it loads is replicated

	// Idempotence.
	FiveBatches           bool // KAFKA-5494: a broker remembers a producer's last five batches, and the producer may have five requests in flight; before, one
	UnknownProducerIDTold bool // KAFKA-5793: a producer whose state is gone is told UNKNOWN_PRODUCER_ID and the log start, not OUT_OF_ORDER_SEQUENCE_NUMBER
	UnknownAfterMarker    bool // KAFKA-7298: UNKNOWN_PRODUCER_ID also where only a marker is left of a producer; before, OUT_OF_ORDER_SEQUENCE_NUMBER
	MarkerKeepsProducer   bool // KAFKA-9144: a marker, too, is a sign of life of its producer; before, only records were
	ProducerStateKept     bool // KAFKA-7190: a producer's state outlives the deletion of its last record
	EpochBump             bool // KIP-360: a producer without state is taken in with any sequence, and an idempotent producer bumps its own epoch where it gave up its id before
	BumpAdmitsNewEpoch    bool // KAFKA-12152: after a bump, a partition that was not concerned begins at sequence 0 as well
	EpochErrorNotFatal    bool // KIP-588: INVALID_PRODUCER_EPOCH in answer to a produce request fails the batch, not the producer

	// Transactions.
	StartMayGoBack          bool // KAFKA-8803: a transaction may begin, by the coordinator's clock, before the last one did
	EpochRaisedOnTimeout    bool // KAFKA-6119: the coordinator shuts out the producer of a transaction that it aborts for its time-out
	FailedExpiryUndone      bool // KAFKA-7519: a transactional.id whose expiry could not be written stays usable
	StrictEndTxnEpoch       bool // KAFKA-9600: an EndTxn with an epoch above the one in force is refused as well
	FailedFenceKept         bool // KAFKA-9666: an epoch that was raised to shut out a producer is not raised again if that could not be written
	TransactionVerification bool // KIP-890, part 1: a leader asks the coordinator whether the transaction is open before it appends a producer's first records of it
	EpochBeforeVerification bool // KAFKA-19690: a leader looks at the epoch of a transactional batch before it asks whether it was verified
	OffsetCommitVerified    bool // KAFKA-15449: the group's coordinator asks so too, before it writes positions that belong to a transaction
	TransactionAbortable    bool // KIP-890: a leader that finds the transaction not open says TRANSACTION_ABORTABLE, not INVALID_TXN_STATE
	TransactionV2           bool // KIP-890, part 2: every transaction has an epoch of its own, and leaders add their partitions to it
	PendingFirst            bool // KAFKA-18660: a request that meets a transition being written is told to wait, whoever sends it
	SequenceZeroFirst       bool // KAFKA-18202: under KIP-890 part 2 a leader that knows nothing of a producer takes only sequence number 0 from it
	EpochRaisedOnce         bool // KAFKA-19367: under KIP-890 part 2 an abort by the coordinator raises the epoch once, not twice
	EpochMaximumRecovers    bool // KAFKA-20090: a transaction whose epoch is the last there is can be aborted, and its producer id is changed
	MarkerVersion           bool // KIP-1228: a marker says in which version its transaction was made, and a leader refuses one whose epoch is not above the records'

	// Clients.
	MutePartition          bool // KAFKA-3197: with one request in flight, a partition with a batch out is muted
	DeliveryTimeout        bool // KIP-91: delivery.timeout.ms bounds a record's life in the producer
	MetadataEpochs         bool // KAFKA-7738: a client takes over no metadata with an older leader epoch
	StickyPartitioner      bool // KIP-480: records without a key stick to a partition for a batch
	BufferExhaustedTold    bool // KAFKA-3720: send() fails for want of memory with BufferExhaustedException, not TimeoutException
	BuiltInPartitioner     bool // KIP-794: a sticky partition is left after batch.size bytes
	TimeoutsTold           bool // KAFKA-14317: a request that got no answer in time fails with REQUEST_TIMED_OUT, not NETWORK_EXCEPTION
	SkipBackoffOnNewLeader bool // KAFKA-15415: a batch to be sent again does not wait for the backoff if the leader is another
	InFlightByIdentity     bool // KAFKA-13794: of two batches in flight with one sequence number, in two epochs, a producer keeps track of both
	LateErrorIgnored       bool // KAFKA-14831: an error in answer to a batch that has failed already changes nothing
	MemoryKeptInFlight     bool // KAFKA-19012: a batch that expires in flight gives its memory back when its request is over
	SendErrorAborts        bool // KAFKA-9279: a send() that fails before its record is in a batch makes the transaction one that can only be aborted
	JoinWithoutCommit      bool // KAFKA-13310, in 3.2.0 alone: a member that joins again does not wait for the commit of what it has read
	ConsumerEpochCheck     bool // KIP-320: a consumer checks its position against the leader's epochs

	// Group coordinator.
	CommitErrorForMinISR bool // KAFKA-3590: too few replicas for a commit is told as COORDINATOR_NOT_AVAILABLE
	LoadToLogEnd         bool // KAFKA-5059: a new coordinator loads its log to the end, not to the high watermark
	StableOffsets        bool // KIP-447: a position is not read while a commit of it is under way
	NewGroupCoordinator  bool // KIP-848: commits are answered, and seen, by the high watermark alone
}

// Rule describes one switch.
type Rule struct {
	Key    string   // as a scenario writes it: kip-101, kafka-7128
	Since  Releases // none: no release of Kafka has it; a way to mend a fault, to be tried out, which only `features` turns on
	Until  Releases // the releases without it again; none: still in force
	Title  string
	Source string
	on     func(*Rules) *bool
}

// InNoRelease says that no release of Kafka has the rule.
func (r Rule) InNoRelease() bool { return r.Since == nil }

// In says whether a release has the rule.
func (r *Rule) In(v Version) bool { return r.Since.Reached(v) && !r.Until.Reached(v) }

// All lists the rules in the order in which they came.
var All = []Rule{
	{"kafka-1647", at("0.8.2.0"), nil, "A broker keeps the high-watermark checkpoint of a replica whose leader is away",
		"KAFKA-1647; ReplicaManager.makeFollowers", func(r *Rules) *bool { return &r.HWCheckpointKept }},
	{"kip-16", at("0.9.0.0"), nil, "A follower lags by time only (replica.lag.max.messages is gone)",
		"KIP-16, KAFKA-1546; Partition.getOutOfSyncReplicas", func(r *Rules) *bool { return &r.NoMessageLag }},
	{"kafka-3197", at("0.10.0.0"), nil, "With max.in.flight.requests.per.connection=1 a partition is muted while a batch of it is out",
		"KAFKA-3197; RecordAccumulator.mutePartition", func(r *Rules) *bool { return &r.MutePartition }},
	{"kafka-3590", at("0.10.1.0"), nil, "A commit that lacks replicas is told as COORDINATOR_NOT_AVAILABLE, and the consumer tries again",
		"KAFKA-3590; GroupMetadataManager.prepareStoreOffsets", func(r *Rules) *bool { return &r.CommitErrorForMinISR }},
	{"kafka-4485", at("0.10.2.0"), nil, "A follower that has what the leader had at its previous fetch was caught up then, and the ISR is looked at twice in replica.lag.time.max.ms",
		"KAFKA-4485; Replica.updateLogReadResult, Partition.maybeIncrementLeaderHW, ReplicaManager.startup", func(r *Rules) *bool { return &r.CaughtUpAtLastFetch }},
	{"kip-101", at("0.11.0.0"), nil, "A follower asks the leader where its last epoch ends, and truncates there",
		"KIP-101, KAFKA-1211; AbstractFetcherThread.maybeTruncate", func(r *Rules) *bool { return &r.LeaderEpochTruncation }},
	{"kafka-5494", at("1.0.0"), nil, "A broker remembers a producer's last five batches, and an idempotent producer may have five requests in flight",
		"KAFKA-5494; ProducerStateEntry.NumBatchesToRetain", func(r *Rules) *bool { return &r.FiveBatches }},
	{"kafka-5793", at("1.0.0"), nil, "A producer that a partition does not know is told UNKNOWN_PRODUCER_ID, with the log start offset",
		"KAFKA-5793; ProducerAppendInfo.checkSequence, TransactionManager.canRetry", func(r *Rules) *bool { return &r.UnknownProducerIDTold }},
	{"kafka-5059", at("0.11.0.0"), nil, "A new group coordinator loads the offsets topic to the end of its log, not to the high watermark",
		"KAFKA-5059; GroupMetadataManager.loadGroupsAndOffsets", func(r *Rules) *bool { return &r.LoadToLogEnd }},
	{"kafka-6051", at("1.1.0"), nil, "A broker does not wait for an answer from a leader that it does not follow any more",
		"KAFKA-6051; ReplicaFetcherThread.initiateShutdown, AbstractFetcherManager.shutdownIdleFetcherThreads", func(r *Rules) *bool { return &r.FetcherClosedAtOnce }},
	{"kafka-5642", at("1.1.0"), nil, "A controller whose ZooKeeper session has expired drops what it had queued, then begins a new one",
		"KAFKA-5642; KafkaController.startup, beforeInitializingSession", func(r *Rules) *bool { return &r.ExpiryClearsQueue }},
	{"kip-279", at("2.0.0"), nil, "The answer names the largest epoch not above the one asked for, and its end",
		"KIP-279, KAFKA-6361; LeaderEpochFileCache.endOffsetFor", func(r *Rules) *bool { return &r.EpochInAnswer }},
	{"kafka-7164", at("2.0.1"), nil, "A follower that has missed an epoch of its leader reconciles its log again, though the leader is the same",
		"KAFKA-7164; Partition.makeFollower", func(r *Rules) *bool { return &r.TruncateAfterGap }},
	{"kafka-7298", at("2.0.1"), nil, "A producer of which only a marker is left in the log is told UNKNOWN_PRODUCER_ID, and may begin anew",
		"KAFKA-7298; ProducerAppendInfo.checkSequence", func(r *Rules) *bool { return &r.UnknownAfterMarker }},
	{"kafka-7414", at("2.0.1"), nil, "A follower that is ahead of its leader truncates instead of stopping its process",
		"KAFKA-7414; AbstractFetcherThread.fetchOffsetAndTruncate (handleOffsetOutOfRange up to 2.0.0)", func(r *Rules) *bool { return &r.NoHaltOnTruncation }},
	{"kafka-7415", at("2.0.1"), nil, "A new leader notes the start of its epoch before it has written anything, and a new entry of the cache drops what it contradicts",
		"KAFKA-7415; Partition.makeLeader, LeaderEpochFileCache.assign", func(r *Rules) *bool { return &r.EpochStartNoted }},
	{"kafka-7128", at("2.0.1"), nil, "A follower joins the ISR only once it has passed the start of the leader's epoch",
		"KAFKA-7128; Partition.isFollowerInSync", func(r *Rules) *bool { return &r.JoinPastEpochStart }},
	{"kafka-6835", at("2.1.0"), nil, "Turning unclean.leader.election.enable on for a topic is acted on at once",
		"KAFKA-6835; KafkaController.processTopicUncleanLeaderElectionEnable", func(r *Rules) *bool { return &r.UncleanAtOnce }},
	{"kafka-7152", at("2.1.0"), nil, "A follower whose log ends where its leader's does stays in the ISR, however long ago it fetched",
		"KAFKA-7152; Partition.getOutOfSyncReplicas", func(r *Rules) *bool { return &r.CaughtUpByEnd }},
	{"kip-320", at("2.1.0"), nil, "Fetches carry the current leader epoch, and a leader refuses those of another",
		"KIP-320, KAFKA-7395; Partition.checkCurrentLeaderEpoch", func(r *Rules) *bool { return &r.FetchFencing }},
	{"kafka-6082", at("2.1.0"), nil, "A controller's writes to ZooKeeper are conditional on its controller epoch",
		"KAFKA-6082; KafkaZkClient.retryRequestsUntilConnected", func(r *Rules) *bool { return &r.ControllerEpochCAS }},
	{"kip-91", at("2.1.0"), nil, "delivery.timeout.ms bounds the time from send() to the outcome",
		"KIP-91, KAFKA-5886; ProducerBatch.hasReachedDeliveryTimeout", func(r *Rules) *bool { return &r.DeliveryTimeout }},
	{"kip-380", at("2.2.0"), nil, "A controller's orders name the broker epoch they are meant for, and a fast restart is noticed",
		"KIP-380, KAFKA-7235; KafkaController.processBrokerChange", func(r *Rules) *bool { return &r.BrokerEpochInOrders }},
	{"kip-207", at("2.2.0"), nil, "A new leader tells no end offset before its high watermark has reached the start of its epoch",
		"KIP-207, KAFKA-2334; Partition.fetchOffsetForTimestamp", func(r *Rules) *bool { return &r.OffsetNotAvailable }},
	{"kafka-7738", at("2.2.0"), nil, "A client takes over no metadata of a partition that bear an older leader epoch",
		"KAFKA-7738 (KIP-320); Metadata.updateLatestMetadata", func(r *Rules) *bool { return &r.MetadataEpochs }},
	{"kip-320-consumer", at("2.3.0"), nil, "A consumer checks its position against the leader's epochs and notices a truncation",
		"KIP-320, KAFKA-7747; SubscriptionState.maybeCompleteValidation", func(r *Rules) *bool { return &r.ConsumerEpochCheck }},
	{"kip-480", at("2.4.0"), nil, "Records without a key stick to one partition until a batch is done",
		"KIP-480, KAFKA-8601; StickyPartitionCache", func(r *Rules) *bool { return &r.StickyPartitioner }},
	{"kafka-7190", at("2.4.0"), nil, "A producer's state is kept until it expires, though its records are deleted",
		"KAFKA-7190; ProducerStateManager.truncateHead", func(r *Rules) *bool { return &r.ProducerStateKept }},
	{"kafka-9144", at("2.4.1"), nil, "A marker keeps what is known of its producer from expiring, as a record does",
		"KAFKA-9144; ProducerStateEntry.lastTimestamp", func(r *Rules) *bool { return &r.MarkerKeepsProducer }},
	{"kafka-8803", at("2.5.0"), nil, "A transaction may begin, by the coordinator's clock, before the last one of its transactional.id did",
		"KAFKA-8803; TransactionMetadata.completeTransitionTo", func(r *Rules) *bool { return &r.StartMayGoBack }},
	{"kip-360", at("2.5.0"), nil, "A partition takes in a producer it does not know with any sequence, and an idempotent producer bumps its epoch instead of giving up its id",
		"KIP-360, KAFKA-8710; ProducerAppendInfo.checkSequence, TransactionManager.bumpIdempotentProducerEpoch", func(r *Rules) *bool { return &r.EpochBump }},
	{"kip-447-fetch", at("2.5.0"), nil, "A consumer does not start from a position while a commit of it is under way",
		"KIP-447, KAFKA-9346; GroupMetadataManager.getOffsets", func(r *Rules) *bool { return &r.StableOffsets }},
	{"kafka-3720", at("2.6.0"), nil, "A send() that finds no memory for max.block.ms fails with BufferExhaustedException",
		"KAFKA-3720; BufferPool.allocate", func(r *Rules) *bool { return &r.BufferExhaustedTold }},
	{"kip-497", at("2.7.0"), nil, "The leader asks the controller to change the ISR, and counts the maximal ISR meanwhile",
		"KIP-497, KAFKA-8836; AlterPartitionManager", func(r *Rules) *bool { return &r.AlterPartition }},
	{"kip-588", at("2.7.0"), nil, "A producer goes on after INVALID_PRODUCER_EPOCH in answer to a produce request",
		"KIP-588, KAFKA-9911; TransactionManager.maybeTransitionToErrorState", func(r *Rules) *bool { return &r.EpochErrorNotFatal }},
	{"kafka-12152", at("2.7.1"), nil, "After an epoch bump a producer begins at sequence 0 in every partition, not only in the one that failed",
		"KAFKA-12152; TransactionManager.maybeUpdateProducerIdAndEpoch", func(r *Rules) *bool { return &r.BumpAdmitsNewEpoch }},
	{"kafka-13794", at("3.0.2", "3.1.1", "3.2.0"), nil, "Of two batches in flight with one sequence number, in two epochs, a producer keeps track of both",
		"KAFKA-13794; TxnPartitionEntry.inflightBatchesBySequence", func(r *Rules) *bool { return &r.InFlightByIdentity }},
	{"kafka-9279", at("3.2.0"), nil, "A send() that fails at once, as one of a record that is too large, ends its transaction",
		"KAFKA-9279; KafkaProducer.doSend, TransactionManager.maybeTransitionToErrorState", func(r *Rules) *bool { return &r.SendErrorAborts }},
	{"kafka-13310", at("3.2.0"), at("3.2.1"), "A member that joins again sends the commit of its positions once, gives up its partitions and does not wait for the answer",
		"KAFKA-13310, mended by KAFKA-14024; ConsumerCoordinator.onJoinPrepare", func(r *Rules) *bool { return &r.JoinWithoutCommit }},
	{"kip-794", at("3.3.0"), nil, "Records without a key stick to one partition for batch.size bytes",
		"KIP-794, KAFKA-10888; BuiltInPartitioner", func(r *Rules) *bool { return &r.BuiltInPartitioner }},
	{"kip-595-fetch", at("2.8.0"), nil, "The leader tells a follower in the fetch response where the logs part",
		"KIP-595 (the protocol is of 2.7, its use by followers of 2.8); Partition.readRecords", func(r *Rules) *bool { return &r.TruncateOnFetch }},
	{"kafka-13141", at("2.7.2", "2.8.1", "3.0.0"), nil, "A fetch that is answered with a diverging epoch does not count as a copy of what lies below its offset",
		"KAFKA-13141; ReplicaManager.updateFollowerFetchState", func(r *Rules) *bool { return &r.DivergingNotCounted }},
	{"kip-500", at("3.3.0"), nil, "Metadata live in a Raft log on the controllers; ZooKeeper is gone",
		"KIP-500, KIP-833", func(r *Rules) *bool { return &r.KRaft }},
	{"kafka-6119", at("0.11.0.2", "1.0.0"), nil, "The coordinator raises the epoch of a transaction that has timed out, and so shuts out its producer",
		"KAFKA-6119; TransactionCoordinator.abortTimedOutTransactions", func(r *Rules) *bool { return &r.EpochRaisedOnTimeout }},
	{"kafka-7519", at("2.0.1"), nil, "A transactional.id whose expiry could not be written stays usable",
		"KAFKA-7519; TransactionStateManager.enableTransactionalIdExpiration", func(r *Rules) *bool { return &r.FailedExpiryUndone }},
	{"kafka-9600", at("2.6.0"), nil, "An EndTxn is refused with any epoch but the one in force, also a higher one",
		"KAFKA-9600; TransactionCoordinator.endTransaction", func(r *Rules) *bool { return &r.StrictEndTxnEpoch }},
	{"kafka-9666", at("2.6.0"), nil, "An epoch that was raised to shut out a producer is not raised again if that could not be written",
		"KAFKA-9666; TransactionMetadata.prepareFenceProducerEpoch", func(r *Rules) *bool { return &r.FailedFenceKept }},
	{"kafka-13858", at("3.3.0"), nil, "A broker in a controlled shutdown goes on reading the metadata log (KRaft)",
		"KAFKA-13858; BrokerServer.shutdown", func(r *Rules) *bool { return &r.ShutdownHearsOfLeads }},
	{"kafka-14296", at("3.3.2", "3.4.0"), nil, "A broker in a controlled shutdown stops leading once another one leads (KRaft)",
		"KAFKA-14296; ReplicaManager.applyLocalFollowersDelta", func(r *Rules) *bool { return &r.ShutdownHearsOfAll }},
	{"kip-841", at("3.3.0"), nil, "A fenced or shutting-down broker can not be put into the ISR",
		"KIP-841, KAFKA-13916; ReplicationControlManager.ineligibleReplicasForIsr", func(r *Rules) *bool { return &r.FencedOutOfISR }},
	{"isr-shrink-bump", at("3.0.0"), at("3.6.0"), "A shrink of the ISR bumps the leader epoch",
		"KAFKA-15021; PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded", func(r *Rules) *bool { return &r.EpochBumpOnShrink }},
	{"kafka-14317", at("3.5.0"), nil, "A produce request without an answer in time fails with REQUEST_TIMED_OUT",
		"KAFKA-14317; Sender.handleProduceResponse", func(r *Rules) *bool { return &r.TimeoutsTold }},
	{"kip-903", at("3.5.0"), nil, "A replica that restarted since it fetched can not be put into the ISR",
		"KIP-903, KAFKA-14617; AlterPartitionRequest v3", func(r *Rules) *bool { return &r.BrokerEpochInISR }},
	{"kip-890-1", at("3.6.0"), nil, "A leader asks the transaction coordinator before it appends a producer's first records of a transaction",
		"KIP-890 part 1, KAFKA-14402; AddPartitionsToTxnManager, UnifiedLog.maybeStartTransactionVerification", func(r *Rules) *bool { return &r.TransactionVerification }},
	{"kafka-14831", at("3.6.0"), nil, "An error in answer to a batch that has failed already, as one that has expired, changes nothing any more",
		"KAFKA-14831; Sender.failBatch", func(r *Rules) *bool { return &r.LateErrorIgnored }},
	{"kafka-15415", at("3.6.1"), nil, "A batch is sent again without waiting for retry.backoff.ms if the partition has a new leader",
		"KAFKA-15415 (KIP-951); ProducerBatch.hasLeaderChangedForTheOngoingRetry", func(r *Rules) *bool { return &r.SkipBackoffOnNewLeader }},
	{"kafka-15583", at("3.7.0"), nil, "The high watermark does not advance while the ISR is below min.insync.replicas",
		"KAFKA-15583 (KIP-966); Partition.maybeIncrementLeaderHW", func(r *Rules) *bool { return &r.HWNeedsMinISR }},
	{"kafka-15449", at("3.7.0"), nil, "The coordinator of a group asks the transaction coordinator before it writes the first positions of a transaction",
		"KAFKA-15449 (KIP-890 part 1); GroupCoordinator.handleTxnCommitOffsets", func(r *Rules) *bool { return &r.OffsetCommitVerified }},
	{"kafka-19012", at("3.9.2", "4.0.2", "4.1.2", "4.2.0"), nil, "A batch that expires while its request is out keeps its part of buffer.memory until that is over",
		"KAFKA-19012; Sender.maybeRemoveAndDeallocateBatchLater", func(r *Rules) *bool { return &r.MemoryKeptInFlight }},
	{"kip-890-abortable", at("3.8.0"), nil, "A producer whose partition is not part of the transaction is told TRANSACTION_ABORTABLE",
		"KIP-890, KAFKA-16314; TransactionCoordinator.handleVerifyPartitionsInTransaction", func(r *Rules) *bool { return &r.TransactionAbortable }},
	{"kafka-18723", at("3.9.1", "4.0.1", "4.1.0"), nil, "A follower takes the answer to a fetch only in the leader epoch in which it asked",
		"KAFKA-18723; AbstractFetcherThread.processFetchRequest", func(r *Rules) *bool { return &r.FetchAnswerInEpoch }},
	{"kafka-12670", at("3.9.0"), nil, "unclean.leader.election.enable is heeded under KRaft",
		"KAFKA-12670; ConfigurationControlManager.uncleanLeaderElectionEnabledForTopic", func(r *Rules) *bool { return &r.KRaftUnclean }},
	{"kip-848-coordinator", at("4.0.0"), nil, "A new group coordinator answers a commit once the high watermark has passed it",
		"KIP-848, KAFKA-14048; CoordinatorRuntime, CoordinatorPartitionWriter", func(r *Rules) *bool { return &r.NewGroupCoordinator }},
	{"kip-890-2", at("4.0.0"), nil, "Every transaction has an epoch of its own, and a leader adds its partition to the transaction (transaction.version=2)",
		"KIP-890 part 2, KAFKA-14402; TransactionCoordinator.endTransaction", func(r *Rules) *bool { return &r.TransactionV2 }},
	{"kafka-19690", at("3.9.2", "4.0.2", "4.1.1"), nil, "A batch of an older epoch is refused with INVALID_PRODUCER_EPOCH also where it was not verified",
		"KAFKA-19690; UnifiedLog.analyzeAndValidateProducerState", func(r *Rules) *bool { return &r.EpochBeforeVerification }},
	{"kafka-19367", at("4.0.1"), nil, "A transaction v2 that the coordinator aborts has its epoch raised once, not twice",
		"KAFKA-19367; TransactionCoordinator.endTransaction", func(r *Rules) *bool { return &r.EpochRaisedOnce }},
	{"kip-966", at("4.1.0"), nil, "Eligible leader replicas: a member that left while the ISR was at the minimum may still lead",
		"KIP-966; PartitionChangeBuilder.maybePopulateTargetElr", func(r *Rules) *bool { return &r.ELR }},
	{"kafka-19522", at("4.1.0"), nil, "With ISR and ELR empty the last known leader is elected only if it is live",
		"KAFKA-19522 (KIP-966); PartitionChangeBuilder.canElectLastKnownLeader", func(r *Rules) *bool { return &r.LastKnownLeaderLive }},
	{"last-known-leader-at-once", at("4.1.1"), nil, "A partition that loses its leader notes who it was, and not only when its ISR becomes empty",
		"no ticket (KIP-966); PartitionChangeBuilder.maybeUpdateLastKnownLeader", func(r *Rules) *bool { return &r.LastKnownAtOnce }},
	{"kafka-18660", at("4.0.0"), nil, "A request about a transactional.id whose transition is being written is told CONCURRENT_TRANSACTIONS before anything else is looked at",
		"KAFKA-18660; TransactionCoordinator.endTransaction, handleAddPartitionsToTransaction", func(r *Rules) *bool { return &r.PendingFirst }},
	{"kafka-18202", at("4.1.0"), nil, "A leader that knows nothing of a producer refuses its first batch of a transaction v2 unless that begins at sequence number 0",
		"KAFKA-18202 (KIP-890 part 2); ProducerAppendInfo.checkSequence", func(r *Rules) *bool { return &r.SequenceZeroFirst }},
	{"kip-1228", at("4.2.0"), nil, "A leader refuses the marker of a transaction v2 whose epoch is not above that of the records",
		"KIP-1228; ProducerAppendInfo.checkProducerEpoch", func(r *Rules) *bool { return &r.MarkerVersion }},
	{"kafka-20090", at("4.3.0"), nil, "A transaction v2 whose epoch is the last there is can be aborted, and its producer goes on under another id",
		"KAFKA-20090; TransactionMetadata.prepareFenceProducerEpoch, prepareAbortOrCommit, ProducerAppendInfo.checkProducerEpoch", func(r *Rules) *bool { return &r.EpochMaximumRecovers }},
	{"forget-on-skipped-epoch", nil, nil, "A leader that is elected again after an epoch that it has missed forgets where its followers' logs ended",
		"docs/findings.md; as KAFKA-7164 does for followers", func(r *Rules) *bool { return &r.ForgetOnSkippedEpoch }},
	{"forget-on-every-epoch", nil, nil, "A leader that is elected again forgets where its followers' logs ended",
		"docs/findings.md; Partition.makeLeader up to 0.8.2", func(r *Rules) *bool { return &r.ForgetOnEveryEpoch }},
	{"epoch-with-log-end", nil, nil, "A leader keeps where a follower's log ended with the epoch in which it was told, and counts what it was told in its present epoch",
		"docs/findings.md; as KRaft's LeaderState, which is made anew in every epoch", func(r *Rules) *bool { return &r.EpochWithLogEnd }},
	{"keep-elr-without-leader", nil, nil, "A change of min.insync.replicas clears the eligible leader replicas of partitions with a leader only",
		"docs/findings.md; against ConfigurationControlManager.createClearElrRecordsAsNeeded", func(r *Rules) *bool { return &r.KeepELRWithoutLeader }},
	{"pending-isr-kept", nil, nil, "Metadata of the partition epoch that a leader knows already do not end an ISR change that is under way",
		"docs/findings.md, S5; against Partition.makeLeader since 3.3", func(r *Rules) *bool { return &r.PendingISRKept }},
	{"settings-first", nil, nil, "A broker applies changed settings before changed partitions",
		"docs/findings.md, S6; against BrokerMetadataPublisher.onMetadataUpdate", func(r *Rules) *bool { return &r.SettingsFirst }},
	{"load-when-replicated", nil, nil, "A new transaction coordinator loads its log once the high watermark has reached the end of it",
		"docs/findings.md, C6; against TransactionStateManager.loadTransactionMetadata", func(r *Rules) *bool { return &r.LoadWhenReplicated }},
}

// Of gives the rules in force in a version.
func Of(v Version) Rules {
	var r Rules
	for _, rule := range All {
		*rule.on(&r) = rule.In(v)
	}
	return r
}

// Set switches one rule by its key. The error names the key if there is no such rule.
func (r *Rules) Set(key string, on bool) error {
	for _, rule := range All {
		if rule.Key == key {
			*rule.on(r) = on
			return nil
		}
	}
	return fmt.Errorf("there is no rule %q", key)
}
