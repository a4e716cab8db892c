package work_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

func TestForgetEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		var events []drover.Event
		for _, at := range []time.Duration{-3, -2, -1, 0} {
			events = append(events, drover.Event{
				Type: drover.EventDeviceCreated, Timestamp: drover.At(noon.Add(at * time.Hour)),
				Data: []byte(`"x"`),
			})
		}
		f.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, f.own, events) })
		f.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, f.other, events[:1]) })
		check(f.t, must[int64](f.t)(f.Feed.ForgetEvents(ctx, f.own, drover.At(noon.Add(-time.Hour)))), 2)
		check(f.t, must[int64](f.t)(f.Feed.ForgetEvents(ctx, f.own, drover.At(noon.Add(-time.Hour)))), 0)
		sequences := func(tenant string) []int64 {
			out := []int64{}
			for _, e := range must[[]drover.Event](f.t)(f.Feed.Events(ctx, tenant, drover.EventFilter{}, work.EventRange{To: 100, Limit: 100})) {
				out = append(out, e.Sequence)
			}
			return out
		}
		check(f.t, sequences(f.own), []int64{3, 4})
		check(f.t, sequences(f.other), []int64{1})
	})
}

// TestForgetPositionEvents forgets those and no others, and leaves a feed that verify
// takes for whole.
func TestForgetPositionEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		var events []drover.Event
		for i := range 6 {
			typ := []drover.EventType{drover.EventPositionUpdated, drover.EventDeviceCreated}[i%2]
			events = append(events, drover.Event{Type: typ, Timestamp: drover.At(noon.Add(time.Duration(i) * time.Hour)), Data: []byte(`"x"`)})
		}
		f.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, f.own, events) })
		cut := drover.At(noon.Add(3 * time.Hour))
		check(f.t, must[int64](f.t)(f.Feed.ForgetPositionEvents(ctx, f.own, cut)), 2)
		check(f.t, must[int64](f.t)(f.Feed.ForgetPositionEvents(ctx, f.own, cut)), 0)
		left := []int64{}
		for _, e := range must[[]drover.Event](f.t)(f.Feed.Events(ctx, f.own, drover.EventFilter{}, work.EventRange{To: 100, Limit: 100})) {
			left = append(left, e.Sequence)
		}
		check(f.t, left, []int64{2, 4, 5, 6})
		if err := f.CheckFeeds(ctx); err != nil {
			f.t.Errorf("the feed is taken for damaged: %v", err)
		}
	})
}
