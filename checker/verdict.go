package checker

// Claim names what is on trial.
type Claim string

const (
	AtMostOnce    Claim = "at-most-once"
	AtLeastOnce   Claim = "at-least-once"
	ExactlyOnce   Claim = "exactly-once"
	Linearizable  Claim = "linearizable"
	Ordered       Claim = "ordered"
	Atomic        Claim = "atomic"
	NoAbortedRead Claim = "no-aborted-read"
	MonotonicRead Claim = "monotonic-read"
	Fenced        Claim = "fenced"
	Available     Claim = "available"
	// Recent is judged only where it is asked for, see Options.
	Recent Claim = "recent"
)

// Level says where an effect is looked for.
type Level string

const (
	// AtLog: persisted in the partition's committed log.
	AtLog Level = "log"
	// AtApplication: read and processed by a consuming application.
	AtApplication Level = "application"
)

// Ruling is three-valued. The order of the constants is no ranking; see worse.
type Ruling string

const (
	Holds     Ruling = "holds"
	Violated  Ruling = "violated"
	Undecided Ruling = "undecided"
)

// worse returns the graver of two rulings: violated before undecided before holds.
func worse(a, b Ruling) Ruling {
	if a == Violated || b == Violated {
		return Violated
	}
	if a == Undecided || b == Undecided {
		return Undecided
	}
	return Holds
}

// Jepsen's words for what a violation is, where it has one.
const (
	LostWrite           = "lost-write"
	Unseen              = "unseen"
	Duplicate           = "duplicate"
	InconsistentOffsets = "inconsistent-offsets"
	AbortedRead         = "aborted read"
	PrecommittedRead    = "precommitted read"
	PollSkip            = "poll-skip"
	NonmonotonicPoll    = "nonmonotonic-poll"
	NonmonotonicSend    = "nonmonotonic-send"
	TornTransaction     = "torn transaction"
)

// Evidence is what a person needs to see for himself.
type Evidence struct {
	// Records concerned, all of them, in the order of their submission.
	Records []RecordID `json:"records,omitempty"`
	// Partition and Offsets of the records named in Sentence; empty if they have none.
	Partition string  `json:"partition,omitempty"`
	Offsets   []int64 `json:"offsets,omitempty"`
	// Steps that decide, ascending. The first is where a viewer should open.
	Steps []int `json:"steps,omitempty"`
	// Short is a phrase for a table cell.
	Short string `json:"short,omitempty"`
	// Sentence is one plain sentence.
	Sentence string `json:"sentence,omitempty"`
	// JepsenWord is Jepsen's name of the anomaly, empty if it has none.
	JepsenWord string `json:"jepsen,omitempty"`
	// As names another claim at the same level that fails for the same reason.
	As Claim `json:"as,omitempty"`
}

// Verdict is the ruling on one claim at one level.
type Verdict struct {
	Claim  Claim  `json:"claim"`
	Level  Level  `json:"level"`
	Ruling Ruling `json:"verdict"`
	// NotObserved: there was nobody to observe an effect at this level (no consumer). The ruling is then undecided,
	// and a report leaves it out of the sum.
	NotObserved bool     `json:"not_observed,omitempty"`
	Evidence    Evidence `json:"evidence,omitzero"`
}
