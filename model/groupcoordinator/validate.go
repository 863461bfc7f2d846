package groupcoordinator

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// validateOffsetCommit says whether a commit comes from somebody who may commit for the group. A consumer
// that assigns its partitions itself names no member and no generation (-1), and may as long as the group has
// no members. A member must be one of the present generation.
//
// A group that is not there was lost with its log, or is of another life: the model's consumers of 4.0 speak
// OffsetCommit version 9 and are told GROUP_ID_NOT_FOUND, those before ILLEGAL_GENERATION. Until 2.3 Kafka asks
// first whether a round is being completed, and then for the member.
//
// Kafka: GroupCoordinator.handleCommitOffsets, doCommitOffsets, validateOffsetCommit (3.0);
// OffsetMetadataManager.validateOffsetCommit, ClassicGroup.validateOffsetCommit (4.0).
func (g *GroupCoordinator) validateOffsetCommit(group *Group, req *protocol.OffsetCommit) protocol.Error {
	switch {
	case !g.cfg.Planted.On(planted.CommitGeneration):
		return protocol.None
	case group == nil && req.Generation < 0:
		return protocol.None
	case group == nil && g.rules.NewGroupCoordinator:
		return protocol.GroupIDNotFound
	case group == nil:
		return protocol.IllegalGeneration
	case req.Generation < 0 && group.State == Empty:
		return protocol.None
	case group.member(req.Member) == nil:
		return protocol.UnknownMemberID
	case req.Generation != group.Generation:
		return protocol.IllegalGeneration
	case group.State == CompletingRebalance:
		return protocol.RebalanceInProgress
	}
	return protocol.None
}

// validateTxnOffsetCommit does the same for positions in a transaction. Before 2.5 the request bears no member
// and nothing is checked: the producer's epoch is all that holds a zombie back. From 2.5 on the check is made
// if the producer says which member it acts for; one that gives only the group's name is believed, although
// the group has members.
//
// Kafka: GroupCoordinator.doTxnCommitOffsets (2.5), validateOffsetCommit (3.0);
// OffsetMetadataManager.validateTransactionalOffsetCommit (4.0). KIP-447. They differ on requests that no
// client sends: a generation without a member, a member without a generation.
func (g *GroupCoordinator) validateTxnOffsetCommit(group *Group, req *protocol.OffsetCommit) protocol.Error {
	generation := int32(0)
	if group != nil {
		generation = group.Generation
	}
	switch {
	case !g.rules.StableOffsets || !g.cfg.Planted.On(planted.TxnCommitGeneration):
		return protocol.None
	case group == nil && req.Generation >= 0 && g.rules.NewGroupCoordinator:
		return protocol.IllegalGeneration
	case req.Member != "" && (group == nil || group.member(req.Member) == nil):
		return protocol.UnknownMemberID
	case req.Generation >= 0 && req.Generation != generation:
		return protocol.IllegalGeneration
	}
	return protocol.None
}
