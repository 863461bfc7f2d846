package log

import (
	"fmt"
	"sort"

	"kafkatrial/model/planted"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// What an answer holds when there is none (OffsetsForLeaderEpochResponse).
const (
	UndefinedEpoch             = -1
	UndefinedEpochOffset int64 = -1
)

// EpochEntry says that the log's first record of an epoch is, or will be, at StartOffset.
type EpochEntry struct {
	Epoch       int
	StartOffset int64
}

// LeaderEpochFileCache keeps where each leader epoch of one replica's log begins (KIP-101). It is the
// memory by which two replicas find the point where their logs part.
//
// Entries are strictly ordered by epoch and by offset. Every change is on the disk at once. Kafka writes a
// truncation a little later (since 3.8), which makes no difference: stale entries are dropped when the
// log is opened.
//
// Kafka: LeaderEpochFileCache.
type LeaderEpochFileCache struct {
	disk    *sim.Disk
	name    string
	rules   *release.Rules
	planted planted.Set
	entries []EpochEntry // never written in place once on the disk
}

// EpochCheckpoint is the name of the cache's file within a partition's directory.
const EpochCheckpoint = "leader-epoch-checkpoint"

// OpenLeaderEpochFileCache reads the cache of the log in dir (such as "orders-0") from the disk.
func OpenLeaderEpochFileCache(disk *sim.Disk, dir string, rules *release.Rules, off planted.Set) *LeaderEpochFileCache {
	c := &LeaderEpochFileCache{disk: disk, name: dir + "/" + EpochCheckpoint, rules: rules, planted: off}
	if v, ok := disk.Get(c.name); ok {
		c.entries = v.([]EpochEntry)
	}
	return c
}

// Entries gives all entries, oldest first. The caller must not change them.
func (c *LeaderEpochFileCache) Entries() []EpochEntry { return c.entries }

// Assign notes that an epoch begins at an offset, and reports whether that changed anything. Entries
// that the new one contradicts are dropped: the latest word is taken to be the true one. An epoch in
// which nothing was written leaves no entry. An epoch or an offset below 0 is refused with an error.
//
// Kafka: LeaderEpochFileCache.assign; IllegalArgumentException.
func (c *LeaderEpochFileCache) Assign(epoch int, startOffset int64) (changed bool, err error) {
	if epoch < 0 || startOffset < 0 {
		return false, fmt.Errorf("an epoch %d that begins at offset %d is no entry of the leader epoch cache", epoch, startOffset)
	}
	if !c.rules.EpochStartNoted {
		return c.assignIfNewer(epoch, startOffset), nil
	}
	if n := len(c.entries); n > 0 && c.entries[n-1].Epoch == epoch && startOffset >= c.entries[n-1].StartOffset {
		return false, nil // the common case: one more batch of the current epoch
	}
	keep := len(c.entries)
	for keep > 0 && (c.entries[keep-1].Epoch >= epoch || c.entries[keep-1].StartOffset >= startOffset) {
		keep--
	}
	c.write(append(c.entries[:keep:keep], EpochEntry{epoch, startOffset}))
	return true, nil
}

// assignIfNewer is the rule before KAFKA-7415: what goes back is passed over, and an epoch in which nothing was
// written keeps its entry.
//
// Kafka: LeaderEpochFileCache.assign in 0.11 to 2.0.0.
func (c *LeaderEpochFileCache) assignIfNewer(epoch int, startOffset int64) (changed bool) {
	if n := len(c.entries); n > 0 && (epoch <= c.entries[n-1].Epoch || startOffset < c.entries[n-1].StartOffset) {
		return false
	}
	c.write(append(c.entries[:len(c.entries):len(c.entries)], EpochEntry{epoch, startOffset}))
	return true
}

// EndOffsetFor answers OffsetsForLeaderEpoch: the largest epoch not above the one asked for, and the
// offset at which it ends: the start of the next larger epoch, or logEndOffset for the latest one.
// UndefinedEpoch and UndefinedEpochOffset if the epoch is undefined or above all that is known. An epoch
// below all that is known is named itself, with the start of the first known one; up to 2.0.0 it was undefined too.
//
// Before KIP-279 the answer was the offset alone. It did not say whether the epoch asked for is one that the
// leader has ever had, and two fast fail-overs made the follower believe that it was.
//
// Kafka: LeaderEpochFileCache.endOffsetFor.
func (c *LeaderEpochFileCache) EndOffsetFor(epoch int, logEndOffset int64) (int, int64) {
	if epoch == UndefinedEpoch {
		return UndefinedEpoch, UndefinedEpochOffset
	}
	if latest, ok := c.LatestEpoch(); ok && latest == epoch {
		return epoch, logEndOffset
	}
	higher := c.firstAbove(epoch)
	switch {
	case higher == len(c.entries), higher == 0 && !c.rules.EpochStartNoted:
		return UndefinedEpoch, UndefinedEpochOffset
	case higher == 0:
		return epoch, c.entries[0].StartOffset
	}
	return c.entries[higher-1].Epoch, c.entries[higher].StartOffset
}

// TruncateFromEnd drops the entries that begin at endOffset or later, as the log was cut there.
//
// Kafka: LeaderEpochFileCache.truncateFromEnd (clearAndFlushLatest in 0.11).
func (c *LeaderEpochFileCache) TruncateFromEnd(endOffset int64) {
	if !c.planted.On(planted.EpochCacheTruncation) {
		return
	}
	keep := c.startingBefore(endOffset)
	if endOffset < 0 || keep == len(c.entries) {
		return
	}
	c.write(c.entries[:keep:keep])
}

// TruncateFromStart forgets what lies before startOffset: the entry that covers it then begins there,
// and the ones before are dropped.
//
// Kafka: LeaderEpochFileCache.truncateFromStart (clearAndFlushEarliest in 0.11).
func (c *LeaderEpochFileCache) TruncateFromStart(startOffset int64) {
	if out, changed := truncatedFromStart(c.entries, startOffset); changed {
		c.write(out)
	}
}

// Clear drops all entries.
func (c *LeaderEpochFileCache) Clear() {
	if len(c.entries) > 0 {
		c.write(nil)
	}
}

// LatestEpoch is the largest epoch known; ok is false if there is none.
func (c *LeaderEpochFileCache) LatestEpoch() (epoch int, ok bool) {
	return c.epochAt(len(c.entries) - 1)
}

// PreviousEpoch is the largest known epoch below epoch.
func (c *LeaderEpochFileCache) PreviousEpoch(epoch int) (int, bool) {
	return c.epochAt(c.firstAbove(epoch-1) - 1)
}

// NextEpoch is the smallest known epoch above epoch.
func (c *LeaderEpochFileCache) NextEpoch(epoch int) (int, bool) {
	return c.epochAt(c.firstAbove(epoch))
}

// EpochForOffset is the epoch in which the record at offset was or would be written; ok is false if the
// offset lies before all that is known.
func (c *LeaderEpochFileCache) EpochForOffset(offset int64) (epoch int, ok bool) {
	return c.epochAt(c.startingBefore(offset+1) - 1)
}

// EntriesInRange gives the entries that cover the offsets from start to end (not included), the first
// of them moved up to start.
//
// Kafka: LeaderEpochFileCache.epochEntriesInRange.
func (c *LeaderEpochFileCache) EntriesInRange(start, end int64) []EpochEntry {
	out := c.entries
	if start >= 0 {
		out, _ = truncatedFromStart(out, start)
	}
	for end >= 0 && len(out) > 0 && out[len(out)-1].StartOffset >= end {
		out = out[:len(out)-1]
	}
	return out
}

func truncatedFromStart(entries []EpochEntry, startOffset int64) ([]EpochEntry, bool) {
	n := 0
	for n < len(entries) && entries[n].StartOffset <= startOffset {
		n++
	}
	if n == 0 || (n == 1 && entries[0].StartOffset == startOffset) {
		return entries, false
	}
	out := make([]EpochEntry, 0, len(entries)-n+1)
	out = append(out, EpochEntry{entries[n-1].Epoch, startOffset})
	return append(out, entries[n:]...), true
}

func (c *LeaderEpochFileCache) write(entries []EpochEntry) {
	c.assertAscending(entries)
	c.entries = entries
	c.disk.Put(c.name, entries)
}

func (c *LeaderEpochFileCache) firstAbove(epoch int) int {
	return sort.Search(len(c.entries), func(i int) bool { return c.entries[i].Epoch > epoch })
}

func (c *LeaderEpochFileCache) startingBefore(offset int64) int {
	return sort.Search(len(c.entries), func(i int) bool { return c.entries[i].StartOffset >= offset })
}

func (c *LeaderEpochFileCache) epochAt(i int) (int, bool) {
	if i < 0 || i >= len(c.entries) {
		return UndefinedEpoch, false
	}
	return c.entries[i].Epoch, true
}
