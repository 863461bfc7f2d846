package explore

import "slices"

// Permutations lists all n! orders of 0..n-1 in lexicographic order, the identity first. A model whose parts are
// interchangeable has one renaming per permutation; its canonical key is the smallest key of all renamings.
func Permutations(n int) [][]int {
	all := [][]int{{}}
	for range n {
		var longer [][]int
		for _, p := range all {
			for x := range n {
				if !slices.Contains(p, x) {
					longer = append(longer, append(p[:len(p):len(p)], x))
				}
			}
		}
		all = longer
	}
	return all
}
