package collect_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// choose sets where the trips of a connection come from.
func (r *rig) choose(conn drover.Connection, trips drover.TripSource) {
	r.t.Helper()
	update := drover.ConnectionUpdate{Configuration: drover.Some(drover.ConfigurationUpdate{Trips: drover.Some(trips)})}
	if _, err := r.fleet.Connections.UpdateConnection(r.t.Context(), r.principal, conn.ID, update); err != nil {
		r.t.Fatal(err)
	}
}

// TestTripsFromElsewhere chooses derived trips for a vendor that reports its own, and
// then the vendor's again. The same trip keeps its id, and nothing is there twice.
func TestTripsFromElsewhere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-10 * time.Hour)
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		s, conn := r.stub("choice", begin.Add(-time.Hour), []string{"a"}, native)
		asked := 0
		reported := []provider.Trip{{SystemDeviceID: "a", SystemTripID: "1", StartTime: minute(1), EndTime: minute(28)}}
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			page := provider.Page[provider.Trip]{Cursor: "x"}
			if q.Live() {
				page.Records, asked = reported, asked+1
			}
			return page, nil
		}
		all := append(driven(begin, 0, 30), idled(begin, 30, 330, true)...)
		all = append(append(all, idled(begin, 330, 360, false)...), driven(begin, 360, 390)...)
		s.next(all...)
		r.run()
		r.pass(5 * time.Minute)
		before := r.trips(drover.TripFilter{})
		if len(before) != 1 || before[0].SystemTripID != "1" {
			t.Fatalf("the vendor's trips are %+v", before)
		}

		r.choose(conn, drover.TripsDerived)
		asked = 0
		if _, err := r.fleet.Trips.Recompute(t.Context(), r.principal,
			drover.RecomputeInput{From: drover.At(begin.Add(-time.Hour)), To: drover.At(noon.Add(time.Hour)), ConnectionID: &conn.ID}); err != nil {
			t.Fatal(err)
		}
		jobs := track.NewRecomputer(r.store, r.options.Tracker,
			func(context.Context, *store.Tx, string) (time.Time, error) { return time.Time{}, nil }, slog.New(slog.DiscardHandler))
		if err := jobs.RunDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.pass(20 * time.Minute)
		derived := r.trips(drover.TripFilter{})
		if asked != 0 {
			t.Errorf("the vendor was asked %d times for trips that are not wanted", asked)
		}
		if len(derived) != 2 || derived[0].ID != before[0].ID || !strings.HasPrefix(derived[0].SystemTripID, "derived-") ||
			!derived[0].IsValid || !derived[1].IsValid {
			t.Fatalf("the derived trips are %+v, want two, the first with the id %s", derived, before[0].ID)
		}
		r.checkStory(r.devices(conn)["a"].ID, derived)
		r.checkRollups()

		reported = append(reported, provider.Trip{SystemDeviceID: "a", SystemTripID: "2", StartTime: minute(359), EndTime: minute(391)})
		r.choose(conn, drover.TripsNative)
		r.pass(5 * time.Minute)
		after := r.trips(drover.TripFilter{})
		if len(after) != 2 || after[0].ID != derived[0].ID || after[1].ID != derived[1].ID || after[0].SystemTripID != "1" ||
			after[1].SystemTripID != "2" {
			t.Fatalf("the vendor's trips are %+v, want the ids of %+v", after, derived)
		}
		r.checkStory(r.devices(conn)["a"].ID, after)
		r.checkRollups()
	})
}

// TestTripsThatNoOneReports cannot be chosen.
func TestTripsThatNoOneReports(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		_, conn := r.stub("without", noon, []string{"a"})
		update := drover.ConnectionUpdate{Configuration: drover.Some(drover.ConfigurationUpdate{Trips: drover.Some(drover.TripsNative)})}
		_, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, update)
		if err == nil || !strings.Contains(err.Error(), "Stub reports no trips to this connection") {
			t.Errorf("the error is %v", err)
		}
		update.Credentials = drover.Some(map[string]string{"stub": "without", "trips": "yes"})
		if c, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, update); err != nil ||
			c.Configuration.Trips != drover.TripsNative {
			t.Errorf("with the credential: %+v, %v", c.Configuration, err)
		}
	})
}
