package store_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestChangedTripIsCountedAgain holds the sums of days and connections to what a trip is
// after each change, and that one which changes no sum writes none.
func TestChangedTripIsCountedAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		now := store.Trip{
			ConnectionID: f.connection, Access: store.Access{TenantID: f.own},
			Trip: drover.Trip{
				ID: store.NewID(), DeviceID: f.addDevice().ID, SystemTripID: "1", StartTime: noon, EndTime: drover.At(noon.Add(time.Minute)),
				DistanceMetres: new(1000.25), DurationSeconds: 60, IsValid: true,
			},
		}
		f.update(func(tx *store.Tx) error { return tx.Trips.AddTrip(ctx, now) })
		for _, c := range []struct {
			name       string
			change     func(*store.Trip)
			statements int
			day        int // of the last two
			want       drover.TripSums
		}{
			{
				"driver", func(t *store.Trip) { t.DriverID = new("D-17") }, 1, 1,
				drover.TripSums{Trips: 1, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(1000.25)}},
			},
			{
				"distance", func(t *store.Trip) { t.DistanceMetres = new(900.5) }, 3, 1,
				drover.TripSums{Trips: 1, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(900.5)}},
			},
			{
				"idling", func(t *store.Trip) { t.IdlingSeconds = new(7.0) }, 3, 1,
				drover.TripSums{Trips: 1, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(900.5), IdlingSeconds: new(7.0)}},
			},
			{
				"day", func(t *store.Trip) { t.StartTime = drover.At(noon.Add(-24 * time.Hour)) }, 4, 0,
				drover.TripSums{Trips: 1, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(900.5), IdlingSeconds: new(7.0)}},
			},
			{"validity", func(t *store.Trip) { t.IsValid = false }, 3, 0, drover.TripSums{Trips: 1, TripSizes: zeroSizes()}},
			{"distance of an invalid one", func(t *store.Trip) { t.DistanceMetres = nil }, 1, 0, drover.TripSums{Trips: 1, TripSizes: zeroSizes()}},
			{
				"validity and day", func(t *store.Trip) { t.IsValid, t.StartTime, t.DistanceMetres = true, noon, new(5.0) }, 4, 1,
				drover.TripSums{Trips: 1, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(5.0), IdlingSeconds: new(7.0)}},
			},
		} {
			before := now
			c.change(&now)
			f.update(func(tx *store.Tx) error {
				ran := tx.Statements()
				err := tx.Trips.SetTrip(ctx, before, now)
				if got := tx.Statements() - ran; got != c.statements {
					f.t.Errorf("%s: %d statements, want %d", c.name, got, c.statements)
				}
				return err
			})
			s := must[drover.ActivitySummary](f.t)(f.Fleet.ActivitySummary(ctx, f.own, 2, 10, false, noon))
			f.t.Log(c.name)
			check(f.t, s.Totals.TripSums, c.want)
			check(f.t, s.TripsByDay[c.day].TripSums, c.want)
			check(f.t, s.TripsByDay[1-c.day].TripSums, drover.TripSums{TripSizes: zeroSizes()})
		}
	})
}

// zeroSizes are those of no valid trip.
func zeroSizes() drover.TripSizes {
	return drover.TripSizes{DistanceMetres: new(0.0), DrivingSeconds: new(0.0), IdlingSeconds: new(0.0), AuxiliarySeconds: new(0.0)}
}
