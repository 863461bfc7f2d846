package controller

import "kafkatrial/model/protocol"

// generateNextProducerID gives a broker a block of producer ids. That the block is gone is in the metadata log
// before the broker hears of it, so no id is given twice, whoever crashes.
//
// Kafka: ProducerIdControlManager.generateNextProducerId.
func (c *QuorumController) generateNextProducerID(m *protocol.AllocateProducerIds) ([]change, *protocol.AllocateProducerIdsResponse) {
	if err := c.checkBrokerEpoch(m.Broker, m.BrokerEpoch); err != protocol.None {
		return nil, &protocol.AllocateProducerIdsResponse{Err: err}
	}
	start := c.producerID
	rec := &protocol.ProducerIDsRecord{Broker: m.Broker, BrokerEpoch: m.BrokerEpoch, NextProducerID: start + protocol.ProducerIDBlockSize}
	return []change{{producerIDs: rec}}, &protocol.AllocateProducerIdsResponse{Start: start, Len: protocol.ProducerIDBlockSize}
}
