package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/sim"
)

var allRoads = []sim.Roads{sim.CityRoads, sim.CountryRoads, sim.Highways}

// TestBusyFleetsDriveOnRoads wants of each journey that it bends like a road, is driven at
// speeds that change, and ends where the next begins, on all roads.
func TestBusyFleetsDriveOnRoads(t *testing.T) {
	t.Parallel()
	for _, roads := range allRoads {
		fleet := sim.New(sim.Options{Seed: 7, Vehicles: 5, Interval: 15 * time.Second, Busy: &sim.Busy{Roads: roads}})
		for _, v := range fleet.Vehicles() {
			samples := fleet.Positions(v, monday, monday.AddDate(0, 0, 2))
			for i := 1; i < len(samples); i++ {
				a, b := samples[i-1], samples[i]
				driven, seconds := *b.OdometerMetres-*a.OdometerMetres, b.Time.Sub(a.Time.Time).Seconds()
				if line := metres(a.Point(), b.Point()); driven < 0 || driven/seconds > 29 || line > driven*1.01+2 {
					t.Fatalf("roads %d, %s at %v: moved %v m, odometer says %v in %v s", roads, v.Name, b.Time, line, driven, seconds)
				}
				if gain := (*b.SpeedKPH - *a.SpeedKPH) / 3.6 / seconds; gain > 1 || gain < -1.2 {
					t.Fatalf("roads %d, %s at %v: gains %v m/s in a second", roads, v.Name, b.Time, gain)
				}
			}
			trips := fleet.Trips(v, monday, monday.AddDate(0, 0, 2))
			for i, trip := range trips {
				if line := metres(trip.Start, trip.End); trip.DistanceMetres < 1.02*line || trip.DistanceMetres > 1.8*line {
					t.Errorf("roads %d, %s: %v m for a line of %v m", roads, v.Name, trip.DistanceMetres, line)
				}
				if i > 0 && trips[i-1].End != trip.Start {
					t.Errorf("roads %d, %s: stops at %v and leaves from %v", roads, v.Name, trips[i-1].End, trip.Start)
				}
				if i > 0 && trip.StartTime.Sub(trips[i-1].EndTime) < 5*time.Minute {
					t.Errorf("roads %d, %s: stops at %v and leaves at %v", roads, v.Name, trips[i-1].EndTime, trip.StartTime)
				}
			}
		}
	}
}

// TestBusyFleetsDoNotDependOnTheWindow asks for days in one window, in many, and of fleets
// that were never asked before.
func TestBusyFleetsDoNotDependOnTheWindow(t *testing.T) {
	t.Parallel()
	end := monday.AddDate(0, 0, 2)
	for _, roads := range allRoads {
		opts := sim.Options{Seed: 2, Vehicles: 3, Busy: &sim.Busy{Roads: roads, Recent: end.Add(-6 * time.Hour), Silent: end.Add(-time.Hour)}}
		fleet := sim.New(opts)
		for _, v := range fleet.Vehicles() {
			whole := fleet.Positions(v, monday, end)
			var parts []sim.Sample
			for from := monday; from.Before(end); from = from.Add(6 * time.Hour) {
				parts = append(parts, sim.New(opts).Positions(v, from, from.Add(6*time.Hour))...)
			}
			if diff := cmp.Diff(whole, parts); diff != "" || len(whole) == 0 {
				t.Fatalf("roads %d, %s: in one window against many (-whole +parts):\n%s", roads, v.Name, diff)
			}
		}
	}
}

// TestBusyFleetsReportLessOfThePast counts the records of journeys per hour.
func TestBusyFleetsReportLessOfThePast(t *testing.T) {
	t.Parallel()
	recent := monday.AddDate(0, 0, 3)
	busy := &sim.Busy{Roads: sim.Highways, Recent: recent}
	fleet := sim.New(sim.Options{Seed: 2, Vehicles: 1, Interval: 15 * time.Second, Heartbeat: -1, Busy: busy})
	var counts []int
	for _, from := range []time.Time{recent.AddDate(0, 0, -2), recent.AddDate(0, 0, -1), recent} {
		counts = append(counts, len(fleet.Positions(fleet.Vehicles()[0], from, from.AddDate(0, 0, 1))))
	}
	if counts[0]*3 > counts[1] || counts[1]*3 > counts[2] || counts[0] == 0 {
		t.Errorf("%v records in the days before, want about a sixteenth, a fourth and all", counts)
	}
}
