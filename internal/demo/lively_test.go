package demo

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/motion"
	"github.com/drover-fleet/drover/internal/sim"
)

// cycle is after how long the fleets of the demo begin again: what holds within it always does.
const cycle = 14 * 24 * time.Hour

// TestTheFleetLives looks at the demo's tenant in each minute of all days: at least half of
// the vehicles drive, some idle, and within five minutes one arrives and one leaves.
func TestTheFleetLives(t *testing.T) {
	t.Parallel()
	const look = time.Minute
	begin := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	vehicles := 0
	count := make([]map[drover.DeviceState]int, cycle/look)
	for i := range count {
		count[i] = map[drover.DeviceState]int{}
	}
	left, arrived := make([]bool, len(count)), make([]bool, len(count))
	for _, v := range vendors {
		if v.other || v.expired {
			continue
		}
		fleet := sim.New(sim.Options{Seed: v.seed, Vehicles: v.vehicles, Heartbeat: 5 * time.Minute, Busy: &sim.Busy{Roads: v.roads}})
		for i, vehicle := range fleet.Vehicles() {
			vehicles++
			if v.loses && i == v.vehicles-1 {
				continue // the silent one
			}
			at := 0
			var newest drover.Position
			for _, s := range fleet.Positions(vehicle, begin.Add(-time.Hour), begin.Add(cycle)) {
				for ; at < len(count) && begin.Add(time.Duration(at)*look).Before(s.Time.Time); at++ {
					count[at][motion.At(nil, newest, geo.MovingKPH)]++
				}
				if quiet := s.Time.Sub(newest.Time.Time); quiet > 14*time.Minute && !newest.Time.IsZero() {
					t.Fatalf("%s %s is silent for %v before %v", v.business, vehicle.Name, quiet, s.Time)
				}
				newest = s.Position
			}
			for _, trip := range fleet.Trips(vehicle, begin, begin.Add(cycle+sim.LongestJourney)) {
				mark(arrived, trip.EndTime.Sub(begin)/look)
				mark(left, trip.StartTime.Sub(begin)/look)
			}
		}
	}
	least, most, idle, sum := vehicles, 0, vehicles, 0
	for i, n := range count[:len(count)-6] {
		least, most = min(least, n[drover.DeviceDriving]), max(most, n[drover.DeviceDriving])
		idle, sum = min(idle, n[drover.DeviceIdling]), sum+n[drover.DeviceDriving]
		if 2*n[drover.DeviceDriving] < vehicles || n[drover.DeviceIdling] == 0 {
			t.Errorf("at %v of %d vehicles: %v", begin.Add(time.Duration(i)*look), vehicles, n)
		}
		if leaves, arrives := within(left[i:i+5]), within(arrived[i:i+5]); !leaves || !arrives {
			t.Errorf("at %v one leaves within five minutes: %t, one arrives: %t", begin.Add(time.Duration(i)*look), leaves, arrives)
		}
	}
	t.Logf("of %d vehicles %d to %d drive, %d in the mean, and %d idle at least", vehicles, least, most, sum/len(count), idle)
}

func mark(minutes []bool, at time.Duration) {
	if at >= 0 && int(at) < len(minutes) {
		minutes[at] = true
	}
}

func within(minutes []bool) bool {
	for _, yes := range minutes {
		if yes {
			return true
		}
	}
	return false
}

// TestOneVehicleIsSilent begins demos at all hours of a week: the last vehicle of one fleet has
// stopped to report in the middle of a journey, a while ago, and stays so.
func TestOneVehicleIsSilent(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	lost := 0
	for _, v := range vendors {
		if !v.loses {
			continue
		}
		lost++
		for hour := range 7 * 24 {
			begin := monday.Add(time.Duration(hour) * time.Hour)
			fleet := v.fleet(begin)
			vehicle := fleet.Vehicles()[v.vehicles-1]
			before := len(fleet.Positions(vehicle, begin.Add(-12*time.Hour), begin.Add(-6*time.Hour)))
			for _, now := range []time.Time{begin, begin.Add(time.Hour)} {
				last, heard := fleet.At(vehicle, now)
				was := motion.Status{State: motion.At(nil, last.Position, geo.MovingKPH), Since: last.Time}
				if state := motion.Now(was, last.Time, now, time.Minute).State; !heard || before == 0 || state != drover.DeviceSilent {
					t.Fatalf("at %v it is %s, heard of at %v, %d times before", now, state, last.Time, before)
				}
			}
		}
	}
	if lost != 1 {
		t.Errorf("%d fleets lose a vehicle, want one", lost)
	}
}
