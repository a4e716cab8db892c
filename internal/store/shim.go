package store

import "github.com/drover-fleet/drover/internal/queue"

// Names for code that was written before jobs went to package queue: use those of queue.
type (
	Export    = queue.Export
	Recompute = queue.Recompute
)
