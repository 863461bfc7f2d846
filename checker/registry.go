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
	// Famous: one of the three that every verdict shows.
	Famous bool
	// Looked says when a hunt looks for a violation without being asked.
	Looked Looked
	// Transactional: about transactions and what becomes of those who have lost an office; nothing to look for without one.
	Transactional bool
	// OnlyAsked: judged only where somebody asks for it by name.
	OnlyAsked bool
	// Explored: the key of an explored state knows enough of the past to rule on it.
	Explored bool
	// Applies says whether there is anything to rule on; nil stands for always.
	Applies func(*History) bool

	judge func(*index, Level, Options) Verdict
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

// rows is the registry, in the order in which every report has the claims.
var rows = []Row{
	{Name: AtMostOnce, Says: "No record takes effect twice.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Looked: Always, Explored: true, judge: whatever(judgeAtMostOnce)},
	{Name: AtLeastOnce, Says: "No acknowledged record is missing in the end.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Looked: Always, Explored: true, judge: whatever(judgeAtLeastOnce)},
	{Name: ExactlyOnce, Says: "Both of them.", Levels: bothLevels, Stated: StatedByLevel,
		Famous: true, Looked: Always, Explored: true, judge: whatever(judgeExactlyOnce)},
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
		judge: whatever(judgeAvailable)},
	{Name: Recent, Says: "A read that begins after an acknowledgement sees the record. Judged only in runs of a file that names it.",
		Levels: appOnly, Stated: StatedOnce, OnlyAsked: true, Explored: true, judge: whatever(judgeRecent)},
}

// Register adds a claim of one's own behind the others, with its judge, which must be a function of its arguments alone. It
// returns how to take the claim away again. Not to be called while anything runs. It panics if the name is taken, or without a
// name, a level or a judge.
func Register(r Row, judge func(h *History, l Level) Verdict) (remove func()) {
	if _, taken := RowOf(r.Name); taken || r.Name == "" || len(r.Levels) == 0 || judge == nil {
		panic("checker: Register of claim " + string(r.Name) + ": a claim needs a name of its own, a level and a judge")
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
