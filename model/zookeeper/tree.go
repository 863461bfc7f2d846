package zookeeper

import (
	"sort"
	"strings"
)

// znode is a node of the tree.
type znode struct {
	path    string
	data    any
	version int32
	created int64 // czxid: the transaction that created it
	owner   int64 // the session of an ephemeral node, 0 of others
}

// tree holds the nodes in path order. Parents need not exist: Kafka's are there from the start.
type tree struct {
	nodes []znode
	zxid  int64 // counts the changes of the tree
}

func (t *tree) find(path string) (int, bool) {
	return sort.Find(len(t.nodes), func(i int) int { return strings.Compare(path, t.nodes[i].path) })
}

// get gives the node, nil if there is none. It is good until the next change.
func (t *tree) get(path string) *znode {
	if i, ok := t.find(path); ok {
		return &t.nodes[i]
	}
	return nil
}

func (t *tree) create(path string, data any, owner int64) {
	t.zxid++
	i, _ := t.find(path)
	t.nodes = append(t.nodes, znode{})
	copy(t.nodes[i+1:], t.nodes[i:])
	t.nodes[i] = znode{path: path, data: data, created: t.zxid, owner: owner}
}

func (t *tree) set(path string, data any) {
	t.zxid++
	if n := t.get(path); n != nil {
		n.data = data
		n.version++
	}
}

func (t *tree) remove(path string) {
	t.zxid++
	if i, ok := t.find(path); ok {
		t.nodes = append(t.nodes[:i], t.nodes[i+1:]...)
	}
}

// children lists the names directly under a path, in order.
func (t *tree) children(path string) (names []string) {
	prefix := path + "/"
	i, _ := t.find(prefix)
	for ; i < len(t.nodes) && strings.HasPrefix(t.nodes[i].path, prefix); i++ {
		if name := t.nodes[i].path[len(prefix):]; !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names
}

// ownedBy lists the ephemeral nodes of a session, in order.
func (t *tree) ownedBy(session int64) (paths []string) {
	for i := range t.nodes {
		if t.nodes[i].owner == session {
			paths = append(paths, t.nodes[i].path)
		}
	}
	return paths
}

func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}
