package collect_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// straight is a vehicle that drives 72 km/h to the east, with a fix every 30
// seconds, as a vendor reports it whose speeds are in another unit.
func straight(device string, from time.Time, n int, unit float64) []provider.Position {
	records := make([]provider.Position, n)
	for i := range records {
		place := geo.Destination(drover.Coordinate{Latitude: 48, Longitude: 11}, 90, 600*float64(i))
		p := at(device, from.Add(time.Duration(i)*30*time.Second), place.Latitude, place.Longitude)
		p.SpeedKPH, p.OdometerMetres = new(72/unit), new(1000+600*float64(i))
		records[i] = p
	}
	return records
}

// TestDoubtfulUnit lets a vendor report knots as km/h: the connection becomes
// doubtful, says why and what would mend it, and is trusted again once that is set.
func TestDoubtfulUnit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("knots", noon.Add(-time.Hour), []string{"a"})
		s.next(straight("a", noon.Add(-50*time.Minute), 60, 1.852)...)
		r.run()
		events := r.events(drover.EventConnectionDoubtful)
		if len(events) != 1 {
			t.Fatalf("%d events of doubt", len(events))
		}
		doubt := decode[drover.ConnectionDoubt](t, events[0])
		if doubt.ID != conn.ID || doubt.Reason == nil || len(doubt.Checks) != 1 || doubt.Checks[0] != drover.CheckSpeed {
			t.Errorf("the event says %+v", doubt)
		}
		q := r.quality(conn)
		if q.Verdict != drover.VerdictDoubtful || q.Checks[0].Suggestion == nil || *q.Checks[0].Suggestion != "speed=knots" {
			t.Errorf("the health says %+v", q)
		}

		units := drover.ConnectionUpdate{Configuration: drover.Some(drover.ConfigurationUpdate{Units: drover.Some(drover.Units{Speed: new("knots")})})}
		if _, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, units); err != nil {
			t.Fatal(err)
		}
		s.next(straight("a", noon, 80, 1.852)...)
		r.pass(5 * time.Minute)
		stored := r.positions(r.devices(conn)["a"].ID)
		if last := stored[len(stored)-1]; math.Abs(*last.SpeedKPH-72) > 0.01 {
			t.Errorf("72 km/h in knots are stored as %v km/h", *last.SpeedKPH)
		}
		if n := len(r.events(drover.EventConnectionTrusted)); n != 1 {
			t.Errorf("%d events of trust", n)
		}
		if q := r.quality(conn); q.Verdict == drover.VerdictDoubtful {
			t.Errorf("it is still doubtful: %s", *q.Reason)
		}
	})
}

// TestUnitsAreAppliedToTripsAndPlaces reads distances in miles, times of another
// zone and exchanged coordinates.
func TestUnitsAreAppliedToTripsAndPlaces(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("own", noon.Add(-time.Hour), []string{"a"}, native)
		units := drover.Units{Odometer: new("km"), TripDistance: new("miles"), TimeOffsetMinutes: new(600), Coordinates: new("lon_lat")}
		update := drover.ConnectionUpdate{Configuration: drover.Some(drover.ConfigurationUpdate{Units: drover.Some(units)})}
		if _, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, update); err != nil {
			t.Fatal(err)
		}
		fix := at("a", noon.Add(10*time.Hour-time.Minute), 11, 48)
		fix.OdometerMetres = new(12.0)
		s.next(fix)
		s.tripsNext(provider.Trip{
			SystemDeviceID: "a", SystemTripID: "1", Start: &drover.Coordinate{Latitude: 11, Longitude: 48},
			End:       &drover.Coordinate{Latitude: 11.1, Longitude: 48},
			StartTime: drover.At(noon.Add(10*time.Hour - 30*time.Minute)), EndTime: drover.At(noon.Add(10*time.Hour - 10*time.Minute)),
			DistanceMetres: new(10.0),
		})
		r.run()
		p := r.positions(r.devices(conn)["a"].ID)
		if len(p) != 1 || p[0].Latitude != 48 || p[0].Longitude != 11 || *p[0].OdometerMetres != 12_000 ||
			!p[0].Time.Equal(noon.Add(-time.Minute)) {
			t.Errorf("stored is %+v", p)
		}
		trips := r.trips(drover.TripFilter{})
		if len(trips) != 1 || *trips[0].DistanceMetres != 16093.44 || *trips[0].StartLatitude != 48 ||
			!trips[0].StartTime.Equal(noon.Add(-30*time.Minute)) {
			t.Errorf("stored is %+v", trips)
		}
	})
}

// TestOffsetMovesTheWindows asks a vendor, whose times are ten hours ahead, for what it
// has at its own times: of the past and up to now.
func TestOffsetMovesTheWindows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("ahead", noon.Add(-3*time.Hour), []string{"a"}, native)
		const ahead = 10 * time.Hour
		var trips []provider.Query
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			trips = append(trips, q)
			return provider.Page[provider.Trip]{Cursor: "x"}, nil
		}
		// A fix each ten minutes, as the vendor has them: in its own time.
		s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			to := q.To
			if q.Live() {
				to = r.clock.Now().Add(q.Ahead)
			}
			page := provider.Page[provider.Position]{Cursor: "x"}
			for fix := noon.Add(-5 * time.Hour); !fix.After(r.clock.Now()); fix = fix.Add(10 * time.Minute) {
				if vendor := fix.Add(ahead); !vendor.Before(q.From) && vendor.Before(to) {
					page.Records = append(page.Records, at("a", vendor, -37, 145))
				}
			}
			return page, nil
		}
		offset := drover.ConfigurationUpdate{Units: drover.Some(drover.Units{TimeOffsetMinutes: new(600)})}
		units := drover.ConnectionUpdate{Configuration: drover.Some(offset)}
		if _, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, units); err != nil {
			t.Fatal(err)
		}
		r.run()
		var got []time.Time
		for _, p := range r.positions(r.devices(conn)["a"].ID) {
			got = append(got, p.Time.Time)
		}
		if len(got) != 18 || !got[0].Equal(noon.Add(-3*time.Hour)) || !got[17].Equal(noon.Add(-10*time.Minute)) {
			t.Errorf("%d positions are stored, want one each ten minutes of three hours: %v", len(got), got)
		}
		for _, q := range trips {
			if q.Ahead != ahead || q.From.Before(noon.Add(ahead-3*time.Hour)) || !q.Live() && q.To.Before(noon.Add(ahead-3*time.Hour)) {
				t.Errorf("trips are asked for from %v to %v", q.From, q.To)
			}
		}
	})
}

// TestTripDistance compares the vendor's trips with their positions.
func TestTripDistance(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("trips", noon.Add(-2*time.Hour), []string{"a"}, native)
		begin := noon.Add(-50 * time.Minute)
		s.next(straight("a", begin, 90, 1)...)
		r.run()
		var trips []provider.Trip
		for i := range 5 {
			start := begin.Add(time.Duration(i) * 8 * time.Minute)
			trips = append(trips, provider.Trip{
				SystemDeviceID: "a", SystemTripID: start.String(), StartTime: drover.At(start), EndTime: drover.At(start.Add(7 * time.Minute)),
				DistanceMetres: new(8.4),
			})
		}
		s.tripsNext(trips...)
		s.next(straight("a", noon, 5, 1)...)
		r.pass(6 * time.Minute)
		s.next(straight("a", noon.Add(6*time.Minute), 5, 1)...)
		r.pass(6 * time.Minute)
		for _, c := range r.quality(conn).Checks {
			if c.Name == drover.CheckTrips && (c.Verdict != drover.VerdictDoubtful || *c.Suggestion != "trip_distance=km") {
				t.Errorf("trips in kilometres are %+v", c)
			}
		}
	})
}
