package format

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

type treeKind int

const (
	treeNull treeKind = iota
	treeString
	treeNumber
	treeBool
	treeList
	treeMap
)

func (k treeKind) String() string {
	return [...]string{"nothing", "a text", "a number", "true or false", "a list", "a mapping"}[k]
}

// tree is the YAML document reduced to what the format uses. Scalars keep their text as it was written: the float 0.10
// would otherwise become Kafka 0.1.
type tree struct {
	kind  treeKind
	pos   Pos
	text  string // of a scalar
	items []*tree
	keys  []treeKey
}

type treeKey struct {
	name  string
	pos   Pos
	value *tree
}

// parseTree reads the YAML. What can hide meaning or cost without end is refused before the parser sees it: anchors,
// aliases, tags, merge keys, directives, a second document, deep nesting.
func parseTree(name string, src []byte) (root *tree, problems []Problem) {
	at := func(line, col int, msg, expected string) []Problem {
		return []Problem{ProblemAt(Pos{name, line, col}, msg, expected, "")}
	}
	if len(src) > MaxFileBytes {
		return nil, at(1, 1, fmt.Sprintf("the file has %d bytes", len(src)), fmt.Sprintf("at most %d", MaxFileBytes))
	}
	if line, col, found := firstBadCharacter(src); found {
		return nil, at(line, col, "the file is not plain UTF-8 text here", "UTF-8 without control characters")
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))

	// The parser is not ours and the file is anybody's: a crash of the one must not become a crash of the program.
	defer func() {
		if r := recover(); r != nil {
			root, problems = nil, at(1, 1, "the file cannot be read as YAML", "a mapping with the keys of a scenario")
		}
	}()

	tokens := lexer.Tokenize(string(src))
	if problems := refuseTokens(name, tokens); len(problems) > 0 {
		return nil, problems
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []Problem{syntaxProblem(name, err)}
	}
	if len(file.Docs) > 1 {
		pos := place(name, file.Docs[1].Start)
		return nil, at(pos.Line, pos.Col, "a second YAML document begins here", "one document per file")
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, at(1, 1, "the file is empty", "a mapping with the keys of a scenario")
	}
	g := grower{file: name}
	root = g.grow(file.Docs[0].Body)
	if len(g.problems) > 0 {
		return nil, g.problems
	}
	return root, nil
}

// firstBadCharacter finds the first byte that is not UTF-8, or the first control character but tab and line end.
func firstBadCharacter(src []byte) (line, col int, found bool) {
	line, col = 1, 1
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		carriage := r == '\r' && i+1 < len(src) && src[i+1] == '\n'
		switch {
		case r == utf8.RuneError && size <= 1, unicode.IsControl(r) && r != '\n' && r != '\t' && !carriage:
			return line, col, true
		case r == '\n':
			line, col = line+1, 1
		case r == '\ufeff' && i == 0:
		default:
			col++
		}
		i += size
	}
	return 0, 0, false
}

// refuseTokens looks at the tokens alone, without recursion.
func refuseTokens(name string, tokens token.Tokens) (problems []Problem) {
	refuse := func(tk *token.Token, msg, expected string) {
		problems = append(problems, ProblemAt(place(name, tk), msg, expected, ""))
	}
	if len(tokens) > MaxTokens {
		refuse(tokens[MaxTokens], "the file is too long", fmt.Sprintf("at most %d YAML tokens", MaxTokens))
		return problems
	}
	var columns []int // of the open block mappings and lists
	flow, deepest := 0, false
	open := func(tk *token.Token, col int) {
		for len(columns) > 0 && columns[len(columns)-1] >= col {
			columns = columns[:len(columns)-1]
		}
		columns = append(columns, col)
		if len(columns)+flow > MaxDepth && !deepest {
			deepest = true
			refuse(tk, "mappings and lists are nested too deeply", fmt.Sprintf("at most %d levels", MaxDepth))
		}
	}
	for i, tk := range tokens {
		switch tk.Type {
		case token.AnchorType, token.AliasType:
			refuse(tk, "anchors and aliases are not part of the scenario format", "the value itself, written out")
		case token.TagType:
			refuse(tk, "tags are not part of the scenario format", "a plain value")
		case token.MergeKeyType:
			refuse(tk, "merge keys are not part of the scenario format", "the keys themselves, written out")
		case token.DirectiveType:
			refuse(tk, "directives are not part of the scenario format", "a mapping with the keys of a scenario")
		case token.MappingKeyType:
			refuse(tk, "complex keys are not part of the scenario format", "a plain key, as in key: value")
		case token.MappingStartType, token.SequenceStartType:
			if flow++; len(columns)+flow > MaxDepth && !deepest {
				deepest = true
				refuse(tk, "mappings and lists are nested too deeply", fmt.Sprintf("at most %d levels", MaxDepth))
			}
		case token.MappingEndType, token.SequenceEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType:
			open(tk, tk.Position.Column)
		case token.MappingValueType:
			if flow == 0 && i > 0 {
				open(tk, tokens[i-1].Position.Column)
			}
		}
	}
	return problems
}

func place(file string, tk *token.Token) Pos {
	if tk == nil || tk.Position == nil {
		return Pos{file, 1, 1}
	}
	return Pos{file, max(tk.Position.Line, 1), max(tk.Position.Column, 1)}
}

// syntaxProblem turns the parser's error into ours, with a hint for the slip that authors make most.
func syntaxProblem(name string, err error) Problem {
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return ProblemAt(Pos{name, 1, 1}, "the file cannot be read as YAML: "+firstLine(err.Error()), "", "")
	}
	msg := firstLine(syntax.GetMessage())
	expected := ""
	if strings.Contains(msg, "'\t'") || strings.Contains(msg, "'	'") {
		msg, expected = "a tab stands where a line is indented", "spaces"
	}
	switch msg {
	case "non-map value is specified":
		msg, expected = "a line without a key stands among keys", "key: value, or more indentation if the line continues the text above"
	case "mapping value is not allowed in this context":
		expected = `quotes around a text that holds ": ", and keys of one mapping in one column`
	case "',' or '}' must be specified", "',' or ']' must be specified":
		expected = `quotes around a text that holds one of , { } [ ] inside { } or [ ]`
	}
	return ProblemAt(place(name, syntax.GetToken()), "this is not YAML: "+msg, expected, "")
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}

// grower turns the parser's nodes into a tree.
type grower struct {
	file     string
	problems []Problem
}

func (g *grower) grow(n ast.Node) *tree {
	switch n := n.(type) {
	case nil:
		return &tree{pos: Pos{g.file, 1, 1}}
	case *ast.MappingNode:
		t := &tree{kind: treeMap, pos: place(g.file, n.GetToken())}
		for _, entry := range n.Values {
			t.keys = append(t.keys, g.entry(entry))
		}
		if !n.IsFlowStyle && len(t.keys) > 0 {
			t.pos = t.keys[0].pos
		}
		return t
	case *ast.MappingValueNode:
		key := g.entry(n)
		return &tree{kind: treeMap, pos: key.pos, keys: []treeKey{key}}
	case *ast.SequenceNode:
		t := &tree{kind: treeList, pos: place(g.file, n.GetToken())}
		for _, item := range n.Values {
			t.items = append(t.items, g.grow(item))
		}
		return t
	case *ast.NullNode:
		return &tree{kind: treeNull, pos: place(g.file, n.GetToken())}
	case *ast.BoolNode:
		return g.scalar(treeBool, n)
	case *ast.IntegerNode, *ast.FloatNode:
		return g.scalar(treeNumber, n)
	case *ast.StringNode, *ast.InfinityNode, *ast.NanNode:
		return g.scalar(treeString, n)
	case *ast.LiteralNode:
		t := &tree{kind: treeString, pos: place(g.file, n.GetToken())}
		if n.Value != nil {
			t.text = n.Value.Value
		}
		return t
	}
	g.problems = append(g.problems, ProblemAt(place(g.file, n.GetToken()), "this part of YAML is not part of the scenario format",
		"a text, a number, true or false, a list or a mapping", ""))
	return &tree{pos: place(g.file, n.GetToken())}
}

// scalar refuses what only an escape in double quotes can put into a text: a control character, which would steer the
// terminal of whoever runs the file.
func (g *grower) scalar(kind treeKind, n ast.Node) *tree {
	t := &tree{kind: kind, pos: place(g.file, n.GetToken()), text: n.GetToken().Value}
	if i := strings.IndexFunc(t.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(t.text[i:])
		g.problems = append(g.problems, ProblemAt(t.pos, fmt.Sprintf("the escape for the control character %U is not part of the scenario format", r),
			"a text without control characters but line end and tab", ""))
	}
	return t
}

func (g *grower) entry(n *ast.MappingValueNode) treeKey {
	key := g.grow(n.Key)
	if key.kind == treeMap || key.kind == treeList {
		g.problems = append(g.problems, ProblemAt(key.pos, "a key must be a single word", "a plain key, as in key: value", ""))
	}
	value := g.grow(n.Value)
	if value.kind == treeNull {
		value.pos = key.pos // the value is not there; its key is
	}
	return treeKey{name: key.text, pos: key.pos, value: value}
}
