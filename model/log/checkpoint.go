package log

import (
	"sort"

	"kafkatrial/sim"
)

// Names of the files in which a broker keeps one offset for each of its partitions.
const (
	HighWatermarkFile  = "replication-offset-checkpoint"
	LogStartOffsetFile = "log-start-offset-checkpoint"
)

// PartitionOffset is one line of such a file.
type PartitionOffset struct {
	Partition string // the directory's name, such as "orders-0"
	Offset    int64
}

// OffsetCheckpointFile is a map from partition to offset that is always written whole, as
// CheckpointFile.write replaces the file. Lines are kept in order of the partition's name.
//
// Kafka: OffsetCheckpointFile. ReplicaManager.checkpointHighWatermarks writes the high watermarks every
// replica.high.watermark.checkpoint.interval.ms and on an orderly shutdown.
type OffsetCheckpointFile struct {
	disk *sim.Disk
	name string
}

// HighWatermarkCheckpoint opens the broker's file of high watermarks.
func HighWatermarkCheckpoint(disk *sim.Disk) OffsetCheckpointFile {
	return OffsetCheckpointFile{disk, HighWatermarkFile}
}

// Write replaces the file. It sorts and keeps offsets; the caller must not use the slice again.
func (f OffsetCheckpointFile) Write(offsets []PartitionOffset) {
	sort.Slice(offsets, func(i, j int) bool { return offsets[i].Partition < offsets[j].Partition })
	f.disk.Put(f.name, offsets)
}

// Read gives all lines. The caller must not change them.
func (f OffsetCheckpointFile) Read() []PartitionOffset {
	if v, ok := f.disk.Get(f.name); ok {
		return v.([]PartitionOffset)
	}
	return nil
}

// Fetch gives one partition's offset; ok is false if the file has no line for it.
func (f OffsetCheckpointFile) Fetch(partition string) (offset int64, ok bool) {
	lines := f.Read()
	i := sort.Search(len(lines), func(i int) bool { return lines[i].Partition >= partition })
	if i == len(lines) || lines[i].Partition != partition {
		return 0, false
	}
	return lines[i].Offset, true
}
