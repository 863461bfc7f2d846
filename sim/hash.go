package sim

// Hash is a running hash of 64 bits. Its zero value can be used.
type Hash struct{ sum uint64 }

// Sum is the hash of what was mixed in so far.
func (h *Hash) Sum() uint64 { return h.sum }

// Word mixes in a number: cheap, and every bit of x reaches every bit of the hash.
func (h *Hash) Word(x uint64) {
	s := h.sum ^ x*0x9E3779B97F4A7C15
	s ^= s >> 32
	s *= 0xD6E8FEB86659FD93
	h.sum = s ^ s>>29
}

// Int mixes in a number with a sign.
func (h *Hash) Int(x int64) { h.Word(uint64(x)) }

// Bool mixes in a truth value.
func (h *Hash) Bool(b bool) { h.Word(bit(b)) }

// Text mixes in a text with its length.
func (h *Hash) Text(s string) { h.Word(hashString(s) + uint64(len(s))) }

// hashString is FNV-1a with 64 bits.
func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// What enters the running hash are the names of things, never their numbers: a new kind of message, timer, fault or step
// leaves the hashes of runs without it as they are.
var stepIDs, opIDs = func() (steps [len(stepNames)]uint64, ops [len(opNames)]uint64) {
	for i, name := range stepNames {
		steps[i] = hashString(name)
	}
	for i, name := range opNames {
		ops[i] = hashString("op " + name)
	}
	return steps, ops
}()

// names are the hashes of the names that a model gives to its messages and timers.
type names struct {
	messages, timers []uint64
}

func vocabulary(cfg *Config) *names {
	v := &names{}
	for _, name := range cfg.MessageNames {
		v.messages = append(v.messages, hashString("message "+name))
	}
	for i := range cfg.TimerNames {
		v.timers = append(v.timers, hashString("timer "+cfg.timerName(uint8(i))))
	}
	return v
}

func (v *names) timer(kind uint8) uint64 {
	if int(kind) < len(v.timers) {
		return v.timers[kind]
	}
	return uint64(kind) // a timer without a name
}
