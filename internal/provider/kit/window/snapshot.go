package window

import (
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Snapshot returns the page of a live stream for vendors that tell only the
// newest record of each device: all of them, at every poll. The cursor, which
// may not be empty, is the time of the poll and is for people to read.
func Snapshot[T any](records []T, now time.Time) provider.Page[T] {
	return provider.Page[T]{Records: records, Cursor: now.UTC().Format(time.RFC3339)}
}
