// Package checker rules on the claims people make about Kafka.
//
// It is given a History: what was submitted, what the producers were told, what the logs held at the end, what
// consumers read and what applications did. It answers with verdicts (holds, violated, undecided), each with its
// evidence: the records, the two or three decisive steps and one plain sentence.
//
// # The three famous claims
//
// A claim is about a flow: records submitted on one side, effects observed on the other. At the log, a record takes
// effect when it is in the committed log at the end. At an application, it takes effect when it is processed.
//
//	claim           may an acknowledged record be missing at the end?   may a record take effect twice?
//	at-most-once    yes                                                 no
//	at-least-once   no                                                  yes
//	exactly-once    no                                                  no
//
// A record whose outcome is unknown may take effect or not under all three, but not twice where twice is forbidden.
// A record that failed for certain must not take effect under any, and neither must one that nobody submitted.
// A record is the business record: a resend by the application is a second submission of the same record.
//
// # Who decides
//
// Every ruling is made by the linearizability checker porcupine: one model per claim, histories partitioned (by record
// for deliveries, by topic-partition for the log), states of constant size. Our own code translates events into
// operations beforehand and puts a violation into words afterwards; it never overrules. Porcupine runs without a
// timeout, so no ruling depends on the speed of the machine.
//
// Among k operations of one moment a search tries up to 2^k orders, so histories are put in a form in which at each
// moment at most one operation is legal: see part.line. docs/claims.md says of each claim what its object and its
// operations are, and whether it is a check of linearizability or a fold over an order that is given.
//
// # Unknown outcomes
//
// A send that timed out may have taken effect or not. A search that must try both for every such send doubles its
// work with each of them, and an illegal history then never gets an answer. The simulator knows what was written, so
// the checker resolves each unknown outcome before the search, see resolveAppend. This is sound: a legal order of
// the history needs an unknown append exactly if somebody saw its record, in a read or in the final log, or was told of
// a later offset; and then the place that the run gave it is the only offset it can have. If nobody saw it, an order
// that contains it contradicts the read of the final log, and an order without it is just as legal. A property test
// compares the rulings with a naive search that tries every subset and every order.
package checker
