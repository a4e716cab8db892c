// Package arena allocates many small values together. A list of ten thousand records with pointers
// for optional values would otherwise need as many small allocations, which cost more than the
// values.
package arena

import "slices"

// Bounds of the values for which room is made at once: few values keep little, and many
// seldom ask for more.
const (
	few  = 4
	many = 1024
)

// Of is room for values of one type. They share memory: it is kept until the last of
// a piece is let go, so it is for values that live and go together.
type Of[T any] struct{ used []T }

// Keep returns a pointer to v in the room.
func (o *Of[T]) Keep(v T) *T {
	if len(o.used) == cap(o.used) { // those who point into the piece before keep it
		o.used = make([]T, 0, min(max(few, 2*cap(o.used)), many))
	}
	o.used = append(o.used, v)
	return &o.used[len(o.used)-1]
}

// Reuse gives the newest piece, made large enough for n values, to those that follow: what
// was kept in it is no longer needed.
func (o *Of[T]) Reuse(n int) { o.used = slices.Grow(o.used[:0], n) }
