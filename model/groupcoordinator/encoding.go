package groupcoordinator

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// offsetRecord writes a position as a record of __consumer_offsets. The key is "group/orders-0"; the value
// is the offset of the next record to read, followed by the leader epoch of the last one if it is known:
// "3" or "3 e2". Kafka has the same in binary, with a version in front (OffsetCommitKey, OffsetCommitValue).
// A later record with the same key replaces an earlier one: that is what compaction keeps.
func offsetRecord(group string, c *protocol.CommitData, timestamp int64) record.Record {
	value := strconv.FormatInt(c.Offset, 10)
	if c.LeaderEpoch >= 0 {
		value += " e" + strconv.Itoa(c.LeaderEpoch)
	}
	return record.Record{ID: PositionID(group, c.TP, c.Offset), Key: group + "/" + c.TP.String(), HasKey: true, Value: value, Timestamp: timestamp, Producer: -1}
}

// PositionID is what people call the record of a position: g:orders-0=3.
func PositionID(group string, tp protocol.TopicPartition, offset int64) string {
	return group + ":" + tp.String() + "=" + strconv.FormatInt(offset, 10)
}

// readOffsetRecord is the way back. ok is false for a record that is no position.
func readOffsetRecord(r *record.Record) (group string, c protocol.CommitData, ok bool) {
	slash := strings.LastIndexByte(r.Key, '/')
	dash := strings.LastIndexByte(r.Key, '-')
	if !r.HasKey || slash < 0 || dash < slash {
		return "", c, false
	}
	n, err := strconv.ParseInt(r.Key[dash+1:], 10, 32)
	if err != nil {
		return "", c, false
	}
	c = protocol.CommitData{TP: protocol.TopicPartition{Topic: r.Key[slash+1 : dash], Partition: int32(n)}, Offset: -1, LeaderEpoch: -1}
	if r.Tombstone {
		return r.Key[:slash], c, true
	}
	offset, epoch, hasEpoch := strings.Cut(r.Value, " e")
	if c.Offset, err = strconv.ParseInt(offset, 10, 64); err != nil {
		return "", c, false
	}
	if hasEpoch {
		if c.LeaderEpoch, err = strconv.Atoi(epoch); err != nil {
			return "", c, false
		}
	}
	return r.Key[:slash], c, true
}

// groupRecord writes a group's generation and members as a record of __consumer_offsets. The key is "group/",
// which is the key of no position; the value is "3; app1-1 in-0 in-1; app2-3": generation 3, in which app1-1
// has two partitions and app2-3 has none. Kafka: GroupMetadataKey, GroupMetadataValue.
func groupRecord(g *Group, timestamp int64) record.Record {
	value := strconv.Itoa(int(g.Generation))
	for _, m := range g.Members {
		value += "; " + m.ID
		for _, tp := range m.Assignment {
			value += " " + tp.String()
		}
	}
	id := g.Name + ":generation=" + strconv.Itoa(int(g.Generation))
	return record.Record{ID: id, Key: g.Name + "/", HasKey: true, Value: value, Timestamp: timestamp, Producer: -1}
}

// groupOf gives the group whose generation a record is.
func groupOf(r *record.Record) (group string, ok bool) {
	if !r.HasKey || r.Tombstone || !strings.HasSuffix(r.Key, "/") {
		return "", false
	}
	return strings.TrimSuffix(r.Key, "/"), true
}

func readGroupRecord(r *record.Record) (generation int32, members []Member, ok bool) {
	parts := strings.Split(r.Value, "; ")
	n, err := strconv.ParseInt(parts[0], 10, 32)
	if err != nil {
		return 0, nil, false
	}
	for _, part := range parts[1:] {
		words := strings.Split(part, " ")
		m := Member{ID: words[0], ClientID: words[0][:max(0, strings.LastIndexByte(words[0], '-'))]}
		for _, w := range words[1:] {
			dash := strings.LastIndexByte(w, '-')
			index, err := strconv.ParseInt(w[dash+1:], 10, 32)
			if dash < 0 || err != nil {
				return 0, nil, false
			}
			m.Assignment = append(m.Assignment, protocol.TopicPartition{Topic: w[:dash], Partition: int32(index)})
		}
		members = append(members, m)
	}
	return int32(n), members, true
}

func utf16Of(s string) []uint16 { return utf16.Encode([]rune(s)) }
