package log

import "kafkatrial/model/generation"

// Open loads the log in dir (such as "orders-0") from the disk, after an orderly shutdown or a crash.
// checkpointedHW is the value of the high-watermark checkpoint, 0 if there is none.
func Open(disk Disk, dir string, cfg Config, rules *generation.Rules, checkpointedHW int64) *UnifiedLog {
	panic("not yet")
}
