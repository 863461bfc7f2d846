package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"kafkatrial/sim"
)

// mayBeShared are the types that are never changed once something holds them. It is a list of its own, so
// that a wrong declaration in the model's memory is noticed here.
var mayBeShared = []string{"*broker.Config", "*release.Rules", "*protocol.Directory", "*config.Values", "*record.RecordBatch", "*record.Record",
	"*partition.AlterPartition", "*protocol.FetchResult", "*protocol.Row", "client.Config", "consumer.Application", "consumer.settings", "controller.Settings",
	"producer.Config", "*producer.Config", "zookeeper.Settings"}

// block is a piece of memory that a node refers to.
type block struct {
	from, to uintptr
	what     string
}

// blocks lists all memory that a node can change, the node itself first.
func blocks(n sim.Node) []block {
	w := walker{seen: map[block]bool{}}
	w.value(reflect.ValueOf(n), reflect.TypeOf(n).String())
	return w.all
}

type walker struct {
	all  []block
	seen map[block]bool
}

func (w *walker) add(at uintptr, size uintptr, what string) bool {
	b := block{at, at + size, what}
	key := block{at, at + size, ""}
	if size == 0 || w.seen[key] {
		return false
	}
	w.seen[key] = true
	w.all = append(w.all, b)
	return true
}

var message = reflect.TypeFor[sim.Message]()

func (w *walker) value(v reflect.Value, path string) {
	t := v.Type()
	if slices.Contains(mayBeShared, t.String()) || t.Implements(message) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !w.add(v.Pointer(), t.Elem().Size(), path) {
			return
		}
		if t.Elem().PkgPath() != "kafkatrial/sim" { // what is in a world, a disk or a file is the world's own business
			w.value(v.Elem(), path)
		}
	case reflect.Slice:
		if v.Cap() == 0 || !w.add(v.Pointer(), uintptr(v.Cap())*t.Elem().Size(), path) {
			return
		}
		for i := range v.Len() {
			w.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(v.Field(i), path+"."+t.Field(i).Name)
		}
	case reflect.Interface:
		if !v.IsNil() && t != reflect.TypeFor[any]() {
			w.value(v.Elem(), path)
		}
	case reflect.Map, reflect.Func, reflect.Chan:
		if !v.IsNil() {
			w.add(v.Pointer(), 1, path)
		}
	}
}

// TestACopySharesNothingThatChanges walks the memory of every node of a run and of its copy, knowing nothing
// of how copies are made, and looks for memory that both can reach.
func TestACopySharesNothingThatChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("copies wild runs of every scenario")
	}
	var unmet []string
	first := true
	for i, name := range Names() {
		for _, kafka := range []string{"0.10", "2.8", "4.0"} {
			r := wildRun(t, name, kafka, uint64(i), 60+37*i%400)
			if r == nil {
				continue
			}
			c := r.Clone()
			for _, n := range r.Cluster.Nodes() {
				if r.World.Node(n) != nil {
					compareBlocks(t, name+" under "+kafka, blocks(r.World.Node(n)), blocks(c.World.Node(n)))
				}
			}
			drive(c, uint64(i), 1000)
			c.Key(new(sim.Keyer))
			left := r.World.Memory().Unmet()
			if first {
				unmet, first = left, false
			}
			unmet = slices.DeleteFunc(unmet, func(name string) bool { return !slices.Contains(left, name) })
		}
	}
	if len(unmet) > 0 {
		t.Errorf("the model declares memory that no run has: %v", unmet)
	}
}

func compareBlocks(t *testing.T, about string, a, b []block) {
	t.Helper()
	for _, x := range a {
		for _, y := range b {
			if x.from < y.to && y.from < x.to {
				t.Errorf("%s: %s is shared with the copy's %s", about, x.what, y.what)
			}
		}
		for _, y := range a[1:] { // but for the node itself, nothing may be referred to in parts: a copy would tear it apart
			if (x.from != y.from || x.to != y.to) && x.from >= y.from && x.to <= y.to {
				t.Errorf("%s: %s is a part of %s", about, x.what, y.what)
			}
		}
	}
}
