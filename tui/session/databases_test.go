package session

import (
	"slices"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// A screen shows what is committed in a database, what is prepared, and how it is when the process is down.
func TestTheStateShowsDatabases(t *testing.T) {
	opened, err := scenarios.Open("database-two-phase-commit")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(opened, scenarios.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	prepared, down, both := false, false, false
	for i := range s.Len() {
		s.GoTo(i)
		d := s.State().Databases[0]
		if d.Name != "db" || d.Role != Storing {
			t.Fatalf("%+v", d.Node)
		}
		for _, o := range d.Open {
			prepared = prepared || o.Prepared == "app/in-0@1" && o.Client == "app" && slices.Equal(o.Rows, []string{"m1"})
		}
		down = down || d.State == sim.Off && len(d.Tables) == 0
		both = len(d.Tables) == 1 && slices.Equal(d.Tables[0].Rows, []string{"m1", "m2"}) && len(d.Open) == 0
	}
	if !prepared || !down || !both {
		t.Errorf("prepared %t, down %t, in the end both rows %t", prepared, down, both)
	}
}
