package sim

// MsgType numbers the kinds of message of a model; Config.MessageNames spells them.
type MsgType uint8

// Message is what travels between nodes. It must not be changed after it was sent: sender, receiver,
// trace and copies of the world share it.
type Message interface {
	Type() MsgType
	// Routine says that the message, by its own content, asks for or brings nothing new (a heartbeat, an
	// empty fetch response): views fold it, and a world in which only routine is left is quiescent.
	Routine() bool
}

// NodeID is a node's place in Config.Nodes.
type NodeID int32

// Nobody stands for no node: the script, the person at the keyboard.
const Nobody NodeID = -1

// ConnID names one connection of a run; a reconnect makes a new one.
type ConnID int32

// NoConn is no connection.
const NoConn ConnID = -1

// Delivery hands a message to its receiver.
type Delivery struct {
	Conn ConnID
	From NodeID
	Msg  Message
}

// Timer is what SetTimer was told, given back when the time has come.
type Timer struct {
	Kind uint8
	Arg  int64
}

// Node is one process of the model: a passive state machine. It is driven by these four calls, acts only
// through its Env, and holds other nodes by NodeID, never by pointer. A crash drops the value; a restart
// builds a new one by NodeSpec.New, which finds only the Disk.
type Node interface {
	// Start is called once, when the process begins.
	Start(env *Env)
	Receive(env *Env, d Delivery)
	Timer(env *Env, t Timer)
	// Disconnected says that the connection is gone: the other side closed it, died, or it was reset.
	Disconnected(env *Env, c ConnID)
}

// NodeSpec names a node and says how its process is made.
type NodeSpec struct {
	Name string
	New  func() Node
	// Idle nodes do not start by themselves: a script or a restart does it.
	Idle bool
	// ShutDown asks a node that runs to stop in order; nil if there is no such request.
	ShutDown func(*World, NodeID)
	// Faults says which faults a free search may strike this node with.
	Faults NodeFaults
}

// NodeFaults is a set of faults.
type NodeFaults uint8

// The faults of a node. They differ in what is lost: Kill loses memory; PowerLoss also what was not
// flushed; DiskLoss everything; Pause nothing but time; an orderly stop nothing at all.
const (
	CanKill NodeFaults = 1 << iota
	CanLosePower
	CanLoseDisk
	CanPause
	CanShutDown // the process is asked to stop in order, and stops when it has done so: NodeSpec.ShutDown
)
