package track

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// maxDriverPositions bounds the positions that are asked who drove: those of a day at
// one in five seconds.
const maxDriverPositions = 20_000

// findDrivers sets the drivers of derived trips whose positions name any.
func (d *device) findDrivers(ctx context.Context, trips []trip.Derived) error {
	d.drove = nil
	for i := range trips {
		t := &trips[i]
		if !t.HasDriver {
			continue
		}
		var err error
		if t.DriverID, err = d.driverIn(ctx, t.Span()); err != nil {
			return err
		}
	}
	return nil
}

// nameDriver asks positions who drove a trip of the vendor's. One that is stored with the
// same times keeps its driver: vendors report the same trips again and again.
func (d *device) nameDriver(ctx context.Context, t *found, stored *store.Trip) (err error) {
	if stored != nil && stored.StartTime.Equal(t.StartTime.Time) && stored.EndTime.Equal(t.EndTime.Time) {
		t.driver, t.named = stored.DriverID, stored.DriverByPositions
		return nil
	}
	t.driver, err = d.driverIn(ctx, trip.Span{From: t.StartTime, To: t.EndTime})
	t.named = t.driver != nil
	return err
}

// nameDrivers asks again who drove the vendor's trips that new positions fall into, where
// these name anyone and the vendor does not.
func (d *device) nameDrivers(ctx context.Context, positions []drover.Position) error {
	var from, to int64
	for _, p := range positions {
		if at := p.Time.UnixMilli(); p.DriverID != nil {
			if to == 0 {
				from = at
			}
			to = at
		}
	}
	if to == 0 {
		return nil
	}
	// Both ends of a trip are parts of it here.
	trips, err := d.tx.Trips.TripsOverlapping(ctx, d.source.TenantID, d.state.DeviceID, drover.Milli(from-1), drover.Milli(to+1))
	if err != nil {
		return err
	}
	for _, before := range trips {
		if before.Why != nil || before.DriverID != nil && !before.DriverByPositions {
			continue
		}
		after := before
		if after.DriverID, err = d.driverIn(ctx, trip.Span{From: before.StartTime, To: before.EndTime}); err != nil {
			return err
		}
		after.DriverByPositions = after.DriverID != nil
		if err := d.explain(ctx, before, after); err != nil {
			return err
		}
	}
	return nil
}

// driverIn is who drove from the start of a span to its end, by the stored positions.
func (d *device) driverIn(ctx context.Context, span trip.Span) (*string, error) {
	if !span.From.Before(span.To.Time) {
		return nil, nil
	}
	stored, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, span.From.UnixMilli())),
		To:          drover.Milli(span.To.UnixMilli() + 1),
		WithSuspect: true, Limit: maxDriverPositions,
	})
	if err != nil {
		return nil, err
	}
	positions := make([]drover.Position, len(stored))
	for i := range stored {
		positions[i] = stored[i].Position
	}
	if len(stored) < maxDriverPositions {
		believed := slices.DeleteFunc(stored, func(p drover.StoredPosition) bool { return p.Suspect != "" })
		d.drove = append(d.drove, stretch{from: span.From, to: drover.Milli(span.To.UnixMilli() + 1), positions: believed})
	}
	return trip.Driver(positions), nil
}

// driven is a reader that need not read again the positions by which the driver of a
// trip was found.
func (d *device) driven(t drover.Trip) remembering {
	for _, s := range d.drove {
		if s.from.Equal(t.StartTime.Time) && s.to.UnixMilli() == t.EndTime.UnixMilli()+1 {
			return remembering{d.tx.History.Reader, s}
		}
	}
	return remembering{Reader: d.tx.History.Reader}
}

// same compares two texts that may be unknown.
func same(a, b *string) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
