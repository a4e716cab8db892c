package session

import (
	"context"
	"time"
)

// Kept is what an adapter reads of an account once in a while, as it seldom
// changes: units, sensors, the list of machines.
type Kept[T any] struct {
	Read func(context.Context) (T, error)
	Now  func() time.Time
	// For is how long it is taken for the same.
	For time.Duration

	value T
	until time.Time
}

// Get returns the value, read again where it has grown old. A failure to read is
// met again by the next call.
func (k *Kept[T]) Get(ctx context.Context) (T, error) {
	if k.Now().Before(k.until) {
		return k.value, nil
	}
	value, err := k.Read(ctx)
	if err != nil {
		var none T
		return none, err
	}
	k.value, k.until = value, k.Now().Add(k.For)
	return value, nil
}
