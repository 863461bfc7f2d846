package scenarios

import (
	"strconv"
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
)

// TestScenarios runs every embedded scenario and every comparison in it, and fails if a verdict differs from
// the stated one. Each runs twice: the same file must give the same bytes.
func TestScenarios(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if o.File.Name.Text != name {
				t.Errorf("the file is called %s and the scenario in it %s", name, o.File.Name)
			}
			t.Run(variantName(0, o.File), func(t *testing.T) { t.Parallel(); asStated(t, o.File) })
			for i, v := range Variants(o.File) {
				t.Run(variantName(i+1, v), func(t *testing.T) { t.Parallel(); asStated(t, v) })
			}
		})
	}
}

// variantName tells the runs of a scenario apart: the file's own is 0, the comparisons follow in order.
func variantName(i int, f *format.File) string { return strconv.Itoa(i) + "-kafka-" + f.Kafka.Text }

func asStated(t *testing.T, f *format.File) {
	var hash [2]uint64
	for i := range hash {
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		res := r.Result()
		hash[i] = res.Hash
		if i > 0 {
			continue
		}
		if !res.AsStated() {
			t.Errorf("%s\n%s\n%s", res.Undecided, strings.Join(res.Differs, "\n"), res.Report.Table())
		}
		if res.Stated == 0 {
			t.Error("no verdict is stated")
		}
	}
	if hash[0] != hash[1] {
		t.Errorf("two runs of the same file differ: %x and %x", hash[0], hash[1])
	}
}
