package format

import (
	"fmt"
	"slices"
)

// subjects are the fifteen topics of the lectures and how many statements each has; statement 5.6 is the sixth of the fifth.
var subjects = []struct {
	slug       string
	statements int
}{
	{"delivery-semantics", 6},
	{"exactly-once-consumer", 7},
	{"monitoring", 9},
	{"deletion", 6},
	{"replication", 9},
	{"partition-replicas", 5},
	{"assignment", 5},
	{"accumulator", 7},
	{"idempotence", 5},
	{"offsets", 4},
	{"consistency", 6},
	{"client-api", 6},
	{"on-disk", 6},
	{"cross-session-idempotence", 5},
	{"transactions-in-use", 2},
}

// misconceptions is how many entries the list of misconceptions has: thirty, and seven in reserve.
const misconceptions = 37

// Subjects returns the slugs of the fifteen topics in the order of the list.
func Subjects() []string { return TopicSlug("").words() }

// Statements returns every statement number in order: "1.1" … "15.2".
func Statements() []string {
	var ids []string
	for i, s := range subjects {
		for n := 1; n <= s.statements; n++ {
			ids = append(ids, fmt.Sprintf("%d.%d", i+1, n))
		}
	}
	return ids
}

// SubjectOf returns the slug of the topic that a statement such as "5.6" belongs to, or "" if there is no such statement.
func SubjectOf(statement string) string {
	var topic, n int
	if _, err := fmt.Sscanf(statement, "%d.%d", &topic, &n); err != nil || !slices.Contains(Statements(), statement) {
		return ""
	}
	return subjects[topic-1].slug
}
