package checker

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayNameAClaim are the files outside of this package that know a claim by its name, each with its reason. All others read the registry: a list of
// claims elsewhere is one that the next claim is missing from.
var mayNameAClaim = []exception{
	{"scenarios/explore/report.go", []Claim{AtLeastOnce, AtMostOnce, Recent}, "tells what is lost, doubled and missed apart, by the claim that it breaks"},
	{"scenarios/predict.go", []Claim{Recent}, "an option of runs asks for it, of which a key then knows more (recency.go)"},
	{"tui/kafkatrial/explore.go", []Claim{Recent}, "the flag --recent"},
	{"tui/session/find.go", []Claim{AtMostOnce}, "a record that is there twice is a moment to stop at, before the run is over"},
	{"tui/session/state.go", []Claim{Fenced}, "not the claim: what the controller calls a broker"},
	{"tui/pages/mendings.go", []Claim{AtLeastOnce, Available}, "a table that compares two claims"},
}

type exception struct {
	file   string
	claims []Claim
	why    string
}

// TestNobodyElseListsClaims reads the syntax tree of every file that is no test.
func TestNobodyElseListsClaims(t *testing.T) {
	constants := claimConstants(t)
	used := make([][]Claim, len(mayNameAClaim))
	files := 0
	for _, room := range []string{"scenarios", "tui"} { // sim and model can not import this package, and their words are Kafka's
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			i := slices.IndexFunc(mayNameAClaim, func(m exception) bool { return m.file == name })
			for _, n := range namedClaims(name, src, constants) {
				if i >= 0 && slices.Contains(mayNameAClaim[i].claims, n.claim) {
					used[i] = append(used[i], n.claim)
					continue
				}
				t.Errorf("%s: %s is named here; read the registry, so that a new claim is one row", n.at, n.what)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read: the test looks in the wrong place", files)
	}
	for i, m := range mayNameAClaim {
		for _, c := range m.claims {
			if !slices.Contains(used[i], c) {
				t.Errorf("%s no longer names %s: take it off the list", m.file, c)
			}
		}
	}
}

// claimConstants are the constants of type Claim in this package, by their names, one for each row.
func claimConstants(t *testing.T) map[string]Claim {
	t.Helper()
	all := map[string]Claim{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Claim" {
					if lit, ok := v.Values[0].(*ast.BasicLit); ok {
						text, _ := strconv.Unquote(lit.Value)
						all[v.Names[0].Name] = Claim(text)
					}
				}
			}
			return true
		})
	}
	if len(all) != len(rows) {
		t.Errorf("there are %d constants and %d rows", len(all), len(rows))
	}
	return all
}

type namedClaim struct {
	at    token.Position
	claim Claim
	what  string
}

// namedClaims finds where a file names a claim: by its constant, or by a text that is its name and nothing else. What
// registers a claim counts too: that is for tests, and for those who use this module from outside.
func namedClaims(name string, src []byte, constants map[string]Claim) (all []namedClaim) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return []namedClaim{{what: err.Error()}}
	}
	as := ""
	for _, i := range f.Imports {
		if i.Path.Value == `"kafkatrial/checker"` {
			as = "checker"
			if i.Name != nil {
				as = i.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || as == "" || x.Name != as {
				break
			}
			if claim, ok := constants[n.Sel.Name]; ok || n.Sel.Name == "Register" {
				all = append(all, namedClaim{fset.Position(n.Pos()), claim, x.Name + "." + n.Sel.Name})
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if _, known := RowOf(Claim(text)); err == nil && n.Kind == token.STRING && known {
				all = append(all, namedClaim{fset.Position(n.Pos()), Claim(text), n.Value})
			}
		}
		return true
	})
	if as == "." {
		all = append(all, namedClaim{what: fmt.Sprintf("%s imports the checker without a name, and so every claim", name)})
	}
	return all
}

// TestSeesWhoNamesAClaim breaks the rule in each way.
func TestSeesWhoNamesAClaim(t *testing.T) {
	constants := claimConstants(t)
	file := func(imported, body string) string {
		return "package p\nimport " + imported + "\nfunc f(c string) bool {\n" + body + "\nreturn false\n}\n"
	}
	plain := `"kafkatrial/checker"`
	for _, c := range []struct {
		name, src string
		want      int
	}{
		{"a list", file(plain, "_ = []checker.Claim{checker.Atomic, checker.Fenced}"), 2},
		{"a switch", file(plain, "switch checker.Claim(c) {\ncase checker.Recent:\n}"), 1},
		{"a comparison", file(plain, "_ = c == string(checker.Ordered)"), 1},
		{"under another name", file(`registry "kafkatrial/checker"`, "_ = registry.Atomic"), 1},
		{"under none", file(`. "kafkatrial/checker"`, "_ = Atomic"), 1},
		{"a text", file(`"fmt"`, `switch c { case "at-most-once": }`), 1},
		{"a text in backquotes", file(`"fmt"`, "_ = `linearizable`"), 1},
		{"a row of one's own", file(plain, "checker.Register(nil, checker.Row{}, nil)"), 1},
		{"a sentence", file(plain, `_ = "at-most-once is a claim"`), 0},
		{"the registry", file(plain, "_ = checker.Famous()"), 0},
		{"another package's name", file(`"sync/atomic"`, "_ = atomic.Atomic"), 0},
	} {
		if got := namedClaims("x.go", []byte(c.src), constants); len(got) != c.want {
			t.Errorf("%s: found %v, want %d", c.name, got, c.want)
		}
	}
}
