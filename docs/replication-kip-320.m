-- One partition's replication under the rules of KIP-320 (Kafka 2.1 and later), for Rumur and other checkers of Murphi.
--
-- docs/replication-spec.md says what the model is about. It is the same one as `kafkatrial spec kip-320`, written down a
-- second time, in another language, for another checker: the two must count the same states. docs/compare-rumur.sh runs both.
-- An action is a rule; what it can choose among is the ruleset around it. No action leaves the state as it is.
-- The bounds make every run end somewhere, so deadlock detection must be off:
--
--     rumur --deadlock-detection off --output check.c replication-kip-320.m && cc -O3 -march=native -o check check.c -lpthread

const
  REPLICAS: 3; -- how many replicas there are
  LOG:      2; -- the most records that a log can hold
  RECORDS:  2; -- how many records are ever written
  EPOCHS:   2; -- the largest leader epoch; the controller acts EPOCHS + 1 times at most

  NONE: -1;    -- no leader, no epoch, no record

type
  -- Plain ranges and no scalarset: states that differ only in the names of replicas count as different.
  Replica: 0 .. REPLICAS - 1;
  Leader:  NONE .. REPLICAS - 1;
  Epoch:   0 .. EPOCHS;
  Known:   NONE .. EPOCHS; -- the epoch that a replica knows, or that a record was written in
  Offset:  0 .. LOG - 1;
  Length:  0 .. LOG;

  -- A set is one truth value for each replica, so that the same set always looks the same.
  Set: array [Replica] of boolean;

  -- At and beyond the end of a log both are NONE, so that the same log always looks the same.
  Cell: record
    id:    NONE .. RECORDS - 1; -- which record; each is written once
    epoch: Known;               -- the leader epoch in which it was written
  end;

  State: record
    cells:  array [Offset] of Cell;
    leo:    Length; -- log end offset
    hw:     Length; -- high watermark
    epoch:  Known;  -- these three are from the newest request that the replica applied,
    leader: Leader;
    isr:    Set;    -- except that a leader changes its ISR itself
  end;

  Request: record
    leader: Leader;
    isr:    Set;
  end;

  -- Why a leader drops a follower. If both are so, TLC counts the step twice, and so does this model.
  Reason: enum { otherEpoch, behind };

var
  replicas:   array [Replica] of State;
  nextRecord: 0 .. RECORDS;
  nextEpoch:  0 .. EPOCHS + 1;

  -- All LeaderAndIsr requests that were ever sent. It is a set that only grows, and each request has an epoch of its own: so it is
  -- an array by epoch, filled below nextEpoch. At and above nextEpoch it keeps what it had at the start.
  requests: array [Epoch] of Request;

  -- The ISR in the quorum. The quorum's leader and epoch are those of the newest request; the ISR is not, for leaders change it.
  quorumIsr: Set;

-- The words of the rules.

function quorumLeader(): Leader;
begin
  if nextEpoch = 0 then
    return NONE;
  end;
  return requests[nextEpoch - 1].leader;
end;

-- Does l believe that it leads?
function presumesLeadership(l: Replica): boolean;
begin
  return replicas[l].leader = l;
end;

-- Does f follow l, in the epoch in which l believes that it leads?
function followsEpoch(f: Replica; l: Replica): boolean;
begin
  return presumesLeadership(l) & replicas[f].leader = l & replicas[f].epoch = replicas[l].epoch;
end;

-- Is l the leader that the quorum has, and does it know?
function trueLeader(l: Replica): boolean;
begin
  return quorumLeader() = l & presumesLeadership(l) & replicas[l].epoch = nextEpoch - 1;
end;

function sameRecord(a: Replica; b: Replica; o: Offset): boolean;
begin
  return o < replicas[a].leo & o < replicas[b].leo
    & replicas[a].cells[o].id = replicas[b].cells[o].id
    & replicas[a].cells[o].epoch = replicas[b].cells[o].epoch;
end;

-- One more than the largest offset at which l and f hold the same record, or 0.
function tailMatchPoint(l: Replica; f: Replica): Length;
var point: Length;
begin
  point := 0;
  for o: Offset do
    if sameRecord(l, f, o) then
      point := o + 1;
    end;
  end;
  return point;
end;

-- Has l's high watermark come to what l wrote in its own epoch, or to the end of its log?
function hwReachedEpoch(l: Replica): boolean;
begin
  return replicas[l].hw = replicas[l].leo
    | replicas[l].hw < replicas[l].leo & replicas[l].cells[replicas[l].hw].epoch = replicas[l].epoch;
end;

-- Do l and m hold the same records below l's high watermark?
function sharesCommitted(l: Replica; m: Replica): boolean;
begin
  return forall o: Offset do o < replicas[l].hw -> sameRecord(l, m, o) end;
end;

-- The controller writes leader and quorumIsr in a new epoch, and sends them as one request.
procedure controllerUpdate(leader: Leader);
begin
  requests[nextEpoch].leader := leader;
  requests[nextEpoch].isr := quorumIsr;
  nextEpoch := nextEpoch + 1;
end;

procedure apply(r: Replica; e: Epoch);
begin
  replicas[r].epoch := e;
  replicas[r].leader := requests[e].leader;
  replicas[r].isr := requests[e].isr;
end;

startstate
begin
  for r: Replica do
    for o: Offset do
      replicas[r].cells[o].id := NONE;
      replicas[r].cells[o].epoch := NONE;
    end;
    replicas[r].leo := 0;
    replicas[r].hw := 0;
    replicas[r].epoch := NONE;
    replicas[r].leader := NONE;
    for m: Replica do
      replicas[r].isr[m] := false;
    end;
    quorumIsr[r] := true;
  end;
  for e: Epoch do
    requests[e].leader := NONE;
    for m: Replica do
      requests[e].isr[m] := false;
    end;
  end;
  nextRecord := 0;
  nextEpoch := 0;
end;

-- The actions.

ruleset x: Replica do
  rule "controller elects"
    nextEpoch <= EPOCHS & quorumIsr[x] & quorumLeader() != x
  ==>
  begin
    controllerUpdate(x);
  end;
end;

-- A leader that is the last of the ISR stays in it. If nobody leads, then the last of the ISR leaves it like any other.
ruleset x: Replica do
  rule "controller shrinks the ISR"
    nextEpoch <= EPOCHS & (quorumLeader() = x | quorumIsr[x])
  ==>
  var
    leader: Leader;
    last:   boolean;
  begin
    leader := quorumLeader();
    last := forall m: Replica do quorumIsr[m] = (m = x) end;
    if leader != x then
      quorumIsr[x] := false;
    else
      leader := NONE;
      if !last then
        quorumIsr[x] := false;
      end;
    end;
    controllerUpdate(leader);
  end;
end;

ruleset x: Replica; e: Epoch do
  rule "becomes leader"
    e < nextEpoch & e > replicas[x].epoch & requests[e].leader = x
  ==>
  begin
    apply(x, e);
  end;
end;

-- f asks the leader that the request names, and only if that one leads in the request's own epoch.
ruleset f: Replica; l: Replica; e: Epoch do
  rule "becomes follower"
    l != f & e < nextEpoch & e > replicas[f].epoch & requests[e].leader = l
    & presumesLeadership(l) & replicas[l].epoch = e
  ==>
  var
    point: Length;
  begin
    point := tailMatchPoint(l, f);
    for o: Offset do
      if o >= point then
        replicas[f].cells[o].id := NONE;
        replicas[f].cells[o].epoch := NONE;
      end;
    end;
    replicas[f].leo := point;
    if replicas[f].hw > point then
      replicas[f].hw := point;
    end;
    apply(f, e);
  end;
end;

ruleset x: Replica do
  rule "writes"
    presumesLeadership(x) & nextRecord < RECORDS & replicas[x].leo < LOG
  ==>
  begin
    replicas[x].cells[replicas[x].leo].id := nextRecord;
    replicas[x].cells[replicas[x].leo].epoch := replicas[x].epoch;
    replicas[x].leo := replicas[x].leo + 1;
    nextRecord := nextRecord + 1;
  end;
end;

-- A follower's high watermark may go down.
ruleset f: Replica; l: Replica do
  rule "fetches"
    followsEpoch(f, l) & replicas[f].leo < replicas[l].leo
  ==>
  var
    at: Offset;
  begin
    at := replicas[f].leo;
    replicas[f].cells[at] := replicas[l].cells[at];
    replicas[f].leo := at + 1;
    if replicas[l].hw < at + 1 then
      replicas[f].hw := replicas[l].hw;
    else
      replicas[f].hw := at + 1;
    end;
  end;
end;

ruleset l: Replica do
  rule "advances its high watermark"
    replicas[l].hw < replicas[l].leo
    & forall m: Replica do replicas[l].isr[m] -> followsEpoch(m, l) & replicas[l].hw < replicas[m].leo end
  ==>
  begin
    replicas[l].hw := replicas[l].hw + 1;
  end;
end;

ruleset f: Replica; l: Replica; why: Reason do
  rule "drops from the ISR"
    trueLeader(l) & f != l & replicas[l].isr[f]
    & (why = otherEpoch & !followsEpoch(f, l) | why = behind & replicas[f].leo < replicas[l].leo)
  ==>
  begin
    replicas[l].isr[f] := false;
    quorumIsr := replicas[l].isr;
  end;
end;

ruleset f: Replica; l: Replica do
  rule "adds to the ISR"
    trueLeader(l) & !replicas[l].isr[f] & followsEpoch(f, l) & replicas[l].hw <= replicas[f].leo & hwReachedEpoch(l)
  ==>
  begin
    replicas[l].isr[f] := true;
    quorumIsr := replicas[l].isr;
  end;
end;

-- What should hold.

invariant "WeakIsr"
  forall l: Replica do forall m: Replica do
    presumesLeadership(l) & replicas[l].isr[m] -> sharesCommitted(l, m)
  end end;

invariant "StrongIsr"
  forall l: Replica do forall m: Replica do
    presumesLeadership(l) & quorumIsr[m] -> sharesCommitted(l, m)
  end end;

invariant "LeaderInIsrOrNone"
  forall r: Replica do quorumLeader() = r -> quorumIsr[r] end;
