package checker

import "slices"

// Row is what there is to know of a claim. Everything that lists claims, asks for them, states them or explains them reads the
// rows: a new claim is a file with its judge, and a row.
type Row struct {
	Name Claim
	// Says is one sentence, for documentation and editors.
	Says string
	// Levels at which it is judged, in the order of a report.
	Levels []Level
	// Stated says how a scenario file states the verdict.
	Stated Stating
	// Famous: one of the three that every verdict shows, and that are followed step by step.
	Famous bool
	// Sum lists the claims, all before it, that this one says no more than together; nil for one that stands for itself.
	Sum []Claim
	// Due: about what has to be done in the time that a run has to come to rest. When that is up the claim has its verdict.
	Due bool
	// Looked says when a hunt looks for a violation without being asked.
	Looked Looked
	// Transactional: about transactions and what becomes of those who have lost an office; nothing to look for without one.
	Transactional bool
	// OnlyAsked: judged only where somebody asks for it by name.
	OnlyAsked bool
	// Explored says what the key of an explored state knows of the past that is enough to rule on it; empty: it knows too
	// little, and takes runs for alike that the claim tells apart.
	Explored string
	// Applies says whether there is anything to rule on; nil stands for always.
	Applies func(*History) bool

	judge func(*index, Level, Options) Verdict
	// soFar says how a famous claim stands for one record in the middle of a run; nil for a Sum, which stands as the gravest of its parts.
	soFar func(*Live, *liveRecord) (State, string)
}

// Stating is how a scenario file writes the verdict on a claim.
type Stating uint8

const (
	// StatedOnce: one verdict, over whatever levels the claim has.
	StatedOnce Stating = iota
	// StatedEither: one verdict over both levels, or one for each.
	StatedEither
	// StatedByLevel: one verdict for each level; one word stands for both.
	StatedByLevel
)

// Looked says when a hunt looks for a violation that nobody asked it for.
type Looked uint8

const (
	WhenAsked Looked = iota
	Always
	WithTransactions
)

var (
	bothLevels = []Level{AtLog, AtApplication}
	logOnly    = []Level{AtLog}
	appOnly    = []Level{AtApplication}
)

func hasTransactions(h *History) bool { return len(h.Txns) > 0 }

func hasGrants(h *History) bool { return len(h.Grants) > 0 }

// whatever makes a judge of one that no option concerns.
func whatever(judge func(*index, Level) Verdict) func(*index, Level, Options) Verdict {
	return func(x *index, l Level, _ Options) Verdict { return judge(x, l) }
}

// What a key knows of the past, see Row.Explored.
const (
	deliveriesInKey = "how every submission ended, how far each partition was ever committed, and how often each application processed each record"
	missesInKey     = "where the claim is asked for: which acknowledgements there had been when each reader asked, and which records readers missed"
)

// rows is the registry, in the order in which every report has the claims.
var rows = []Row{
	{Name: AtMostOnce, Says: "No record takes effect twice.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Looked: Always, Explored: deliveriesInKey, judge: whatever(judgeAtMostOnce), soFar: (*Live).doubleRisk},
	{Name: AtLeastOnce, Says: "No acknowledged record is missing in the end.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Looked: Always, Explored: deliveriesInKey, judge: whatever(judgeAtLeastOnce), soFar: (*Live).lossRisk},
	{Name: ExactlyOnce, Says: "Both of them.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Sum: []Claim{AtMostOnce, AtLeastOnce}, Looked: Always, Explored: deliveriesInKey, judge: whatever(judgeExactlyOnce)},
	{Name: Linearizable, Says: "A partition behaves like one append-only log.", Levels: logOnly, Stated: StatedOnce,
		judge: whatever(judgeLinearizable)},
	{Name: Ordered, Says: "A producer's records keep their order within a partition.", Levels: bothLevels, Stated: StatedByLevel,
		Looked: Always, judge: func(x *index, l Level, o Options) Verdict { return x.judgeOrdered(l, o.OrderBy) }},
	{Name: Atomic, Says: "A transaction's records become visible all or none.", Levels: bothLevels, Stated: StatedOnce,
		Looked: WithTransactions, Transactional: true, Applies: hasTransactions, judge: whatever(judgeAtomic)},
	{Name: NoAbortedRead, Says: "No record of an aborted transaction is read.", Levels: bothLevels, Stated: StatedOnce,
		Looked: WithTransactions, Transactional: true, Applies: hasTransactions, judge: whatever(judgeNoAbortedRead)},
	{Name: MonotonicRead, Says: "What was once readable stays so, at its offset.", Levels: bothLevels, Stated: StatedEither,
		judge: whatever(judgeMonotonicRead)},
	{Name: Fenced, Says: "A superseded instance has no effect.", Levels: bothLevels, Stated: StatedOnce,
		Looked: WithTransactions, Transactional: true, Applies: hasGrants, judge: whatever(judgeFenced)},
	{Name: Available, Says: "After healing, all work that was queued is done in time.", Levels: bothLevels, Stated: StatedEither,
		Due: true, judge: whatever(judgeAvailable)},
	{Name: Recent, Says: "A read that begins after an acknowledgement sees the record. Judged only in runs of a file that names it.",
		Levels: appOnly, Stated: StatedOnce, OnlyAsked: true, Explored: missesInKey, judge: whatever(judgeRecent)},
}

// Register adds a claim of one's own behind the others, with its judge, which must be a function of its arguments alone. It
// returns how to take the claim away again. Not to be called while anything runs. It panics if the name is taken, without a
// name, a level or a judge, and for a famous claim: there are three, and they are followed step by step.
func Register(r Row, judge func(h *History, l Level) Verdict) (remove func()) {
	if _, taken := RowOf(r.Name); taken || r.Name == "" || len(r.Levels) == 0 || judge == nil {
		panic("checker: Register of claim " + string(r.Name) + ": a claim needs a name of its own, a level and a judge")
	}
	if r.Famous {
		panic("checker: Register of claim " + string(r.Name) + ": the famous claims are three")
	}
	r.judge = func(x *index, l Level, _ Options) Verdict {
		v := judge(x.h, l)
		v.Claim, v.Level = r.Name, l
		return v
	}
	before := rows
	rows = append(slices.Clip(rows), r)
	return func() { rows = before }
}

// Rows lists the registry, in the order in which every report has the claims.
func Rows() []Row { return slices.Clone(rows) }

// RowOf finds the row of a claim.
func RowOf(c Claim) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == c })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Which lists the claims of which something is so, in the order of every report.
func Which(so func(Row) bool) []Claim {
	var names []Claim
	for _, r := range rows {
		if so(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Claims lists all claims in the order in which every report has them.
func Claims() []Claim { return Which(func(Row) bool { return true }) }

// Famous lists the three claims that every verdict shows.
func Famous() []Claim { return Which(func(r Row) bool { return r.Famous }) }
