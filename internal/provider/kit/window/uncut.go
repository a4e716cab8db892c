package window

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Uncut returns the trips that a window shows whole, for vendors that find trips
// in the positions of the window they are asked for: one that crosses an edge is
// cut there, and one that is under way ends with its newest position.
//
// The window is one that Reader widened by margin on both sides. gap is the
// standstill after which the vendor ends a trip: one that touches an edge by less
// than that may go on beyond it. What is left out is whole in another window, so
// margin must be longer than any trip.
func Uncut(trips []provider.Trip, w Window, margin, gap time.Duration) []provider.Trip {
	return slices.DeleteFunc(trips, func(t provider.Trip) bool {
		return t.EndTime.Before(w.From.Add(margin)) ||
			t.StartTime.Before(w.From.Add(gap)) ||
			t.EndTime.After(w.To.Add(-gap))
	})
}
