// Package methods makes the methods of the events from their types and from the catalogue: go test ./model/event/methods -update.
// It reads their source and does not import them, so that it works while they do not compile.
package methods

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write methods.go")

// hashed says how a field enters the hash, by its type. Enumerations enter by their names, never by their numbers.
var hashed = map[string]string{
	"int64":                     "h.Int(e.%s)",
	"int32":                     "h.Int(int64(e.%s))",
	"int16":                     "h.Int(int64(e.%s))",
	"bool":                      "h.Bool(e.%s)",
	"string":                    "h.Text(e.%s)",
	"TruncationRule":            "h.Text(string(e.%s))",
	"ForgottenBecause":          "h.Text(string(e.%s))",
	"DroppedBecause":            "h.Text(string(e.%s))",
	"PositionSource":            "h.Text(string(e.%s))",
	"Thrower":                   "h.Text(string(e.%s))",
	"RolledBackBecause":         "h.Text(string(e.%s))",
	"Marker":                    "h.Text(string(e.%s))",
	"sim.NodeID":                "h.Int(int64(e.%s))",
	"sim.MsgType":               "h.Text(protocol.MessageNames[e.%s])",
	"protocol.BrokerID":         "h.Int(int64(e.%s))",
	"protocol.Acks":             "h.Int(int64(e.%s))",
	"protocol.Error":            "h.Text(e.%s.String())",
	"protocol.DatabaseError":    "h.Text(e.%s.String())",
	"protocol.DatabaseOp":       "h.Text(e.%s.String())",
	"protocol.TransactionState": "h.Text(e.%s.String())",
	"protocol.TopicPartition":   "hashTP(h, e.%s)",
	"[]protocol.BrokerID":       "hashBrokers(h, e.%s)",
	"[]protocol.GroupMember":    "hashMembers(h, e.%s)",
	"*record.RecordBatch":       "hashBatch(h, e.%s)",
	"[]*record.RecordBatch":     "hashBatches(h, e.%s)",
	"*record.Record":            "hashRecord(h, e.%s)",
	"[]record.Record":           "hashRecords(h, e.%s)",
	"[]Consumed":                "hashConsumed(h, e.%s)",
	"*protocol.Row":             "hashRow(h, e.%s)",
	"[]*protocol.Row":           "hashRows(h, e.%s)",
}

type field struct{ name, typ, tag string }

// row is what the catalogue says of a kind, as far as its methods depend on it.
type row struct {
	id    string
	words bool
}

// catalogue reads the rows of the catalogue.
func catalogue(t *testing.T) (rows []row) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../catalogue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || lit.Type != nil {
			return true
		}
		has := map[string]string{}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				has[types.ExprString(kv.Key)] = types.ExprString(kv.Value)
			}
		}
		if has["ID"] == "" || has["Group"] == "" || has["Sign"] == "" || has["Weight"] == "" {
			t.Errorf("a kind needs an ID, a Group, a Weight and a Sign: %v", has)
		}
		rows = append(rows, row{strings.Trim(has["ID"], `"`), has["Words"] == "true"})
		return false
	})
	return rows
}

// structs reads the types of events from the package's files.
func structs(t *testing.T, rows []row) map[string][]field {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]field{}
	for _, path := range files {
		if name := filepath.Base(path); strings.HasSuffix(name, "_test.go") || slices.Contains([]string{"methods.go", "event.go", "catalogue.go", "hash.go"}, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				return true
			}
			if !slices.ContainsFunc(rows, func(r row) bool { return r.id == kebab(ts.Name.Name) }) {
				t.Errorf("%s has no row %q in the catalogue", ts.Name.Name, kebab(ts.Name.Name))
			}
			fields := []field{}
			for _, f := range st.Fields.List {
				tag := ""
				if f.Tag != nil {
					tag = f.Tag.Value
				}
				for _, name := range f.Names {
					fields = append(fields, field{name.Name, types.ExprString(f.Type), tag})
				}
			}
			found[ts.Name.Name] = fields
			return true
		})
	}
	return found
}

// kebab writes the name of a type as the catalogue names it: LeaderAppended is leader-appended, ISRChanged isr-changed.
func kebab(name string) string {
	var b strings.Builder
	r := []rune(name)
	upper := func(i int) bool { return i >= 0 && i < len(r) && r[i] >= 'A' && r[i] <= 'Z' }
	for i := range r {
		if upper(i) && i > 0 && (!upper(i-1) || i+1 < len(r) && !upper(i+1)) {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r[i])))
	}
	return b.String()
}

// TestMethods holds methods.go, which this test writes, to the types and the catalogue.
func TestMethods(t *testing.T) {
	rows := catalogue(t)
	all := structs(t, rows)
	var b bytes.Buffer
	fmt.Fprint(&b, "// Code generated by go test ./model/event/methods -update. DO NOT EDIT.\n\npackage event\n\n",
		"import (\n\"kafkatrial/model/protocol\"\n\"kafkatrial/model/record\"\n\"kafkatrial/sim\"\n)\n")
	seen := map[string]bool{}
	for i, k := range rows {
		if seen[k.id] {
			t.Errorf("%s is listed twice", k.id)
		}
		seen[k.id] = true
		name := ""
		for n := range all { // order does not matter: one at most fits
			if kebab(n) == k.id {
				name = n
			}
		}
		if name == "" {
			t.Errorf("the catalogue has %s, and no type is so called", k.id)
			continue
		}
		fields := slices.Clone(all[name])
		slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
		fmt.Fprintf(&b, "\nfunc (*%s) Kind() *Kind { return &Catalogue[%d] }\n\n", name, i)
		id := fnv.New64a()
		id.Write([]byte("event " + k.id))
		if k.words {
			fmt.Fprintf(&b, "func (*%s) Hash(*sim.Hash) {}\n", name)
		} else {
			fmt.Fprintf(&b, "func (e *%s) Hash(h *sim.Hash) {\nh.Word(%#x)\n", name, id.Sum64())
			for _, f := range fields {
				how, ok := hashed[f.typ]
				switch {
				case f.tag == "`hash:\"-\"`":
				case !ok:
					t.Errorf("%s.%s: nobody knows how a %s enters the hash", name, f.name, f.typ)
				default:
					fmt.Fprintf(&b, how+"\n", f.name)
				}
			}
			fmt.Fprint(&b, "}\n")
		}
		for _, f := range fields {
			switch {
			case f.name == "TP":
				fmt.Fprintf(&b, "\n// Partition is what it is about.\nfunc (e *%s) Partition() protocol.TopicPartition { return e.TP }\n", name)
			case f.name == "Batch":
				fmt.Fprintf(&b, "\nfunc (e *%s) batch() *record.RecordBatch { return e.Batch }\n", name)
			}
		}
	}
	fmt.Fprint(&b, "\n// Empty gives an event of each kind without contents, in the order of the catalogue.\nfunc Empty() []Event {\nreturn []Event{\n")
	for _, k := range rows {
		for n := range all { // order does not matter: one at most fits
			if kebab(n) == k.id {
				fmt.Fprintf(&b, "new(%s),\n", n)
			}
		}
	}
	fmt.Fprint(&b, "}\n}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../methods.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile("../methods.go"); !bytes.Equal(have, want) {
		t.Error("methods.go is stale: go test ./model/event/methods -update")
	}
}
