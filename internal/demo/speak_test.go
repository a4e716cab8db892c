package demo

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/sim"
)

// TestTheVehiclesSpeak begins demos at hours of two weeks: in the day before, a tank was filled and
// one was emptied at a stop, drivers changed, a van braked hard where it was, and a fault has ended while another is open.
func TestTheVehiclesSpeak(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	for hour := 0; hour < int(cycle/time.Hour); hour += 7 {
		begin := monday.Add(time.Duration(hour) * time.Hour)
		d := New(begin, func() time.Time { return begin })
		trucks, vans := d.fleets[0], sim.NewAccount(d.fleets[1], d.now, nil)
		var filled, taken, changed, open, ended, braked int
		for _, v := range trucks.Vehicles() {
			var before sim.Sample
			for _, s := range trucks.Positions(v, begin.Add(-26*time.Hour), begin) {
				if before.ID != 0 {
					gain := s.Gauges()[drover.ReadingFuelPercent] - before.Gauges()[drover.ReadingFuelPercent]
					parked := *s.OdometerMetres == *before.OdometerMetres
					filled += count(gain > 20 && parked)
					taken += count(gain < -5 && parked)
					changed += count(before.DriverID != nil && s.DriverID != nil && *before.DriverID != *s.DriverID)
					// Faults of the past are not read: it ended since collection began.
					ended += count(before.Time.After(begin.Add(-time.Hour)) && v.BrokenAt(before.Time.Time) && !v.BrokenAt(s.Time.Time))
				}
				if level := s.Gauges()[drover.ReadingFuelPercent]; level < 1 || level > 100 {
					t.Fatalf("%s has %v %% of fuel at %v", v.Name, level, s.Time)
				}
				if s.DriverID == nil {
					s.DriverID = before.DriverID
				}
				before = s
			}
			open += count(v.BrokenAt(begin))
		}
		for _, v := range vans.Vehicles() {
			for _, s := range vans.Brakings(v, begin.Add(-24*time.Hour), begin) {
				braked += count(*s.SpeedKPH > 0 && s.DriverID != nil && !s.Time.After(begin))
			}
		}
		if filled == 0 || taken != 1 || changed == 0 || open == 0 || ended == 0 || braked == 0 {
			t.Errorf("at %v: %d filled, %d taken, %d changes of drivers, %d faults open, %d ended, %d brakings",
				begin, filled, taken, changed, open, ended, braked)
		}
	}
}

// TestDriversHaveNames holds that no two drivers of the demo's tenant are called the same.
func TestDriversHaveNames(t *testing.T) {
	t.Parallel()
	d := New(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), nil)
	ids := map[string]string{}
	for i, v := range vendors {
		if account := sim.NewAccount(d.fleets[i], nil, nil); !v.other {
			for _, id := range account.Drivers() {
				name := account.DriverName(id)
				if other, twice := ids[name]; twice {
					t.Errorf("%s of %s is called %s, as is %s", id, v.business, name, other)
				}
				ids[name] = id + " of " + v.business
			}
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
