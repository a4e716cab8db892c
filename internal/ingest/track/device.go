package track

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// device is one device within one transaction: it folds its positions, stores its
// trips and gathers the events about them.
type device struct {
	tracker *Tracker
	tx      *store.Tx
	source  Source
	state   *store.DeviceState
	rules   trip.Rules
	profile arrival.Profile
	silent  bool
	events  []drover.Event
	// touched is the time whose stops are to be found again; nil for none.
	touched *trip.Span
	// open is the stored open stop, once that was read; nil where there is none.
	open *drover.Stop
	// turned says that the open stop is to be found again: a trip began or ended.
	turned bool
	// begun is when the first trip began that new positions have completed, where the
	// vendor reports the trips; nil where there is none. scattered says that a trip which
	// seemed to be under way was none.
	begun     *drover.Time
	scattered bool
	// days is the time whose days are to be summed up again; nil for none.
	days *trip.Span
	// stopped is when the vendor may know of the end of a trip that new positions show; zero
	// where they show none.
	stopped drover.Time
	zone    calendar.Zone
	// drove is what the drivers of the trips at hand were found by.
	drove []stretch
	// stood is what the stop that was found last was seen by.
	stood stretch
	// oldest is from when on positions are kept, where that was asked for.
	oldest drover.Time
	// sparing keeps trips of a time of which no position is kept.
	sparing bool
	// added, changed and removed count trips.
	added, changed, removed int
}

func (t *Tracker) device(tx *store.Tx, from Source, state *store.DeviceState, silent bool) *device {
	d := &device{tracker: t, tx: tx, source: from, state: state, rules: from.rules(state.DeviceID), zone: from.zone(), silent: silent}
	if len(state.Profile) > 0 {
		// A profile that cannot be read is learned again.
		_ = json.Unmarshal(state.Profile, &d.profile)
	}
	return d
}

func (d *device) now() drover.Time { return drover.At(d.tracker.Now()) }

// folded is the fold of a device's positions and what new ones brought about.
type folded struct {
	state   trip.State
	outcome trip.Outcome
	// rebuilt says that the rule has changed, and all was derived again.
	rebuilt bool
}

// fold folds new positions.
func (d *device) fold(ctx context.Context, positions []drover.Position) (folded, error) {
	var f folded
	f.state.Use(d.rules)
	load := func(span trip.Span) ([]trip.Known, error) { return d.positions(ctx, span) }
	err := f.state.UnmarshalBinary(d.state.TripState)
	if errors.Is(err, trip.ErrVersion) {
		return d.refold(ctx, load)
	}
	if err != nil {
		return f, fmt.Errorf("read the trip state: %w", err)
	}
	if len(d.state.TripState) == 0 && d.state.Latest != nil {
		// Nothing was folded so far: it goes on from the newest position.
		f.state.Add(*d.state.Latest)
	}
	before := f.state
	f.outcome, err = f.state.Absorb(positions, load)
	d.turn(&before, &f)
	return f, err
}

// turn notes what new positions change about whether the device stands.
func (d *device) turn(before *trip.State, f *folded) {
	began, was := before.Began()
	begins, is := f.state.Began()
	completed := f.outcome.Completed
	d.turned = d.turned || d.state.Latest == nil || was != is || is && !began.Equal(begins.Time) || len(completed) > 0
	if f.outcome.Moved {
		d.touch(d.now(), d.now())
	}
	d.scattered = was && !is && len(completed) == 0
	if len(completed) > 0 {
		d.begun = &completed[0].StartTime
	}
}

// refold folds all positions that are kept.
func (d *device) refold(ctx context.Context, load trip.Loader) (folded, error) {
	d.turned = true
	// Trips stay when their positions go.
	oldest, err := d.source.Oldest(ctx, d.tx)
	if err != nil {
		return folded{}, err
	}
	newest := drover.At(d.tracker.Now().Add(trip.FutureTolerance))
	first, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, oldest.UnixMilli())), To: newest, Limit: 1,
	})
	if err != nil || len(first) == 0 {
		return folded{rebuilt: true}, err
	}
	state, revision, err := trip.Rebuild(d.rules, first[0].Time, newest, load)
	return folded{state, trip.Outcome{Revised: []trip.Revision{revision}, Marks: revision.Marks}, true}, err
}

// positions reads what the fold is over: all positions but those that are suspect
// by themselves.
func (d *device) positions(ctx context.Context, span trip.Span) ([]trip.Known, error) {
	stored, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: span.From, To: span.To, WithSuspect: true,
	})
	known := make([]trip.Known, 0, len(stored))
	for _, p := range stored {
		if jump := p.Suspect == string(trip.Jump); jump || p.Suspect == "" {
			known = append(known, trip.Known{Position: p.Position, Jump: jump})
		}
	}
	return known, err
}

// apply stores what a fold brought about, and the fold.
func (d *device) apply(ctx context.Context, fold *trip.State, outcome trip.Outcome) error {
	for _, revision := range outcome.Revised {
		d.touch(revision.Span.From, revision.Span.To)
		if err := d.revise(ctx, revision); err != nil {
			return err
		}
	}
	if err := d.findDrivers(ctx, outcome.Completed); err != nil {
		return err
	}
	for _, t := range outcome.Completed {
		if err := d.put(ctx, fromDerived(t)); err != nil {
			return err
		}
	}
	var err error
	if d.state.TripState, err = fold.MarshalBinary(); err != nil {
		return fmt.Errorf("write the trip state: %w", err)
	}
	d.schedule(fold)
	return nil
}

// schedule notes when to look whether silence has ended the trip under way. A time
// that has yet to come is left alone though positions have come since: looking too
// early costs less than an index entry that moves with each position.
func (d *device) schedule(fold *trip.State) {
	due, open := fold.Deadline()
	switch {
	case !open:
		d.state.TripDue = nil
	case d.state.TripDue == nil, !d.state.TripDue.After(d.tracker.Now()), due.Before(d.state.TripDue.Time):
		d.state.TripDue = &due
	}
}

// learn adds a valid trip to what is known of the device's pace.
func (d *device) learn(t drover.Trip) {
	if !t.IsValid {
		return
	}
	learned := d.profile.Learn(t)
	if learned == d.profile {
		return
	}
	d.profile = learned
	d.state.Profile, _ = json.Marshal(learned) // plain numbers always marshal
}
