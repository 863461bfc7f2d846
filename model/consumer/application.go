package consumer

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Verb is a step of the application's loop.
type Verb uint8

// The verbs. New ones are added at the end, to the table below and to carryOut.
const (
	Poll    Verb = iota // KafkaConsumer.poll, until there are records
	Process             // every record of that poll takes effect; with a hand-off: is put into the worker's queue
	Commit              // KafkaConsumer.commitSync of the positions after the last poll

	// Of an application with a producer: see calls.go.
	Begin             // KafkaProducer.beginTransaction
	Send              // KafkaProducer.send of one record made from each record of the last poll
	Flush             // KafkaProducer.flush
	SendOffsets       // KafkaProducer.sendOffsetsToTransaction of the positions after the last poll
	CommitTransaction // KafkaProducer.commitTransaction

	// Of an application with a database: see database.go.
	Insert          // one row for each record of the last poll, every time a new one
	Upsert          // the same, keyed by the record: a row that is there stays the one it is
	StorePositions  // the positions after the last poll, in the database
	StagePositions  // the same, in a staging place there, committed at once
	PrepareDatabase // PREPARE TRANSACTION
	CommitDatabase  // COMMIT, or COMMIT PREPARED of what PrepareDatabase has prepared
	Mark            // of a source: the rows of the last poll are marked as passed on

	// Of an application that keeps a state in memory: see store.go.
	Update        // the count of every record's key goes up by one, and a record of it to the changelog
	StorePosition // of a source: the position goes to its topic
)

func (v Verb) String() string { return verbNames[v] }

var verbNames = [...]string{Poll: "poll", Process: "process", Commit: "commit", Begin: "begin", Send: "send", Flush: "flush",
	SendOffsets: "send-offsets", CommitTransaction: "commit-transaction",
	Insert: "insert", Upsert: "upsert", StorePositions: "store-offsets", StagePositions: "stage-offsets",
	PrepareDatabase: "prepare-database", CommitDatabase: "commit-database", Mark: "mark",
	Update: "update", StorePosition: "store-position"}

// ParseVerb finds a verb by its name.
func ParseVerb(name string) (v Verb, ok bool) {
	for i, n := range verbNames {
		if n == name {
			return Verb(i), true
		}
	}
	return 0, false
}

// verbTime lies between two verbs, so that something can happen there: the application comes to a verb,
// and carries it out this much later.
const verbTime = sim.Millisecond

// State says what the application's thread is doing.
type State uint8

// The states.
const (
	Between    State = iota // it has come to a verb and has not begun to carry it out
	Polling                 // in poll
	Processing              // in its own code
	Committing              // in commitSync
	Calling                 // in a call of its producer
	Asking                  // in a request of its database
	Recovering              // it begins, and looks up committed positions to resolve what is prepared in its database
	Restoring               // in poll: what it keeps in memory is read back from its topic
	Repeating               // between two calls of its producer: the same again, for it has thrown at once
	Closing                 // in close
	Draining                // closed; the worker finishes its queue
	Resting                 // failed; it begins anew later
	Ended
)

var stateNames = [...]string{Between: "between", Polling: "polling", Processing: "processing", Committing: "committing", Calling: "calling", Asking: "asking", Recovering: "recovering", Restoring: "restoring", Repeating: "repeating",
	Closing: "closing", Draining: "draining", Resting: "resting", Ended: "ended"}

func (s State) String() string { return stateNames[s] }

// thread numbers the threads that process records.
type thread int64

const (
	mainThread thread = iota
	workerThread
)

// loop is the application: where its thread stands, and the records in its hands.
type loop struct {
	state     State
	pc        int
	begun     bool        // the first verb was reached
	timer     sim.TimerID // of the main thread: the verb, a record
	pollBegan sim.Time
	batch     []event.Consumed // what the last poll returned
	done      int              // how many of them are processed
	queue     []event.Consumed // what the worker has still to process

	processTime sim.Time
	seeks       []protocol.SeekCommand
	stop        bool // close at the end of the round
	failed      bool // an exception has left the loop

	purpose purpose // of the call under way, in Calling
	next    int     // the verb that comes after the calls that open a producer
}

// beginVerb brings the application to a verb; it is carried out a little later.
func (c *Consumer) beginVerb(env *sim.Env, pc int) {
	l := &c.loop
	if pc == 0 && l.stop {
		c.stopNow(env)
		return
	}
	if !l.begun || l.pc != pc {
		env.Record(&event.VerbBegan{PC: int64(pc), Verb: c.app.Loop[pc].String()})
	}
	l.begun, l.pc, l.state = true, pc, Between
	l.timer = env.SetTimer(verbTime, protocol.TimerApplication, int64(pc), false)
}

func (c *Consumer) endVerb(env *sim.Env) { c.beginVerb(env, (c.loop.pc+1)%len(c.app.Loop)) }

// carryOut begins what the application has come to.
func (c *Consumer) carryOut(env *sim.Env) {
	if c.loop.state == Resting {
		c.loop.failed, c.loop.begun = false, false
		c.loop.batch, c.loop.done = nil, 0
		c.open(env)
		c.begin(env)
		return
	}
	if c.loop.state == Repeating {
		c.loop.state = Calling // what it has thrown is still to be caught
		return
	}
	switch verb := c.app.Loop[c.loop.pc]; verb {
	case Poll:
		c.loop.state, c.loop.pollBegan = Polling, env.Now()
	case Process:
		c.beginProcess(env)
	case Commit:
		c.beginCommit(env)
	case Insert, Upsert, StorePositions, StagePositions, PrepareDatabase, CommitDatabase, Mark:
		c.callDatabase(env, verb)
	case Update:
		c.beginUpdate(env)
	case StorePosition:
		c.storePosition(env)
	default:
		c.callProducer(env, verb)
	}
}

// polled is poll's return.
func (c *Consumer) polled(env *sim.Env, records []event.Consumed) {
	c.loop.batch, c.loop.done = records, 0
	c.endVerb(env)
}

func (c *Consumer) beginProcess(env *sim.Env) {
	l := &c.loop
	if c.app.HandOff {
		idle := len(l.queue) == 0
		l.queue = append(l.queue, l.batch...)
		if idle && len(l.queue) > 0 {
			env.SetTimer(c.timeFor(&l.queue[0]), protocol.TimerProcess, int64(workerThread), false)
		}
		c.endVerb(env)
		return
	}
	l.state, l.done = Processing, 0
	c.processNext(env)
}

func (c *Consumer) processNext(env *sim.Env) {
	l := &c.loop
	if l.done == len(l.batch) {
		c.endVerb(env)
		return
	}
	l.timer = env.SetTimer(c.timeFor(&l.batch[l.done]), protocol.TimerProcess, int64(mainThread), false)
}

func (c *Consumer) timeFor(r *event.Consumed) sim.Time {
	for _, s := range c.app.Slow {
		if s.Record == r.Record.ID {
			return s.Time
		}
	}
	return c.loop.processTime
}

// processed is the moment at which a record takes effect.
func (c *Consumer) processed(env *sim.Env, by thread) {
	l := &c.loop
	if by == mainThread && c.fails(env, &l.batch[l.done]) {
		c.processFailed(env, &l.batch[l.done])
		return
	}
	if by == mainThread {
		recordProcessed(env, &l.batch[l.done])
		l.done++
		c.processNext(env)
		return
	}
	recordProcessed(env, &l.queue[0])
	l.queue = l.queue[1:]
	if len(l.queue) > 0 {
		env.SetTimer(c.timeFor(&l.queue[0]), protocol.TimerProcess, int64(workerThread), false)
	} else if l.state == Draining {
		c.exit(env)
	}
}

func recordProcessed(env *sim.Env, r *event.Consumed) {
	env.Record(&event.Processed{TP: r.TP, Offset: r.Offset, Submission: int32(r.Record.Submission), Record: r.Record})
}

func (c *Consumer) beginCommit(env *sim.Env) {
	c.loop.state = Committing
	deadline := sim.Never
	if c.cfg.apiTimeout != sim.Never {
		deadline = env.Now() + c.cfg.apiTimeout
	}
	c.beginCommitSync(env, deadline)
}

// stopNow leaves the loop where it stands and closes the consumer, and the producer if there is one.
func (c *Consumer) stopNow(env *sim.Env) {
	l := &c.loop
	env.CancelTimer(l.timer)
	l.timer = sim.NoTimer
	if l.state == Resting || l.state == Draining {
		c.exit(env)
		return
	}
	l.state = Closing
	c.beginClose(env)
	c.closeProducer(env)
	c.closeDatabase(env)
}

// closed is the end of close. After an exception the process ends, with what a worker had still to do, or
// the application begins anew.
func (c *Consumer) closed(env *sim.Env) {
	k, l := &c.kafka, &c.loop
	k.net.Close(env)
	c.stopHeartbeat(env)
	k.inbox = nil
	env.CancelTimer(k.timer)
	k.timer = sim.NoTimer
	switch {
	case l.failed && c.app.RestartAfter > 0 && !l.stop:
		l.state = Resting
		l.timer = env.SetTimer(c.app.RestartAfter, protocol.TimerApplication, 0, false)
	case !l.failed && len(l.queue) > 0:
		l.state = Draining
	default:
		c.exit(env)
	}
}

func (c *Consumer) exit(env *sim.Env) {
	c.loop.state = Ended
	env.Exit()
}
