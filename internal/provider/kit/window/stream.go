package window

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Job is a job of positions or trips, as provider.Calls has them.
type Job[T any] func(ctx context.Context, q provider.Query) (provider.Page[T], error)

// LiveAndPast is the job of a vendor that has one way to read what is new, and
// another to read a past window.
func LiveAndPast[T any](live, past Job[T]) Job[T] {
	return func(ctx context.Context, q provider.Query) (provider.Page[T], error) {
		if q.Live() {
			return live(ctx, q)
		}
		return past(ctx, q)
	}
}

// Snapshot is the live job of a vendor that gives only the newest record of each
// device: all of them, at every poll. The cursor, which may not be empty, is the
// time of the poll and is for people to read.
func Snapshot[T any](now func() time.Time, newest func(ctx context.Context) ([]T, error)) Job[T] {
	return func(ctx context.Context, _ provider.Query) (provider.Page[T], error) {
		records, err := newest(ctx)
		if err != nil {
			return provider.Page[T]{}, err
		}
		return provider.Page[T]{Records: records, Cursor: now().UTC().Format(time.RFC3339)}, nil
	}
}

// Nothing is the past of a vendor that has none.
func Nothing[T any](context.Context, provider.Query) (provider.Page[T], error) {
	return provider.Page[T]{}, nil
}
