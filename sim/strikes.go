package sim

import "strings"

// Strikes says which word of a fault model an answer is of: what struck by it. It is empty for one that mends something, or
// that chooses among what goes on by itself.
func (a Answer) Strikes() string {
	op, _, _ := strings.Cut(a.ID, " ")
	switch op {
	case wordKill, wordPause, wordPowerLoss, wordDiskLoss, wordLose, wordDuplicate, wordLate, wordShutdown:
		return op
	case opNames[OpCut], opNames[OpCutBoth]:
		return wordCut
	case opNames[OpHold]:
		return wordInFlight
	case opNames[OpDeliver]:
		return wordReorder
	}
	for _, name := range opNames {
		if op == name {
			return ""
		}
	}
	return wordOrders // whose names are the world's
}

// Classes lists the words of what a fault model lets strike, in the order of FaultModelWords.
func (a FaultModel) Classes() []string {
	var all []string
	for _, word := range strings.Fields(a.String()) {
		switch word, _, _ = strings.Cut(word, "="); word {
		case wordDelays, wordBudget, wordMaxDown, wordAmong, wordAfter, wordPauses, wordOf:
		default:
			all = append(all, word)
		}
	}
	return all
}
