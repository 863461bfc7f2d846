package probe

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kafkatrial/model/release"
)

// TestEveryMarkOfTheModelIsListed reads the model's source: a campaign can only miss what it knows of.
func TestEveryMarkOfTheModelIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, m := range All() {
		if listed[m.Name] || m.What == "" {
			t.Errorf("probe %q is listed twice, or not explained", m.Name)
		}
		listed[m.Name] = true
	}
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Probe" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: a probe is not a literal: it could not be counted as never hit", path)
				return true
			}
			name, _ := strconv.Unquote(lit.Value)
			used[name] = true
			if !listed[name] {
				t.Errorf("%s: probe %q is not in the list", path, name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range listed {
		if !used[name] {
			t.Errorf("probe %q is listed, and the model never sets it", name)
		}
	}
}

// TestOnlyWhatCanBeMetIsMissed: a cluster of one time knows nothing of the controllers of another, and one without
// transactions nothing of theirs.
func TestOnlyWhatCanBeMetIsMissed(t *testing.T) {
	names := func(rules release.Rules, transactions bool) (all string) {
		for _, m := range Possible(&rules, transactions) {
			all += m.Name + "; "
		}
		return all
	}
	const zk, txn, elr = "new ZooKeeper session", "transaction timed out", "eligible leader"
	for _, c := range []struct {
		rules        release.Rules
		transactions bool
		with         []string
		without      []string
	}{
		{release.Rules{}, false, []string{zk}, []string{txn, elr}},
		{release.Rules{KRaft: true}, true, []string{txn}, []string{zk, elr}},
		{release.Rules{KRaft: true, ELR: true}, false, []string{elr}, []string{zk, txn}},
	} {
		got := names(c.rules, c.transactions)
		for _, name := range c.with {
			if !strings.Contains(got, name) {
				t.Errorf("%+v can not meet %q", c.rules, name)
			}
		}
		for _, name := range c.without {
			if strings.Contains(got, name) {
				t.Errorf("%+v can meet %q", c.rules, name)
			}
		}
	}
}
