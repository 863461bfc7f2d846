package hunt

import (
	"math"
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// rates say how often, out of a million decisions of a kind, the answer of a run's source is not the calm one.
// They are drawn for each run, so that runs differ in how rough they are.
type rates struct {
	repair int // Next: something that is broken is mended
	late   int // Fate
	lost   int // Fate: the message is lost or doubled
	torn   int // Tear: a power loss takes something
}

// swarm draws what may happen in a run and how often.
func swarm(seed uint64, a sim.FaultModel) (sim.FaultModel, rates) {
	a = sim.Swarm(seed, a)
	one := func(n int, from ...int) int { return from[mix(seed^uint64(n)*0xA24BAED4963EE407)%uint64(len(from))] }
	return a, rates{
		repair: one(1, 500, 5_000, 30_000, 150_000),
		late:   one(2, 2_000, 10_000, 50_000, 200_000),
		lost:   one(3, 500, 3_000, 15_000),
		torn:   one(4, 300_000, 700_000, 1_000_000),
	}
}

// pace is how much happens in the calm run of a scenario, once its script has begun: decisions about what comes
// next, and those among them before which something has changed.
type pace struct{ next, news int }

// notByThis is more than ever happens in a run: the next fault waits for the other count.
const notByThis = math.MaxInt32

// source draws a run's answers from its seed. The places of its faults are drawn in news: a record appended, a
// leader elected. Between two of them a fault mostly does the same wherever it strikes, and most of a run is
// routine. The first strikes anywhere, the others soon after the one before, more often than late. What strikes
// is drawn before where, or the many links that can be cut would hide the few brokers that can fail.
type source struct {
	seed  uint64
	rates rates
	pace  pace
	// stuck is a time by which only what a client sends can be late; 0: none.
	stuck sim.Time
	run   *scenarios.Run
	asked uint64 // draws so far

	pauses []sim.Time  // how long a pause lasts; empty: until something mends it
	of     []string    // the kinds of message that may be late, lost or doubled; empty: all
	wake   []awakening // who is paused for how long

	calm   bool // counts only
	begun  bool
	events int // events of the run when a fault could last strike
	count  pace
	due    pace // where the next fault strikes: at so much news, or at so many decisions
}

func (s *source) draw() uint64 {
	s.asked++
	return mix(s.seed ^ s.asked*0x9E3779B97F4A7C15)
}

// Choose implements sim.Source.
func (s *source) Choose(p sim.Point) (int, error) {
	if !s.begun && !s.begin() {
		return 0, nil
	}
	h := s.draw()
	u, pick := int(h%1_000_000), mix(h)
	switch p.Kind {
	case sim.Next:
		return s.next(p, u, pick), nil
	case sim.Fate:
		switch {
		case len(s.of) > 0 && !slices.Contains(s.of, protocol.MessageNames[p.Options[0].Type]):
		case u < s.rates.late:
			return s.late(p, pick), nil
		case u >= 1_000_000-s.rates.lost:
			return drawn(p, pick, sim.Fault), nil
		}
	case sim.Tear:
		if u < s.rates.torn {
			return 1 + int(pick%uint64(len(p.Options)-1)), nil
		}
	case sim.Skew:
		return int(pick % uint64(len(p.Options))), nil
	}
	return 0, nil
}

// late draws by how much a message is late.
func (s *source) late(p sim.Point, pick uint64) int {
	c := s.run.Cluster
	from := p.Options[0].Node
	client := slices.Contains(c.Producers(), from) || slices.Contains(c.Consumers(), from)
	var places [16]int
	n := 0
	for i := 1; i < len(p.Options) && n < len(places); i++ {
		if o := p.Options[i]; o.Op == sim.OpLate && (client || s.stuck == 0 || o.N != int64(s.stuck)) {
			places[n], n = i, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return places[mix(pick)%uint64(n)]
}

// begin waits for the first step of the script: what strikes before is a cluster that does not come up.
func (s *source) begin() bool {
	if at, _ := s.run.Progress(); at < 2 {
		return false
	}
	s.begun = true
	s.events = len(s.run.World.Trace().Events)
	s.due = pace{notByThis, int(s.draw() % uint64(s.pace.news+1))}
	return true
}

func (s *source) next(p sim.Point, u int, pick uint64) int {
	s.count.next++
	if n := len(s.run.World.Trace().Events); n != s.events {
		s.events = n
		s.count.news++
	}
	if s.calm {
		return 0
	}
	if i := s.wakes(p); i > 0 {
		return i
	}
	if u < s.rates.repair {
		return drawn(p, pick, sim.Repair)
	}
	if s.count.news < s.due.news && s.count.next < s.due.next {
		return 0
	}
	i := drawn(p, pick, sim.Fault)
	if i > 0 {
		s.again()
	}
	if i > 0 && p.Options[i].Op == sim.OpPause && len(s.pauses) > 0 {
		s.wake = append(s.wake, awakening{p.Options[i].Node, p.Now + s.pauses[mix(pick)%uint64(len(s.pauses))]})
	}
	return i
}

// awakening is the end of a pause whose length was drawn when it began.
type awakening struct {
	node sim.NodeID
	at   sim.Time
}

// wakes gives the option that ends a pause which has lasted for as long as it should, 0 if there is none.
func (s *source) wakes(p sim.Point) int {
	for i, w := range s.wake {
		if p.Now < w.at {
			continue
		}
		s.wake = slices.Delete(s.wake, i, i+1)
		return max(0, slices.IndexFunc(p.Options, func(o sim.Option) bool { return o.Op == sim.OpResume && o.Node == w.node }))
	}
	return 0
}

// again draws where the next fault strikes. How far away it is, is drawn by its order of magnitude.
func (s *source) again() {
	far := func(most int) int {
		bits := uint64(1)
		for 1<<bits < most {
			bits++
		}
		return 1 + int(s.draw()%(2<<(s.draw()%bits)))
	}
	if s.draw()%4 == 0 {
		s.due = pace{s.count.next + far(s.pace.next), notByThis}
	} else {
		s.due = pace{notByThis, s.count.news + far(s.pace.news)}
	}
}

// end is how the calm run stood when its script was over.
type end struct {
	busy       bool     // what the script had begun was not at its end
	unanswered []string // records of the script neither acknowledged nor failed
}

// paceOf makes the calm run of a scenario, in which faults could strike for so much longer than the script.
func paceOf(f *format.File, base scenarios.Options, after sim.Time) (p pace, e end, err error) {
	s := &source{calm: true}
	base.FaultModel, base.Source = sim.FaultModel{Node: sim.CanKill, Budget: 1, After: after}, s // so that there is a choice
	r, err := scenarios.New(f, base)
	if err != nil {
		return pace{}, e, err
	}
	s.run = r
	for over := false; r.Step(); {
		if at, of := r.Progress(); at > of && !over {
			over, e.unanswered = true, r.Unanswered()
			e.busy = len(e.unanswered) > 0 || len(r.Cluster.Moving()) > 0
		}
	}
	return s.count, e, nil
}

// drawn picks an operation of a class, then one of its options; 0 if the class has none.
func drawn(p sim.Point, pick uint64, class sim.Class) int {
	var ops [8]sim.Op
	n := 0
	for i := 1; i < len(p.Options); i++ {
		o := p.Options[i]
		if o.Class != class || n == len(ops) {
			continue
		}
		known := false
		for _, op := range ops[:n] {
			known = known || op == o.Op
		}
		if !known {
			ops[n], n = o.Op, n+1
		}
	}
	if n == 0 {
		return 0
	}
	op := ops[pick%uint64(n)]
	pick = mix(pick)
	places := 0
	for i := 1; i < len(p.Options); i++ {
		if p.Options[i].Class == class && p.Options[i].Op == op {
			places++
		}
	}
	k := int(pick % uint64(places))
	for i := 1; i < len(p.Options); i++ {
		if p.Options[i].Class == class && p.Options[i].Op == op {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return 0
}

// mix is the finaliser of SplitMix64: every bit of x reaches every bit of the result.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
