package format

import (
	"path/filepath"
	"testing"
)

// TestEveryPlaceInEveryWrongShape puts nothing, a word, a number, a list and a mapping in place of every value of every good
// file. The loader must come through, and must not accept a mapping with a key that nobody knows.
func TestEveryPlaceInEveryWrongShape(t *testing.T) {
	for _, file := range goodFiles(t) {
		root, problems := parseTree(filepath.Base(file), read(t, file))
		if problems != nil {
			t.Fatal(problems)
		}
		places(root, func(n *tree) {
			original := *n
			for _, wrong := range []tree{
				{kind: treeNull}, {kind: treeString, text: "?"}, {kind: treeNumber, text: "-7"}, {kind: treeBool, text: "true"}, {kind: treeList}, {kind: treeMap},
				{kind: treeList, items: []*tree{{kind: treeNull, pos: n.pos}, {kind: treeList, pos: n.pos}}},
				{kind: treeMap, keys: []treeKey{{name: "nobody?", pos: n.pos, value: &tree{kind: treeNull, pos: n.pos}}}},
			} {
				*n = wrong
				n.pos = original.pos
				f, problems := fromTree(root, model)
				if (f == nil) == (len(problems) == 0) {
					t.Fatalf("%s: file %v, problems %v", original.pos, f, problems)
				}
				if len(wrong.keys) > 0 && f != nil {
					t.Errorf("%s: accepted a mapping with an unknown key", original.pos)
				}
			}
			*n = original
		})
	}
}

func places(n *tree, visit func(*tree)) {
	visit(n)
	for _, item := range n.items {
		places(item, visit)
	}
	for _, key := range n.keys {
		places(key.value, visit)
	}
}
