package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The words of a fault model in one line, as an answers file has them.
const (
	wordKill      = "kill"
	wordPause     = "pause"
	wordShutdown  = "shutdown"
	wordPowerLoss = "power-loss"
	wordDiskLoss  = "disk-loss"
	wordCut       = "cut"
	wordLose      = "lose"
	wordDuplicate = "duplicate"
	wordLate      = "late"     // late=1ms,20ms
	wordBudget    = "budget"   // budget=4
	wordMaxDown   = "max-down" // max-down=1
	wordReorder   = "reorder"  // reorder=4
	wordAmong     = "among"    // among=b1,b2
	wordInFlight  = "in-flight"
	wordDelays    = "delays" // delays=100ms,1000ms
	wordPauses    = "pauses" // pauses=600ms,3000ms
	wordOf        = "of"     // of=MetadataFetch
	wordOrders    = "orders"
	wordAfter     = "after" // after=10000ms
)

var nodeFaultWords = [...]struct {
	fault NodeFaults
	word  string
}{{CanKill, wordKill}, {CanPause, wordPause}, {CanLosePower, wordPowerLoss}, {CanLoseDisk, wordDiskLoss}, {CanShutDown, wordShutdown}}

// String writes the fault model as one line, "" for the zero value: "kill cut late=1ms,20ms budget=4".
// Quiet, which is a phase of a run, is not written.
func (a FaultModel) String() string {
	var words []string
	for _, n := range nodeFaultWords {
		if a.Node&n.fault != 0 {
			words = append(words, n.word)
		}
	}
	for _, f := range [...]struct {
		on   bool
		word string
	}{{a.Cut, wordCut}, {a.Lose, wordLose}, {a.Duplicate, wordDuplicate}, {a.InFlight, wordInFlight}, {a.Orders, wordOrders}} {
		if f.on {
			words = append(words, f.word)
		}
	}
	for _, l := range [...]struct {
		times []Time
		word  string
	}{{a.Late, wordLate}, {a.Delays, wordDelays}, {a.Pauses, wordPauses}} {
		var spelt []string
		for _, t := range l.times {
			spelt = append(spelt, t.String())
		}
		if len(spelt) > 0 {
			words = append(words, l.word+"="+strings.Join(spelt, ","))
		}
	}
	if a.Budget > 0 {
		words = append(words, wordBudget+"="+strconv.Itoa(a.Budget))
	}
	if a.MaxDown > 0 {
		words = append(words, wordMaxDown+"="+strconv.Itoa(a.MaxDown))
	}
	if a.Reorder > 0 {
		words = append(words, wordReorder+"="+strconv.Itoa(a.Reorder))
	}
	if a.After > 0 {
		words = append(words, wordAfter+"="+a.After.String())
	}
	if len(a.Of) > 0 {
		words = append(words, wordOf+"="+strings.Join(a.Of, ","))
	}
	if len(a.Among) > 0 {
		words = append(words, wordAmong+"="+strings.Join(a.Among, ","))
	}
	return strings.Join(words, " ")
}

// FaultModelWords lists the words of a fault model, as one writes them: those with a value have an example of it.
func FaultModelWords() []string {
	return []string{wordKill, wordPause, wordShutdown, wordPowerLoss, wordDiskLoss, wordCut, wordLose, wordDuplicate, wordOrders, wordInFlight,
		wordLate + "=20ms", wordOf + "=Fetch", wordDelays + "=100ms", wordPauses + "=600ms", wordAfter + "=10000ms", wordBudget + "=3", wordMaxDown + "=1", wordReorder + "=4", wordAmong + "=b1,b2"}
}

// ParseFaultModel reads what String wrote. The error names the word that it does not know, and those that there are. A word that
// takes a value has one, numbers are 1 at least and times above 0, and the others have none.
func ParseFaultModel(line string) (FaultModel, error) {
	var a FaultModel
	for _, word := range strings.Fields(line) {
		key, value, valued := strings.Cut(word, "=")
		var err error
		switch key {
		case wordCut:
			a.Cut = true
		case wordLose:
			a.Lose = true
		case wordDuplicate:
			a.Duplicate = true
		case wordBudget:
			a.Budget, err = parseCount(value)
		case wordMaxDown:
			a.MaxDown, err = parseCount(value)
		case wordReorder:
			a.Reorder, err = parseCount(value)
		case wordAmong:
			a.Among, err = parseNames(value)
		case wordLate:
			a.Late, err = parseTimes(value)
		case wordPauses:
			a.Pauses, err = parseTimes(value)
		case wordOf:
			a.Of, err = parseNames(value)
		case wordAfter:
			var times []Time
			if times, err = parseTimes(value); err == nil && len(times) == 1 {
				a.After = times[0]
			} else {
				err = fmt.Errorf("not one time")
			}
		case wordInFlight:
			a.InFlight = true
		case wordOrders:
			a.Orders = true
		case wordDelays:
			a.Delays, err = parseTimes(value)
		default:
			err = fmt.Errorf("no such fault")
			for _, n := range nodeFaultWords {
				if n.word == key {
					a.Node, err = a.Node|n.fault, nil
				}
			}
		}
		if err != nil || valued != takesValue(key) {
			return FaultModel{}, fmt.Errorf("faults: %q is not understood; expected words from %s", word, strings.Join(FaultModelWords(), ", "))
		}
	}
	return a, nil
}

// takesValue says whether FaultModelWords gives an example of a value for the word.
func takesValue(key string) bool {
	return slices.ContainsFunc(FaultModelWords(), func(word string) bool { return strings.HasPrefix(word, key+"=") })
}

func parseCount(value string) (int, error) {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("not a number of at least 1")
	}
	return int(n), nil
}

func parseNames(list string) ([]string, error) {
	names := strings.Split(list, ",")
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("a name is empty")
	}
	return names, nil
}

// parseTimes reads what Time.String writes of a time above 0, of at most some years: milliseconds with up to three decimals.
func parseTimes(list string) ([]Time, error) {
	var all []Time
	for _, s := range strings.Split(list, ",") {
		whole, frac, _ := strings.Cut(strings.TrimSuffix(s, "ms"), ".")
		ms, err := strconv.ParseUint(whole, 10, 40)
		if err != nil || !strings.HasSuffix(s, "ms") || len(frac) > 3 {
			return nil, fmt.Errorf("not a time")
		}
		micros := uint64(0)
		if frac != "" {
			if micros, err = strconv.ParseUint((frac + "00")[:3], 10, 64); err != nil {
				return nil, err
			}
		}
		if ms+micros == 0 {
			return nil, fmt.Errorf("no time at all")
		}
		all = append(all, Time(ms)*Millisecond+Time(micros))
	}
	return all, nil
}
