package replicationspec

import "kafkatrial/sim/explore"

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
)

// action is one action with its choice. Which of the fields count depends on the kind.
type action struct {
	kind    kind
	replica int8 // the replica that is chosen, or that acts; for the kinds below the follower
	leader  int8 // becomeFollower, fetch, truncateOnFetchError, leaderShrinks, leaderExpands
	epoch   int8 // becomeLeader, becomeFollower: the epoch of the request
}

// steps collects what can happen next in a state.
type steps = []explore.Step[state, action]

func step(a action, next state) explore.Step[state, action] {
	return explore.Step[state, action]{Action: a, State: next}
}
