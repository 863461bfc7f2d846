package replicationspec

import (
	"slices"
	"testing"
)

// play takes actions by their names, one after another, and returns the state they lead to.
func play(t *testing.T, c Config, names ...string) (*model, state) {
	t.Helper()
	m, err := newModel(c)
	if err != nil {
		t.Fatal(err)
	}
	s := initial(c.Replicas)
	for _, name := range names {
		next, ok := take(m, &s, name)
		if !ok {
			t.Fatalf("%q is not enabled after the actions before it", name)
		}
		s = next
	}
	return m, s
}

func setOf(replicas ...int) (s set) {
	for _, r := range replicas {
		s = s.with(r - 1)
	}
	return s
}

func TestControllerDrops(t *testing.T) {
	for _, test := range []struct {
		what    string
		actions []string
		leader  int // 0 for none
		isr     set
	}{
		{"a follower", []string{"controller elects b1", "controller drops b2"}, 1, setOf(1, 3)},
		{"the leader", []string{"controller elects b1", "controller drops b1"}, 0, setOf(2, 3)},
		{"the leader, the last of the ISR", []string{"controller elects b1", "controller drops b2", "controller drops b3", "controller drops b1"}, 0, setOf(1)},
		{"the last of the ISR while nobody leads", []string{"controller drops b1", "controller drops b2", "controller drops b3"}, 0, setOf()},
	} {
		_, s := play(t, bounds(KIP320, 3, 1, 1, 3), test.actions...)
		if s.quorumLeader() != test.leader-1 || s.isr != test.isr {
			t.Errorf("%s: the leader is %s and the ISR %s; want %s, %s",
				test.what, replicaName(s.quorumLeader()), s.isr, replicaName(test.leader-1), test.isr)
		}
		if q := s.requests[s.quorumEpoch()]; q.leader != test.leader-1 || q.isr != test.isr {
			t.Errorf("%s: the request is %+v", test.what, q)
		}
	}
}

func TestTruncationLowersTheHighWatermark(t *testing.T) {
	r := replica{log: []record{{0, 0}, {1, 0}, {2, 1}}, hw: 2}
	r.truncate(1)
	if want := (replica{log: []record{{0, 0}}, hw: 1}); !r.equal(&want) {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// A follower with a shorter log of the same last epoch cannot become a follower by the rule of KIP-101.
func TestKIP101FollowerBehindCannotFollow(t *testing.T) {
	actions := []string{
		"controller elects b1", "b1 becomes leader of epoch 0", "b2 becomes follower of b1 in epoch 0", "b1 writes", "b1 writes",
		"b2 fetches from b1", "controller drops b2",
	}
	m, s := play(t, bounds(KIP101, 2, 2, 2, 1), actions...)
	if _, ok := take(m, &s, "b2 becomes follower of b1 in epoch 1"); ok {
		t.Error("b2 has one of two records, and becomes a follower")
	}
	m, s = play(t, bounds(KIP101, 2, 2, 2, 1), append(actions[:len(actions)-1:len(actions)-1], "b2 fetches from b1", "controller drops b2")...)
	if _, ok := take(m, &s, "b2 becomes follower of b1 in epoch 1"); !ok {
		t.Error("b2 has all records, and does not become a follower")
	}
}

func TestWhereANewFollowerTruncates(t *testing.T) {
	logOf := func(records ...record) (r replica) {
		for _, rec := range records {
			r.append(rec)
		}
		return r
	}
	a0, b0, b1, c1, c2 := record{0, 0}, record{1, 0}, record{1, 1}, record{2, 1}, record{2, 2}
	for _, test := range []struct {
		what                  string
		follower, leader      []record
		hw                    int
		byHW, byKIP101, by279 int
	}{
		{"both logs are empty", nil, nil, 0, 0, 0, 0},
		{"the leader's log is empty", []record{a0, b0}, nil, 1, 1, 1, 0},
		{"the logs are the same", []record{a0, b0}, []record{a0, b0}, 1, 1, 2, 2},
		{"the follower is ahead in the same epoch", []record{a0, b0}, []record{a0}, 0, 0, 1, 1},
		{"the leader has a later epoch", []record{a0, b0}, []record{a0, b1}, 0, 0, 1, 1},
		{"the leader does not know the epoch", []record{a0, c1}, []record{a0, b0}, 1, 1, 1, 1},
		{"the records differ and the epochs do not", []record{a0}, []record{b0}, 0, 0, 1, 0},
		{"the epochs are mixed", []record{b1}, []record{a0, c2}, 0, 0, 1, 0},
	} {
		f, l := logOf(test.follower...), logOf(test.leader...)
		f.hw = test.hw
		s := state{replicas: [MaxReplicas]replica{f, l}}
		got := []int{ownHighWatermark(&s, 0, 1), endOfLastEpoch(&s, 0, 1), lastCommonRecord(&s, 0, 1)}
		if want := []int{test.byHW, test.byKIP101, test.by279}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.what, got, want)
		}
	}
}
