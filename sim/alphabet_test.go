package sim

import (
	"reflect"
	"testing"
)

func TestAlphabetIsReadAsItIsWritten(t *testing.T) {
	for _, a := range []Alphabet{
		{},
		{Node: CanKill | CanLoseDisk, Budget: 3, MaxDown: 1},
		{Node: CanPause | CanLosePower, Cut: true, Lose: true, Duplicate: true, Late: []Time{Millisecond, 1250, 20*Millisecond + 7}},
	} {
		got, err := ParseAlphabet(a.String())
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%q is read as %+v, %v; want %+v", a.String(), got, err, a)
		}
	}
	for _, bad := range []string{"fire", "budget=x", "late=", "late=3s", "late=1.2345ms"} {
		if _, err := ParseAlphabet(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
