package collect

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trip"
)

// fromDerived is a derived trip without its id, not yet judged.
func fromDerived(d trip.Derived) drover.Trip {
	return newTrip(d.SystemTripID, d.Facts())
}

// fromVendor is a vendor's trip without its id, not yet judged.
func fromVendor(r provider.Trip) drover.Trip {
	return newTrip(r.SystemTripID, trip.Facts{
		Start: r.Start, End: r.End, StartTime: r.StartTime, EndTime: r.EndTime, DistanceMetres: r.DistanceMetres,
		DrivingSeconds: r.DrivingSeconds, IdlingSeconds: r.IdlingSeconds, AuxiliarySeconds: r.AuxiliarySeconds,
	})
}

func newTrip(systemID string, f trip.Facts) drover.Trip {
	t := drover.Trip{
		SystemTripID: systemID, StartTime: f.StartTime, EndTime: f.EndTime, DurationSeconds: f.EndTime.Sub(f.StartTime.Time).Seconds(),
		DistanceMetres: f.DistanceMetres, DrivingSeconds: f.DrivingSeconds, IdlingSeconds: f.IdlingSeconds, AuxiliarySeconds: f.AuxiliarySeconds,
	}
	if f.Start != nil {
		t.StartLatitude, t.StartLongitude = &f.Start.Latitude, &f.Start.Longitude
	}
	if f.End != nil {
		t.EndLatitude, t.EndLongitude = &f.End.Latitude, &f.End.Longitude
	}
	return t
}

// facts are what the catalogue judges of a stored trip.
func facts(t drover.Trip) trip.Facts {
	f := trip.Facts{
		StartTime: t.StartTime, EndTime: t.EndTime, DistanceMetres: t.DistanceMetres,
		DrivingSeconds: t.DrivingSeconds, IdlingSeconds: t.IdlingSeconds, AuxiliarySeconds: t.AuxiliarySeconds,
	}
	if t.StartLatitude != nil && t.StartLongitude != nil {
		f.Start = &drover.Coordinate{Latitude: *t.StartLatitude, Longitude: *t.StartLongitude}
	}
	if t.EndLatitude != nil && t.EndLongitude != nil {
		f.End = &drover.Coordinate{Latitude: *t.EndLatitude, Longitude: *t.EndLongitude}
	}
	return f
}

// put adds a trip, or changes the stored one of the same name.
func (w *tripWriter) put(ctx context.Context, t drover.Trip) error {
	stored, err := w.tx.TripsNamed(ctx, w.claim.TenantID, w.state.DeviceID, []string{t.SystemTripID})
	if err != nil {
		return err
	}
	if len(stored) > 0 {
		return w.change(ctx, stored[0], t)
	}
	return w.add(ctx, t)
}

func (w *tripWriter) add(ctx context.Context, t drover.Trip) error {
	t.ID, t.DeviceID = store.NewID(), w.state.DeviceID
	added := store.Trip{Trip: t, Access: store.Access{TenantID: w.claim.TenantID}, ConnectionID: w.claim.ConnectionID, Told: !w.silent}
	neighbours, err := w.neighbours(ctx, added)
	if err != nil {
		return err
	}
	w.judge(&added.Trip, neighbours)
	if err := w.tx.AddTrip(ctx, added); err != nil {
		return err
	}
	w.learn(added.Trip)
	if err := w.tell(drover.EventTripCompleted, added); err != nil {
		return err
	}
	return w.rejudge(ctx, neighbours)
}

// change revises a stored trip under its id.
func (w *tripWriter) change(ctx context.Context, before store.Trip, t drover.Trip) error {
	t.ID, t.DeviceID = before.ID, before.DeviceID
	after := before
	after.Trip = t
	old, err := w.neighbours(ctx, before)
	if err != nil {
		return err
	}
	neighbours, err := w.neighbours(ctx, after)
	if err != nil {
		return err
	}
	w.judge(&after.Trip, neighbours)
	if drover.SameTrip(before.Trip, after.Trip) {
		return nil
	}
	if err := w.set(ctx, before, after); err != nil {
		return err
	}
	return w.rejudge(ctx, append(old, neighbours...))
}

// drop deletes a trip that late positions have shown to be none.
func (w *tripWriter) drop(ctx context.Context, t store.Trip) error {
	neighbours, err := w.neighbours(ctx, t)
	if err != nil {
		return err
	}
	if err := w.tx.DropTrip(ctx, t); err != nil {
		return err
	}
	return w.rejudge(ctx, neighbours)
}

// tellGone tells the last of a trip that was dropped, under the id by which it is
// known, once it is clear which trip has taken its place.
func (w *tripWriter) tellGone(ctx context.Context, t store.Trip) error {
	heirs, err := w.neighbours(ctx, t)
	if err != nil {
		return err
	}
	t.IsValid, t.ValidationComments = false, trip.Comments([]trip.Fault{trip.NoMore(successor(t, heirs))})
	return w.tell(drover.EventTripUpdated, t)
}

// successor is the id of the trip that shares the most time with one that is no
// more; empty where none does.
func successor(gone store.Trip, heirs []store.Trip) string {
	var id string
	var most int64
	for _, h := range heirs {
		from := max(gone.StartTime.UnixMilli(), h.StartTime.UnixMilli())
		to := min(gone.EndTime.UnixMilli(), h.EndTime.UnixMilli())
		if to-from > most {
			id, most = h.ID, to-from
		}
	}
	return id
}

// revise turns the stored trips of a span into the revised ones.
func (w *tripWriter) revise(ctx context.Context, r trip.Revision) error {
	stored, err := w.tx.TripsStarting(ctx, w.claim.TenantID, w.state.DeviceID, r.Span.From, r.Span.To)
	if err != nil {
		return err
	}
	before := make([]trip.Derived, len(stored))
	for i, t := range stored {
		before[i] = derived(t.Trip)
	}
	changes := r.Diff(before)
	for _, i := range changes.Remove {
		if err := w.drop(ctx, stored[i]); err != nil {
			return err
		}
	}
	for _, pair := range changes.Revise {
		if err := w.change(ctx, stored[pair.Old], fromDerived(r.Trips[pair.New])); err != nil {
			return err
		}
	}
	for _, i := range changes.Add {
		if err := w.add(ctx, fromDerived(r.Trips[i])); err != nil {
			return err
		}
	}
	for _, i := range changes.Remove {
		if err := w.tellGone(ctx, stored[i]); err != nil {
			return err
		}
	}
	return nil
}

// derived is a stored trip in the form of the fold.
func derived(t drover.Trip) trip.Derived {
	f := facts(t)
	d := trip.Derived{
		SystemTripID: t.SystemTripID, StartTime: t.StartTime, EndTime: t.EndTime,
		IdlingSeconds: t.IdlingSeconds, AuxiliarySeconds: t.AuxiliarySeconds,
	}
	if f.Start != nil {
		d.Start = *f.Start
	}
	if f.End != nil {
		d.End = *f.End
	}
	if t.DistanceMetres != nil {
		d.DistanceMetres = *t.DistanceMetres
	}
	if t.DrivingSeconds != nil {
		d.DrivingSeconds = *t.DrivingSeconds
	}
	return d
}

// neighbours are the device's other trips that share time with t.
func (w *tripWriter) neighbours(ctx context.Context, t store.Trip) ([]store.Trip, error) {
	stored, err := w.tx.TripsOverlapping(ctx, w.claim.TenantID, w.state.DeviceID, t.StartTime, t.EndTime)
	others := stored[:0]
	for _, other := range stored {
		if other.ID != t.ID {
			others = append(others, other)
		}
	}
	return others, err
}

func (w *tripWriter) judge(t *drover.Trip, neighbours []store.Trip) {
	spans := make([]trip.Span, len(neighbours))
	for i, n := range neighbours {
		spans[i] = trip.Span{From: n.StartTime, To: n.EndTime}
	}
	faults := trip.Check(facts(*t), w.Now(), spans)
	t.IsValid, t.ValidationComments = len(faults) == 0, trip.Comments(faults)
}

// rejudge looks again at trips whose neighbour has changed: an overlap concerns
// both.
func (w *tripWriter) rejudge(ctx context.Context, trips []store.Trip) error {
	seen := map[string]bool{}
	for _, t := range trips {
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		neighbours, err := w.neighbours(ctx, t)
		if err != nil {
			return err
		}
		after := t
		w.judge(&after.Trip, neighbours)
		if drover.SameTrip(t.Trip, after.Trip) {
			continue
		}
		if err := w.set(ctx, t, after); err != nil {
			return err
		}
	}
	return nil
}

// set stores a trip that has changed and tells of it.
func (w *tripWriter) set(ctx context.Context, before, after store.Trip) error {
	after.Told = before.Told || !w.silent
	if err := w.tx.SetTrip(ctx, before, after); err != nil {
		return err
	}
	return w.tell(drover.EventTripUpdated, after)
}

// tell gathers an event, where anybody is to be told: also by history, where it
// changes what was told before.
func (w *tripWriter) tell(typ drover.EventType, t store.Trip) error {
	if w.silent && !t.Told {
		return nil
	}
	e, err := store.NewEvent(typ, w.now(), t.Trip)
	e.DeviceID = &w.state.DeviceID
	w.events = append(w.events, e)
	return err
}
