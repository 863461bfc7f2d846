package protocol

// The kinds of timer, numbered over all nodes so that traces can spell them.
const (
	TimerHeartbeat                 uint8 = iota // broker: time for the next heartbeat, or ZooKeeper ping
	TimerFetchBackoff                           // broker: a replica fetcher tries again (replica.fetch.backoff.ms)
	TimerFetchTimeout                           // broker: a fetcher's request got no answer
	TimerDelayedFetch                           // broker: a fetch has waited fetch.max.wait.ms
	TimerDelayedProduce                         // broker: an acks=all produce has waited its time-out
	TimerISRShrink                              // broker: the periodic look for lagging followers
	TimerHWCheckpoint                           // broker: the periodic high-watermark checkpoint
	TimerFlush                                  // broker: log.flush.interval.ms
	TimerAlterPartition                         // broker: an ISR change is sent again
	TimerControllerRequest                      // broker: a request to the controller got no answer
	TimerSession                                // controller, ZooKeeper: a session may have expired
	TimerControllerPing                         // controller: ZooKeeper ping
	TimerLeaderRebalance                        // controller: auto.leader.rebalance.enable
	TimerRequestRetry                           // controller: an order to a broker is sent again
	TimerLinger                                 // producer: linger.ms is over
	TimerRetryBackoff                           // clients: retry.backoff.ms is over
	TimerRequestTimeout                         // clients: request.timeout.ms is over
	TimerDeliveryTimeout                        // producer: delivery.timeout.ms is over
	TimerMaxBlock                               // producer: max.block.ms is over
	TimerMetadataAge                            // clients: metadata.max.age.ms is over
	TimerReconnect                              // clients: reconnect.backoff.ms is over
	TimerAutoCommit                             // consumer: auto.commit.interval.ms is over
	TimerPoll                                   // consumer: the application's next step
	TimerProcess                                // consumer: processing is done
	TimerApplication                            // applications: the next verb
	TimerUncleanElection                        // controller: leaderless partitions are looked at again (KRaft)
	TimerProducerExpiration                     // broker: the periodic look for producers to forget
	TimerMetadataFetch                          // controller: a MetadataFetch has waited long enough; broker: it got no answer
	TimerTransactionAbort                       // broker: the periodic look for transactions that have timed out
	TimerTransactionalIDExpiration              // broker: the periodic look for transactional.ids to forget
	TimerTransactionAppend                      // broker: a write to __transaction_state has waited long enough
	TimerWriteTxnMarkers                        // broker: markers have waited long enough for their replication
	TimerTxnMarkers                             // broker: the sender of markers tries again, or its request got no answer
	TimerTxnVerification                        // broker: a verification is asked again, or got no answer
	TimerDatabase                               // applications: a database has not answered in time, or is asked again
	TimerGroupHeartbeat                         // consumer: heartbeat.interval.ms is over
)

// TimerNames spells the kinds of timer.
var TimerNames = []string{
	"heartbeat", "fetch-backoff", "fetch-timeout", "delayed-fetch", "delayed-produce", "isr-shrink-check", "hw-checkpoint", "flush",
	"alter-partition", "controller-request", "session", "controller-ping", "leader-rebalance", "request-retry", "linger",
	"retry-backoff", "request-timeout", "delivery-timeout", "max-block", "metadata-age", "reconnect", "auto-commit", "poll", "process",
	"application",
	"unclean-election", "producer-expiration", "metadata-fetch",
	"transaction-abort", "transactional-id-expiration", "transaction-append", "write-txn-markers", "txn-markers", "txn-verification",
	"database", "group-heartbeat",
}
