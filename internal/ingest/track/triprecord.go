package track

import (
	"context"
	"encoding/json"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// found is a trip that was reported or derived, without its id and not yet judged, and
// the rules' account of it where it was derived.
type found struct {
	drover.Trip
	why    *string
	driver *string
	// unnamed says that the vendor does not name the driver, but positions may.
	unnamed bool
	// named says that positions have.
	named bool
}

func fromDerived(d trip.Derived) found {
	text, _ := json.Marshal(d.Why) //nolint:errchkjson // plain values always marshal
	return found{newTrip(d.SystemTripID, d.Facts()), new(string(text)), d.DriverID, false, false}
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
func (d *device) put(ctx context.Context, t found) error {
	stored, others, err := d.tx.Trips.TripNamed(ctx, d.source.TenantID, d.state.DeviceID, t.SystemTripID, t.StartTime, t.EndTime)
	if err != nil {
		return err
	}
	if t.unnamed {
		if err := d.nameDriver(ctx, &t, stored); err != nil {
			return err
		}
	}
	if stored != nil {
		return d.changeAmong(ctx, *stored, t, others)
	}
	return d.addAmong(ctx, t, others)
}

// add adds a trip.
func (d *device) add(ctx context.Context, t found) error {
	neighbours, err := d.neighbours(ctx, store.Trip{Trip: t.Trip})
	if err != nil {
		return err
	}
	return d.addAmong(ctx, t, neighbours)
}

// addAmong adds a trip to those that it shares time with.
func (d *device) addAmong(ctx context.Context, t found, neighbours []store.Trip) error {
	t.ID, t.DeviceID = store.NewID(), d.state.DeviceID
	added := store.Trip{
		Trip: t.Trip, Why: t.why, DriverID: t.driver, DriverByPositions: t.named,
		Access: store.Access{TenantID: d.source.TenantID}, ConnectionID: d.source.ConnectionID, Announced: !d.silent,
	}
	if done, err := d.exchange(ctx, t, neighbours); done || err != nil {
		return err
	}
	d.judge(&added, neighbours)
	d.added++
	if err := d.tx.Trips.AddTrip(ctx, added); err != nil {
		return err
	}
	d.touch(t.StartTime, t.EndTime)
	d.learn(added.Trip)
	if err := d.learnTrip(ctx, added.Trip); err != nil {
		return err
	}
	if err := d.notify(drover.EventTripCompleted, added); err != nil {
		return err
	}
	return d.rejudge(ctx, neighbours)
}

// change revises a stored trip under its id.
func (d *device) change(ctx context.Context, before store.Trip, t found) error {
	t.ID = before.ID
	neighbours, err := d.neighbours(ctx, store.Trip{Trip: t.Trip})
	if err != nil {
		return err
	}
	return d.changeAmong(ctx, before, t, neighbours)
}

// changeAmong revises a stored trip, which then shares time with neighbours.
func (d *device) changeAmong(ctx context.Context, before store.Trip, t found, neighbours []store.Trip) error {
	t.ID, t.DeviceID = before.ID, before.DeviceID
	after := before
	after.Trip, after.Why, after.DriverID, after.DriverByPositions, after.Parts = t.Trip, t.why, t.driver, t.named, nil
	d.judge(&after, neighbours)
	if drover.SameTrip(before.Trip, after.Trip) {
		return d.explain(ctx, before, after)
	}
	if err := d.set(ctx, before, after); err != nil {
		return err
	}
	d.touch(before.StartTime, before.EndTime)
	d.touch(after.StartTime, after.EndTime)
	if err := d.learnTrip(ctx, after.Trip); err != nil {
		return err
	}
	if before.StartTime.Equal(after.StartTime.Time) && before.EndTime.Equal(after.EndTime.Time) {
		return d.rejudge(ctx, neighbours)
	}
	old, err := d.neighbours(ctx, before)
	if err != nil {
		return err
	}
	return d.rejudge(ctx, append(old, neighbours...))
}

// explain stores another account of a trip that is the same, or another driver: neither
// is in the events about it.
func (d *device) explain(ctx context.Context, before, after store.Trip) error {
	if after.Why == nil {
		after.Why = before.Why
	}
	if same(before.Why, after.Why) && same(before.DriverID, after.DriverID) && before.DriverByPositions == after.DriverByPositions {
		return nil
	}
	after.Parts = before.Parts
	return d.tx.Trips.SetTrip(ctx, before, after)
}

// drop deletes a trip that late positions have shown to be none.
func (d *device) drop(ctx context.Context, t store.Trip) error {
	neighbours, err := d.neighbours(ctx, t)
	if err != nil {
		return err
	}
	d.removed++
	if err := d.tx.Trips.DropTrip(ctx, t); err != nil {
		return err
	}
	if err := d.tx.History.DropJourney(ctx, d.source.TenantID, d.state.DeviceID, history.TripJourney, t.StartTime); err != nil {
		return err
	}
	d.touch(t.StartTime, t.EndTime)
	return d.rejudge(ctx, neighbours)
}

// notifyDissolved notifies a last time of a trip that was dropped, under the id by which it is
// known, once it is clear which trip has taken its place.
func (d *device) notifyDissolved(ctx context.Context, t store.Trip) error {
	neighbours, err := d.neighbours(ctx, t)
	if err != nil {
		return err
	}
	t.IsValid, t.ValidationComments = false, trip.Comments([]trip.Fault{trip.DissolvedInto(successor(t, neighbours))})
	return d.notify(drover.EventTripUpdated, t)
}

// successor is the id of the trip that shares the most time with one that was
// dissolved; empty where none does.
func successor(gone store.Trip, neighbours []store.Trip) string {
	var id string
	var most int64
	for _, n := range neighbours {
		from := max(gone.StartTime.UnixMilli(), n.StartTime.UnixMilli())
		to := min(gone.EndTime.UnixMilli(), n.EndTime.UnixMilli())
		if to-from > most {
			id, most = n.ID, to-from
		}
	}
	return id
}

// revise turns the stored trips of a span into the revised ones. One that reaches into
// the span was derived by other rules: then all of it is derived again.
func (d *device) revise(ctx context.Context, r trip.Revision) error {
	if _, over, err := d.within(ctx, r.Span.From); err != nil || over {
		if err != nil {
			return err
		}
		_, err = d.recompute(ctx, r.Span)
		return err
	}
	return d.replace(ctx, r)
}

// replace turns the stored trips of a span into the revised ones.
func (d *device) replace(ctx context.Context, r trip.Revision) error {
	stored, err := d.tx.Trips.TripsStarting(ctx, d.source.TenantID, d.state.DeviceID, r.Span.From, r.Span.To)
	if err != nil {
		return err
	}
	before := make([]trip.Derived, len(stored))
	for i, t := range stored {
		before[i] = derived(t)
	}
	if err := d.findDrivers(ctx, r.Trips); err != nil {
		return err
	}
	changes := r.Diff(before)
	if changes.Remove, err = d.removable(ctx, stored, changes.Remove); err != nil {
		return err
	}
	for _, i := range changes.Remove {
		if err := d.drop(ctx, stored[i]); err != nil {
			return err
		}
	}
	for _, pair := range changes.Revise {
		if err := d.change(ctx, stored[pair.Old], fromDerived(r.Trips[pair.New])); err != nil {
			return err
		}
	}
	for _, i := range changes.Add {
		if err := d.add(ctx, fromDerived(r.Trips[i])); err != nil {
			return err
		}
	}
	for _, i := range changes.Remove {
		if err := d.notifyDissolved(ctx, stored[i]); err != nil {
			return err
		}
	}
	return nil
}

// removable are the trips that are removed: where only those are that positions speak
// against, the others stay.
func (d *device) removable(ctx context.Context, stored []store.Trip, remove []int) ([]int, error) {
	if !d.sparing {
		return remove, nil
	}
	out := remove[:0]
	for _, i := range remove {
		bare, err := d.bare(ctx, stored[i])
		if err != nil {
			return nil, err
		}
		if !bare {
			out = append(out, i)
		}
	}
	return out, nil
}

// derived is a stored trip in the form of the fold.
func derived(t store.Trip) trip.Derived {
	f := facts(t.Trip)
	out := trip.Derived{
		SystemTripID: t.SystemTripID, StartTime: t.StartTime, EndTime: t.EndTime,
		IdlingSeconds: t.IdlingSeconds, AuxiliarySeconds: t.AuxiliarySeconds, DriverID: t.DriverID,
	}
	if f.Start != nil {
		out.Start = *f.Start
	}
	if f.End != nil {
		out.End = *f.End
	}
	if t.DistanceMetres != nil {
		out.DistanceMetres = *t.DistanceMetres
	}
	if t.DrivingSeconds != nil {
		out.DrivingSeconds = *t.DrivingSeconds
	}
	if t.Why != nil {
		// One that cannot be read is replaced by the next.
		_ = json.Unmarshal([]byte(*t.Why), &out.Why)
	}
	return out
}

// neighbours are the device's other trips that share time with t.
func (d *device) neighbours(ctx context.Context, t store.Trip) ([]store.Trip, error) {
	stored, err := d.tx.Trips.TripsOverlapping(ctx, d.source.TenantID, d.state.DeviceID, t.StartTime, t.EndTime)
	others := stored[:0]
	for _, other := range stored {
		if other.ID != t.ID {
			others = append(others, other)
		}
	}
	return others, err
}

// judge says whether a trip is valid: by a person's word where there is one, and by
// the rules.
func (d *device) judge(t *store.Trip, neighbours []store.Trip) {
	if t.Valid != nil {
		t.IsValid, t.ValidationComments = *t.Valid, t.Comment
		return
	}
	spans := make([]trip.Span, len(neighbours))
	for i, n := range neighbours {
		spans[i] = trip.Span{From: n.StartTime, To: n.EndTime}
	}
	faults := trip.Check(facts(t.Trip), d.tracker.Now(), spans)
	t.IsValid, t.ValidationComments = len(faults) == 0, trip.Comments(faults)
}

// rejudge looks again at trips whose neighbour has changed: an overlap concerns
// both.
func (d *device) rejudge(ctx context.Context, trips []store.Trip) error {
	seen := map[string]bool{}
	for _, t := range trips {
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		neighbours, err := d.neighbours(ctx, t)
		if err != nil {
			return err
		}
		after := t
		d.judge(&after, neighbours)
		if drover.SameTrip(t.Trip, after.Trip) {
			continue
		}
		if err := d.set(ctx, t, after); err != nil {
			return err
		}
	}
	return nil
}

// set stores a trip that has changed and notifies of it.
func (d *device) set(ctx context.Context, before, after store.Trip) error {
	after.Announced = before.Announced || !d.silent
	d.changed++
	d.touchDays(before.StartTime, before.EndTime)
	d.touchDays(after.StartTime, after.EndTime)
	if err := d.tx.Trips.SetTrip(ctx, before, after); err != nil {
		return err
	}
	return d.notify(drover.EventTripUpdated, after)
}

// notify gathers an event, where anyone is to be notified: also by history, where it
// changes what was announced before.
func (d *device) notify(typ drover.EventType, t store.Trip) error {
	if d.silent && !t.Announced {
		return nil
	}
	e, err := drover.NewEvent(typ, d.now(), drover.TripData{Trip: t.Trip, ConnectionID: d.source.ConnectionID})
	d.events = append(d.events, e)
	return err
}
