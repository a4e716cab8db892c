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

// folded is the fold of a device's positions and what new ones brought about.
type folded struct {
	state   trip.State
	outcome trip.Outcome
	// rebuilt says that the rule has changed, and all was derived anew.
	rebuilt bool
}

// fold folds new positions of a device.
func (v *visit) fold(ctx context.Context, tx *store.Tx, state *store.DeviceState, positions []drover.Position) (folded, error) {
	var f folded
	load := func(span trip.Span) ([]trip.Known, error) {
		return v.loadPositions(ctx, tx, state.DeviceID, span)
	}
	err := f.state.UnmarshalBinary(state.TripState)
	if errors.Is(err, trip.ErrVersion) {
		return v.refold(ctx, tx, state.DeviceID, load)
	}
	if err != nil {
		return f, fmt.Errorf("read the trip state: %w", err)
	}
	if len(state.TripState) == 0 && state.Latest != nil {
		// Nothing was folded so far: it goes on from the newest position.
		f.state.Add(*state.Latest)
	}
	f.outcome, err = f.state.Absorb(positions, load)
	return f, err
}

// refold folds all positions that are kept of a device.
func (v *visit) refold(ctx context.Context, tx *store.Tx, deviceID string, load trip.Loader) (folded, error) {
	// Trips stay when their positions go.
	oldest, err := v.oldest(ctx, tx)
	if err != nil {
		return folded{}, err
	}
	newest := drover.At(v.Now().Add(trip.FutureTolerance))
	first, err := tx.Positions(ctx, store.PositionRange{
		TenantID: v.claim.TenantID, DeviceID: deviceID, From: drover.Milli(max(0, oldest.UnixMilli())), To: newest, Limit: 1,
	})
	if err != nil || len(first) == 0 {
		return folded{rebuilt: true}, err
	}
	state, revision, err := trip.Rebuild(first[0].Time, newest, load)
	return folded{state, trip.Outcome{Revised: []trip.Revision{revision}, Marks: revision.Marks}, true}, err
}

// loadPositions reads what the fold is over: all positions but those that are
// suspect by themselves.
func (v *visit) loadPositions(ctx context.Context, tx *store.Tx, deviceID string, span trip.Span) ([]trip.Known, error) {
	stored, err := tx.Positions(ctx, store.PositionRange{TenantID: v.claim.TenantID, DeviceID: deviceID, From: span.From, To: span.To, WithSuspect: true})
	known := make([]trip.Known, 0, len(stored))
	for _, p := range stored {
		if jump := p.Suspect == string(trip.Jump); jump || p.Suspect == "" {
			known = append(known, trip.Known{Position: p.Position, Jump: jump})
		}
	}
	return known, err
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
	v.schedule(state, fold)
	return w.events, nil
}

// dueTrips bounds the trips that one transaction ends.
const dueTrips = 200

// schedule notes when to look whether silence has ended the trip under way. A time
// that has yet to come is left alone though positions have come since: looking too
// early costs less than an index entry that moves with each position.
func (v *visit) schedule(state *store.DeviceState, fold *trip.State) {
	due, open := fold.Deadline()
	switch {
	case !open:
		state.TripDue = nil
	case state.TripDue == nil, !state.TripDue.After(v.Now()), due.Before(state.TripDue.Time):
		state.TripDue = &due
	}
}

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
		b, events, err := v.follow(ctx, tx, state, nil, false)
		if err != nil {
			return nil, err
		}
		return events, tx.MarkPositions(ctx, v.claim.TenantID, b.marks)
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
