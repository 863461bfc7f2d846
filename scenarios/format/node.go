package format

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// NodeKind says what a Node names.
type NodeKind string

// The kinds of node. ActiveController, LeaderOf and CoordinatorOf are roles: which node it is shows only in the run.
const (
	Broker           NodeKind = "broker"
	Controller       NodeKind = "controller" // a controller, a node of its own
	ZooKeeperNode    NodeKind = "zk"         // the ZooKeeper ensemble, one node
	ProducerNode     NodeKind = "producer"
	ConsumerNode     NodeKind = "consumer"
	DatabaseNode     NodeKind = "database"
	ActiveController NodeKind = "active controller"
	LeaderOf         NodeKind = "leader"      // of Partition
	CoordinatorOf    NodeKind = "coordinator" // of the group Group
	NoNode           NodeKind = "none"        // where a file may say that there is none, as in leader: {is: none}
)

// Node names a node of the cluster, a client, or a role. Broker 1 is b1, 1 or "1" in a file, and always b1 here.
type Node struct {
	Kind      NodeKind
	Name      string    // b1, k1, zk, the client's name; for a role "controller", "leader of orders-0", "coordinator of g"
	ID        int       // of a broker or a controller, from 1; otherwise 0
	Partition Partition // of LeaderOf
	Group     Name      // of CoordinatorOf
	Pos       Pos
}

func (n Node) String() string { return n.Name }

// IsZero reports whether the file left the node out.
func (n Node) IsZero() bool { return n.Name == "" }

// Partition names one partition of a topic, as in orders-0.
type Partition struct {
	Topic Name
	Index int // from 0
	Pos   Pos
}

func (p Partition) String() string { return p.Topic.Text + "-" + strconv.Itoa(p.Index) }

// IsZero reports whether the file left the partition out.
func (p Partition) IsZero() bool { return p.Topic.IsZero() }

var (
	brokerForm     = regexp.MustCompile(`^b?([1-9][0-9]{0,5})$`)
	controllerForm = regexp.MustCompile(`^k([1-9][0-9]{0,5})$`)
	clientForm     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
	topicForm      = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	recordForm     = regexp.MustCompile(`^[\pL\pN][\pL\pN_.'′-]*$`)
	versionForm    = regexp.MustCompile(`^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){1,3}$`)
	languageForm   = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$`)
)

// reserved reports whether a client may not have the name because it already names something else.
func reserved(name string) bool {
	switch name {
	case "zk", "controller", "all", "none":
		return true
	}
	return brokerForm.MatchString(name) || controllerForm.MatchString(name)
}

// parseNode reads a reference to a node. A client's kind is left open here; the check that knows the clients fills it in.
func parseNode(text string, pos Pos) (Node, error) {
	n := Node{Name: text, Pos: pos}
	if m := brokerForm.FindStringSubmatch(text); m != nil {
		n.Kind = Broker
		n.ID, _ = strconv.Atoi(m[1])
		n.Name = "b" + m[1]
		return n, nil
	}
	if m := controllerForm.FindStringSubmatch(text); m != nil {
		n.Kind = Controller
		n.ID, _ = strconv.Atoi(m[1])
		return n, nil
	}
	if of, found := strings.CutPrefix(text, "leader of "); found {
		n.Kind = LeaderOf
		var err error
		n.Partition, err = parsePartition(of, pos)
		return n, err
	}
	if of, found := strings.CutPrefix(text, "coordinator of "); found {
		n.Kind, n.Group = CoordinatorOf, Name{of, pos}
		return n, nil
	}
	switch {
	case text == "zk":
		n.Kind = ZooKeeperNode
	case text == "controller":
		n.Kind = ActiveController
	case text == "none":
		n.Kind = NoNode
	case !clientForm.MatchString(text):
		return n, fmt.Errorf("a node such as b1, k1, zk, a client's name, controller, or leader of orders-0")
	}
	return n, nil
}

func parsePartition(text string, pos Pos) (Partition, error) {
	topic, index, found := cutLast(text, "-")
	n, err := strconv.Atoi(index)
	if !found || err != nil || n < 0 || strconv.Itoa(n) != index || !topicForm.MatchString(topic) {
		return Partition{Pos: pos}, fmt.Errorf("a topic and the number of a partition, as in orders-0")
	}
	return Partition{Topic: Name{topic, pos}, Index: n, Pos: pos}, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
