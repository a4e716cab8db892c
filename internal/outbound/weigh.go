package outbound

import (
	"errors"
	"reflect"
	"sync"
)

// errHuge says that an answer would take more memory than any may.
var errHuge = errors.New("it would take too much memory")

const (
	// objectCost is what an object takes at the least once it is decoded, besides the
	// struct that it becomes, and valueCost what any other value takes.
	objectCost = 64
	valueCost  = 16
)

// decoded estimates what a JSON text takes once it is decoded into a type: a few
// bytes such as {}, repeated, can become hundreds of times as many. A list grows by
// copying, so that a half more is there for a moment.
func (s *structSizes) decoded(data []byte, into reflect.Type) int64 {
	objects, values := countJSON(data)
	return objects*(objectCost+s.largest(into)*3/2) + values*valueCost
}

// countJSON counts objects, and the values of objects and lists.
func countJSON(data []byte) (objects, values int64) {
	quoted := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			objects++
		case c == ',', c == '[':
			values++
		}
	}
	return objects, values
}

// structSizes keeps, by type, what largest has found.
type structSizes struct{ found sync.Map }

// largest is the size of the largest struct that a value of a type can hold.
func (s *structSizes) largest(t reflect.Type) int64 {
	if size, ok := s.found.Load(t); ok {
		return size.(int64)
	}
	size := structSize(t, map[reflect.Type]bool{})
	s.found.Store(t, size)
	return size
}

func structSize(t reflect.Type, seen map[reflect.Type]bool) int64 {
	if seen[t] {
		return 0
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return structSize(t.Elem(), seen)
	case reflect.Struct:
		size := int64(t.Size())
		for field := range t.Fields() {
			size = max(size, structSize(field.Type, seen))
		}
		return size
	default:
		return 0
	}
}
