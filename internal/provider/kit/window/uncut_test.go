package window_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

func TestUncut(t *testing.T) {
	t.Parallel()
	at := func(minute int) drover.Time { return drover.At(start.Add(time.Duration(minute) * time.Minute)) }
	trips := []provider.Trip{
		{SystemTripID: "cut at the start", StartTime: at(4), EndTime: at(90)},
		{SystemTripID: "of the window before", StartTime: at(10), EndTime: at(59)},
		{SystemTripID: "first", StartTime: at(5), EndTime: at(60)},
		{SystemTripID: "last", StartTime: at(100), EndTime: at(175)},
		{SystemTripID: "under way", StartTime: at(100), EndTime: at(176)},
	}
	w := window.Window{From: start, To: start.Add(3 * time.Hour)}
	var got []string
	for _, trip := range window.Uncut(trips, w, time.Hour, 5*time.Minute) {
		got = append(got, trip.SystemTripID)
	}
	if diff := cmp.Diff([]string{"first", "last"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	newest := func(context.Context) ([]int, error) { return []int{1, 2}, nil }
	page, err := window.Snapshot(func() time.Time { return start }, newest)(t.Context(), provider.Query{})
	if diff := cmp.Diff(provider.Page[int]{Records: []int{1, 2}, Cursor: "2024-05-01T00:00:00Z"}, page); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
