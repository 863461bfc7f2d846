package checker

// judgeExactlyOnce rules that every acknowledged record has taken effect at the end and none has twice. Records in a
// transaction are judged by the transaction's outcome: an aborted one must not take effect at all.
func judgeExactlyOnce(x *index, l Level) Verdict {
	return x.judgeDelivery(ExactlyOnce, l, rule{})
}
