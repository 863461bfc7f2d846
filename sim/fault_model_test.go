package sim

import (
	"reflect"
	"strings"
	"testing"
)

func TestFaultModelIsReadAsItIsWritten(t *testing.T) {
	for _, a := range []FaultModel{
		{},
		{Node: CanKill | CanLoseDisk, Budget: 3, MaxDown: 1},
		{Reorder: 3, Among: []string{"b1", "b2"}, Cut: true},
		{Orders: true, Budget: 1},
		{Node: CanKill, Budget: 2, After: 10 * Second},
		{InFlight: true, Delays: []Time{Millisecond, 2*Second + 5}, Budget: 1},
		{Node: CanShutDown | CanPause, Late: []Time{Millisecond}, Pauses: []Time{600 * Millisecond, 4 * Second}, Of: []string{"Fetch", "MetadataFetch"}, Budget: 3},
		{Node: CanPause | CanLosePower, Cut: true, Lose: true, Duplicate: true, Late: []Time{Millisecond, 1250, 20*Millisecond + 7}},
	} {
		got, err := ParseFaultModel(a.String())
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%q is read as %+v, %v; want %+v", a.String(), got, err, a)
		}
	}
	if _, err := ParseFaultModel(strings.Join(FaultModelWords(), " ")); err != nil {
		t.Errorf("the words as they are listed: %v", err)
	}
	if _, err := ParseFaultModel("kil"); err == nil || !strings.Contains(err.Error(), `"kil"`) || !strings.Contains(err.Error(), "kill, pause, shutdown, power-loss") {
		t.Errorf("an unknown word does not list those that there are: %v", err)
	}
	for _, bad := range []string{"fire", "budget=x", "late=", "late=3s", "late=1.2345ms", "reorder=all", "after=soon",
		"kill=2", "shutdown=1", "late", "pauses=-5ms", "pauses=0ms", "late=99999999999999999999ms", "late=9000000000000ms", "max-down=0", "max-down=-1", "budget=0", "after=1ms,2ms", "after=-1ms", "of=", "of=Fetch,", "among="} {
		if _, err := ParseFaultModel(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestSeededDrawsAgain: a fault leaves the oldest event as it is, and the decision about it is asked again.
// If that gave the same answer, the first fault would bring on all others.
func TestSeededDrawsAgain(t *testing.T) {
	s := &Seeded{Seed: 1, Weights: Weights{Fault: million / 2}}
	p := Point{Kind: Next, Options: []Option{{Op: OpStep}, {Op: OpKill, Class: Fault}}}
	struck := 0
	for range 1000 {
		i, _ := s.Choose(p)
		struck += i
	}
	if struck < 400 || struck > 600 {
		t.Errorf("a fault with a chance of one half struck %d times of 1000 at the same decision", struck)
	}
}
