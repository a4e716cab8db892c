package store_test

import (
	"time"

	"github.com/drover-fleet/drover"
)

// testTripTotals sums up three trips of a device, on noon of three days, of which the
// one in the middle is not valid: from the roll-ups and from the trips themselves.
func testTripTotals(f fixture, device string) {
	f.t.Helper()
	day := func(days, hours int) *drover.Time {
		t := drover.At(noon.Truncate(24*time.Hour).AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour))
		return &t
	}
	two := drover.TripSums{Trips: 2, ValidTrips: 1, TripSizes: drover.TripSizes{DistanceMetres: new(1000.25), DrivingSeconds: new(60.5)}}
	three := drover.TripSums{Trips: 3, ValidTrips: 2, TripSizes: drover.TripSizes{DistanceMetres: new(2000.5), DrivingSeconds: new(121.0)}}
	valid := drover.TripSums{Trips: 2, ValidTrips: 2, TripSizes: three.TripSizes}
	none := drover.TripSizes{DistanceMetres: new(0.0), DrivingSeconds: new(0.0), IdlingSeconds: new(0.0), AuxiliarySeconds: new(0.0)}
	for _, c := range []struct {
		filter drover.TripFilter
		want   drover.TripSums
	}{
		{drover.TripFilter{}, three},
		{drover.TripFilter{ConnectionID: f.connection}, three},
		{drover.TripFilter{ConnectionID: "x"}, drover.TripSums{TripSizes: none}},
		{drover.TripFilter{DeviceID: device}, three},
		{drover.TripFilter{Valid: new(true)}, valid},
		{drover.TripFilter{Valid: new(true), DeviceID: device}, valid},
		{drover.TripFilter{Valid: new(false)}, drover.TripSums{Trips: 1, TripSizes: none}},
		{drover.TripFilter{Valid: new(false), DeviceID: device}, drover.TripSums{Trips: 1, TripSizes: none}},
		{drover.TripFilter{From: day(-1, 0)}, two},
		{drover.TripFilter{From: day(-1, 12)}, two},
		{drover.TripFilter{To: day(0, 0)}, two},
		{drover.TripFilter{To: day(0, 12)}, two},
		{drover.TripFilter{To: day(0, 13)}, three},
	} {
		check(f.t, must[drover.TripSums](f.t)(f.Trips.TripSums(f.t.Context(), f.own, c.filter)), c.want)
		check(f.t, must[drover.TripSums](f.t)(f.Trips.TripSums(f.t.Context(), f.other, c.filter)), drover.TripSums{TripSizes: none})
	}
}
