package drover

import "encoding/json"

// Optional is a field of a partial update: absent, null, or a value. An absent field is not
// changed, and null clears it.
type Optional[T any] struct {
	Set   bool
	Value *T
}

// Some is a field that was sent with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: &v} }

// Null is a field that was sent as null.
func Null[T any]() Optional[T] { return Optional[T]{Set: true} }

// Apply sets a nullable field, if the update has it.
func (o Optional[T]) Apply(to **T) {
	if o.Set {
		*to = o.Value
	}
}

// ApplyValue sets a field that is never null, if the update has a value.
func (o Optional[T]) ApplyValue(to *T) {
	if o.Value != nil {
		*to = *o.Value
	}
}

// MarshalJSON prints the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }
