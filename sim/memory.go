package sim

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Meaning says what a part of a node's memory is, where its type does not tell.
type Meaning uint8

// What a type or a field can be declared to be.
const (
	Content   Meaning = iota // changes, and what it says counts: the rule for all that is not declared
	Constant                 // the same throughout a run: copies share it, keys leave it out
	Written                  // written once and never changed after: copies share it, keys have what it says
	Length                   // of type Time, but a length of time and no moment
	Millis                   // a moment in milliseconds, 0 or less for none
	Naming                   // a number that only names something and is compared for equality alone, 0 or less for none
	Forgotten                // copied, but nothing that happens later depends on it: keys leave it out
)

// Memory tells how the memory of a model's nodes is copied and told apart. Both follow the types of the
// nodes, field by field, so that a field which is added later is copied and is part of the key without
// anybody thinking of it; what is declared here are the exceptions. It is kept per world and its copies.
//
// Some types speak for themselves: a Time is a moment, a ConnID a connection, a TimerID a timer, a Message
// and what lies in a field of type any are written once, an *Env, a *Disk and a *File are those of the copy.
// Maps and functions are not allowed in a node's memory.
type Memory struct {
	Types  map[string]Meaning // by "package.Type"
	Fields map[string]Meaning // by "package.Type.field"; "package.*.field" is every type of the package
	// ConnArgs lists the kinds of timer whose argument is a connection.
	ConnArgs map[uint8]bool

	plans map[reflect.Type]*plan
	boxes map[unsafe.Pointer]*plan // by the type word of an interface value
	used  map[string]bool          // declarations that were met
}

// op says how a value is read.
type op uint8

const (
	opSkip op = iota
	opBool
	opInt8
	opInt16
	opInt32
	opInt64
	opInt // of 32 or 64 bits
	opString
	opTime
	opConn
	opTimer
	opMillis
	opName32
	opName64
	opSlice
	opArray
	opStruct
	opPointer
	opWritten // a pointer to what is written once
	opInterface
	opEnv
	opDisk
	opFile
)

// plan is what is to be done with values of a type.
type plan struct {
	typ    reflect.Type
	op     op
	flat   bool // a copy of the bytes is a copy
	size   uintptr
	len    int
	id     uint64
	elem   *plan
	fields []planField
}

type planField struct {
	name string
	at   uintptr
	plan *plan
	deep bool // a copy must look into it
	key  bool // a key must
}

var (
	timeType    = reflect.TypeFor[Time]()
	connType    = reflect.TypeFor[ConnID]()
	timerType   = reflect.TypeFor[TimerID]()
	messageType = reflect.TypeFor[Message]()
	anyType     = reflect.TypeFor[any]()
	envType     = reflect.TypeFor[*Env]()
	diskType    = reflect.TypeFor[*Disk]()
	fileType    = reflect.TypeFor[*File]()
)

// plan makes the plan of a type, once.
func (m *Memory) plan(t reflect.Type) *plan {
	if p := m.plans[t]; p != nil {
		return p
	}
	if m.plans == nil {
		m.plans, m.boxes, m.used = map[reflect.Type]*plan{}, map[unsafe.Pointer]*plan{}, map[string]bool{}
	}
	p := &plan{typ: t, size: t.Size(), id: hashString(t.String())}
	m.plans[t] = p
	switch t {
	case timeType, connType, timerType:
		p.op, p.flat = map[reflect.Type]op{timeType: opTime, connType: opConn, timerType: opTimer}[t], true
		return p
	case envType, diskType, fileType:
		p.op = map[reflect.Type]op{envType: opEnv, diskType: opDisk, fileType: opFile}[t]
		return p
	}
	switch m.meaningOf(t) {
	case Constant, Forgotten:
		p.op, p.flat = opSkip, true
		return p
	}
	m.compose(p, t)
	return p
}

func (m *Memory) compose(p *plan, t reflect.Type) {
	switch t.Kind() {
	case reflect.Bool:
		p.op, p.flat = opBool, true
	case reflect.Int8, reflect.Uint8:
		p.op, p.flat = opInt8, true
	case reflect.Int16, reflect.Uint16:
		p.op, p.flat = opInt16, true
	case reflect.Int32, reflect.Uint32:
		p.op, p.flat = opInt32, true
	case reflect.Int:
		p.op, p.flat = opInt, true
	case reflect.Int64, reflect.Uint64:
		p.op, p.flat = opInt64, true
	case reflect.String:
		p.op, p.flat = opString, true
	case reflect.Pointer:
		p.op = opPointer
		switch meaning := m.meaningOf(t.Elem()); {
		case meaning == Constant || meaning == Forgotten:
			p.op, p.flat = opSkip, true
			return
		case meaning == Written || t.Implements(messageType):
			p.op, p.flat = opWritten, true
		}
		p.elem = m.plan(t.Elem())
	case reflect.Slice:
		p.op = opSlice
		p.elem = m.plan(t.Elem())
	case reflect.Array:
		p.op, p.len = opArray, t.Len()
		p.elem = m.plan(t.Elem())
		p.flat = p.elem.flat
	case reflect.Struct:
		m.composeStruct(p, t)
	case reflect.Interface:
		p.op = opInterface
		p.flat = t == anyType || t.Implements(messageType)
	default:
		panic(fmt.Sprintf("sim: a %v can not be part of a node's memory", t))
	}
}

func (m *Memory) composeStruct(p *plan, t reflect.Type) {
	p.op, p.flat = opStruct, true
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Size() == 0 {
			continue
		}
		meaning := m.meaningOfField(t, f.Name)
		pf := planField{name: f.Name, at: f.Offset, key: true}
		switch meaning {
		case Constant:
			continue
		case Length:
			pf.plan = &plan{typ: f.Type, op: opInt64, flat: true, size: f.Type.Size()}
		case Millis:
			pf.plan = &plan{typ: f.Type, op: opMillis, flat: true, size: f.Type.Size()}
		case Naming:
			pf.plan = m.naming(f.Type)
		default:
			pf.plan = m.plan(f.Type)
		}
		pf.key = meaning != Forgotten && pf.plan.op != opSkip
		pf.deep = !pf.plan.flat && meaning != Written
		p.flat = p.flat && !pf.deep
		if pf.key || pf.deep {
			p.fields = append(p.fields, pf)
		}
	}
}

// naming is the plan of a number, or of a list of numbers, that only name.
func (m *Memory) naming(t reflect.Type) *plan {
	p := &plan{typ: t, size: t.Size()}
	switch {
	case t.Kind() == reflect.Slice:
		p.op, p.elem = opSlice, m.naming(t.Elem())
	case t.Size() == 4:
		p.op, p.flat = opName32, true
	default:
		p.op, p.flat = opName64, true
	}
	return p
}

func (m *Memory) meaningOf(t reflect.Type) Meaning {
	return m.declared(m.Types, t.String())
}

func (m *Memory) declared(in map[string]Meaning, name string) Meaning {
	meaning, ok := in[name]
	if ok {
		m.used[name] = true
	}
	return meaning
}

func (m *Memory) meaningOfField(t reflect.Type, field string) Meaning {
	name := t.String()
	if meaning := m.declared(m.Fields, name+"."+field); meaning != Content {
		return meaning
	}
	for i := range name {
		if name[i] == '.' {
			return m.declared(m.Fields, name[:i]+".*."+field)
		}
	}
	return Content
}

// box gives the plan of what an interface value holds, and where it lies; nil for nothing.
func (m *Memory) box(p *plan, at unsafe.Pointer) (*plan, unsafe.Pointer) {
	words := (*[2]unsafe.Pointer)(at)
	if words[0] == nil {
		return nil, nil
	}
	in := m.boxes[words[0]]
	if in == nil {
		in = m.plan(reflect.NewAt(p.typ, at).Elem().Elem().Type())
		m.boxes[words[0]] = in
	}
	if in.typ.Kind() == reflect.Pointer { // such a value is the word itself; any other lies where the word points
		return in, unsafe.Pointer(&words[1])
	}
	return in, words[1]
}

// Unmet lists the declarations that no node's memory, and no message whose key was made, had use for so far.
func (m *Memory) Unmet() []string {
	var names []string
	for _, declared := range []map[string]Meaning{m.Types, m.Fields} {
		for name := range declared {
			if !m.used[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Memory is what the world copies and tells apart its nodes by.
func (w *World) Memory() *Memory { return w.cfg.Memory }
