package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trip"
)

// derive folds new positions of a device into its trips.
func (v *visit) derive(ctx context.Context, tx *store.Tx, state *store.DeviceState, positions []drover.Position, silent bool) ([]drover.Event, error) {
	var fold trip.State
	load := func(span trip.Span) ([]drover.Position, error) {
		return v.loadPositions(ctx, tx, state.DeviceID, span)
	}
	err := fold.UnmarshalBinary(state.TripState)
	if errors.Is(err, trip.ErrVersion) {
		// The rule has changed: everything is derived anew.
		return v.rederive(ctx, tx, state, load)
	}
	if err != nil {
		return nil, fmt.Errorf("read the trip state: %w", err)
	}
	outcome, err := fold.Absorb(positions, load)
	if err != nil {
		return nil, err
	}
	return v.apply(ctx, tx, state, &fold, outcome, silent)
}

func (v *visit) rederive(ctx context.Context, tx *store.Tx, state *store.DeviceState, load trip.Loader) ([]drover.Event, error) {
	// Trips stay when their positions go.
	oldest, err := v.oldest(ctx, tx)
	if err != nil {
		return nil, err
	}
	first := drover.Milli(max(0, oldest.UnixMilli()))
	fold, revision, err := trip.Rebuild(first, drover.At(v.Now().Add(trip.FutureTolerance)), load)
	if err != nil {
		return nil, err
	}
	return v.apply(ctx, tx, state, &fold, trip.Outcome{Revised: []trip.Revision{revision}}, true)
}

func (v *visit) loadPositions(ctx context.Context, tx *store.Tx, deviceID string, span trip.Span) ([]drover.Position, error) {
	stored, err := tx.Positions(ctx, store.PositionRange{TenantID: v.claim.TenantID, DeviceID: deviceID, From: span.From, To: span.To})
	positions := make([]drover.Position, len(stored))
	for i, p := range stored {
		positions[i] = p.Position
	}
	return positions, err
}

// apply stores what a fold brought about, and the fold.
func (v *visit) apply(ctx context.Context, tx *store.Tx, state *store.DeviceState, fold *trip.State, outcome trip.Outcome, silent bool) ([]drover.Event, error) {
	w := v.tripWriter(tx, state, silent)
	for _, revision := range outcome.Revised {
		if err := w.revise(ctx, revision); err != nil {
			return nil, err
		}
	}
	for _, d := range outcome.Completed {
		if err := w.put(ctx, fromDerived(d)); err != nil {
			return nil, err
		}
	}
	var err error
	if state.TripState, err = fold.MarshalBinary(); err != nil {
		return nil, fmt.Errorf("write the trip state: %w", err)
	}
	state.TripDue = nil
	if due, open := fold.Deadline(); open {
		state.TripDue = &due
	}
	return w.events, nil
}

// dueTrips bounds the trips that one transaction ends.
const dueTrips = 200

// closeTrips ends the trips of devices that have fallen silent. The positions
// have been read up to now, so silence is known.
func (v *visit) closeTrips(ctx context.Context, tx *store.Tx, s *store.Stream) error {
	if s.History || s.DueAt.Before(v.Now()) || v.nativeTrips() {
		return nil
	}
	states, err := tx.DueTrips(ctx, v.claim.TenantID, v.claim.ConnectionID, v.now(), dueTrips)
	if err != nil {
		return err
	}
	var events []drover.Event
	for _, state := range states {
		made, err := v.closeTrip(ctx, tx, state)
		if err != nil {
			return err
		}
		events = append(events, made...)
	}
	if err := tx.SetDeviceStates(ctx, v.claim.TenantID, states); err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}

// closeTrip ends the trip under way of one device.
func (v *visit) closeTrip(ctx context.Context, tx *store.Tx, state *store.DeviceState) ([]drover.Event, error) {
	var fold trip.State
	err := fold.UnmarshalBinary(state.TripState)
	if errors.Is(err, trip.ErrVersion) {
		return v.derive(ctx, tx, state, nil, false)
	}
	if err != nil {
		return nil, fmt.Errorf("read the trip state: %w", err)
	}
	var outcome trip.Outcome
	if d, ended := fold.Close(v.Now()); ended {
		outcome.Completed = []trip.Derived{d}
	}
	return v.apply(ctx, tx, state, &fold, outcome, false)
}

// storeTrips stores a page of the vendor's own trips.
func (v *visit) storeTrips(ctx context.Context, tx *store.Tx, records []provider.Trip, silent bool) error {
	devices, err := v.devicesOf(ctx, tx, asPositions(records))
	if err != nil {
		return err
	}
	byDevice := map[string][]provider.Trip{}
	var order []string
	for _, r := range records {
		if !v.inWindow(r) {
			continue
		}
		id := devices[r.SystemDeviceID]
		if byDevice[id] == nil {
			order = append(order, id)
		}
		byDevice[id] = append(byDevice[id], r)
	}
	states, err := tx.DeviceStates(ctx, v.claim.TenantID, order)
	if err != nil {
		return err
	}
	slices.Sort(order)
	var events []drover.Event
	var touched []*store.DeviceState
	for _, id := range order {
		state := states[id]
		if state == nil {
			state = &store.DeviceState{DeviceID: id}
		}
		w := v.tripWriter(tx, state, silent)
		for _, r := range byDevice[id] {
			if err := w.put(ctx, fromVendor(r)); err != nil {
				return err
			}
		}
		touched = append(touched, state)
		events = append(events, w.events...)
	}
	if err := tx.SetDeviceStates(ctx, v.claim.TenantID, touched); err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}

// inWindow keeps the trips that start in the collection window.
func (v *visit) inWindow(r provider.Trip) bool {
	end := v.conn.CollectionEndTime
	return !r.StartTime.Before(v.conn.CollectionStartTime.Time) && (end == nil || r.StartTime.Before(end.Time))
}

// asPositions names the devices of trips.
func asPositions(trips []provider.Trip) []provider.Position {
	out := make([]provider.Position, len(trips))
	for i, t := range trips {
		out[i].SystemDeviceID = t.SystemDeviceID
	}
	return out
}

func (v *visit) tripWriter(tx *store.Tx, state *store.DeviceState, silent bool) *tripWriter {
	w := &tripWriter{visit: v, tx: tx, state: state, silent: silent}
	if len(state.Profile) > 0 {
		// A profile that cannot be read is learned anew.
		_ = json.Unmarshal(state.Profile, &w.profile)
	}
	return w
}

// learn adds a valid trip to what is known of the device's pace.
func (w *tripWriter) learn(t drover.Trip) {
	if !t.IsValid {
		return
	}
	learned := w.profile.Learn(t)
	if learned == w.profile {
		return
	}
	w.profile = learned
	w.state.Profile, _ = json.Marshal(learned) //nolint:errchkjson // plain numbers always marshal
}

// tripWriter stores trips of one device and gathers the events about them.
type tripWriter struct {
	*visit
	tx      *store.Tx
	state   *store.DeviceState
	profile milestone.Profile
	silent  bool
	events  []drover.Event
}
