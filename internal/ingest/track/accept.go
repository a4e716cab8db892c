package track

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store/history"
)

// accepted is what new positions of a device change about which are accepted.
type accepted struct {
	positions []drover.Position // newly accepted, oldest first
	withdrawn []drover.Time     // accepted until now
	marks     []history.Mark
}

// absorb folds new positions, oldest first: which are accepted, and the trips
// where they are derived. The state is changed and not yet stored.
func (d *device) absorb(ctx context.Context, positions []drover.Position) (accepted, error) {
	f, err := d.fold(ctx, positions)
	if err != nil {
		return accepted{}, err
	}
	before := d.state.Latest
	b, err := d.accept(ctx, f, positions)
	if err != nil {
		return accepted{}, err
	}
	if err := d.move(before, b.positions); err != nil {
		return accepted{}, err
	}
	if d.source.NativeTrips {
		for _, revision := range f.outcome.Revised {
			d.touch(revision.Span.From, revision.Span.To)
		}
		if d.source.Drivers {
			if err := d.nameDrivers(ctx, positions); err != nil {
				return accepted{}, err
			}
		}
		d.state.TripDue = nil
		d.state.TripState, err = f.state.MarshalBinary()
		return b, err
	}
	d.silent = d.silent || f.rebuilt
	return b, d.apply(ctx, &f.state, f.outcome)
}

// accept sorts new positions, and the older ones whose mark changes, into those
// that are accepted and those that are not, and finds the device's newest.
func (d *device) accept(ctx context.Context, f folded, positions []drover.Position) (accepted, error) {
	b := accepted{positions: positions}
	if len(f.outcome.Marks) > 0 {
		b.positions = slices.Clone(positions)
	}
	for _, m := range f.outcome.Marks {
		i, fresh := slices.BinarySearchFunc(b.positions, m.Time, func(p drover.Position, at drover.Time) int { return p.Time.Compare(at.Time) })
		mark := history.Mark{DeviceID: d.state.DeviceID, Time: m.Time}
		switch {
		case m.Jump && fresh:
			b.positions = slices.Delete(b.positions, i, i+1)
		case m.Jump:
			b.withdrawn = append(b.withdrawn, m.Time)
		case !f.rebuilt:
			p, err := d.positionAt(ctx, m.Time)
			if err != nil {
				return b, err
			}
			b.positions = slices.Insert(b.positions, i, p)
		}
		if m.Jump {
			mark.Suspect = string(trip.Jump)
		}
		b.marks = append(b.marks, mark)
	}
	if f.rebuilt {
		// A new rule marks again, but does not undo what followed from the old one.
		b.withdrawn = nil
	}
	return b, d.findLatest(ctx, &f.state, b.positions)
}

// findLatest sets the device's newest position to the newest one that the fold
// accepts.
func (d *device) findLatest(ctx context.Context, fold *trip.State, positions []drover.Position) error {
	at, some := fold.Accepted()
	if !some || d.state.Latest != nil && d.state.Latest.Time.Equal(at.Time) {
		return nil
	}
	if last := len(positions) - 1; last >= 0 && positions[last].Time.Equal(at.Time) {
		d.state.Latest = &positions[last]
		return nil
	}
	p, err := d.positionAt(ctx, at)
	if err == nil {
		d.state.Latest = &p
	}
	return err
}

// positionAt reads one stored position.
func (d *device) positionAt(ctx context.Context, at drover.Time) (drover.Position, error) {
	known, err := d.positions(ctx, trip.Span{From: at, To: drover.Milli(at.UnixMilli() + 1)})
	if err != nil {
		return drover.Position{}, err
	}
	if len(known) != 1 {
		return drover.Position{}, fmt.Errorf("read the position of device %s at %v: there are %d", d.state.DeviceID, at, len(known))
	}
	return known[0].Position, nil
}
