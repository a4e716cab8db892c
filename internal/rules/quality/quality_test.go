package quality_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/quality"
	"github.com/drover-fleet/drover/internal/sim"
)

var monday = time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)

// budget is the number of moving positions within which a mistake must be found.
const budget = 200

// drive polls a fleet each minute, as a collector does, until done, and returns
// what was found. Each position is spoilt before it is observed.
func drive(o sim.Options, spoil func(*drover.Position), done func(quality.Facts) bool) quality.Facts {
	fleet := sim.New(o)
	var observer quality.Observer
	seen := monday
	for now := monday.Add(time.Minute); now.Before(monday.AddDate(0, 0, 2)); now = now.Add(time.Minute) {
		var fixes []quality.Fix
		for _, v := range fleet.Vehicles() {
			for _, s := range fleet.Positions(v, seen, now) {
				p := s.Position
				p.SpeedKPH, p.Heading, p.OdometerMetres, p.Ignition = copied(p.SpeedKPH), copied(p.Heading), copied(p.OdometerMetres),
					copied(p.Ignition)
				spoil(&p)
				fixes = append(fixes, quality.Fix{Device: v.ID, Position: &p})
			}
		}
		seen = now
		observer.Observe(fixes, now, true)
		if done(observer.Facts()) {
			break
		}
	}
	return observer.Facts()
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

func moved(f quality.Facts) bool { return f.Moving >= budget }

// reading is the context of an adapter that reads km/h and metres.
var reading = quality.Reading(drover.Units{}, drover.Units{}, nil)

func doubtful(q drover.ConnectionQuality) (names []string) {
	for _, c := range q.Checks {
		if c.Verdict == drover.VerdictDoubtful {
			names = append(names, c.Name)
		}
	}
	return names
}

// TestPlantedMistakes finds each mistake within 200 moving positions, by its own
// check alone, and says what would mend it. An ignition that is stuck on shows only once vehicles have
// stood for long: TestIgnitionNeverOff.
func TestPlantedMistakes(t *testing.T) {
	t.Parallel()
	scaled := func(of func(*drover.Position) *float64, by float64) func(*drover.Position) {
		return func(p *drover.Position) { *of(p) *= by }
	}
	speed := func(p *drover.Position) *float64 { return p.SpeedKPH }
	odometer := func(p *drover.Position) *float64 { return p.OdometerMetres }
	ahead := func(d time.Duration) func(*drover.Position) {
		return func(p *drover.Position) { p.Time = drover.At(p.Time.Add(d)) }
	}
	for _, c := range []struct {
		name, check, suggestion string
		spoil                   func(*drover.Position)
	}{
		{"MilesPerHour", drover.CheckSpeed, "speed=mph", scaled(speed, 1/1.609344)},
		{"Knots", drover.CheckSpeed, "speed=knots", scaled(speed, 1/1.852)},
		{"MetresPerSecond", drover.CheckSpeed, "speed=ms", scaled(speed, 1/3.6)},
		{"SpeedOfNothing", drover.CheckSpeed, "", scaled(speed, 0)},
		{"SpeedConvertedTwice", drover.CheckSpeed, "", scaled(speed, 1.609344)},
		{
			"OdometerInKilometres", drover.CheckOdometer, "odometer=km",
			func(p *drover.Position) { *p.OdometerMetres = float64(int(*p.OdometerMetres / 1000)) },
		},
		{"OdometerInMiles", drover.CheckOdometer, "odometer=miles", scaled(odometer, 1/1609.344)},
		{"OdometerStuck", drover.CheckOdometer, "", scaled(odometer, 0)},
		{"HeadingReversed", drover.CheckHeading, "", func(p *drover.Position) { *p.Heading += 180 }},
		{"HeadingOfNothing", drover.CheckHeading, "", func(p *drover.Position) { *p.Heading = 0 }},
		{"LocalTimeEast", drover.CheckTime, "time_offset_minutes=600", ahead(10 * time.Hour)},
		{"LocalTimeWest", drover.CheckTime, "time_offset_minutes=-300", ahead(-5 * time.Hour)},
		{"LocalTimeOfHalfAnHour", drover.CheckTime, "time_offset_minutes=330", ahead(5*time.Hour + 30*time.Minute)},
		{"CoordinatesExchanged", drover.CheckCoordinates, "coordinates=lon_lat", exchange},
		{
			"CoordinatesExchangedWithoutHeading", drover.CheckCoordinates, "coordinates=lon_lat",
			func(p *drover.Position) { exchange(p); p.Heading = nil },
		},
		{"IgnitionStuckOff", drover.CheckIgnition, "", func(p *drover.Position) { *p.Ignition = false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				f := drive(sim.Options{Seed: seed, Vehicles: 4}, c.spoil, moved)
				q := quality.Judge(f, reading)
				got := doubtful(q)
				if len(got) != 1 || got[0] != c.check {
					t.Fatalf("fleet %d, %d moving positions: doubtful are %v, want %s (%+v)", seed, f.Moving, got, c.check, f)
				}
				if q.Verdict != drover.VerdictDoubtful || q.Reason == nil {
					t.Errorf("the whole is %s", q.Verdict)
				}
				for _, check := range q.Checks {
					if check.Name == c.check && c.suggestion != "" && (check.Suggestion == nil || *check.Suggestion != c.suggestion) {
						t.Errorf("fleet %d: %s suggests %v, want %s", seed, *check.Reason, check.Suggestion, c.suggestion)
					}
				}
			}
		})
	}
}

func exchange(p *drover.Position) { p.Latitude, p.Longitude = p.Longitude, p.Latitude }

// TestNoFalseAlarm follows right fleets of every kind for days.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		for _, interval := range []time.Duration{10 * time.Second, 30 * time.Second, 2 * time.Minute} {
			o := sim.Options{Seed: seed, Vehicles: 5, Interval: interval, Late: time.Duration(seed%3) * 6 * time.Minute}
			var total quality.Facts
			f := drive(o, func(*drover.Position) {}, func(f quality.Facts) bool {
				if f.Moving%50 == 0 && f.Moving > 0 {
					if q := quality.Judge(f, reading); q.Verdict == drover.VerdictDoubtful {
						t.Errorf("fleet %d at %s after %d moving positions: %s", seed, interval, f.Moving, *q.Reason)
						return true
					}
				}
				return false
			})
			total.Add(f)
			if q := quality.Judge(total, reading); q.Verdict != drover.VerdictVerified {
				t.Errorf("fleet %d at %s is %s in the end: %+v", seed, interval, q.Verdict, q)
			}
		}
	}
}

// TestFactsAdd merges stretches, and forgets what is old.
func TestFactsAdd(t *testing.T) {
	t.Parallel()
	right := drive(sim.Options{Seed: 1}, func(*drover.Position) {}, moved)
	wrong := drive(sim.Options{Seed: 1}, func(p *drover.Position) { *p.SpeedKPH /= 1.852 }, moved)
	var sum quality.Facts
	for range 3 {
		sum.Add(right)
	}
	if sum.Moving != 3*right.Moving || sum.Fields["speed"] != 3*right.Fields["speed"] || sum.Since != right.Since {
		t.Errorf("three times %d moving positions are %d", right.Moving, sum.Moving)
	}
	for range 200 {
		sum.Add(right)
	}
	if sum.Moving > 6000 {
		t.Errorf("%d moving positions are remembered", sum.Moving)
	}
	rounds := 0
	for ; quality.Judge(sum, reading).Verdict != drover.VerdictDoubtful && rounds < 100; rounds++ {
		sum.Add(wrong)
	}
	if rounds < 2 || rounds > 60 {
		t.Errorf("a vendor that changes its unit is noticed after %d times %d moving positions", rounds, wrong.Moving)
	}
}

// TestClock doubts a clock that is minutes off.
func TestClock(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]drover.Verdict{
		2 * time.Second: drover.VerdictVerified, -40 * time.Second: drover.VerdictVerified,
		3 * time.Minute: drover.VerdictDoubtful, -time.Hour: drover.VerdictDoubtful,
	} {
		var o quality.Observer
		for range 5 {
			o.Clock(ahead)
		}
		for _, c := range quality.Judge(o.Take(), reading).Checks {
			if c.Name == drover.CheckClock && c.Verdict != want {
				t.Errorf("%s ahead is %s, want %s", ahead, c.Verdict, want)
			}
		}
	}
}

// TestClockThatChanges doubts a clock that was right for long.
func TestClockThatChanges(t *testing.T) {
	t.Parallel()
	var f quality.Facts
	for i := range 1200 {
		var o quality.Observer
		o.Clock(map[bool]time.Duration{true: time.Second, false: time.Hour}[i < 1000])
		f.Add(o.Take())
	}
	for _, c := range quality.Judge(f, reading).Checks {
		if c.Name == drover.CheckClock && c.Verdict != drover.VerdictDoubtful {
			t.Errorf("it is %s after 200 answers", c.Verdict)
		}
	}
}

// TestSharedAndChangingIDs doubts devices that report one vehicle, and ids that do
// not stay.
func TestSharedAndChangingIDs(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 1, Vehicles: 2, Interval: 30 * time.Second})
	v := fleet.Vehicles()[0]
	var fixes []quality.Fix
	for _, s := range fleet.Positions(v, monday, monday.AddDate(0, 0, 1)) {
		fixes = append(fixes, quality.Fix{Device: "a", Position: &s.Position}, quality.Fix{Device: "b", Position: &s.Position})
	}
	var o quality.Observer
	o.ObservePast(fixes, monday.AddDate(0, 0, 1))
	c := reading
	c.Devices, c.Brief = 4, 5
	got := doubtful(quality.Judge(o.Take(), c))
	if len(got) != 2 || got[0] != drover.CheckIDs || got[1] != drover.CheckSharing {
		t.Errorf("doubtful are %v", got)
	}
}

// TestUnitsOfAnAdapter names the unit by what the adapter takes it for.
func TestUnitsOfAnAdapter(t *testing.T) {
	t.Parallel()
	f := drive(sim.Options{Seed: 1}, func(p *drover.Position) { *p.SpeedKPH *= 1.609344 }, moved)
	q := quality.Judge(f, quality.Reading(drover.Units{Speed: new("mph")}, drover.Units{}, nil))
	if s := q.Checks[0].Suggestion; s == nil || *s != "speed=kmh" {
		t.Errorf("an adapter that takes km/h for mph: suggested is %v", s)
	}
}
