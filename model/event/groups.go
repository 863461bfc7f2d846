package event

import (
	"kafkatrial/model/protocol"
)

// GroupRebalancing: a round begins.
type GroupRebalancing struct {
	Generation int32 // the one so far
	Group      string
	Members    []protocol.GroupMember // whom it waits for, and what each is to get
}

// GroupRebalanced: the next generation is written.
type GroupRebalanced struct {
	Generation int32
	Group      string
	Members    []protocol.GroupMember
}
