package track

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// Recomputed is what deriving a window of a device's trips again brought about.
type Recomputed struct {
	// Reached is up to where all is derived again: the end of the window or later.
	Reached                 drover.Time
	Added, Changed, Removed int
	Events                  []drover.Event
}

// recompute derives the trips of a device again that a window of its positions makes,
// and stores what changes. Milestones stay as they are. Where the vendor reports the
// trips they stay too, and only what follows from them is found again.
func (t *Tracker) recompute(
	ctx context.Context,
	tx *store.Tx,
	from Source,
	deviceID string,
	window trip.Span,
	silent bool,
) (Recomputed, error) {
	out := Recomputed{Reached: window.To}
	from, err := from.with(ctx, tx.Accounts, []string{deviceID})
	if err != nil {
		return out, err
	}
	states, err := tx.Fleet.DeviceStates(ctx, from.TenantID, []string{deviceID})
	if err != nil || states[deviceID] == nil {
		return out, err
	}
	d := t.device(tx, from, states[deviceID], silent)
	d.sparing = true
	if from.NativeTrips {
		if _, err := d.past(ctx, &trip.State{}); err != nil {
			return out, err
		}
		if kept := latest(window.From, d.oldest); kept.Before(window.To.Time) {
			d.touch(kept, window.To)
		}
	} else if out.Reached, err = d.recompute(ctx, window); err != nil {
		return out, err
	}
	if err := settle(ctx, tx, from.TenantID, d); err != nil {
		return out, err
	}
	out.Added, out.Changed, out.Removed, out.Events = d.added, d.changed, d.removed, d.events
	return out, tx.Fleet.SetDeviceStates(ctx, from.TenantID, []*store.DeviceState{d.state})
}

// recompute derives a window again and returns up to where it came.
func (d *device) recompute(ctx context.Context, window trip.Span) (drover.Time, error) {
	var fold trip.State
	err := fold.UnmarshalBinary(d.state.TripState)
	if errors.Is(err, trip.ErrVersion) { // then all is derived again
		b, err := d.absorb(ctx, nil)
		if err != nil {
			return window.To, err
		}
		return drover.Milli(farFuture), d.tx.History.MarkPositions(ctx, d.source.TenantID, b.marks)
	}
	if err != nil {
		return window.To, fmt.Errorf("read the trip state: %w", err)
	}
	past, err := d.past(ctx, &fold)
	if err != nil || !window.From.Before(drover.Milli(past.Newest.UnixMilli()+1).Time) || !past.Oldest.Before(window.To.Time) {
		return window.To, err
	}
	r, end, atEnd, err := trip.Recompute(d.rules, window, past)
	if err != nil {
		return window.To, err
	}
	if err := d.keepMarks(ctx, r.Marks); err != nil {
		return window.To, err
	}
	d.touch(r.Span.From, r.Span.To)
	if err := d.replace(ctx, r); err != nil {
		return window.To, err
	}
	if !atEnd {
		return r.Span.To, nil
	}
	if d.state.TripState, err = end.MarshalBinary(); err != nil {
		return window.To, fmt.Errorf("write the trip state: %w", err)
	}
	d.turned = true
	d.schedule(&end)
	return drover.Milli(farFuture), d.findLatest(ctx, &end, nil)
}

// past is what is stored of the device.
func (d *device) past(ctx context.Context, fold *trip.State) (trip.Past, error) {
	p := trip.Past{
		Load:   func(span trip.Span) ([]trip.Known, error) { return d.positions(ctx, span) },
		Within: func(at drover.Time) (trip.Span, bool, error) { return d.within(ctx, at) },
	}
	p.Newest, _ = fold.Seen()
	if latest := d.state.Latest; latest != nil && latest.Time.After(p.Newest.Time) {
		p.Newest = latest.Time
	}
	if d.source.Oldest == nil {
		return p, nil
	}
	oldest, err := d.source.Oldest(ctx, d.tx)
	p.Oldest = drover.Milli(max(0, oldest.UnixMilli()))
	d.oldest = p.Oldest
	return p, err
}

func latest(a, b drover.Time) drover.Time {
	if a.Before(b.Time) {
		return b
	}
	return a
}

// within returns the stored trip that a time lies within.
func (d *device) within(ctx context.Context, at drover.Time) (trip.Span, bool, error) {
	t, err := d.tx.Trips.TripWithin(ctx, d.source.TenantID, d.state.DeviceID, at)
	if errors.Is(err, store.ErrNotFound) {
		return trip.Span{}, false, nil
	}
	return trip.Span{From: t.StartTime, To: t.EndTime}, err == nil, err
}

// keepMarks stores which positions are accepted again. What followed from the old
// marks stays.
func (d *device) keepMarks(ctx context.Context, marks []trip.Mark) error {
	stored := make([]history.Mark, len(marks))
	for i, m := range marks {
		stored[i] = history.Mark{DeviceID: d.state.DeviceID, Time: m.Time}
		if m.Jump {
			stored[i].Suspect = string(trip.Jump)
		}
	}
	return d.tx.History.MarkPositions(ctx, d.source.TenantID, stored)
}

// bare reports whether no position is kept of the time of a trip, so that nothing can
// be said against it.
func (d *device) bare(ctx context.Context, t store.Trip) (bool, error) {
	some, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, t.StartTime.UnixMilli())),
		To: drover.Milli(t.EndTime.UnixMilli() + 1), Limit: 1,
	})
	return len(some) == 0, err
}
