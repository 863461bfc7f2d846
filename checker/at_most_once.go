package checker

// judgeAtMostOnce rules that no record takes effect twice. Acknowledged records may be missing.
func judgeAtMostOnce(x *index, l Level) Verdict {
	return x.judgeDelivery(AtMostOnce, l, rule{mayMiss: true, mayDouble: false})
}
