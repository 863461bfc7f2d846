package model

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// memory declares what the types of the nodes do not tell about their memory: see sim.Memory. A test fails
// for a declaration that no node's memory has use for.
func memory() *sim.Memory {
	return &sim.Memory{Types: memoryTypes, Fields: memoryFields, ConnArgs: connArgs}
}

var memoryTypes = map[string]sim.Meaning{
	// What a run is configured with.
	"broker.Config":                 sim.Constant,
	"client.Config":                 sim.Constant,
	"consumer.Application":          sim.Constant,
	"consumer.settings":             sim.Constant,
	"controller.Settings":           sim.Constant,
	"release.Rules":                 sim.Constant,
	"groupcoordinator.Config":       sim.Constant,
	"producer.Application":          sim.Constant,
	"producer.Config":               sim.Constant,
	"protocol.Directory":            sim.Constant,
	"zookeeper.Settings":            sim.Constant,
	"transactioncoordinator.Config": sim.Constant,
	"planted.Set":                   sim.Constant,

	// What is made new when it is to change.
	"config.Values":            sim.Written,
	"record.RecordBatch":       sim.Written,
	"record.Record":            sim.Written,
	"partition.AlterPartition": sim.Written,
	"protocol.Row":             sim.Written,
	"protocol.FetchResult":     sim.Written,
}

var memoryFields = map[string]sim.Meaning{
	// Lengths of time, not moments.
	"broker.replicaManager.fetchWait":                  sim.Constant,
	"broker.replicaManager.fetchBackoff":               sim.Constant,
	"broker.replicaManager.socketTimeout":              sim.Constant,
	"client.connection.backoff":                        sim.Length,
	"consumer.loop.processTime":                        sim.Length,
	"controller.deferred.every":                        sim.Constant,
	"controller.KafkaController.sessionTimeout":        sim.Constant,
	"controller.brokerHeartbeatManager.sessionTimeout": sim.Constant,
	"controller.brokerHeartbeatManager.usualSilence":   sim.Constant,
	"zookeeper.session.timeout":                        sim.Length,
	"partition.Config.ReplicaLagTimeMax":               sim.Length,
	"zookeeper.transaction.timeout":                    sim.Length,
	"protocol.Produce.Timeout":                         sim.Length,
	"protocol.Fetch.MaxWait":                           sim.Length,
	"protocol.ZkRequest.Timeout":                       sim.Length,
	"protocol.InitProducerId.TransactionTimeout":       sim.Length,
	"producer.transaction.timeout":                     sim.Length,

	// Moments in milliseconds.
	"transactioncoordinator.TransactionMetadata.StartMs":      sim.Millis,
	"transactioncoordinator.TransactionMetadata.LastUpdateMs": sim.Millis,
	"transactioncoordinator.TxnTransitMetadata.StartMs":       sim.Millis,
	"transactioncoordinator.TxnTransitMetadata.LastUpdateMs":  sim.Millis,
	"record.Record.Timestamp":                                 sim.Millis,
	"record.RecordBatch.MaxTimestamp":                         sim.Millis,
	"log.BatchMetadata.Timestamp":                             sim.Millis,
	"log.ProducerStateEntry.LastTimestamp":                    sim.Millis,
	"log.VerificationStateEntry.Timestamp":                    sim.Millis,

	// Numbers that name a request until it is answered.
	"broker.delayedProduce.correlation":     sim.Naming,
	"broker.fetcher.corr":                   sim.Naming,
	"broker.Broker.correlation":             sim.Forgotten,
	"broker.producerIDRequest.correlation":  sim.Naming,
	"client.Request.Correlation":            sim.Naming,
	"client.NetworkClient.correlation":      sim.Forgotten,
	"consumer.fetcher.pending":              sim.Naming,
	"consumer.readBack.asked":               sim.Naming,
	"consumer.PartitionState.asked":         sim.Naming,
	"consumer.consumerCoordinator.finding":  sim.Naming,
	"consumer.consumerCoordinator.fetching": sim.Naming,
	"consumer.commit.correlation":           sim.Naming,
	"consumer.membership.joining":           sim.Naming,
	"consumer.membership.heartbeat":         sim.Naming,
	"producer.request.correlation":          sim.Naming,
	"producer.transaction.asking":           sim.Naming,
	"protocol.*.Correlation":                sim.Naming,
	// Numbers of a database's transactions.
	"database.Database.begun":     sim.Forgotten,
	"database.Database.commits":   sim.Forgotten,
	"database.transaction.number": sim.Naming,
	"database.entry.number":       sim.Naming,
	"database.place.version":      sim.Naming,

	// The broker's own metadata cache, which is part of the key already.
	"partition.Partition.meta": sim.Forgotten,
	// What screens count.
	"producer.KafkaProducer.acked":    sim.Forgotten,
	"producer.KafkaProducer.failures": sim.Forgotten,
	"producer.KafkaProducer.rejected": sim.Forgotten,
}

// connArgs: KRaft's controller keeps a fetch of the metadata waiting, and ends the wait by its connection.
var connArgs = map[uint8]bool{protocol.TimerMetadataFetch: true}
