package checker

// Names of the invariants.
const (
	OneLeaderPerEpoch        = "at most one leader per epoch"
	LedAsGiven               = "a leader leads in an epoch that the controller gave it"
	EpochsGoForward          = "leader epochs go forward"
	PartitionEpochForward    = "partition epochs go forward"
	OneControllerPerEpoch    = "at most one controller per epoch"
	LeaderInISR              = "the leader is in the ISR"
	ISRWithinReplicas        = "the ISR is within the replicas"
	MaximalISRCovers         = "the leader's maximal ISR covers the controller's ISR"
	ELRApart                 = "no eligible leader replica is in the ISR"
	OffsetsInOrder           = "LSO <= HW <= LEO"
	StartBelowHW             = "log start <= HW"
	HWForward                = "a leader's high watermark goes forward within its epoch"
	EpochsAscend             = "epochs ascend in a log"
	OffsetsContiguous        = "offsets are contiguous in a log"
	CommittedOnISR           = "committed prefix on every ISR member"
	LogMatching              = "replicas agree below the high watermark"
	SamePast                 = "logs with the same entry have the same past"
	MinISRCopies             = "min.insync.replicas copies at an answer to acks=all"
	ReaderEndForward         = "high watermark never backward for a reader"
	LSOForward               = "last stable offset never backward for a reader"
	SequencesContiguous      = "sequence numbers of a producer are contiguous in a committed log"
	OneOpenTransaction       = "one open transaction per producer and partition"
	MarkerPrepared           = "markers only for an end that was prepared"
	SameDecision             = "one decision in all partitions of a transaction"
	LegalTransition          = "legal states of the transaction coordinator"
	ProducerEpochsForward    = "producer epochs go forward at the coordinator"
	CoordinatorEpochsForward = "coordinator epochs go forward in a log"
	OneOwnerPerPartition     = "one owner per partition and generation"
	PositionBelowHW          = "committed position <= HW"
)

// Circumstance is what takes the ground of an invariant away: a rule that a release does not have yet, a setting, or a
// fault against which Kafka promises nothing.
type Circumstance uint8

// The circumstances.
const (
	UncleanElection Circumstance = iota
	PowerWasLost
	DiskWasLost
	SkippedEpoch
	ForgottenChange
	DivergenceCounted
	BeforeKIP101
	BeforeKIP279
	BeforeKIP320
	BeforeKAFKA7128
	BeforeKIP207
	BeforeKIP497
	NotVerified
	BeforeKIP1228
	PositionByHand
	MinISRChanged
	numCircumstances
)

var circumstanceClauses = [numCircumstances]string{
	UncleanElection:   "an unclean election has made a replica the leader that need not have what was committed (unclean.leader.election.enable)",
	PowerWasLost:      "a power loss has taken what was not flushed, which Kafka leaves to the other replicas",
	DiskWasLost:       "a disk was lost",
	SkippedEpoch:      "a leader was elected again and has missed an epoch in between, over which Kafka keeps what it knows of the followers' logs (docs/findings.md)",
	ForgottenChange:   "metadata of a partition epoch that the leader has already has made it forget a change of the ISR that is under way and may still be accepted (Partition.makeLeader since KAFKA-13790)",
	DivergenceCounted: "before KAFKA-13141 (2.7.2, 2.8.1, 3.0) a leader that tells of divergence in its answer to a fetch counts that fetch",
	BeforeKIP101:      "before KIP-101 (0.11) a follower cuts its log to its own high watermark, or does not cut it",
	BeforeKIP279:      "before KIP-279 (2.0) an answer about an epoch that the leader does not know leaves a follower with records of another leader",
	BeforeKIP320:      "before KIP-320 (2.1) a fetch names no leader epoch, and a leader of an older or newer one serves it",
	BeforeKAFKA7128:   "before KAFKA-7128 (2.0.1) a follower joins the ISR at the leader's high watermark, which may be below what was committed",
	BeforeKIP207:      "before KIP-207 (2.2) a new leader tells its own high watermark, which may be behind the last leader's",
	BeforeKIP497:      "before KIP-497 (2.7) leader and controller both write the ISR, and each hears of the other's change later",
	NotVerified:       "without transaction.partition.verification.enable (KIP-890, 3.6) a leader asks nobody whether a transaction is open, and a late record begins one",
	BeforeKIP1228:     "before KIP-1228 (4.2, KAFKA-19999) a leader writes a marker that was given up and sent again, and is late, into the next transaction",
	MinISRChanged:     "min.insync.replicas was changed, and leader and controller can go by different values for a while (BrokerMetadataPublisher.onMetadataUpdate; docs/findings.md, S6)",
	PositionByHand:    "the position was given by hand, and neither Kafka nor its client asks whether there is anything",
}

// Circumstances lists all of them.
func Circumstances() []Circumstance {
	all := make([]Circumstance, numCircumstances)
	for i := range all {
		all[i] = Circumstance(i)
	}
	return all
}

// String says it as a clause.
func (c Circumstance) String() string { return circumstanceClauses[c] }

// circumstances is a set of them.
type circumstances uint32

func (s circumstances) has(c Circumstance) bool { return s&(1<<c) != 0 }

// lossOfLog are the circumstances under which a committed record can be lost, or replaced, at the log.
var lossOfLog = []Circumstance{UncleanElection, PowerWasLost, DiskWasLost, BeforeKIP101, BeforeKIP279, BeforeKIP320, BeforeKAFKA7128, SkippedEpoch, ForgottenChange, DivergenceCounted,
	MinISRChanged}

// An invariantRule says what an invariant is, from where it comes, and under which circumstances it is given up. Under any
// other, a breach is a defect of the model; under these it is reported all the same, with the circumstance.
type invariantRule struct {
	Name    string
	Says    string // why it holds: the rule of Kafka, with its source
	GivenUp []Circumstance
}

// invariantRules lists all of them.
var invariantRules = []invariantRule{
	{OneLeaderPerEpoch, "Every election raises the leader epoch (ReplicationControlManager, PartitionStateMachine), and a broker leads only in the epoch it was told.", nil},
	{LedAsGiven, "A broker leads by the controller's word alone: by the metadata log, or a LeaderAndIsr request.", nil},
	{EpochsGoForward, "The controller only ever raises a leader epoch.", nil},
	{PartitionEpochForward, "Each change of a partition raises its partition epoch, with ZooKeeper the node's version.", nil},
	{OneControllerPerEpoch, "A controller is elected in an epoch of its own: of the Raft quorum, or of /controller_epoch.", nil},
	{LeaderInISR, "The leader is elected out of the ISR, or becomes the ISR, and does not leave it.", nil},
	{ISRWithinReplicas, "Only replicas fetch as followers, and only those join the ISR.", nil},
	{MaximalISRCovers, "A leader waits for whomever the controller may elect next (KIP-497): the proposed set counts until it is refused.", []Circumstance{BeforeKIP497, ForgottenChange}},
	{ELRApart, "A member that joins the ISR is no longer an eligible leader replica (KIP-966; PartitionChangeBuilder).", nil},
	{OffsetsInOrder, "UnifiedLog keeps the high watermark within the log, and the last stable offset below it.", nil},
	{StartBelowHW, "UnifiedLog.maybeIncrementLogStartOffset refuses a start above the high watermark, and raises a follower's with it.", nil},
	{HWForward, "Partition.maybeIncrementLeaderHW only raises it. A new process begins with its checkpoint, in the same epoch too before KIP-380.", nil},
	{EpochsAscend, "A leader appends in its own epoch, the newest, and a follower copies in order.", lossOfLog},
	{OffsetsContiguous, "A leader numbers its records one after another, and a follower appends only what continues its log. (The model compacts no log.)", nil},
	{CommittedOnISR, "The high watermark waits for every member of the ISR, and who joins must have what is committed.", lossOfLog},
	{LogMatching, "What is committed is on every leader to come, and followers cut their logs to the leader's.", lossOfLog},
	{SamePast, "From KIP-101 on a follower's log is cut to the last point that it shares with the leader's, above the high watermark too: as in Raft, two logs that hold a record of the same offset and epoch agree in all before it.",
		lossOfLog},
	{MinISRCopies, "acks=all is answered once the high watermark has passed the records with min.insync.replicas members in the ISR.", lossOfLog},
	{ReaderEndForward, "A new leader tells no end before its high watermark has come to the start of its epoch (KIP-207).", append([]Circumstance{BeforeKIP207}, lossOfLog...)},
	{LSOForward, "The last stable offset follows from what is committed and the open transactions in it, which are the same at every leader.", append([]Circumstance{BeforeKIP207}, lossOfLog...)},
	{SequencesContiguous, "A leader appends a producer's batch only if it continues what it has of the producer, as long as it knows the producer (KIP-98).", lossOfLog},
	{OneOpenTransaction, "A producer of a later epoch begins once the transaction of the earlier one has got its markers (KIP-98).", append([]Circumstance{NotVerified}, lossOfLog...)},
	{MarkerPrepared, "A coordinator sends markers once PrepareCommit or PrepareAbort is in its log (TransactionMarkerChannelManager).", lossOfLog},
	{SameDecision, "A transaction ends in one way everywhere, and all its markers are written before the next one of its producer begins. A marker that ends nothing does no harm.", append([]Circumstance{BeforeKIP1228}, lossOfLog...)},
	{LegalTransition, "TransactionState.validPreviousStates.", nil},
	{ProducerEpochsForward, "TransactionMetadata.completeTransitionTo takes over no older epoch of the same producer id.", lossOfLog},
	{CoordinatorEpochsForward, "ProducerAppendInfo.checkCoordinatorEpoch refuses markers of a coordinator that was replaced.", lossOfLog},
	{OneOwnerPerPartition, "The leader of a group gives each partition to one member in a generation.", nil},
	{PositionBelowHW, "A consumer commits what it was given, and is given only what is below the high watermark.", append([]Circumstance{PositionByHand}, lossOfLog...)},
}

// Note says that a circumstance holds from now on, everywhere.
func (v *Invariants) Note(c Circumstance) { v.everywhere |= 1 << c }

// NoteAt says that a circumstance holds from now on for a partition.
func (v *Invariants) NoteAt(tp TopicPartition, c Circumstance) { v.watched(tp).here |= 1 << c }

// givenUp gives the circumstances under which an invariant is given up and which hold, as clauses; empty: none does. Which of
// several is the cause, nobody has looked into.
func (v *Invariants) givenUp(invariant string, w *watched) (why string) {
	holds := v.everywhere
	if w != nil {
		holds |= w.here
	}
	for i := range invariantRules {
		if invariantRules[i].Name != invariant {
			continue
		}
		for _, c := range invariantRules[i].GivenUp {
			if !holds.has(c) {
				continue
			}
			if why != "" {
				why += "; "
			}
			why += c.String()
		}
	}
	return why
}

// InvariantNames lists the invariants by name.
func InvariantNames() []string {
	names := make([]string, len(invariantRules))
	for i := range invariantRules {
		names[i] = invariantRules[i].Name
	}
	return names
}
