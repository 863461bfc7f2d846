package sim

// PCT decides by priorities, as probabilistic concurrency testing does (Burckhardt et al., ASPLOS 2010):
// every thread of events (a node's timers, one direction between two nodes) has a random priority, and the
// enabled event of the highest priority goes first, except that at d-1 random moments the thread that would
// go is put last. A failure that needs d ordering constraints is found with a probability that is bounded
// from below. It needs FaultModel.Reorder.
type PCT struct {
	Seed  uint64
	Depth int // d, at least 1
	Steps int // over how many decisions the d-1 moments are spread
	// Faults decides everything that is not about order; nil: calm.
	Faults Source

	asked   int
	changes []int
	demoted []uint64 // threads that were put last, in that order
}

// Choose picks the event of the highest priority.
func (s *PCT) Choose(p Point) (int, error) {
	if s.changes == nil {
		s.changes = make([]int, max(s.Depth-1, 0))
		for i := range s.changes {
			s.changes[i] = int(scramble(s.Seed^uint64(i+1)*0x9E37) % uint64(max(s.Steps, 1)))
		}
	}
	if p.Kind == Next {
		reorder := false
		for _, o := range p.Options[1:] {
			reorder = reorder || o.Op == OpDeliver
		}
		if reorder {
			return s.order(p)
		}
	}
	if s.Faults != nil {
		return s.Faults.Choose(p)
	}
	return 0, nil
}

func (s *PCT) order(p Point) (int, error) {
	if s.Faults != nil { // a fault that the other source wants goes first
		if i, err := s.Faults.Choose(p); err != nil || p.Options[i].Class == Fault || p.Options[i].Class == Repair {
			return i, err
		}
	}
	best := s.highest(p)
	for _, at := range s.changes {
		if at == s.asked {
			s.demoted = append(s.demoted, thread(p.Options[best]))
			best = s.highest(p)
		}
	}
	s.asked++
	return best, nil
}

func (s *PCT) highest(p Point) int {
	best, top := 0, uint64(0)
	for i, o := range p.Options {
		if i > 0 && o.Op != OpDeliver {
			continue
		}
		if r := s.rank(thread(o)); i == 0 || r > top {
			best, top = i, r
		}
	}
	return best
}

// thread names what an event belongs to.
func thread(o Option) uint64 {
	if o.IsMsg {
		return uint64(uint16(o.Node))<<16 | uint64(uint16(o.Peer)) | 1<<40
	}
	return uint64(uint16(o.Node))
}

func (s *PCT) rank(t uint64) uint64 {
	for i, d := range s.demoted {
		if d == t {
			return uint64(len(s.demoted) - i) // below every random priority; the earlier put last, the higher
		}
	}
	return scramble(s.Seed^scramble(t)) | 1<<32
}

// DFS answers in the order of an odometer: run after run, every sequence of answers with at most Deviations
// answers that are not calm, those with few of them not before those with none, and within Depth decisions.
// The world must be made anew for every run.
type DFS struct {
	Depth      int // decisions beyond this are answered calmly; 0: no bound
	Deviations int // how many answers may differ from calm; negative: any number

	path    []choice
	at      int
	cut     bool // a bound kept something from being tried
	started bool
}

type choice struct{ value, bound int }

// Begin prepares the next run. It reports false when every sequence within the bounds has been tried.
func (s *DFS) Begin() bool {
	s.at = 0
	if !s.started {
		s.started = true
		return true
	}
	for len(s.path) > 0 {
		last := &s.path[len(s.path)-1]
		if last.value+1 < last.bound {
			if last.value > 0 || s.Deviations < 0 || s.deviations(len(s.path)-1) < s.Deviations {
				last.value++
				return true
			}
			s.cut = true
		}
		s.path = s.path[:len(s.path)-1]
	}
	return false
}

func (s *DFS) deviations(n int) int {
	d := 0
	for _, c := range s.path[:n] {
		if c.value > 0 {
			d++
		}
	}
	return d
}

// Bounded says that a bound kept something from being tried.
func (s *DFS) Bounded() bool { return s.cut }

// Choose follows the odometer.
func (s *DFS) Choose(p Point) (int, error) {
	if s.Depth > 0 && s.at >= s.Depth {
		s.cut = true
		return 0, nil
	}
	if s.at == len(s.path) {
		s.path = append(s.path, choice{0, len(p.Options)})
	}
	s.at++
	return s.path[s.at-1].value, nil
}

// Swarm masks classes of fault for a whole run: which of a fault model's faults exist at all is drawn first,
// so that runs differ in kind and not only in luck (Groce et al., ISSTA 2012).
func Swarm(seed uint64, a FaultModel) FaultModel {
	bit := func(i uint64) bool { return scramble(seed^0x5317*i)&1 == 1 }
	out := a
	if !bit(1) {
		out.Late = nil
	}
	out.Lose = a.Lose && bit(2)
	out.Duplicate = a.Duplicate && bit(3)
	out.Cut = a.Cut && bit(4)
	for i, f := range [...]NodeFaults{CanKill, CanLosePower, CanLoseDisk, CanPause} {
		if !bit(uint64(5 + i)) {
			out.Node &^= f
		}
	}
	out.Orders = a.Orders && bit(9)
	if !bit(10) {
		out.Node &^= CanShutDown
	}
	if a.Budget > 0 {
		out.Budget = 1 + int(scramble(seed^0xB06E7)%uint64(a.Budget))
	}
	return out
}
