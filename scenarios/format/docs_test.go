package format

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	registry "kafkatrial/checker"
)

var update = flag.Bool("update", false, "write the reference part of docs/scenario-format.md anew")

const (
	docFile = "../../docs/scenario-format.md"
	docMark = "<!-- What follows is made from the Go types by: go test ./scenarios/format -run TestDocs -update -->\n"
)

// TestDocs holds the reference part of the documentation to the types: every key, word, default and limit.
func TestDocs(t *testing.T) {
	old, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, found := strings.Cut(string(old), docMark)
	if !found {
		t.Fatalf("%s has no line\n%s", docFile, docMark)
	}
	want := reference()
	if *update {
		if err := os.WriteFile(docFile, []byte(head+docMark+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if tail != want {
		t.Errorf("%s is not what the types say; write it anew with -update", docFile)
	}
}

// TestExamplesInDocs loads every example of the documentation that is a whole scenario.
func TestExamplesInDocs(t *testing.T) {
	doc, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, part := range strings.Split(string(doc), "```yaml\n")[1:] {
		example, _, _ := strings.Cut(part, "```")
		if !strings.HasPrefix(example, "name:") {
			continue
		}
		whole++
		f, problems := Load("example", []byte(example), nil)
		if f == nil {
			t.Errorf("%s\n%s", example, messages(problems))
		}
	}
	if whole < 1 {
		t.Error("the documentation holds no whole scenario")
	}
}

// mappings are the mappings of a file that are neither an action nor a condition.
var mappings = []struct {
	title string
	typ   reflect.Type
}{
	{"`cluster`", reflect.TypeFor[Cluster]()},
	{"`cluster: network`", reflect.TypeFor[Network]()},
	{"A topic", reflect.TypeFor[Topic]()},
	{"A producer", reflect.TypeFor[Producer]()},
	{"A consumer", reflect.TypeFor[Consumer]()},
	{"`sends` of a consumer", reflect.TypeFor[Sends]()},
	{"`store` of a consumer", reflect.TypeFor[Store]()},
	{"`database` of a consumer", reflect.TypeFor[Using]()},
	{"`source` of a consumer", reflect.TypeFor[Source]()},
	{"A database", reflect.TypeFor[Database]()},
	{"`end`", reflect.TypeFor[End]()},
	{"An entry of `compare`", reflect.TypeFor[Variant]()},
	{"`in-some-runs`", reflect.TypeFor[InSomeRuns]()},
	{"`refused`", reflect.TypeFor[Refused]()},
	{"A step", reflect.TypeFor[Step]()},
	{"A record of `send`", reflect.TypeFor[Record]()},
	{"`about` of `predict`", reflect.TypeFor[About]()},
}

// TestEveryMappingHasATable: a key that the reference does not explain is one that a reader can not look up.
func TestEveryMappingHasATable(t *testing.T) {
	has := map[reflect.Type]bool{reflect.TypeFor[File](): true}
	for _, m := range mappings {
		has[m.typ] = true
	}
	for typ := range has {
		for _, f := range shapeOf(typ).fields {
			in := f.typ
			for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice {
				in = in.Elem()
			}
			if in.Kind() == reflect.Struct && len(shapeOf(in).fields) > 0 && !has[in] {
				t.Errorf("%s of %s is a mapping, and the reference has no table of %s", f.key, typ, in)
			}
		}
	}
}

type writer struct {
	strings.Builder
	done map[reflect.Type]bool
}

func reference() string {
	w := &writer{done: map[reflect.Type]bool{}}
	w.WriteString("\n## Reference: the file\n\n")
	w.table(reflect.TypeFor[File]())
	for _, part := range mappings {
		fmt.Fprintf(w, "### %s\n\n", part.title)
		if short := shapeOf(part.typ).short; short != nil && short.key != "" {
			fmt.Fprintf(w, "A single value in place of the mapping is its `%s`.\n\n", short.key)
		}
		w.table(part.typ)
	}
	w.rows("## Reference: actions", actions)
	w.rows("## Reference: conditions", predicates)
	w.WriteString("## Reference: words\n\n### Verbs of a loop\n\n| verb | meaning |\n|---|---|\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "| `%s` | %s |\n", v.verb, v.doc)
	}
	w.WriteString("\n### Claims\n\n| claim | judged | holds if |\n|---|---|---|\n")
	for _, c := range claimRows() {
		where := map[registry.Stating]string{registry.StatedOnce: "once", registry.StatedEither: "once, or at the log and at the application", registry.StatedByLevel: "at the log and at the application"}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", c.Name, where[c.Stated], c.Says)
	}
	w.WriteString("\n### Topics of the lectures\n\n| `topic` | statements |\n|---|---|\n")
	for i, s := range subjects {
		fmt.Fprintf(w, "| `%s` | %d.1 to %d.%d |\n", s.slug, i+1, i+1, s.statements)
	}
	w.WriteString("\n## Reference: limits\n\n| what | at most |\n|---|---|\n")
	for _, l := range []struct {
		what string
		most any
	}{
		{"bytes in a file", MaxFileBytes}, {"YAML tokens in a file", MaxTokens}, {"levels of nesting", MaxDepth}, {"brokers", MaxBrokers},
		{"controllers", MaxControllers}, {"partitions of a topic", MaxPartitions}, {"records that a file sends", MaxRecords},
		{"steps of a script", MaxSteps}, {"a duration", "365d"}, {"characters in a name or a setting", MaxName},
		{"characters in a text", MaxText}, {"problems that are reported", MaxProblems},
	} {
		fmt.Fprintf(w, "| %s | %v |\n", l.what, l.most)
	}
	return w.String()
}

func (w *writer) table(t reflect.Type) {
	s := shapeOf(t)
	if len(s.fields) == 0 {
		return
	}
	w.WriteString("| key | value | when left out | meaning |\n|---|---|---|---|\n")
	d := &decoder{}
	for _, f := range s.fields {
		absent := ""
		if text, given := f.tag.Lookup("default"); given {
			absent = "`" + text + "`"
		} else if f.tag.Get("required") == "true" {
			absent = "refused"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", f.key, strings.ReplaceAll(d.expect(f.typ, f), "|", "\\|"), absent, f.tag.Get("doc"))
	}
	w.WriteString("\n")
}

func (w *writer) rows(title string, table []variant) {
	fmt.Fprintf(w, "%s\n\n", title)
	for _, row := range table {
		fmt.Fprintf(w, "### `%s`\n\n%s\n\n", row.key, row.doc)
		s := shapeOf(row.typ)
		if s.short != nil {
			what := (&decoder{}).expect(s.short.typ, *s.short)
			if len(s.fields) == 0 {
				fmt.Fprintf(w, "Value: %s.\n\n", what)
			} else if slices.Contains(s.keys(), s.short.key) {
				fmt.Fprintf(w, "Short form: `%s: …` for `%s: {%s: …}`.\n\n", row.key, row.key, s.short.key)
			} else {
				fmt.Fprintf(w, "Short form: `%s:` and %s.\n\n", row.key, what)
			}
		}
		w.table(row.typ)
		if s.someOf != nil {
			w.WriteString("Its other keys are conditions, which must all be true; see below.\n\n")
		}
	}
}
