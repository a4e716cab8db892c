package window

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// Again reads what the vendor may change later: each round begins some time before the last one
// did, so that what has changed since comes again.
type Again[T any] struct {
	// Fetch returns a page of what happened, or was changed, in a window. An empty next ends it.
	Fetch   func(ctx context.Context, from, to time.Time, cursor string, devices []string) (records []T, next string, err error)
	Now     func() time.Time
	Overlap time.Duration
}

// againCursor is where a job stands. Times are milliseconds since 1970.
type againCursor struct {
	From int64  `json:"f"`           // of the round under way, or of the next
	To   int64  `json:"t,omitempty"` // of the round under way
	Page string `json:"p,omitempty"`
}

// Page returns the page that q asks for.
func (a Again[T]) Page(ctx context.Context, q provider.Query) (provider.Page[T], error) {
	c := againCursor{From: q.From.UnixMilli()}
	if q.Cursor != "" {
		if err := paging.Decode(q.Cursor, &c); err != nil {
			return provider.Page[T]{}, err
		}
	}
	if c.To == 0 {
		c.To = a.Now().Add(q.Ahead).UnixMilli()
	}
	records, next, err := a.Fetch(ctx, time.UnixMilli(c.From).UTC(), time.UnixMilli(c.To).UTC(), c.Page, q.Devices)
	if err != nil {
		return provider.Page[T]{}, err
	}
	more := next != "" && next != c.Page
	if c.Page = next; !more {
		c = againCursor{From: max(q.From.UnixMilli(), c.To-a.Overlap.Milliseconds())}
	}
	return provider.Page[T]{Records: records, Cursor: paging.Encode(c), More: more}, nil
}
