package pages

import (
	"strings"
	"testing"
)

// The claim that a scenario asks about is in its table, and the one that an exercise mends in its answer, though it holds
// there. A claim of which a file states one verdict has one in the table.
func TestTablesShowTheClaimInQuestion(t *testing.T) {
	text, err := verdicts([]string{"half-of-a-transaction-is-read"})
	if err != nil || !strings.Contains(text, "| atomic |") {
		t.Errorf("no column for atomic: %v\n%s", err, text)
	}
	if strings.Contains(text, "| fenced |") {
		t.Errorf("a column for what nobody asks about:\n%s", text)
	}
	text, err = try([]string{"late-commit-tears-the-next-transaction", "--kafka", "4.0"})
	if err != nil || !strings.Contains(text, "atomic holds") {
		t.Errorf("the answer does not speak of atomic: %v\n%s", err, text)
	}
	text, err = try([]string{"restarted-in-a-transaction", "--set", "isolation.level=read_uncommitted"})
	if err != nil || !strings.Contains(text, "no-aborted-read **violated**") || !strings.Contains(text, "at-most-once log holds, app **violated**") {
		t.Errorf("one verdict of no-aborted-read, two of at-most-once: %v\n%s", err, text)
	}
}
