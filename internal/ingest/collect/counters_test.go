package collect_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestCounters shows what the counters of a vehicle say of a day and of trips: the best series
// that knows both ends, the parts on both sides of a reset, and nothing where nothing is known.
func TestCounters(t *testing.T) {
	t.Parallel()
	engine := drover.ReadingSeries{Kind: drover.ReadingEngine, Source: drover.SourceVehicle, NativeName: "hours"}
	burnt := drover.ReadingSeries{Kind: drover.ReadingFuelUsed, NativeName: "used"}
	tracker := drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceTracker, NativeName: "gps"}
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("counted", noon.Add(-72*time.Hour), []string{"a"})
		r.run()
		at := func(minutes int, of drover.ReadingSeries, v float64) provider.DeviceReading {
			when := drover.At(noon.Add(time.Duration(minutes) * time.Minute))
			return provider.DeviceReading{SystemDeviceID: "a", Reading: provider.Reading{ReadingSeries: of, Time: when, Value: v}}
		}
		s.nextSaid(
			at(-13*60, odometer, 100_000), at(-13*60, engine, 3600), at(-13*60, burnt, 50), at(-13*60, tracker, 7000), // the evening before
			at(-60, odometer, 100_000), at(-50, odometer, 110_000), at(-35, odometer, 125_000), at(-29, odometer, 130_000),
			at(-60, engine, 3600), at(-29, engine, 5400),
			at(-60, burnt, 50), at(-50, burnt, 53), at(-45, burnt, 1), at(-40, burnt, 2), at(-35, burnt, 3), at(-29, burnt, 4),
		)
		r.clock.Advance(time.Minute)
		r.run()
		device := r.devices(conn)["a"].ID
		today := noon.UTC().Format(time.DateOnly)
		days, err := r.fleet.Trips.DeviceDays(t.Context(), r.principal, device, today, today, true)
		if err != nil || len(days) != 1 {
			t.Fatalf("%d days: %v", len(days), err)
		}
		want := drover.Counters{
			FuelUsedLitres: drover.Some(6.0), EngineSeconds: drover.Some(1800.0),
			OdometerStartMetres: drover.Some(100_000.0), OdometerEndMetres: drover.Some(130_000.0),
		}
		if diff := cmp.Diff(want, days[0].Counters); diff != "" {
			t.Errorf("of a day (-want +got):\n%s", diff)
		}
		if plain, err := r.fleet.Trips.DeviceDays(t.Context(), r.principal, device, today, today, false); err != nil ||
			plain[0].Counters != (drover.Counters{}) {
			t.Errorf("not asked for: %+v, %v", plain[0].Counters, err)
		}
		trip := func(from, to int) drover.TripView {
			return drover.TripView{Trip: drover.Trip{
				DeviceID:  device,
				StartTime: drover.At(noon.Add(time.Duration(from) * time.Minute)), EndTime: drover.At(noon.Add(time.Duration(to) * time.Minute)),
			}}
		}
		trips := []drover.TripView{trip(-58, -31), trip(-48*60, -47*60)}
		if err := r.fleet.Trips.AddTripCounters(t.Context(), r.principal, device, trips); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, trips[0].Counters); diff != "" {
			t.Errorf("of a trip (-want +got):\n%s", diff)
		}
		none := drover.Null[float64]()
		unknown := drover.Counters{FuelUsedLitres: none, EngineSeconds: none, OdometerStartMetres: none, OdometerEndMetres: none}
		if diff := cmp.Diff(unknown, trips[1].Counters); diff != "" {
			t.Errorf("of a trip before all (-want +got):\n%s", diff)
		}
	})
}

// TestCountersOfNearTrips shows what a counter says of the end of a trip soon after which the vehicle
// drove on: the same on a page that has the next trip, on one without it, and on one with a later trip.
func TestCountersOfNearTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("near", noon.Add(-72*time.Hour), []string{"a"}, native)
		at := func(minutes int) drover.Time { return drover.At(noon.Add(time.Duration(minutes) * time.Minute)) }
		said := func(minutes int, v float64) provider.DeviceReading {
			return provider.DeviceReading{SystemDeviceID: "a", Reading: provider.Reading{ReadingSeries: odometer, Time: at(minutes), Value: v}}
		}
		s.nextSaid(said(-120, 100_000), said(-95, 120_000), said(-80, 130_000), said(-60, 140_000), said(-30, 150_000))
		var trips []provider.Trip
		for _, span := range [][2]int{{-118, -91}, {-87, -65}, {-50, -35}} {
			trips = append(trips, provider.Trip{SystemDeviceID: "a", SystemTripID: at(span[0]).String(), StartTime: at(span[0]), EndTime: at(span[1])})
		}
		s.tripsNext(trips...)
		r.run()
		device := r.devices(conn)["a"].ID
		for name, page := range map[string][]int{"both": {0, 1}, "alone": {0}, "without the next": {2, 0}} {
			views := make([]drover.TripView, len(page))
			for i, n := range page {
				views[i] = drover.TripView{Trip: drover.Trip{DeviceID: device, StartTime: trips[n].StartTime, EndTime: trips[n].EndTime}}
			}
			if err := r.fleet.Trips.AddTripCounters(t.Context(), r.principal, device, views); err != nil {
				t.Fatal(err)
			}
			for i, n := range page {
				got := views[i].OdometerEndMetres.Value
				if want := []float64{120_000, 140_000, 150_000}[n]; got == nil || *got != want {
					t.Errorf("%s: trip %d ends with %v, want %g", name, n, got, want)
				}
			}
		}
	})
}
