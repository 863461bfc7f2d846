package sim

import "sort"

// Block is one unit of an append-only file, written whole: for Kafka's log, a record batch. Blocks are
// immutable once appended, so files of different nodes and copies of a world may share them.
type Block any

// File is an append-only file as the operating system sees it: the blocks in the page cache, of which
// the first Flushed are also on the platter. A process kill keeps the page cache; a power loss keeps the
// flushed blocks and any prefix of the rest.
//
// Simplified: truncation is durable at once. Kafka truncates through the file channel and relies on the
// file system's journal for it.
type File struct {
	blocks  []Block
	flushed int
}

// Blocks gives the file's content, oldest first. The caller must not change it.
func (f *File) Blocks() []Block { return f.blocks }

// Len is the number of blocks, flushed or not.
func (f *File) Len() int { return len(f.blocks) }

// Flushed is the number of leading blocks that survive a power loss.
func (f *File) Flushed() int { return f.flushed }

// Append writes a block to the page cache.
func (f *File) Append(b Block) { f.blocks = append(f.blocks, b) }

// Flush makes everything appended so far durable (fsync).
func (f *File) Flush() { f.flushed = len(f.blocks) }

// Truncate cuts the file to its first n blocks. It copies nothing, and it never lets a later Append
// write over blocks that another holder of the old slice can still see.
func (f *File) Truncate(n int) {
	if n >= len(f.blocks) {
		return
	}
	f.blocks = f.blocks[:n:n]
	f.flushed = min(f.flushed, n)
}

// DropFront removes the first n blocks, as retention and DeleteRecords do.
func (f *File) DropFront(n int) {
	n = min(n, len(f.blocks))
	f.blocks = f.blocks[n:]
	f.flushed = max(f.flushed-n, 0)
}

// Replace swaps the whole content and makes it durable: how a file that is written anew under another
// name, flushed and renamed (compaction's result) becomes visible.
func (f *File) Replace(blocks []Block) {
	f.blocks = blocks[:len(blocks):len(blocks)]
	f.flushed = len(blocks)
}

// Disk is what one node keeps outside its memory: append-only files, and small values (checkpoints) that
// are written as a whole, flushed and renamed into place, hence durable once written.
type Disk struct {
	id     int // how often this node has been given a new, empty disk
	names  []string
	files  []*File
	values []diskValue // in name order
}

type diskValue struct {
	name  string
	value any
}

func newDisk(id int) *Disk { return &Disk{id: id} }

// ID counts the disks this node has had; 0 is the first. A node whose disk was replaced finds another ID,
// as Kafka finds another directory id.
func (d *Disk) ID() int { return d.id }

// File opens the named file, creating it empty.
func (d *Disk) File(name string) *File {
	i := sort.SearchStrings(d.names, name)
	if i < len(d.names) && d.names[i] == name {
		return d.files[i]
	}
	f := &File{}
	d.names = append(d.names, "")
	d.files = append(d.files, nil)
	copy(d.names[i+1:], d.names[i:])
	copy(d.files[i+1:], d.files[i:])
	d.names[i], d.files[i] = name, f
	return f
}

// Names lists the files in name order. The caller must not change it.
func (d *Disk) Names() []string { return d.names }

// Remove deletes a file; removing one that is not there does nothing.
func (d *Disk) Remove(name string) {
	i := sort.SearchStrings(d.names, name)
	if i == len(d.names) || d.names[i] != name {
		return
	}
	d.names = append(d.names[:i:i], d.names[i+1:]...)
	d.files = append(d.files[:i:i], d.files[i+1:]...)
}

// Put writes a small value durably. The value must not be changed afterwards: write a new one.
func (d *Disk) Put(name string, value any) {
	i, found := d.find(name)
	if !found {
		d.values = append(d.values, diskValue{})
		copy(d.values[i+1:], d.values[i:])
	}
	d.values[i] = diskValue{name, value}
}

// Get reads a value written by Put.
func (d *Disk) Get(name string) (any, bool) {
	if i, found := d.find(name); found {
		return d.values[i].value, true
	}
	return nil, false
}

// Delete removes a value.
func (d *Disk) Delete(name string) {
	if i, found := d.find(name); found {
		d.values = append(d.values[:i], d.values[i+1:]...)
	}
}

// find gives the place of a value, or where it would be.
func (d *Disk) find(name string) (int, bool) {
	i := sort.Search(len(d.values), func(i int) bool { return d.values[i].name >= name })
	return i, i < len(d.values) && d.values[i].name == name
}

// FlushAll makes every file durable, as an orderly shutdown does.
func (d *Disk) FlushAll() {
	for _, f := range d.files {
		f.Flush()
	}
}

// Unflushed is the number of blocks that a power loss could take.
func (d *Disk) Unflushed() int {
	n := 0
	for _, f := range d.files {
		n += len(f.blocks) - f.flushed
	}
	return n
}
