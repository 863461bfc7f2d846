package sim

import (
	"fmt"
	"reflect"
	"unsafe"
)

// copier copies the memory of one node. Two pointers to the same thing lead to the same copy.
type copier struct {
	memory   *Memory
	env      *Env
	old, new *Disk
	root     region
	met      []twin
}

// region is the node itself: pointers to parts of it become pointers to parts of the copy.
type region struct {
	from, to unsafe.Pointer
	size     uintptr
}

type twin struct{ from, to unsafe.Pointer }

// copyNode copies a node into the world of env; old and disk are its disk and the copy of that.
func (m *Memory) copyNode(n Node, env *Env, old, disk *Disk) Node {
	v := reflect.ValueOf(n)
	if v.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("sim: a node must be a pointer to be copied, and %T is none", n))
	}
	p := m.plan(v.Type().Elem())
	c := copier{memory: m, env: env, old: old, new: disk, met: make([]twin, 0, 64)}
	from := v.UnsafePointer()
	out := reflect.New(p.typ)
	out.Elem().Set(v.Elem())
	c.root = region{from, out.UnsafePointer(), p.size}
	if !p.flat {
		c.deepen(p, out.UnsafePointer())
	}
	return out.Interface().(Node)
}

// deepen replaces, in a copy of the bytes of a value, all that the original may change.
func (c *copier) deepen(p *plan, at unsafe.Pointer) {
	switch p.op {
	case opStruct:
		for i := range p.fields {
			if f := &p.fields[i]; f.deep {
				c.deepen(f.plan, unsafe.Add(at, f.at))
			}
		}
	case opSlice:
		c.slice(p, (*header)(at))
	case opArray:
		for i := range p.len {
			c.deepen(p.elem, unsafe.Add(at, uintptr(i)*p.elem.size))
		}
	case opPointer:
		*(*unsafe.Pointer)(at) = c.pointer(p, *(*unsafe.Pointer)(at))
	case opInterface:
		c.iface(p, at)
	case opEnv:
		if *(**Env)(at) != nil {
			*(**Env)(at) = c.env
		}
	case opDisk:
		if *(**Disk)(at) == c.old {
			*(**Disk)(at) = c.new
		}
	case opFile:
		*(**File)(at) = c.file(*(**File)(at))
	}
}

// header is what a slice is made of.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

var nothing [0]byte

func (c *copier) slice(p *plan, h *header) {
	if h.data == nil {
		return
	}
	if h.len == 0 {
		*h = header{data: unsafe.Pointer(&nothing)}
		return
	}
	old := *h
	fresh := reflect.MakeSlice(p.typ, old.len, old.len)
	reflect.Copy(fresh, reflect.NewAt(p.typ, unsafe.Pointer(&old)).Elem())
	*h = header{fresh.UnsafePointer(), old.len, old.len}
	if p.elem.flat {
		return
	}
	for i := range old.len {
		c.deepen(p.elem, unsafe.Add(h.data, uintptr(i)*p.elem.size))
	}
}

func (c *copier) pointer(p *plan, from unsafe.Pointer) unsafe.Pointer {
	if from == nil {
		return nil
	}
	if off := uintptr(from) - uintptr(c.root.from); off < c.root.size {
		return unsafe.Add(c.root.to, off)
	}
	for i := range c.met {
		if c.met[i].from == from {
			return c.met[i].to
		}
	}
	out := reflect.New(p.elem.typ)
	out.Elem().Set(reflect.NewAt(p.elem.typ, from).Elem())
	to := out.UnsafePointer()
	c.met = append(c.met, twin{from, to})
	if !p.elem.flat {
		c.deepen(p.elem, to)
	}
	return to
}

func (c *copier) iface(p *plan, at unsafe.Pointer) {
	in, data := c.memory.box(p, at)
	if in == nil || in.flat {
		return
	}
	if in.op != opPointer {
		panic(fmt.Sprintf("sim: a %v in a field of type %v can not be copied", in.typ, p.typ))
	}
	to := c.pointer(in, *(*unsafe.Pointer)(data))
	reflect.NewAt(p.typ, at).Elem().Set(reflect.NewAt(in.elem.typ, to))
}

// file finds the file of the copied disk. One that was removed from the disk lives on in whoever holds it.
func (c *copier) file(f *File) *File {
	if f == nil {
		return nil
	}
	for i := range c.old.files {
		if c.old.files[i] == f {
			return c.new.files[i]
		}
	}
	for i := range c.met {
		if c.met[i].from == unsafe.Pointer(f) {
			return (*File)(c.met[i].to)
		}
	}
	copied := f.clone()
	c.met = append(c.met, twin{unsafe.Pointer(f), unsafe.Pointer(copied)})
	return copied
}
