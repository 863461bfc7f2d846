package protocol

import "kafkatrial/sim"

// BrokerRegistration announces a broker process to the KRaft controller.
type BrokerRegistration struct {
	Broker        BrokerID
	Incarnation   int64 // a new one for every process
	PreviousEpoch int64 // the broker epoch in the clean-shutdown file (KIP-966); -1: it was not shut down in order
	DiskID        int64 // tells a replaced disk from the old one
}

// BrokerRegistrationResponse gives the broker its epoch.
type BrokerRegistrationResponse struct {
	Err   Error
	Epoch int64
}

// BrokerHeartbeat keeps a broker's session alive.
type BrokerHeartbeat struct {
	Broker         BrokerID
	Epoch          int64
	MetadataOffset int64 // of the last record of the metadata log that it has applied; -1 none
	WantFence      bool
	WantShutDown   bool
}

// BrokerHeartbeatResponse answers it.
type BrokerHeartbeatResponse struct {
	Err            Error
	CaughtUp       bool
	Fenced         bool
	ShouldShutDown bool
}

// MetadataFetch reads the metadata log from an offset; it waits for more, though not for ever.
type MetadataFetch struct {
	Broker BrokerID
	Offset int64
}

// MetadataFetchResponse brings committed records of the metadata log.
type MetadataFetchResponse struct {
	Offset  int64 // of the first record
	Records []MetadataRecord
}

// MetadataRecord is one record of the metadata log; exactly one field is set.
type MetadataRecord struct {
	Registration *RegistrationRecord
	Partition    *PartitionState // PartitionRecord or PartitionChangeRecord: the state afterwards
	Config       *ConfigRecord
	ProducerIDs  *ProducerIDsRecord // brokers need not look at it
	Feature      *FeatureRecord     // the first record of the log; brokers need not look at it
}

// FeatureRecord (FeatureLevelRecord) says in which level a feature of the cluster is in force.
type FeatureRecord struct {
	Name  string
	Level int
}

// RegistrationRecord is a broker's registration as it stands afterwards
// (RegisterBrokerRecord, BrokerRegistrationChangeRecord).
type RegistrationRecord struct {
	Broker       BrokerID
	Epoch        int64
	Incarnation  int64
	Fenced       bool
	ShuttingDown bool
}

// ConfigRecord sets one configuration value of a topic or, with an empty topic, of the cluster.
type ConfigRecord struct {
	Topic, Key, Value string
}

// AlterPartition asks the controller to change ISRs (KIP-497). A refusal changes nothing.
type AlterPartition struct {
	Broker      BrokerID
	BrokerEpoch int64
	Data        []ISRChange
}

// ISRChange is the ISR that a leader proposes.
type ISRChange struct {
	TP             TopicPartition
	LeaderEpoch    int
	PartitionEpoch int // the compare of the compare-and-set
	ISR            []ISRMember
}

// ISRMember is a proposed member with the broker epoch under which it last fetched (KIP-903; -1 not told).
type ISRMember struct {
	Broker BrokerID
	Epoch  int64
}

// AlterPartitionResponse answers it.
type AlterPartitionResponse struct {
	Err  Error // of the whole request
	Data []ISRResult
}

// ISRResult is one partition's outcome: the state afterwards, or the error.
type ISRResult struct {
	TP    TopicPartition
	Err   Error
	State PartitionState
}

// LeaderAndIsr tells a broker which partitions it leads and follows (ZooKeeper's controller).
type LeaderAndIsr struct {
	Controller      BrokerID
	ControllerEpoch int
	BrokerEpoch     int64 // -1: not told (before 2.2)
	Partitions      []PartitionState
	Live            []BrokerID
}

// LeaderAndIsrResponse answers it.
type LeaderAndIsrResponse struct {
	Err  Error
	Data []CommitResult
}

// UpdateMetadata tells a broker what to answer to clients.
type UpdateMetadata struct {
	Controller      BrokerID
	ControllerEpoch int
	BrokerEpoch     int64
	Partitions      []PartitionState
	Live            []BrokerID
	Configs         []ConfigRecord
}

// UpdateMetadataResponse answers it.
type UpdateMetadataResponse struct{ Err Error }

// StopReplica tells a broker to stop fetching for partitions that it follows: ZooKeeper's controller takes it out of their
// ISRs, as it shuts down. Partitions are never deleted here.
type StopReplica struct {
	Controller      BrokerID
	ControllerEpoch int
	BrokerEpoch     int64 // -1: not told (before 2.2)
	Partitions      []TopicPartition
}

// StopReplicaResponse answers it.
type StopReplicaResponse struct{ Err Error }

// ControlledShutdown asks ZooKeeper's controller to move leaders off a broker.
type ControlledShutdown struct {
	Broker      BrokerID
	BrokerEpoch int64
}

// ControlledShutdownResponse lists the partitions that the broker still leads.
type ControlledShutdownResponse struct {
	Err       Error
	Remaining []TopicPartition
}

// ZkOp is an operation on ZooKeeper.
type ZkOp uint8

// The operations.
const (
	ZkConnect ZkOp = iota // begin a session
	ZkPing                // keep it alive
	ZkCreate              // create a node, ephemeral if Ephemeral
	ZkSet                 // set a node's data if its version is Version (-1: any)
	ZkGet                 // a Watch is left on a path that does not exist, too, as ZooKeeper's exists() would
	ZkChildren
	ZkDelete // if its version is Version (-1: any)
	ZkClose  // end the session in order: its ephemeral nodes go at once
)

// ZkRequest is one ZooKeeper operation of a session.
type ZkRequest struct {
	ID        int32 // chosen by the client, given back in the answer
	Op        ZkOp
	Session   int64
	Timeout   sim.Time // of ZkConnect: the session's
	Path      string
	Data      any // immutable
	Version   int32
	Ephemeral bool
	// Sequential of ZkCreate: a number that only grows is put behind Path; the answer has the whole path.
	Sequential bool
	Watch      bool // tell the session of the next change of Path; with ZkChildren: of its children
	// ControllerEpoch is the version of /controller_epoch that the write is conditional on; -1: none.
	ControllerEpoch int
	// OrWritten of ZkSet: with another version it is no error either if the node holds Data already, as it does when the answer to
	// this very write was lost.
	OrWritten bool
}

// ZkError is an outcome of a ZooKeeper operation.
type ZkError uint8

// The outcomes.
const (
	ZkOK ZkError = iota
	ZkNoNode
	ZkNodeExists
	ZkBadVersion
	ZkSessionExpired
	ZkControllerMoved
)

// ZkResponse answers a ZkRequest.
type ZkResponse struct {
	ID       int32
	Op       ZkOp
	Err      ZkError
	Session  int64
	Path     string
	Data     any
	Version  int32
	Created  int64 // czxid, the transaction that created the node: of /brokers/ids/N, the broker epoch (KIP-380)
	Children []string
}

// ZkEventType says what happened to a path.
type ZkEventType uint8

// The events.
const (
	ZkNodeCreated ZkEventType = iota
	ZkNodeDeleted
	ZkDataChanged
	ZkChildrenChanged
)

// ZkEvent tells a session that a path it watches has changed. The watch is spent.
type ZkEvent struct {
	Path  string
	Event ZkEventType
}

func (*BrokerRegistration) Type() sim.MsgType         { return TBrokerRegistration }
func (*BrokerRegistrationResponse) Type() sim.MsgType { return TBrokerRegistrationResponse }
func (*BrokerHeartbeat) Type() sim.MsgType            { return TBrokerHeartbeat }
func (*BrokerHeartbeatResponse) Type() sim.MsgType    { return TBrokerHeartbeatResponse }
func (*MetadataFetch) Type() sim.MsgType              { return TMetadataFetch }
func (*MetadataFetchResponse) Type() sim.MsgType      { return TMetadataFetchResponse }
func (*AlterPartition) Type() sim.MsgType             { return TAlterPartition }
func (*AlterPartitionResponse) Type() sim.MsgType     { return TAlterPartitionResponse }
func (*LeaderAndIsr) Type() sim.MsgType               { return TLeaderAndIsr }
func (*LeaderAndIsrResponse) Type() sim.MsgType       { return TLeaderAndIsrResponse }
func (*StopReplica) Type() sim.MsgType                { return TStopReplica }
func (*StopReplicaResponse) Type() sim.MsgType        { return TStopReplicaResponse }
func (*UpdateMetadata) Type() sim.MsgType             { return TUpdateMetadata }
func (*UpdateMetadataResponse) Type() sim.MsgType     { return TUpdateMetadataResponse }
func (*ControlledShutdown) Type() sim.MsgType         { return TControlledShutdown }
func (*ControlledShutdownResponse) Type() sim.MsgType { return TControlledShutdownResponse }
func (*ZkRequest) Type() sim.MsgType                  { return TZkRequest }
func (*ZkResponse) Type() sim.MsgType                 { return TZkResponse }
func (*ZkEvent) Type() sim.MsgType                    { return TZkEvent }

func (*BrokerRegistration) Routine() bool         { return false }
func (*BrokerRegistrationResponse) Routine() bool { return false }
func (*BrokerHeartbeat) Routine() bool            { return true }

// Routine is true of a heartbeat's answer without an error.
func (r *BrokerHeartbeatResponse) Routine() bool  { return r.Err == None }
func (*MetadataFetch) Routine() bool              { return true }
func (r *MetadataFetchResponse) Routine() bool    { return len(r.Records) == 0 }
func (*AlterPartition) Routine() bool             { return false }
func (*AlterPartitionResponse) Routine() bool     { return false }
func (*LeaderAndIsr) Routine() bool               { return false }
func (*LeaderAndIsrResponse) Routine() bool       { return true }
func (*StopReplica) Routine() bool                { return false }
func (*StopReplicaResponse) Routine() bool        { return true }
func (*UpdateMetadata) Routine() bool             { return false }
func (*UpdateMetadataResponse) Routine() bool     { return true }
func (*ControlledShutdown) Routine() bool         { return false }
func (*ControlledShutdownResponse) Routine() bool { return false }
func (r *ZkRequest) Routine() bool                { return r.Op == ZkPing }
func (r *ZkResponse) Routine() bool               { return r.Op == ZkPing && r.Err == ZkOK }
func (*ZkEvent) Routine() bool                    { return false }
