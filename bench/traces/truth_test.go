package traces

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// TestWrongPositionsAreNoHole has a receiver that reports wrong places for twenty minutes:
// it was not silent, and the vehicle drove on.
func TestWrongPositionsAreNoHole(t *testing.T) {
	t.Parallel()
	at, place := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC), drover.Coordinate{Latitude: 48, Longitude: 11}
	var positions []drover.Position
	for i := range 90 {
		place = geo.Destination(place, 90, 1000)
		p := drover.Position{Time: drover.At(at), Latitude: place.Latitude, Longitude: place.Longitude, SpeedKPH: new(60.0), Ignition: new(true)}
		if i >= 40 && i < 60 {
			p.Latitude += float64(1 + i%7)
		}
		positions, at = append(positions, p), at.Add(time.Minute)
	}
	got := newTruth(positions)
	if len(got.positions) != 70 || len(got.holes) != 0 {
		t.Errorf("%d positions are believed, and the holes are %v", len(got.positions), got.holes)
	}
	if got.metres < 88_000 || got.metres > 90_000 {
		t.Errorf("a way of %v m, driven were 89 km", got.metres)
	}
}

// TestTruth holds what is found in a day that is known: a drive, a hole that is
// driven through, an hour of idling, a stop, and wrong positions among them.
func TestTruth(t *testing.T) {
	t.Parallel()
	at, place := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC), drover.Coordinate{Latitude: 48, Longitude: 11}
	var positions []drover.Position
	report := func(minutes int, kph float64, engine bool) {
		for range minutes {
			place = geo.Destination(place, 90, kph/60*1000)
			positions = append(positions, drover.Position{
				Time: drover.At(at), Latitude: place.Latitude, Longitude: place.Longitude, SpeedKPH: new(kph), Ignition: new(engine),
			})
			at = at.Add(time.Minute)
		}
	}
	report(30, 60, true)
	at = at.Add(39 * time.Minute)
	place = geo.Destination(place, 90, 30_000)
	report(30, 60, true)
	report(60, 0, true)
	report(20, 0, false)
	for _, i := range []int{10, 11, 70} {
		positions[i].Latitude += 3
	}
	got := newTruth(positions)
	if len(got.positions) != len(positions)-3 {
		t.Errorf("%d of %d positions are believed", len(got.positions), len(positions))
	}
	if len(got.holes) != 1 || got.holes[0].metres < 30_000 || got.holes[0].metres > 32_000 {
		t.Errorf("the holes are %v", got.holes)
	}
	if got.idle < 57*60 || got.idle > 60*60 {
		t.Errorf("idling for %v s", got.idle)
	}
	if got.metres < 87_000 || got.metres > 92_000 {
		t.Errorf("a way of %v m", got.metres)
	}
	if len(got.stops) != 2 {
		t.Errorf("the stops are %v", got.stops)
	}
	trips := deriveTrips(positions)
	var y tally
	y.add(positions, got, func(d trip.Derived, fault string) {
		t.Errorf("the trip from %v is called wrong: %s", d.StartTime, fault)
	})
	if len(trips) != 1 || y.missed != 0 || y.seenHoleMetres != y.holeMetres || y.changed != 0 || percent(y.idle, y.truthIdle) < 97 {
		t.Errorf("%d trips, counted as %+v", len(trips), y)
	}
}

// TestTruthOfSlowWork has a machine that works at 3 km/h for half an hour, and one whose receiver
// says so while it stands.
func TestTruthOfSlowWork(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]float64{50: 30 * 60, 0: 0} {
		var way []float64
		for i := range 31 {
			way = append(way, metres*float64(i))
		}
		positions := driven(way...)
		for i := range positions {
			positions[i].SpeedKPH, positions[i].Ignition = new(3.0), new(true)
		}
		if got := newTruth(positions); got.work != want || got.driven != 0 {
			t.Errorf("%v m a minute: %v s of work and %v s driven, want %v and none", metres, got.work, got.driven, want)
		}
	}
}
