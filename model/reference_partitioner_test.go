package model_test

import (
	"encoding/hex"
	"testing"

	"kafkatrial/model/record"
	"kafkatrial/model/referencecase"
)

var keyCases = map[string]referencecase.Runner{
	"key_hash":    runKeyHashCase,
	"to_positive": runToPositiveCase,
}

func TestReferenceCasesKeys(t *testing.T) { referencecase.Run(t, ownCases, keyCases) }

func runKeyHashCase(t *testing.T, given, expect *referencecase.Fields) {
	key, err := hex.DecodeString(given.Text("key_hex", ""))
	if err != nil {
		t.Fatal(err)
	}
	hash := record.Murmur2(string(key))
	got := map[string]any{"murmur2": hash, "to_positive": record.ToPositive(hash)}
	var partitions, absolute []int
	for _, n := range given.Ints("partition_counts") {
		partitions = append(partitions, record.PartitionForKey(string(key), n))
		absolute = append(absolute, int(max(hash, -hash))%n)
	}
	got["partitions"], got["not_abs_partitions"] = partitions, absolute
	given.Done()
	expect.Compare(got)
}

func runToPositiveCase(t *testing.T, given, expect *referencecase.Fields) {
	expect.Compare(map[string]any{"to_positive": record.ToPositive(int32(given.Must("hash")))})
	given.Done()
}
