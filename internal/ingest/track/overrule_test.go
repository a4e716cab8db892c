package track_test

import (
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOverruledTripStaysSo lets a person say that a trip is not valid: neither a
// recomputation by other rules nor a later position changes that, until the person
// takes it back.
func TestOverruledTripStaysSo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 3)
		r.absorb(false, week(2)...)
		ctx := r.t.Context()
		trips := func() []drover.Trip {
			r.t.Helper()
			list, err := r.store.Trips.Trips(ctx, r.m.TenantID, drover.TripFilter{}, nil, 100)
			if err != nil {
				r.t.Fatal(err)
			}
			return list
		}
		first := trips()[0]
		if !first.IsValid {
			r.t.Fatalf("the rules take the trip for invalid: %s", *first.ValidationComments)
		}
		stored, err := r.store.Trips.Trip(ctx, r.m.TenantID, first.ID)
		if err != nil {
			r.t.Fatal(err)
		}
		say := func(valid *bool, comment *string) {
			r.t.Helper()
			r.update(func(tx *store.Tx) error {
				source := track.Source{TenantID: r.m.TenantID, ConnectionID: stored.ConnectionID}
				_, _, err := r.tracker.Overrule(ctx, tx, source, first.DeviceID, first.ID, func(drover.Trip, store.Judgement) (store.Judgement, error) {
					return store.Judgement{Valid: valid, Comment: comment}, nil
				})
				return err
			})
		}
		expect := func(when string, valid bool) {
			r.t.Helper()
			for _, got := range trips() {
				if got.ID == first.ID {
					if got.IsValid != valid || !valid && (got.ValidationComments == nil || *got.ValidationComments != "private") {
						r.t.Errorf("%s: %+v", when, got)
					}
					return
				}
			}
			r.t.Errorf("%s: the trip is gone", when)
		}
		say(new(false), new("private"))
		expect("said", false)
		r.set(drover.TripRules{StopSeconds: new(420), MinDistanceMetres: new(20.0)})
		r.ask(epoch.AddDate(0, 0, -30), epoch.AddDate(0, 0, 20))
		if err := r.recomputer().RunDue(ctx); err != nil {
			r.t.Fatal(err)
		}
		expect("derived again", false)
		say(nil, nil)
		expect("taken back", true)
	})
}
