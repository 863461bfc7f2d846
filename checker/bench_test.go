package checker

import (
	"fmt"
	"testing"
)

// bigHistory is one partition with n operations: appends by several producers that overlap, a read now and then, and
// of each hundred sends two whose outcome is unknown, one that took effect and one that did not.
func bigHistory(n, clients int, legal bool) History {
	h := History{Quiescence: rested, Applications: shop}
	var log []Entry
	step := clients + 2
	for i := range n {
		step++
		call, ret := step-i%clients, step+i%clients
		if i%5 == 4 {
			e := log[i%len(log)]
			h.Reads = append(h.Reads, Read{Application: "shop", Consumer: fmt.Sprintf("c%d", i%clients), TP: orders, Offset: e.Offset, Record: e.Record, Call: call, Step: ret})
			continue
		}
		r := RecordID(fmt.Sprintf("m%d", i))
		s := sub(r, call, int64(len(log)), ret)
		s.Producer = fmt.Sprintf("p%d", i%clients)
		if i%50 == 1 {
			s.Outcome = Outcome{Kind: Unknown, Offset: -1, Step: ret}
		}
		h.Submissions = append(h.Submissions, s)
		if i%100 == 1 {
			continue
		}
		h.Appends = append(h.Appends, written(1, r, int64(len(log)), step))
		h.Commits = append(h.Commits, Commit{TP: orders, Broker: 1, Epoch: 1, HighWatermark: int64(len(log)) + 1, Step: step})
		h.Effects = append(h.Effects, effect(r, int64(len(log)), step+clients))
		log = append(log, entry(r, int64(len(log)), step))
	}
	h.End = step + 2*clients
	if !legal {
		log = log[:len(log)-1]
	}
	h.Logs = ordersLog(log...)
	return h
}

// The budget is 100 ms for a verdict on 1,000 operations of one partition, and no history may be too hard to decide.
func BenchmarkVerdict(b *testing.B) {
	for _, clients := range []int{5, 20} {
		for _, legal := range []bool{true, false} {
			h := bigHistory(1000, clients, legal)
			name := fmt.Sprintf("clients=%d/legal=%t", clients, legal)
			b.Run("linearizable/"+name, func(b *testing.B) { benchmarkClaims(b, h, legal, Linearizable) })
			b.Run("all/"+name, func(b *testing.B) { benchmarkClaims(b, h, legal) })
		}
	}
}

func benchmarkClaims(b *testing.B, h History, legal bool, claims ...Claim) {
	b.ReportAllocs()
	for b.Loop() {
		v, _ := Judge(h, Options{Claims: claims}).Find(Linearizable, AtLog)
		if (v.Ruling == Holds) != legal {
			b.Fatalf("%s: %s", v.Ruling, v.Evidence.Sentence)
		}
	}
}

// The same sizes as a test, so that a wrong ruling shows without running the benchmarks. It measures no time.
func TestBigHistoriesAreDecided(t *testing.T) {
	for _, legal := range []bool{true, false} {
		v, _ := Judge(bigHistory(1000, 20, legal), Options{}).Find(Linearizable, AtLog)
		if (v.Ruling == Holds) != legal {
			t.Errorf("legal=%t: %s: %s", legal, v.Ruling, v.Evidence.Sentence)
		}
	}
}

func BenchmarkLiveStep(b *testing.B) {
	h := bigHistory(1000, 5, true)
	live := NewLive(&h)
	b.ReportAllocs()
	for i := range b.N {
		live.At(i % h.End)
	}
}

// BenchmarkCrowds judges each crowd by its claim: as many operations as a run can have, in one step. Aim: 100 ms for
// 1,000, 10 s and 1 GB for 100,000.
func BenchmarkCrowds(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		for _, c := range crowds {
			b.Run(fmt.Sprintf("%s/%s/n=%d", c.claim, c.name, n), func(b *testing.B) {
				h := c.make(n)
				b.ReportAllocs()
				for b.Loop() {
					if v, _ := Judge(h, Options{Claims: []Claim{c.claim}}).Find(c.claim, c.level); v.Ruling != c.ruling {
						b.Fatalf("%s: %s", v.Ruling, v.Evidence.Sentence)
					}
				}
			})
		}
	}
}
