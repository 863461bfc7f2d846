package event

import (
	"reflect"
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

func sum(e Event) uint64 {
	var h sim.Hash
	e.Hash(&h)
	return h.Sum()
}

// other gives a value that is not the zero value of its type.
func other(t *testing.T, typ reflect.Type) reflect.Value {
	v := reflect.New(typ).Elem()
	switch typ {
	case reflect.TypeFor[protocol.TopicPartition]():
		return reflect.ValueOf(protocol.TopicPartition{Topic: "orders", Partition: 1})
	case reflect.TypeFor[*record.RecordBatch]():
		return reflect.ValueOf(&record.RecordBatch{BaseOffset: 1})
	case reflect.TypeFor[*record.Record]():
		return reflect.ValueOf(&record.Record{Submission: 1})
	case reflect.TypeFor[*protocol.Row]():
		return reflect.ValueOf(&protocol.Row{ID: 1})
	}
	switch typ.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(1)
	case reflect.Slice:
		v = reflect.Append(v, reflect.New(typ.Elem()).Elem())
	default:
		t.Fatalf("nobody says here what another %v is", typ)
	}
	return v
}

// TestEveryFieldEntersTheHash: two runs that differ in a field of one event differ in their hash, but for words.
func TestEveryFieldEntersTheHash(t *testing.T) {
	for _, e := range Empty() {
		v := reflect.ValueOf(e).Elem()
		for i := range v.NumField() {
			f := v.Type().Field(i)
			before := sum(e)
			v.Field(i).Set(other(t, f.Type))
			if words := e.Kind().Words || f.Tag.Get("hash") == "-"; (sum(e) == before) != words {
				t.Errorf("%s.%s changed: the hash changed: %t", e.Kind().ID, f.Name, !words)
			}
		}
	}
}

// TestKindsDifferInTheHash: two events without contents have one hash only if they are words.
func TestKindsDifferInTheHash(t *testing.T) {
	seen := map[uint64]string{}
	for _, e := range Empty() {
		if e.Kind().Words {
			continue
		}
		if other, have := seen[sum(e)]; have {
			t.Errorf("%s has the hash of %s", e.Kind().ID, other)
		}
		seen[sum(e)] = e.Kind().ID
	}
}

// TestOnlyTheScriptHasWords: what a run is told in does not tell it apart, and only the script has words of its own.
func TestOnlyTheScriptHasWords(t *testing.T) {
	for _, e := range Empty() {
		typ := reflect.TypeOf(e).Elem()
		for i := range typ.NumField() {
			if typ.Field(i).Tag.Get("hash") == "-" && e.Kind().Group != Script {
				t.Errorf("%s.%s is left out of the hash", e.Kind().ID, typ.Field(i).Name)
			}
		}
	}
}
