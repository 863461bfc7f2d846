package producer

// BufferPool bounds the memory of all batches that are not done, by bytes. A batch takes batch.size bytes
// whatever it holds, or the size of its first record if that is larger.
//
// Kafka: BufferPool. Its free list of buffers matters to speed only, and its queue of waiting threads has at
// most one here: the application has one thread.
type BufferPool struct {
	total, available int64
	waiting          bool // send() is blocked for want of memory (BufferPool.queued)
}

// allocate takes size bytes; false if there are not so many.
func (p *BufferPool) allocate(size int64) bool {
	if p.available < size {
		return false
	}
	p.available -= size
	return true
}

// deallocate gives bytes back.
func (p *BufferPool) deallocate(size int64) { p.available += size }
