package model_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rules by which a run is the same on every machine, checked in the syntax tree of every file of sim and
// model, and the direction of imports, checked everywhere.

// deterministic are the rooms in which the rules hold, and exempt the files in them that may use goroutines:
// the workers of the exhaustive search, whose result does not depend on who finds what first.
var (
	deterministic = []string{"sim", "model"}
	exempt        = []string{"sim/explore/"}
)

// rooms in the order in which they may import one another: each only those before it.
var rooms = []string{"sim", "model", "checker", "scenarios", "tui"}

// forTests may import rapid although they are no test files: packages that only tests import.
var forTests = []string{"scenarios/trial", "model/referencecase"}

func TestTidy(t *testing.T) {
	root := ".."
	var names []string
	sources := map[string][]byte{}
	packages := map[string][][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		names = append(names, name)
		sources[name] = src
		packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, problem := range untidy(name, sources[name], packages[filepath.Dir(name)]...) {
			t.Error(problem)
		}
	}
	if len(names) < 100 {
		t.Errorf("only %d files were read: the test looks in the wrong place", len(names))
	}
}

// untidy lists what breaks a rule in a file, whose name is relative to the root of the repository. The other
// files of the package tell which of its names are maps.
func untidy(name string, src []byte, others ...[]byte) []string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	r := reader{fset: fset, file: f, name: name, test: strings.HasSuffix(name, "_test.go")}
	r.imports()
	room, _, _ := strings.Cut(name, "/")
	if slices.Contains(deterministic, room) && !r.test {
		r.mapNames = map[string]bool{}
		r.maps(f, true)
		for _, o := range others {
			if other, err := parser.ParseFile(token.NewFileSet(), "", o, parser.SkipObjectResolution); err == nil {
				r.maps(other, false)
			}
		}
		r.rules()
	}
	return r.problems
}

type reader struct {
	fset     *token.FileSet
	file     *ast.File
	name     string
	test     bool
	problems []string
	mapNames map[string]bool // variables, fields and functions that are maps or give one
}

func (r *reader) say(at token.Pos, format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf("%v: %s", r.fset.Position(at), fmt.Sprintf(format, args...)))
}

func (r *reader) imports() {
	room, _, _ := strings.Cut(r.name, "/")
	mine := slices.Index(rooms, room)
	for _, spec := range r.file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if inside, ok := strings.CutPrefix(path, "kafkatrial/"); ok && mine >= 0 {
			theirs, _, _ := strings.Cut(inside, "/")
			if slices.Index(rooms, theirs) > mine {
				r.say(spec.Pos(), "%s imports %s: imports run only downwards", room, path)
			}
		}
		if room == "sim" && !r.test && strings.Contains(path, ".") {
			r.say(spec.Pos(), "sim imports %s: it needs the standard library only", path)
		}
		if path == "pgregory.net/rapid" && !r.test && !r.isForTests(r.name) {
			r.say(spec.Pos(), "rapid belongs in tests")
		}
		if r.isForTests(path+"/") && !r.test && !r.isForTests(r.name) {
			r.say(spec.Pos(), "%s is for tests", path)
		}
		if slices.Contains(deterministic, room) && !r.test && (path == "math/rand" || path == "math/rand/v2" || path == "hash/maphash" || path == "crypto/rand") {
			r.say(spec.Pos(), "%s: chance comes from the source of choice", path)
		}
	}
}

func (r *reader) isForTests(path string) bool {
	path = strings.TrimPrefix(path, "kafkatrial/")
	return slices.ContainsFunc(forTests, func(p string) bool { return strings.HasPrefix(path, p+"/") })
}

func (r *reader) rules() {
	workers := slices.ContainsFunc(exempt, func(p string) bool { return strings.HasPrefix(r.name, p) })
	ast.Inspect(r.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if !workers {
				r.say(n.Pos(), "a goroutine")
			}
		case *ast.SelectStmt:
			r.say(n.Pos(), "a select")
		case *ast.ChanType:
			if !workers {
				r.say(n.Pos(), "a channel")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc"}, n.Sel.Name) {
				r.say(n.Pos(), "time.%s: time is the world's", n.Sel.Name)
			}
		case *ast.Ident:
			if n.Name == "float64" || n.Name == "float32" {
				r.say(n.Pos(), "%s: machines differ in the last bit", n.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT {
				r.say(n.Pos(), "the number %s is a float: machines differ in the last bit", n.Value)
			}
		case *ast.RangeStmt:
			if r.isMap(n.X) && !r.excused(n.Pos()) {
				r.say(n.Pos(), "ranges over a map, whose order is by chance; if it does not matter, say why above: // order does not matter: …")
			}
		}
		return true
	})
}

// maps collects by name what a file declares as a map: of other files of the package only fields, functions
// and package variables. The rule is strict on names and knows no types.
func (r *reader) maps(f *ast.File, mine bool) {
	note := func(names []*ast.Ident, typ ast.Expr) {
		if _, ok := typ.(*ast.MapType); ok {
			for _, n := range names {
				r.mapNames[n.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Type.Results != nil && len(n.Type.Results.List) == 1 {
				note([]*ast.Ident{n.Name}, n.Type.Results.List[0].Type)
			}
			return mine
		case *ast.Field:
			note(n.Names, n.Type)
		case *ast.ValueSpec:
			note(n.Names, n.Type)
			for i, v := range n.Values {
				if i < len(n.Names) && givesMap(v) {
					r.mapNames[n.Names[i].Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, v := range n.Rhs {
				if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && givesMap(v) {
					r.mapNames[id.Name] = true
				}
			}
		}
		return true
	})
}

// givesMap says that an expression makes a map: a literal, or make(map[…]…).
func givesMap(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		_, ok := e.Type.(*ast.MapType)
		return ok
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "make" && len(e.Args) > 0 {
			_, isMap := e.Args[0].(*ast.MapType)
			return isMap
		}
	}
	return false
}

// isMap says that what is ranged over is a map by the look of it. maps.Keys and its like count too.
func (r *reader) isMap(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return r.mapNames[e.Name]
	case *ast.SelectorExpr:
		return r.mapNames[e.Sel.Name]
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && (x.Name == "maps" || r.isPackage(x.Name)) {
				return x.Name == "maps"
			}
		}
		return r.isMap(e.Fun)
	}
	return givesMap(e)
}

func (r *reader) isPackage(name string) bool {
	return slices.ContainsFunc(r.file.Imports, func(i *ast.ImportSpec) bool {
		path := strings.Trim(i.Path.Value, `"`)
		return path[strings.LastIndexByte(path, '/')+1:] == name
	})
}

// excused says that the line above, or the line itself, gives the reason.
func (r *reader) excused(at token.Pos) bool {
	line := r.fset.Position(at).Line
	for _, group := range r.file.Comments {
		for _, c := range group.List {
			if l := r.fset.Position(c.Pos()).Line; (l == line-1 || l == line) && strings.HasPrefix(c.Text, "// order does not matter: ") {
				return true
			}
		}
	}
	return false
}

// TestTidySeesWhatIsUntidy breaks each rule once.
func TestTidySeesWhatIsUntidy(t *testing.T) {
	body := func(s string) string { return "package p\nfunc f() {\n" + s + "\n}\n" }
	for _, c := range []struct{ name, file, src, want string }{
		{"goroutine", "sim/x.go", body("go f()"), "a goroutine"},
		{"goroutine of the search", "sim/explore/x.go", body("go f()"), ""},
		{"select", "model/log/x.go", body("select {}"), "a select"},
		{"channel", "model/x.go", "package p\nvar c chan int\n", "a channel"},
		{"clock", "sim/x.go", body("_ = time.Now()"), "time.Now"},
		{"elapsed", "model/x.go", body("_ = time.Since(t)"), "time.Since"},
		{"a length of time", "model/x.go", body("_ = time.Second"), ""},
		{"chance", "model/x.go", "package p\nimport \"math/rand/v2\"\nvar _ = rand.Int()\n", "source of choice"},
		{"float type", "sim/x.go", "package p\nvar x float64\n", "float64"},
		{"float number", "sim/x.go", "package p\nvar x = 0.5\n", "float"},
		{"map by make", "model/x.go", body("m := make(map[int]int)\nfor range m {\n}"), "ranges over a map"},
		{"map in a field", "model/x.go", "package p\ntype t struct{ m map[int]int }\nfunc (x t) f() {\nfor range x.m {\n}\n}\n", "ranges over a map"},
		{"map of a function", "model/x.go", "package p\nfunc m() map[int]int { return nil }\nfunc f() {\nfor range m() {\n}\n}\n", "ranges over a map"},
		{"keys of a map", "model/x.go", body("for range maps.Keys(x) {\n}"), "ranges over a map"},
		{"map with a reason", "model/x.go", body("m := map[int]int{}\nn := 0\n// order does not matter: a sum\nfor _, v := range m {\nn += v\n}"), ""},
		{"slice", "model/x.go", body("for range []int{} {\n}"), ""},
		{"rules do not hold in checker", "checker/x.go", body("go f()"), ""},
		{"rules do not hold in tests", "sim/x_test.go", body("go f()"), ""},
		{"upwards", "model/x.go", "package p\nimport _ \"kafkatrial/checker\"\n", "only downwards"},
		{"upwards in a test", "sim/x_test.go", "package p\nimport _ \"kafkatrial/model\"\n", "only downwards"},
		{"downwards", "checker/x.go", "package p\nimport _ \"kafkatrial/model\"\n", ""},
		{"a library in sim", "sim/x.go", "package p\nimport _ \"github.com/a/b\"\n", "standard library"},
		{"rapid", "checker/x.go", "package p\nimport _ \"pgregory.net/rapid\"\n", "belongs in tests"},
		{"rapid in a test", "checker/x_test.go", "package p\nimport _ \"pgregory.net/rapid\"\n", ""},
		{"rapid for tests", "scenarios/trial/x.go", "package p\nimport _ \"pgregory.net/rapid\"\n", ""},
		{"what is for tests", "tui/x.go", "package p\nimport _ \"kafkatrial/scenarios/trial\"\n", "is for tests"},
		{"map of another file", "model/x.go", "package p\nfunc f(x t) {\nfor range x.m {\n}\n}\n", "ranges over a map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := []byte("package p\ntype t struct{ m map[int]int }\n")
			got := untidy(c.file, []byte(c.src), other)
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("found %q where there is nothing to find", got)
			case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
				t.Errorf("found %q, want one problem with %q", got, c.want)
			}
		})
	}
}
