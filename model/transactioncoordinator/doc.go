// Package transactioncoordinator keeps the transactions of producers with a transactional.id, as the broker
// that leads the id's partition of __transaction_state does. It is a pure state machine: the broker hands it
// requests, and tells it what became of the batches it asked to be appended and of the markers it asked to be
// sent; it gives back Effects, which are what the broker has to do.
//
// Everything that a coordinator knows of a transaction is a record of __transaction_state, written and
// replicated before it counts. A transaction is committed or aborted the moment its PrepareCommit or
// PrepareAbort is replicated; the producer is answered then, and the markers in the partitions follow. What
// a broker must do:
//
//	a request arrives             the Handle method of that name
//	the append is replicated      OnCommitted
//	the append failed             OnAppendFailed, with what came of it
//	the broker leads              OnElection, and OnLoaded when it has read the log
//	it leads no more              OnResignation
//	WriteTxnMarkers is answered   OnMarkersAnswered; OnMarkersLost if the connection broke or it took too long
//	something woke the sender     GenerateRequests, also after request.timeout.ms without anything
//	from time to time             AbortTimedOutTransactions, RemoveExpiredTransactionalIds
//
// Left out: ListTransactions and DescribeTransactions, authorization, and two-phase commit (KIP-939).
//
// Kafka: TransactionCoordinator, TransactionStateManager, TransactionMetadata, TransactionLog,
// TransactionMarkerChannelManager, TransactionMarkerRequestCompletionHandler (0.11 to 4.0).
package transactioncoordinator
