package replicationspec_test

import (
	"fmt"

	"kafkatrial/model/replicationspec"
)

func ExampleCheck() {
	for _, g := range []replicationspec.Generation{replicationspec.KIP101, replicationspec.KIP320} {
		result, err := replicationspec.Check(replicationspec.Config{
			Generation: g,
			Replicas:   3, LogSize: 2, Records: 2, Epochs: 1,
			Symmetry:   true,
			Invariants: []string{replicationspec.StrongIsr},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		if v := result.Violation; v != nil {
			fmt.Printf("%s: %s does not hold after %d steps.\n", result.Config, v.Invariant, len(v.Steps)-1)
			fmt.Println("The last step:", v.Steps[len(v.Steps)-1].Text)
		} else {
			fmt.Printf("%s: StrongIsr holds in all %d states.\n", result.Config, result.Distinct)
		}
	}
	// Output:
	// kip-101 3/2/2/1: StrongIsr does not hold after 11 steps.
	// The last step: b2 adds b3 to the ISR, which is now {b1 b2 b3}.
	// kip-320 3/2/2/1: StrongIsr holds in all 6713 states.
}
