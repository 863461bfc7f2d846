package protocol

import "slices"

// TopicSpec is a topic as a scenario gives it: part of the state in which a run begins.
type TopicSpec struct {
	Name     string
	Replicas [][]BrokerID   // by partition, the preferred replica first
	Config   []ConfigRecord // overrides; their Topic is Name
}

// InitialState is a partition as a run begins: led by the first of its replicas that runs, in leader epoch
// 0, with all that run in sync. If none runs, its first replica is the last one that was in sync.
func InitialState(tp TopicPartition, replicas, down []BrokerID) PartitionState {
	p := PartitionState{TP: tp, Replicas: replicas, Leader: NoBroker}
	for _, b := range replicas {
		if !slices.Contains(down, b) {
			p.ISR = append(p.ISR, b)
		}
	}
	if len(p.ISR) > 0 {
		p.Leader = p.ISR[0]
	} else {
		p.ISR = replicas[:1:1]
	}
	return p
}
