package consumer

import (
	"slices"
	"strconv"

	"kafkatrial/model/event"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// An application that reads, processes and writes: what it does with its producer, and with the exceptions that the
// producer throws, follows the documentation of KafkaProducer and Kafka's example ExactlyOnceMessageProcessor.
//
//   - With a transactional.id it calls initTransactions each time it opens a producer, before its first verb.
//   - A fatal exception leaves its loop: it closes consumer and producer.
//   - Any other, in a transaction: it calls abortTransaction, and goes on as Application.OnAbort says. So it does when its
//     own code throws.
//   - A TimeoutException of initTransactions or abortTransaction: it makes the same call again. One of commitTransaction
//     leaves open whether the transaction is committed: Application.OnUnknown.
//   - Without a transaction every exception leaves the loop.

// purpose says what the application's thread is in a call of its producer for.
type purpose uint8

const (
	forVerb        purpose = iota // the verb at pc
	forInit                       // initTransactions, before the verb loop.next
	forAbort                      // abortTransaction
	forReplacement                // close, to open another producer and go on with the verb loop.next
)

// openProducer makes the application's producer, if it has one.
func (c *Consumer) openProducer(env *sim.Env) {
	if c.app.Producer != nil {
		c.producer = producer.NewEmbedded(c.app.Producer, c.dir, c.rules, c.producer)
		c.producer.Start(env)
	}
}

// enter comes to a verb with clients that are new: initTransactions comes first.
func (c *Consumer) enter(env *sim.Env, pc int) {
	if c.producer == nil || !c.producer.Transactional() {
		c.beginVerb(env, pc)
		return
	}
	c.loop.next = pc
	c.call(env, forInit, &protocol.Command{Transaction: protocol.InitTransactions})
}

// call begins a call of the producer, or several.
func (c *Consumer) call(env *sim.Env, why purpose, cmd *protocol.Command) {
	c.loop.state, c.loop.purpose = Calling, why
	c.producer.Make(env, cmd)
}

// callProducer carries out a verb that is a call of the producer. With nothing to send there is none.
func (c *Consumer) callProducer(env *sim.Env, verb Verb) {
	cmd := &protocol.Command{}
	switch verb {
	case Begin:
		cmd.Transaction = protocol.BeginTransaction
	case Send:
		cmd.Send = c.outputs()
		if len(cmd.Send.Records) == 0 {
			c.endVerb(env)
			return
		}
	case Flush:
		cmd.Flush = true
	case SendOffsets:
		cmd.SendOffsets = c.positions()
		if len(cmd.SendOffsets.Data) == 0 {
			c.endVerb(env)
			return
		}
	case CommitTransaction:
		cmd.Transaction = protocol.CommitTransaction
	}
	c.call(env, forVerb, cmd)
}

// outputs makes one record of each record in hand.
func (c *Consumer) outputs() *protocol.SendCommand {
	s := &protocol.SendCommand{Topic: c.app.Sends.Topic, Partition: c.app.Sends.Partition}
	for i := range c.loop.batch {
		r := c.loop.batch[i].Record
		if c.app.Source != nil { // a row that is passed on is the record that it holds
			passed := *r
			passed.From, passed.Timestamp = "", record.NoTimestamp
			s.Records = append(s.Records, passed)
			continue
		}
		id := OutputID(r.ID, s.Topic)
		out := record.Record{ID: id, From: r.ID, Key: r.Key, HasKey: r.HasKey, Value: id, Timestamp: record.NoTimestamp}
		if i < len(c.store.counted) { // what the store has made of it
			out.Value = strconv.FormatInt(c.store.counted[i], 10)
		}
		s.Records = append(s.Records, out)
	}
	return s
}

// OutputID is what people call the record that an application writes to a topic for an input record: m1.out.
func OutputID(input, topic string) string { return input + "." + topic }

// positions are those after the last poll, as sendOffsetsToTransaction gets them.
func (c *Consumer) positions() *protocol.SendOffsetsCommand {
	s := &protocol.SendOffsetsCommand{Group: c.app.Group, Generation: -1, Data: c.kafka.subs.allConsumed()}
	if !c.app.GroupOnly {
		s.Generation, s.Member = c.GroupMetadata()
	}
	return s
}

// calling looks whether the call under way is over, and goes on. It reports whether it was.
func (c *Consumer) calling(env *sim.Env) bool {
	e, done := c.producer.Returned()
	if !done {
		return false
	}
	l := &c.loop
	switch {
	case e.Err != protocol.None:
		c.producerThrew(env, e)
	case l.purpose == forInit:
		c.beginVerb(env, l.next)
	case l.purpose == forAbort:
		c.aborted(env)
	case l.purpose == forReplacement:
		c.openProducer(env)
		c.enter(env, l.next)
	case c.app.Loop[l.pc] == Update:
		c.updateNext(env)
	default:
		c.endVerb(env)
	}
	return true
}

// producerThrew is the application's catch clause.
func (c *Consumer) producerThrew(env *sim.Env, e producer.Exception) {
	l := &c.loop
	commits := l.purpose == forVerb && c.app.Loop[l.pc] == CommitTransaction
	switch {
	case e.Open && (l.purpose != forVerb || commits && c.app.OnUnknown == Retry):
		env.Record(&event.CallRepeated{Call: e.Call})
		c.again(env)
	case e.Open && commits:
		env.Record(&event.CommitRedone{Records: int64(len(l.batch))})
		l.next = slices.Index(c.app.Loop, Begin)
		c.call(env, forReplacement, &protocol.Command{Close: true})
	case l.purpose == forVerb && !e.Fatal() && c.producer.InTransaction():
		c.abort(env)
	default:
		c.leave(env, &event.ConsumerFailed{Position: -1, Err: e.Err, From: event.ByProducer})
	}
}

// again makes the same call once more. If it throws at once (max.block.ms=0) that is caught a little later: the application
// would go round and round in this moment otherwise.
func (c *Consumer) again(env *sim.Env) {
	cmd := &protocol.Command{Transaction: protocol.CommitTransaction}
	switch c.loop.purpose {
	case forInit:
		cmd.Transaction = protocol.InitTransactions
	case forAbort:
		cmd.Transaction = protocol.AbortTransaction
	}
	c.call(env, c.loop.purpose, cmd)
	if c.producer.Threw() {
		c.loop.state = Repeating
		c.loop.timer = env.SetTimer(verbTime, protocol.TimerApplication, 0, false)
	}
}

func (c *Consumer) abort(env *sim.Env) {
	c.call(env, forAbort, &protocol.Command{Transaction: protocol.AbortTransaction})
}

// aborted goes on after abortTransaction has returned. What was in hand is let go: it comes again only if the position
// goes back.
func (c *Consumer) aborted(env *sim.Env) {
	l := &c.loop
	if c.rollBack(env) {
		return
	}
	if c.app.OnAbort == Rewind {
		c.rewind()
		c.rewindSource()
	} else {
		env.Record(&event.BatchGivenUp{Records: int64(len(l.batch))})
	}
	c.distrustStore()
	l.batch, l.done, l.begun = nil, 0, false
	c.beginVerb(env, 0)
}

// rewind has every partition go back to its committed position. The next poll asks the coordinator for it; without a group
// there is none, and the position goes back to where the records in hand begin.
//
// Kafka: ExactlyOnceMessageProcessor.resetToLastCommittedPositions, which calls KafkaConsumer.committed and seek.
func (c *Consumer) rewind() {
	for i := range c.kafka.subs.partitions {
		p := &c.kafka.subs.partitions[i]
		if !p.hasPosition() {
			continue
		}
		p.back = p.Position.Offset
		if j := slices.IndexFunc(c.loop.batch, func(r event.Consumed) bool { return r.TP == p.TP }); j >= 0 {
			p.back = c.loop.batch[j].Offset
		}
		if c.app.Group == "" {
			p.seekValidated(c.positionAt(p.TP, p.back, -1))
			continue
		}
		p.State, p.rewinds, p.consulted, p.from, p.retryAt, p.asked = Initializing, true, false, p.Position.Offset, 0, 0
	}
}

// rewound takes the committed position of a partition that goes back.
func (c *Consumer) rewound(env *sim.Env, p *PartitionState, d *protocol.CommitData) {
	to, epoch := p.back, -1
	if d.Offset >= 0 {
		to, epoch, p.Committed = d.Offset, c.epochOf(d.LeaderEpoch), d.Offset
	}
	from := p.from
	p.rewinds, p.from = false, -1
	p.seekUnvalidated(c.positionAt(p.TP, to, epoch), c.checksPositions())
	if from != to {
		c.recordReset(env, p, from, to, event.FromRewind)
	}
}

// fails says that the application's own code throws at this record. How often it does is no matter of the process: what it
// stumbles over is in the world, and a process that starts anew finds it as the one before has left it. So the count is kept where
// a restart of whatever kind leaves it.
func (c *Consumer) fails(env *sim.Env, r *event.Consumed) bool {
	for _, f := range c.app.Fails {
		thrown, _ := env.Disk().Get("exceptions at " + f.Record)
		if n, _ := thrown.(int); f.Record == r.Record.ID && n < f.Times {
			env.Disk().Put("exceptions at "+f.Record, n+1)
			return true
		}
	}
	return false
}

// processFailed is an exception of the application's own code. In a transaction the application catches it.
func (c *Consumer) processFailed(env *sim.Env, r *event.Consumed) {
	env.Record(&event.ProcessFailed{TP: r.TP, Offset: r.Offset, Record: r.Record.ID})
	if c.producer != nil && c.producer.InTransaction() {
		c.abort(env)
		return
	}
	c.throw(env, exception{err: protocol.None, at: -1})
}

// closeProducer begins KafkaProducer.close, which aborts an open transaction and has no bound of its own. A call under
// way is left.
func (c *Consumer) closeProducer(env *sim.Env) {
	if c.producer != nil && !c.producer.Closed() {
		c.producer.Interrupt(env)
		c.producer.Make(env, &protocol.Command{Close: true})
	}
}
