package refinement

// Exception names a step of a run that the bounded model has no action for, and why that is so. There is no other way past
// the refinement: a step that is neither an action nor one of these is an objection.
type Exception uint8

// The exceptions. What each allows is written where it is used.
const (
	// A process is mortal, and so is what it has in memory.
	ProcessLost    Exception = iota // a process ends: what it believed of leader, epoch and ISR is gone
	RestoredHW                      // a process begins, and takes its high watermark from the checkpoint
	StorageLost                     // a power loss or an empty disk: the log is shorter than it was
	LogStartRaised                  // retention or DeleteRecords: a replica begins later than at offset 0, with what others have below

	// The controller.
	UncleanElection // somebody outside the ISR is elected
	EligibleElected // a member of the ELR is elected (KIP-966)
	ISREmptied      // the last member leaves the ISR and is noted in the ELR (KIP-966)
	EpochBumped     // a new epoch with the same leader, or still none, and the same ISR
	ShrunkInEpoch   // the controller takes a fenced member out of the ISR without a new epoch (KRaft, from 3.6)
	LearnedISR      // a leader learns of such an ISR, or of one that it had proposed before it was elected anew
	OrderedNewerISR // an order of the controller bears an ISR that the leader of that epoch has changed since

	// Truncation.
	KeptOnFetching   // a follower whose leader stays does not truncate in the new epoch (before KIP-320)
	CutInRounds      // a follower cuts its log in more than one step (KIP-279, KIP-595)
	FellBackToHW     // the leader did not know the epoch asked for: cut to the own high watermark
	KeptBeyondAnswer // the leader's answer lies beyond the log: nothing is cut (KIP-101)
	CutToLeaderEnd   // a follower that is ahead of its leader cuts its log to the leader's end

	// High watermarks.
	FollowerHW // a follower's high watermark is what the answer says, which is older than the leader's, or came without a record

	// Messages take time.
	LateAnswer         // what a leader answered is applied after the leader has moved on
	OlderFetch         // a leader counts a follower by a fetch from which the follower has moved on
	EarlierEpoch       // a leader elected anew counts a follower by a fetch of an earlier epoch of its own
	ISRChangeInFlight  // an ISR change is carried out after its reason has passed
	JoinedAtEpochStart // a follower joins the ISR that has all below the start of the leader's epoch (KAFKA-7128)
	SilentDropped      // a member is dropped for not having fetched, though it has all records

	numExceptions
)

var exceptions = [numExceptions]struct{ name, what string }{
	ProcessLost:        {"process lost", "A process ends. The model has no crash: a replica keeps what it believes."},
	RestoredHW:         {"high watermark restored", "A process begins, with the high watermark of its checkpoint."},
	StorageLost:        {"storage lost", "A power loss or an empty disk has made a log shorter."},
	LogStartRaised:     {"log start", "A replica does not have what lies below its leader's log start. The model's logs begin at 0."},
	UncleanElection:    {"unclean election", "A leader is elected from outside the ISR."},
	EligibleElected:    {"eligible replica elected", "A leader is elected from the ELR (KIP-966)."},
	ISREmptied:         {"ISR emptied", "The last member leaves the ISR for the ELR, in the epoch as it is (KIP-966)."},
	EpochBumped:        {"epoch bumped", "A new leader epoch with the same leader, or still nobody, and the same ISR."},
	ShrunkInEpoch:      {"controller shrinks within the epoch", "The controller takes a member out of the ISR and the leader epoch stays (KRaft, from 3.6). In the model it rises."},
	LearnedISR:         {"ISR learned", "A leader learns of an ISR that the controller has made within its epoch."},
	OrderedNewerISR:    {"order with a newer ISR", "A replica applies an epoch with the ISR as it has become since; in the model a request never changes."},
	KeptOnFetching:     {"kept on fetching", "A follower takes over an epoch of the same leader without truncating (before KIP-320)."},
	CutInRounds:        {"cut in rounds", "A follower cuts its log and asks again. In the model truncation is one step."},
	FellBackToHW:       {"fell back to the high watermark", "The leader does not know the follower's epoch, and the follower cuts to its high watermark."},
	KeptBeyondAnswer:   {"kept beyond the answer", "The leader's answer lies beyond the follower's log, which is kept. In the model such a replica can not follow."},
	CutToLeaderEnd:     {"cut to the leader's end", "A follower that is ahead of its leader cuts its log to the leader's end."},
	FollowerHW:         {"follower's high watermark", "A follower takes over a high watermark that is older than its leader's, or without a record."},
	LateAnswer:         {"late answer", "A follower applies what the leader answered before it moved on."},
	OlderFetch:         {"older fetch", "A leader counts a follower by its last fetch, and the follower has moved on since."},
	EarlierEpoch:       {"fetch of an earlier epoch", "A leader elected anew counts a follower by a fetch of an earlier epoch."},
	ISRChangeInFlight:  {"ISR change in flight", "An ISR change is carried out though its reason has passed."},
	JoinedAtEpochStart: {"joined at the epoch's start", "A follower joins the ISR with all records below the start of its leader's epoch (KAFKA-7128). The model waits until the high watermark has come there."},
	SilentDropped:      {"silent member dropped", "A member that has all records is dropped for its silence."},
}

func (e Exception) String() string { return exceptions[e].name }

// Describe says in a sentence or two what the exception is.
func (e Exception) Describe() string { return exceptions[e].what }

// Exceptions lists all of them.
func Exceptions() []Exception {
	all := make([]Exception, numExceptions)
	for i := range all {
		all[i] = Exception(i)
	}
	return all
}
