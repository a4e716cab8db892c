package collect

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trip"
)

// belief is what new positions of a device change about which are believed.
type belief struct {
	positions []drover.Position // newly believed, oldest first
	withdrawn []drover.Time     // believed until now
	marks     []store.PositionMark
}

// follow folds new positions of a device, oldest first: which are believed, and
// the trips where they are derived. The state is changed and not yet stored.
func (v *visit) follow(ctx context.Context, tx *store.Tx, state *store.DeviceState, positions []drover.Position, silent bool) (belief, []drover.Event, error) {
	f, err := v.fold(ctx, tx, state, positions)
	if err != nil {
		return belief{}, nil, err
	}
	b, err := v.believe(ctx, tx, state, f, positions)
	if err != nil {
		return belief{}, nil, err
	}
	if v.nativeTrips() {
		state.TripDue = nil
		state.TripState, err = f.state.MarshalBinary()
		return b, nil, err
	}
	events, err := v.apply(ctx, tx, state, &f.state, f.outcome, silent || f.rebuilt)
	return b, events, err
}

// believe sorts new positions, and the older ones whose mark changes, into those
// that are believed and those that are not, and finds the device's newest.
func (v *visit) believe(ctx context.Context, tx *store.Tx, state *store.DeviceState, f folded, positions []drover.Position) (belief, error) {
	b := belief{positions: positions}
	if len(f.outcome.Marks) > 0 {
		b.positions = slices.Clone(positions)
	}
	for _, m := range f.outcome.Marks {
		i, fresh := slices.BinarySearchFunc(b.positions, m.Time, func(p drover.Position, at drover.Time) int { return p.Time.Compare(at.Time) })
		mark := store.PositionMark{DeviceID: state.DeviceID, Time: m.Time}
		switch {
		case m.Jump && fresh:
			b.positions = slices.Delete(b.positions, i, i+1)
		case m.Jump:
			b.withdrawn = append(b.withdrawn, m.Time)
		case !f.rebuilt:
			p, err := v.positionAt(ctx, tx, state.DeviceID, m.Time)
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
		// A new rule marks anew, but does not undo what followed from the old one.
		b.withdrawn = nil
	}
	return b, v.findLatest(ctx, tx, state, &f.state, b.positions)
}

// findLatest sets the device's newest position to the newest one that the fold
// believes.
func (v *visit) findLatest(ctx context.Context, tx *store.Tx, state *store.DeviceState, fold *trip.State, positions []drover.Position) error {
	at, some := fold.Believed()
	if !some || state.Latest != nil && state.Latest.Time.Equal(at.Time) {
		return nil
	}
	if last := len(positions) - 1; last >= 0 && positions[last].Time.Equal(at.Time) {
		state.Latest = &positions[last]
		return nil
	}
	p, err := v.positionAt(ctx, tx, state.DeviceID, at)
	if err == nil {
		state.Latest = &p
	}
	return err
}

// positionAt reads one stored position.
func (v *visit) positionAt(ctx context.Context, tx *store.Tx, deviceID string, at drover.Time) (drover.Position, error) {
	known, err := v.loadPositions(ctx, tx, deviceID, trip.Span{From: at, To: drover.Milli(at.UnixMilli() + 1)})
	if err != nil {
		return drover.Position{}, err
	}
	if len(known) != 1 {
		return drover.Position{}, fmt.Errorf("read the position of device %s at %v: there are %d", deviceID, at, len(known))
	}
	return known[0].Position, nil
}
