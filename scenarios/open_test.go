package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnAnswersFileThatNamesAnAnswersFile: a file that names itself, or two that name each other, are refused at once.
func TestAnAnswersFileThatNamesAnAnswersFile(t *testing.T) {
	dir := t.TempDir()
	for file, of := range map[string]string{"self.answers": "self.answers", "a.answers": "b.answers", "b.answers": "a.answers"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("kafkatrial answers 1\nscenario: "+of+"\nanswers:\nend: 1 steps, hash 00\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"self.answers", "a.answers"} {
		if _, err := Open(filepath.Join(dir, file)); err == nil || !strings.Contains(err.Error(), "its header names an answers file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestAFileWithoutAnEnd: what is far too large for a scenario is refused without being read to its end.
func TestAFileWithoutAnEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, MaxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "has more than") {
		t.Error(err)
	}
}
