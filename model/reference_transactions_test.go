package model_test

import (
	"slices"
	"testing"

	"kafkatrial/model/generation"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	tc "kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

func TestReferenceCasesTransactions(t *testing.T) {
	runReferenceCases(t, map[string]caseRunner{
		"transition":              runTransitionCase,
		"state_ids":               runStateIDsCase,
		"init_producer_id":        runInitProducerIDCase,
		"add_partitions":          runAddPartitionsCase,
		"end_txn":                 runEndTxnCase,
		"timeout_scan":            runTimeoutScanCase,
		"expire_transactional_id": runExpireCase,
		"append_error":            runAppendErrorCase,
		"load":                    runLoadCase,
		"clock_backwards":         runClockBackwardsCase,
		"partition_for":           runPartitionForCase,
	})
}

func runTransitionCase(t *testing.T, given, expect *fields) {
	var from []string
	for _, s := range tc.StateNamed(given.text("to", "")).ValidPreviousStates(given.since != "") {
		from = append(from, s.String())
	}
	slices.Sort(from)
	expect.compare(map[string]any{"allowed_from": from})
	given.done()
}

func runStateIDsCase(t *testing.T, given, expect *fields) {
	ids := map[string]any{}
	for i, s := range tc.States() {
		ids[s.String()] = i
	}
	expect.compare(map[string]any{"ids": ids})
	given.done()
}

// txnCase drives the coordinator of one transactional.id. The log answers every write as results says, in
// order, and lets the rest wait; with then it has answered all.
type txnCase struct {
	t       *testing.T
	c       *tc.TransactionCoordinator
	id      string
	clock   sim.Time
	ids     nextProducerID
	results []protocol.Error
	waiting []tc.Append
	answers []sim.Message
	writes  int
	markers []protocol.TxnMarker
}

// nextProducerID gives out producer ids from one on.
type nextProducerID struct{ next int64 }

func (n *nextProducerID) GenerateProducerID() (int64, protocol.Error) {
	n.next++
	return n.next - 1, protocol.None
}

// everywhere leads every partition.
type everywhere struct{}

func (everywhere) Leader(protocol.TopicPartition) (protocol.BrokerID, bool) { return 1, true }

const casesEpoch = 3 // of the coordinator

func txnRules(version int64) *generation.Rules {
	rules := trunk
	rules.TransactionV2 = version >= 2
	return &rules
}

// newTxnCase makes a coordinator that knows metadata of the id tx, nothing if that is null, and does nothing by
// itself.
func newTxnCase(t *testing.T, cfg tc.Config, version int64, metadata *fields) *txnCase {
	cfg.Planted = planted.Off(planted.MarkersAfterLoading)
	return loadTxnCase(t, cfg, version, metadata)
}

// loadTxnCase makes one that goes on with what it is given as it would have loaded it.
func loadTxnCase(t *testing.T, cfg tc.Config, version int64, metadata *fields) *txnCase {
	c := &txnCase{t: t, c: tc.New(cfg, txnRules(version)), id: "tx", clock: 1_000 * sim.Millisecond, ids: nextProducerID{next: 7}}
	c.c.OnElection(0, casesEpoch)
	var known []tc.TransactionMetadata
	if len(metadata.m) > 0 {
		known = append(known, txnMetadata(t, metadata))
		metadata.done()
	}
	c.do(c.c.AddLoadedTransactions(c.clock, 0, casesEpoch, known))
	return c
}

func txnMetadata(t *testing.T, f *fields) tc.TransactionMetadata {
	m := tc.TransactionMetadata{TransactionalID: "tx", ProducerID: f.must("producer_id"), ProducerEpoch: int16(f.must("producer_epoch")),
		LastProducerEpoch: int16(f.num("last_producer_epoch", -1)), PreviousProducerID: f.num("previous_producer_id", -1),
		NextProducerID: f.num("next_producer_id", -1), TimeoutMs: f.num("timeout_ms", 60000), StartMs: f.num("txn_start", 0),
		LastUpdateMs: f.num("last_update", 0), ClientVersion: int(f.num("client_tv", 0)), PendingState: tc.NoState}
	m.State = stateOf(t, f.text("state", ""))
	if f.has("pending_state") {
		m.PendingState = stateOf(t, f.text("pending_state", ""))
	}
	m.Partitions = partitionsOf(t, f)
	return m
}

func stateOf(t *testing.T, name string) tc.State {
	s := tc.StateNamed(name)
	if s == tc.NoState {
		t.Fatalf("there is no state %q", name)
	}
	return s
}

// partitionsOf reads partitions such as t-0.
func partitionsOf(t *testing.T, f *fields) (tps []protocol.TopicPartition) {
	for _, v := range f.list("partitions") {
		name, _ := v.(string)
		i := len(name) - 2
		if i < 1 || name[i] != '-' {
			t.Fatalf("%s.partitions: %v is no partition", f.path, v)
		}
		tps = append(tps, protocol.TopicPartition{Topic: name[:i], Partition: int32(name[i+1] - '0')})
	}
	return tps
}

func errorOf(t *testing.T, name string) protocol.Error {
	i := slices.Index(protocol.ErrorNames(), name)
	if i < 0 {
		t.Fatalf("there is no error %q", name)
	}
	return protocol.Error(i)
}

// do carries out what the coordinator asks for.
func (c *txnCase) do(e tc.Effects) {
	for _, a := range e.Answers {
		c.answers = append(c.answers, a.Msg)
	}
	c.writes += len(e.Appends)
	c.waiting = append(c.waiting, e.Appends...)
	for len(c.waiting) > 0 && len(c.results) > 0 {
		a, result := c.waiting[0], c.results[0]
		c.waiting, c.results = c.waiting[1:], c.results[1:]
		if result == protocol.None {
			c.do(c.c.OnCommitted(c.clock, a.ID))
		} else {
			c.do(c.c.OnAppendFailed(c.clock, a.ID, result))
		}
	}
}

// finish writes all markers, and lets the log take all that waits.
func (c *txnCase) finish() {
	c.send()
	c.results = make([]protocol.Error, 10)
	if len(c.markers) > 0 {
		res := &protocol.WriteTxnMarkersResponse{}
		for _, m := range c.markers {
			r := protocol.TxnMarkerResult{ProducerID: m.ProducerID}
			for _, tp := range m.Partitions {
				r.Data = append(r.Data, protocol.CommitResult{TP: tp})
			}
			res.Results = append(res.Results, r)
		}
		c.do(c.c.OnMarkersAnswered(c.clock, 1, res))
	}
	c.do(tc.Effects{})
	c.results = nil
}

func (c *txnCase) send() {
	e := c.c.GenerateRequests(c.clock, everywhere{}, func(protocol.BrokerID) bool { return true })
	for _, r := range e.Requests {
		c.markers = append(c.markers, r.Markers...)
	}
	c.do(e)
}

// state adds what the coordinator knows now to got.
func (c *txnCase) state(got map[string]any) *tc.TransactionMetadata {
	for i := range c.c.Transactions(0) {
		m := &c.c.Transactions(0)[i]
		if m.TransactionalID != c.id {
			continue
		}
		var tps []string
		for _, tp := range m.Partitions {
			tps = append(tps, tp.String())
		}
		got["state"], got["partitions"], got["txn_start"] = m.State.String(), tps, m.StartMs
		got["producer_epoch_after"], got["producer_id_after"], got["last_producer_epoch"] = m.ProducerEpoch, m.ProducerID, m.LastProducerEpoch
		got["next_producer_id"], got["previous_producer_id"], got["failed_fence_flag"] = m.NextProducerID, m.PreviousProducerID, m.FailedEpochFence
		got["last_update"], got["timeout_ms"], got["client_tv"] = m.LastUpdateMs, m.TimeoutMs, m.ClientVersion
		return m
	}
	return nil
}

func (c *txnCase) last() sim.Message {
	if len(c.answers) == 0 {
		c.t.Fatal("there is no answer")
	}
	return c.answers[len(c.answers)-1]
}

func runInitProducerIDCase(t *testing.T, given, expect *fields) {
	r := given.sub("request")
	cfg := tc.DefaultConfig
	cfg.MaxTimeoutMs = r.num("max_timeout_ms", cfg.MaxTimeoutMs)
	c := newTxnCase(t, cfg, given.num("server_transaction_version", 0), given.sub("metadata"))
	c.ids.next = r.num("next_free_producer_id", 7)
	switch r.text("coordinator", "") {
	case "COORDINATOR_LOAD_IN_PROGRESS":
		c.c.OnElection(0, casesEpoch+1)
	case "NOT_COORDINATOR":
		c.c.OnResignation(0, casesEpoch+1)
	}
	req := &protocol.InitProducerId{TransactionalID: r.text("transactional_id", ""), TransactionTimeout: sim.Time(r.must("timeout_ms")) * sim.Millisecond,
		ProducerID: r.num("producer_id", -1), ProducerEpoch: int16(r.num("producer_epoch", -1))}
	results := []protocol.Error{protocol.None}
	if r.has("log_append_results") {
		results = nil
		for _, v := range r.list("log_append_results") {
			results = append(results, errorOf(t, v.(string)))
		}
	}
	var answers, epochs []any
	got := map[string]any{}
	for _, result := range results {
		c.results = []protocol.Error{result}
		c.do(c.c.HandleInitProducerId(c.clock, 1, req, &c.ids))
		c.state(got)
		answers = append(answers, c.last().(*protocol.InitProducerIdResponse).Err.String())
		epochs = append(epochs, got["producer_epoch_after"])
	}
	a := c.last().(*protocol.InitProducerIdResponse)
	got["error"], got["log_write"] = exception(expect, a.Err, c.state(got)), c.writes > 0
	if a.Err == protocol.None {
		got["producer_id"], got["producer_epoch"] = a.ProducerID, a.ProducerEpoch
	}
	if r.has("log_append_results") {
		got["answers"], got["producer_epoch_after"] = answers, epochs
		translateAppendErrors(t, expect)
	}
	if expect.has("then_after_abort_and_retry") {
		c.finish()
		c.results = []protocol.Error{protocol.None}
		c.do(c.c.HandleInitProducerId(c.clock, 1, req, &c.ids))
		again := c.last().(*protocol.InitProducerIdResponse)
		got["then_after_abort_and_retry"] = map[string]any{"producer_id": again.ProducerID, "producer_epoch": again.ProducerEpoch}
		narrow(expect, got, "then_after_abort_and_retry")
	}
	expect.compare(got)
	r.done()
	given.done()
}

// translateAppendErrors: those cases give the errors as the state manager tells them, to the coordinator's
// face. Here they come from the log, and the state manager is the real one, which translates them (see the
// cases append_error).
func translateAppendErrors(t *testing.T, expect *fields) {
	want, _ := expect.m["answers"].([]any)
	for i := range want {
		want[i] = tc.AppendError(errorOf(t, want[i].(string))).String()
	}
}

// exception: what is an exception in Kafka's coordinator is UNKNOWN_SERVER_ERROR to the client. Where a case
// names the exception, look where it comes from.
func exception(expect *fields, err protocol.Error, m *tc.TransactionMetadata) string {
	if err == protocol.UnknownServerError && expect.text("error", "") == "IllegalStateException" && m != nil && m.State == tc.Ongoing {
		_, err = m.PrepareFenceProducerEpoch()
	}
	return err.String()
}

// narrow leaves those keys of a mapping that the case has.
func narrow(expect *fields, got map[string]any, key string) {
	want, _ := expect.m[key].(map[string]any)
	have, _ := got[key].(map[string]any)
	for k := range have {
		if _, ok := want[k]; !ok {
			delete(have, k)
		}
	}
}

func runAddPartitionsCase(t *testing.T, given, expect *fields) {
	r := given.sub("request")
	c := newTxnCase(t, tc.DefaultConfig, given.num("server_transaction_version", 0), given.sub("metadata"))
	c.clock = sim.Time(r.num("now", 1000)) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if r.has("log_append_result") {
		c.results[0] = errorOf(t, r.text("log_append_result", ""))
	}
	req := &protocol.AddPartitionsToTxn{Transactions: []protocol.AddPartitionsToTxnTransaction{{TransactionalID: r.text("transactional_id", "tx"),
		ProducerID: r.must("producer_id"), ProducerEpoch: int16(r.must("producer_epoch")), VerifyOnly: r.flag("verify_only", false), Partitions: partitionsOf(t, r)}}}
	if r.has("transactional_id") != (r.m["transactional_id"] != nil) || r.m["transactional_id"] == nil && hasKey(r, "transactional_id") {
		req.Transactions[0].TransactionalID = ""
	}
	c.do(c.c.HandleAddPartitionsToTxn(c.clock, 1, req, everywhere{}))
	got := map[string]any{"log_write": c.writes > 0}
	c.state(got)
	data := c.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data
	got["error"] = data[0].Err.String()
	errs := map[string]any{}
	for _, d := range data {
		errs[d.TP.String()] = d.Err.String()
	}
	got["errors"] = errs
	expect.compare(got)
	r.done()
	given.done()
}

func hasKey(f *fields, key string) bool {
	_, ok := f.m[key]
	return ok
}

func runEndTxnCase(t *testing.T, given, expect *fields) {
	r := given.sub("request")
	version := r.num("client_transaction_version", 0)
	if r.text("kind_of", "") == "markers written" {
		runMarkersWrittenCase(t, given, r, expect)
		return
	}
	c := newTxnCase(t, tc.DefaultConfig, version, given.sub("metadata"))
	c.ids.next = r.num("next_free_producer_id", 7)
	c.results = []protocol.Error{protocol.None}
	if r.has("log_append_result") {
		c.results[0] = errorOf(t, r.text("log_append_result", ""))
	}
	req := &protocol.EndTxn{TransactionalID: r.text("transactional_id", "tx"), ProducerID: r.must("producer_id"),
		ProducerEpoch: int16(r.must("producer_epoch")), TransactionV2: version >= 2}
	if hasKey(r, "transactional_id") && r.m["transactional_id"] == nil {
		req.TransactionalID = ""
	}
	switch result := r.text("result", ""); result {
	case "COMMIT":
		req.Committed = true
	case "ABORT":
	default:
		t.Fatalf("there is no result %q", result)
	}
	before := c.writes
	c.do(c.c.HandleEndTxn(c.clock, 1, req, &c.ids))
	got := map[string]any{"log_write": c.writes > before}
	c.state(got)
	a := c.last().(*protocol.EndTxnResponse)
	got["error"], got["answer_producer_id"], got["answer_producer_epoch"] = a.Err.String(), a.ProducerID, a.ProducerEpoch
	if expect.has("after_markers") {
		after := map[string]any{}
		c.finish()
		m := c.state(after)
		after["producer_id"], after["producer_epoch"] = m.ProducerID, m.ProducerEpoch
		got["after_markers"] = after
		narrow(expect, got, "after_markers")
	}
	expect.compare(got)
	r.done()
	given.done()
}

// runMarkersWrittenCase begins with the end of a transaction written, and has its markers written.
func runMarkersWrittenCase(t *testing.T, given, r, expect *fields) {
	metadata := given.sub("metadata")
	c := loadTxnCase(t, tc.DefaultConfig, metadata.num("client_tv", 0), metadata)
	c.finish()
	got := map[string]any{"log_write": c.writes > 0}
	m := c.state(got)
	got["producer_id"], got["producer_epoch"] = m.ProducerID, m.ProducerEpoch
	expect.compare(got)
	r.done()
	given.done()
}

func runTimeoutScanCase(t *testing.T, given, expect *fields) {
	c := newTxnCase(t, tc.DefaultConfig, given.num("server_transaction_version", 0), given.sub("metadata"))
	before := c.writes
	c.clock = sim.Time(given.must("now")) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if given.has("log_append_result") {
		c.results[0] = errorOf(t, given.text("log_append_result", ""))
	}
	c.do(c.c.AbortTimedOutTransactions(c.clock, &c.ids))
	got := map[string]any{"aborted": c.writes > before, "log_write": c.writes > before}
	c.state(got)
	expect.compare(got)
	given.done()
}

func runExpireCase(t *testing.T, given, expect *fields) {
	cfg := tc.DefaultConfig
	cfg.IDExpirationMs = given.must("expiration_ms")
	c := newTxnCase(t, cfg, 0, given.sub("metadata"))
	before := c.writes
	c.clock = sim.Time(given.must("now")) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if given.has("log_append_result") {
		c.results[0] = errorOf(t, given.text("log_append_result", ""))
	}
	e := c.c.RemoveExpiredTransactionalIds(c.clock)
	tombstone := len(e.Appends) == 1 && e.Appends[0].Batch.Records[0].Tombstone && e.Appends[0].Batch.Records[0].Key == c.id
	c.do(e)
	got := map[string]any{"tombstone_written": tombstone && c.writes > before}
	m := c.state(got)
	got["removed"] = m == nil
	got["pending_state_cleared"] = m == nil || !m.PendingTransition()
	expect.compare(got)
	given.done()
}

// runAppendErrorCase has a partition added, and the log refuse it.
func runAppendErrorCase(t *testing.T, given, expect *fields) {
	c := newTxnCase(t, tc.DefaultConfig, 0, newFields(t, "metadata", map[string]any{"state": "Empty", "producer_id": 1000, "producer_epoch": 5}))
	c.results = []protocol.Error{errorOf(t, given.text("log_error", ""))}
	req := &protocol.AddPartitionsToTxn{Transactions: []protocol.AddPartitionsToTxnTransaction{{TransactionalID: "tx", ProducerID: 1000, ProducerEpoch: 5,
		Partitions: []protocol.TopicPartition{{Topic: "t"}}}}}
	c.do(c.c.HandleAddPartitionsToTxn(c.clock, 1, req, everywhere{}))
	m := c.state(map[string]any{})
	expect.compare(map[string]any{
		"client_error":          c.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data[0].Err.String(),
		"state_changed":         m.State != tc.Empty || len(m.Partitions) > 0,
		"pending_state_cleared": !m.PendingTransition(),
	})
	given.done()
}

func runLoadCase(t *testing.T, given, expect *fields) {
	metadata := given.sub("metadata")
	c := loadTxnCase(t, tc.DefaultConfig, metadata.num("client_tv", 0), metadata)
	c.send()
	got := map[string]any{}
	c.state(got)
	sent := []any{}
	want := expect.list("markers_sent")
	for _, m := range c.markers {
		result := "ABORT"
		if m.Committed {
			result = "COMMIT"
		}
		for _, tp := range m.Partitions {
			all := map[string]any{"partition": tp.String(), "result": result, "type": result, "producer_id": m.ProducerID, "producer_epoch": m.ProducerEpoch}
			switch w := at(want, len(sent)).(type) {
			case map[string]any:
				have := map[string]any{}
				for k := range w {
					have[k] = all[k]
				}
				sent = append(sent, have)
			case string:
				if w == "COMMIT" || w == "ABORT" {
					sent = append(sent, result)
				} else {
					sent = append(sent, tp.String())
				}
			default:
				sent = append(sent, all)
			}
		}
	}
	got["markers_sent"] = sent
	expect.compare(got)
	given.done()
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// runClockBackwardsCase: a transition bears the time of the clock, also one before the last update.
func runClockBackwardsCase(t *testing.T, given, expect *fields) {
	if !given.has("metadata") || !given.has("to") || !given.has("now") {
		t.Skip("the form of this case is not known")
	}
	m := txnMetadata(t, given.sub("metadata"))
	now := given.must("now")
	var next tc.TxnTransitMetadata
	var err protocol.Error
	switch to := stateOf(t, given.text("to", "")); to {
	case tc.Empty:
		next, err = m.PrepareIncrementProducerEpoch(m.TimeoutMs, record.NoProducerEpoch, now)
	case tc.Ongoing:
		next, err = m.PrepareAddPartitions([]protocol.TopicPartition{{Topic: "t"}}, tc.V0, now)
	case tc.PrepareCommit, tc.PrepareAbort:
		next, err = m.PrepareAbortOrCommit(to, tc.V0, -1, now, false)
	default:
		next, err = m.PrepareComplete(now)
	}
	if err == protocol.None {
		err = m.CompleteTransitionTo(next, &trunk)
	}
	got := map[string]any{"error": err.String(), "state": m.State.String(), "last_update": m.LastUpdateMs, "txn_start": m.StartMs, "producer_epoch": m.ProducerEpoch,
		"producer_epoch_after": m.ProducerEpoch, "allowed": err == protocol.None, "accepted": err == protocol.None}
	expect.compare(got)
}

func runPartitionForCase(t *testing.T, given, expect *fields) {
	id, n := given.text("transactional_id", ""), int32(given.must("partitions"))
	expect.compare(map[string]any{"partition": tc.PartitionFor(id, n), "java_hash": tc.JavaHash(id)})
	given.done()
}
