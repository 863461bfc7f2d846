package sim

import "strconv"

// Time is a point in simulated time, or a length of it, in microseconds since the run began.
// It is an integer so that the same run gives the same bytes on every machine.
type Time int64

// Units of simulated time.
const (
	Microsecond Time = 1
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Minute           = 60 * Second
)

// Never is later than every moment a run can reach.
const Never = Time(1<<63 - 1)

// Ms gives whole milliseconds, the unit of Kafka's own settings, rounded down.
func (t Time) Ms() int64 { return int64(t / Millisecond) }

// String writes t in milliseconds, with as many decimals as it has: "7ms", "7.25ms".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	s := sign + strconv.FormatInt(int64(t/Millisecond), 10)
	if rest := int64(t % Millisecond); rest != 0 {
		frac := strconv.FormatInt(1000+rest, 10)[1:]
		for frac[len(frac)-1] == '0' {
			frac = frac[:len(frac)-1]
		}
		s += "." + frac
	}
	return s + "ms"
}
