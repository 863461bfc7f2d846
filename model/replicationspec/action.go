package replicationspec

type kind uint8

const (
	start kind = iota // not an action: the initial state
	controllerElects
	controllerShrinks
	becomeLeader
	leaderWrites
	becomeFollower
	fetch
	truncateOnFetchError
	advanceHW
	leaderShrinks
	leaderExpands
	fetchServed
	fetchNoted
	fetchNotedAndExpands
)

// action is one action with its choice. Which of the fields count depends on the kind.
type action struct {
	kind    kind
	replica int // the replica that is chosen, or that acts; for the kinds below the follower
	leader  int // becomeFollower, fetch, truncateOnFetchError, leaderShrinks, leaderExpands, and the fetches in two steps
	epoch   int // becomeLeader, becomeFollower: the epoch of the request
}

// step is one action and the state it leads to.
type step struct {
	action action
	state  state
}

// steps collects what can happen next in a state.
type steps = []step
