package protocol

// TopicSpec is a topic as a scenario gives it: part of the state in which a run begins.
type TopicSpec struct {
	Name     string
	Replicas [][]BrokerID   // by partition, the preferred replica first
	Config   []ConfigRecord // overrides; their Topic is Name
}
