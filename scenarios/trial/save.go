package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// report says what is wrong with a run, saves it, and says how to look at it.
func report(t *testing.T, p Property, failed *Trial) {
	t.Helper()
	t.Error(explain(p, p.shrunk(failed, thorough), filepath.Join("testdata", "trial"), t.TempDir))
}

// explain saves a failing run in dir, or elsewhere if nobody may write there, and puts into words what a
// person needs to know.
func explain(p Property, failed *Trial, dir string, elsewhere func() string) string {
	path, err := failed.Save(dir, p)
	if err != nil {
		path, err = failed.Save(elsewhere(), p)
	}
	if whole, absent := filepath.Abs(path); absent == nil { // go test runs in the package's directory, and its reader does not
		path = whole
	}
	look := "To look at it: kafkatrial step " + path
	switch f := failed.Findings[0]; {
	case err != nil:
		look = "The run could not be saved: " + err.Error()
	case len(f.Steps) > 0:
		look += fmt.Sprintf(" --at %d", f.Steps[0])
	}
	return fmt.Sprintf("not so: %s\n%s%s", p.Says, failed.tell(), look)
}

// tell gives what was found and the decisions that led there.
func (t *Trial) tell() string {
	var b strings.Builder
	for _, f := range t.Findings {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	for _, a := range t.Run.Answers() {
		fmt.Fprintf(&b, "    at step %d: %s\n", a.Step+1, a.ID)
	}
	return b.String()
}

// Save writes the world as a scenario file and the run as an answers file beside it, and gives the path of
// the answers file, which kafkatrial opens.
func (t *Trial) Save(dir string, p Property) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	scenario := p.slug() + ".yaml"
	if err := os.WriteFile(filepath.Join(dir, scenario), t.World.Source, 0o644); err != nil {
		return "", err
	}
	path := filepath.Join(dir, p.slug()+".answers")
	text := t.Run.AnswersOf(scenario, t.World.Source, t.options).Text()
	return path, os.WriteFile(path, []byte(text), 0o644)
}
