package checker

// judgeAtLeastOnce rules that every acknowledged record has taken effect at the end. Records may take effect twice.
// It is undecided for records that are still on their way when the run is cut off.
func judgeAtLeastOnce(x *index, l Level) Verdict {
	return x.judgeDelivery(AtLeastOnce, l, rule{mayMiss: false, mayDouble: true})
}
