package record

import "encoding/binary"

// Murmur2 is the hash that sends a key to a partition, over the key's bytes, as a signed 32-bit number.
//
// Kafka: org.apache.kafka.common.utils.Utils.murmur2 (Austin Appleby's MurmurHash2 with seed 0x9747b28c).
func Murmur2(key string) int32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	data := []byte(key)
	h := uint32(seed) ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> r
		h = h*m ^ k*m
	}
	for i := len(data) - 1; i >= 0; i-- {
		h ^= uint32(data[i]) << (8 * i)
	}
	if len(data) > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	return int32(h ^ h>>15)
}

// ToPositive clears the sign bit. It is not the absolute value: −1 becomes 2147483647.
//
// Kafka: Utils.toPositive.
func ToPositive(n int32) int32 { return n & 0x7fffffff }

// PartitionForKey is the partition of a key in a topic with n partitions, n at least 1.
//
// Kafka: BuiltInPartitioner.partitionForKey; DefaultPartitioner.partition before 3.3.
func PartitionForKey(key string, n int) int { return int(ToPositive(Murmur2(key))) % n }
