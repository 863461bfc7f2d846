package groupcoordinator

import (
	"path/filepath"
	"slices"
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/referencecase"
	"kafkatrial/model/release"
)

func TestReferenceCasesGroups(t *testing.T) {
	referencecase.Run(t, filepath.Join("..", "testdata", "kafka-cases"), map[string]referencecase.Runner{"offset_commit": runOffsetCommitCase})
}

// runOffsetCommitCase asks the coordinator of 4.0 who may commit.
func runOffsetCommitCase(t *testing.T, given, expect *referencecase.Fields) {
	rules := release.Of(release.Version{Major: 4})
	g := New(DefaultConfig, &rules)
	var group *Group
	if f := given.Sub("group"); !f.Empty() {
		group = &Group{Generation: int32(f.Num("generation", 0))}
		state := f.Text("state", "")
		i := slices.Index(groupStateNames[:], state)
		if i < 0 {
			t.Skipf("a group is never %s here", state)
		}
		group.State = GroupState(i)
		for _, v := range f.List("members") {
			id, _ := v.(string)
			group.Members = append(group.Members, Member{ID: id, ClientID: id})
		}
		f.Done()
	}
	req := &protocol.OffsetCommit{Member: given.Text("member", ""), Generation: int32(given.Num("generation", -1))}
	if given.Has("instance") {
		t.Skip("there are no static members")
	}
	err := g.validateOffsetCommit(group, req)
	if given.Flag("transactional", false) {
		err = g.validateTxnOffsetCommit(group, req)
	}
	given.Done()
	expect.Compare(map[string]any{"error": err.String()})
}
