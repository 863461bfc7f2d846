package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/release"
	"kafkatrial/scenarios"
)

const (
	root   = "../.."
	ledger = root + "/docs/fidelity.md"
)

// program is the text of the repository's Go files, those of tests apart.
type program struct{ code, tests string }

func readProgram(t *testing.T) program {
	t.Helper()
	var code, tests strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		src, err := os.ReadFile(path)
		if strings.HasSuffix(path, "_test.go") {
			tests.Write(src)
		} else {
			code.Write(src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return program{code.String(), tests.String()}
}

// rowsOfLedger gives the cells of every rule's row.
func rowsOfLedger(t *testing.T) (rows [][]string) {
	t.Helper()
	rules, _, _ := strings.Cut(read(t, ledger), "\n## Settings")
	for _, line := range strings.Split(rules, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) == 2 { // what the states mean
			continue
		}
		if len(cells) != 4 {
			t.Errorf("%d cells, want 4: %s", len(cells), line)
			continue
		}
		if cells[0] == "rule" {
			continue
		}
		rows = append(rows, cells)
	}
	return rows
}

var (
	testName = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9_]*`)
	inCode   = regexp.MustCompile("`([^`]+)`")
)

// Every rule has a state; one that is modelled names what would notice if it broke; and everything that is
// named exists.
func TestLedger(t *testing.T) {
	p := readProgram(t)
	isScenario := map[string]bool{}
	for _, n := range scenarios.Names() {
		isScenario[n] = true
	}
	rows := rowsOfLedger(t)
	if len(rows) < 100 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, r := range rows {
		state, _, _ := strings.Cut(r[2], ":")
		witnesses := len(testName.FindAllString(r[3], -1))
		for _, m := range inCode.FindAllStringSubmatch(r[3], -1) {
			if !isScenario[m[1]] {
				t.Errorf("there is no scenario %s: %s", m[1], r[0])
			}
			witnesses++
		}
		switch state {
		case "modelled":
			if witnesses == 0 {
				t.Errorf("nothing would notice if this broke: %s", r[0])
			}
		case "simplified":
		case "left out":
			if !strings.Contains(r[2], ":") {
				t.Errorf("it is not said what this hides: %s", r[0])
			}
		default:
			t.Errorf("%q is no state: %s", state, r[0])
		}
	}
	text := read(t, ledger)
	for _, name := range testName.FindAllString(text, -1) {
		if !strings.Contains(p.tests, "func "+name+"(") {
			t.Errorf("there is no test %s", name)
		}
	}
	head, _, _ := strings.Cut(text, "\n## Scenarios")
	for _, m := range inCode.FindAllStringSubmatch(head, -1) {
		if !known(p, isScenario, m[1]) {
			t.Errorf("nothing in the program is called %s", m[1])
		}
	}
}

// known finds a name of the ledger: a scenario, a setting, a file, or something that the code or its
// comments name.
func known(p program, isScenario map[string]bool, name string) bool {
	if isScenario[name] || strings.Contains(p.code, name) || strings.Contains(p.tests, "func "+name+"(") {
		return true
	}
	if class, method, ok := strings.Cut(name, "."); ok && method != "" {
		for _, m := range []string{method, strings.ToUpper(method[:1]) + method[1:]} {
			if strings.Contains(p.code, "*"+class+") "+m+"(") {
				return true
			}
		}
	}
	if _, err := os.Stat(filepath.Join(root, name)); err == nil && strings.Contains(name, "/") {
		return true
	}
	for s := config.Producer; s <= config.Topic; s++ {
		if yes, _ := config.Known(s, name); yes {
			return true
		}
	}
	switch {
	case strings.HasPrefix(name, "go test"), strings.HasPrefix(name, "kafkatrial run"), strings.HasPrefix(name, "features: {"):
		return true
	}
	return false
}

// Every switch stands in the ledger with its release, and the release is the one of the program.
func TestEverySwitchIsInTheLedger(t *testing.T) {
	rows := rowsOfLedger(t)
	for _, rule := range release.All {
		found := false
		for _, r := range rows {
			if !strings.Contains(r[0], "`"+rule.Key+"`") {
				continue
			}
			found = true
			if rule.InNoRelease() {
				if !strings.Contains(r[1], "in no release") {
					t.Errorf("%s is in no release; the ledger says: %s", rule.Key, r[1])
				}
				continue
			}
			if !strings.Contains(r[1], "since "+rule.Since.String()) {
				t.Errorf("%s holds since %s; the ledger says: %s", rule.Key, rule.Since, r[1])
			}
			if rule.Until != nil && !strings.Contains(r[1], "until "+rule.Until.String()) {
				t.Errorf("%s holds until %s; the ledger says: %s", rule.Key, rule.Until, r[1])
			}
		}
		if !found {
			t.Errorf("the ledger has no rule %s: %s", rule.Key, rule.Title)
		}
	}
}

// Every scenario is in the ledger. (TestPages keeps its list equal to the library.)
func TestEveryScenarioIsInTheLedger(t *testing.T) {
	text := read(t, ledger)
	for _, n := range scenarios.Names() {
		if !strings.Contains(text, "`"+n+"`") {
			t.Errorf("%s is missing; go test ./tui/pages -update", n)
		}
	}
}

// What the ledger says is not read is not read.
func TestSettingsThatNothingReads(t *testing.T) {
	_, rest, found := strings.Cut(read(t, ledger), "nothing reads them yet: ")
	list, _, _ := strings.Cut(rest, "\n\n")
	keys := inCode.FindAllStringSubmatch(list, -1)
	if !found || len(keys) == 0 {
		t.Fatal("the list is gone")
	}
	var readers strings.Builder
	for _, dir := range []string{"model", "scenarios"} {
		filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/config/") {
				src, _ := os.ReadFile(path)
				readers.Write(src)
			}
			return nil
		})
	}
	for _, k := range keys {
		if strings.Contains(readers.String(), `"`+k[1]+`"`) {
			t.Errorf("%s is read by the model now: take it off the list", k[1])
		}
	}
}
