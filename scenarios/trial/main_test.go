package trial

import (
	"flag"
	"os"
	"testing"
)

// TestMain has rapid draw the same worlds every time, unless a seed is asked for: the suite is a test, and a
// test that fails on some days only is none. To hunt for more: -rapid.seed=N -rapid.checks=10000.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "300", "rapid.nofailfile": "true", "rapid.shrinktime": "10s"} {
		if !given[name] {
			flag.Set(name, value)
		}
	}
	os.Exit(m.Run())
}
