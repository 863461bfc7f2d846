package client

import "kafkatrial/sim"

// Draw stands in for the random choices of Kafka's clients (which broker to ask, which partition to stick
// to). It gives a number below n that depends on nothing but the node, the site of the choice and how
// many choices were made there before, so that a choice elsewhere does not change it.
func Draw(node sim.NodeID, site uint32, count uint64, n int) int {
	x := uint64(node)<<32 ^ uint64(site) ^ count*0x9E3779B97F4A7C15
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	return int(x >> 32 * uint64(n) >> 32)
}
