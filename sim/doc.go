// Package sim is a single-threaded, deterministic discrete-event simulator: a virtual clock, an event
// queue, nodes that can be killed, lose power, lose their disk or pause, links that delay, hold, lose or
// cut, disks with a page cache, and one trace of everything that happened. It knows nothing of Kafka.
//
// Its one idea: every decision that is not forced is a Point with named Options, answered by one Source.
// Option 0 is always the calm one, so a run in which every answer is 0 is the textbook run, and a run is
// a pure function of the model, the scenario and the list of answers that were not calm.
//
// Nothing in here starts a goroutine, reads a clock, draws from a global random source or lets the order
// of a map reach a decision.
package sim
