package trip_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// row is a position: seconds, metres east, km/h and whether the ignition is on. A
// negative speed is none, and unknown an ignition that is not reported.
type row struct {
	seconds, metres, kph float64
	ignition             int
}

const unknown = -1

func rows(all ...row) (out []drover.Position) {
	for _, r := range all {
		p := seen(r.seconds, r.metres, r.kph, r.ignition == 1)
		if r.kph < 0 {
			p.SpeedKPH = nil
		}
		if r.ignition == unknown {
			p.Ignition = nil
		}
		out = append(out, p)
	}
	return out
}

// TestNoKilometreThatWasNotDriven has what receivers of parked vehicles report, in the
// shapes that were seen, and what real journeys look like beside them.
func TestNoKilometreThatWasNotDriven(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rows  []row
		trips int
		jumps int
	}{
		"OutAndBackWithTheIgnitionOff": {rows: []row{
			{0, 0, 0, 0},
			{80, 6500, 0, 0},
			{85, 6500, 0, 0},
			{120, 5, 0, 0},
			{240, 0, 0, 0},
			{325, 6500, 0, 0},
			{360, 5, 0, 0},
			{480, 0, 0, 0},
			{900, 0, 0, 0},
		}, jumps: 3},
		"OutForAWhile": {rows: []row{
			{0, 0, 0, 0}, {114, 1800, 0, 0}, {121, 0, 0, 0}, {240, 0, 0, 0}, {330, 2400, 0, 0}, {400, 2400, 0, 0}, {600, 0, 0, 0}, {960, 0, 0, 0},
		}, jumps: 3},
		"OutFastAndBackFaster": {rows: []row{
			{0, 0, 0, unknown}, {107, 4300, 0, unknown}, {121, 10, 0, unknown}, {240, 0, 0, unknown}, {600, 0, 0, unknown},
		}, jumps: 1},
		"AStopThatWanders": {rows: []row{
			{0, 0, 0, unknown},
			{120, 40, 0, unknown},
			{250, 130, 0, unknown},
			{360, 190, 1, unknown},
			{480, 240, 0, unknown},
			{600, 300, 0, unknown},
			{720, 330, 0, unknown},
			{1300, 330, 0, unknown},
		}},
		"ToAndFroWithoutASpeed": {rows: []row{
			{0, 0, -1, unknown},
			{65, 170, -1, unknown},
			{120, 20, -1, unknown},
			{528, 480, -1, unknown},
			{589, 390, -1, unknown},
			{709, 40, -1, unknown},
			{1034, 210, -1, unknown},
			{1094, 30, -1, unknown},
			{1500, 30, -1, unknown},
		}},
		"FarWithoutASpeed": {rows: []row{
			{0, 0, -1, unknown},
			{60, 300, -1, unknown},
			{120, 900, -1, unknown},
			{180, 400, -1, unknown},
			{240, 20, -1, unknown},
			{600, 20, -1, unknown},
		}, trips: 1},
		"SeenAtLightsOnly": {rows: []row{
			{0, 0, 0, 1}, {300, 3000, 0, 1}, {600, 5000, 0, 1}, {1000, 5000, 0, 0}, {1400, 5000, 0, 0},
		}, trips: 1},
		"FastAndSaysSo": {rows: []row{
			{0, 0, 180, 1}, {60, 3000, 180, 1}, {120, 6000, 0, 1}, {180, 6000, 0, 0}, {600, 6000, 0, 0},
		}, trips: 1},
		"FastAndGoesOn": {rows: []row{
			{0, 0, -1, unknown}, {60, 2300, -1, unknown}, {120, 4600, -1, unknown}, {180, 6900, -1, unknown}, {600, 6900, -1, unknown},
		}, trips: 1},
		"FastAndThenFasterThanAnything": {rows: []row{
			{0, 0, -1, unknown}, {60, 2300, -1, unknown}, {70, 5000, -1, unknown}, {130, 0, -1, unknown}, {600, 0, -1, unknown},
		}, jumps: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			positions := rows(tc.rows...)
			trips, jumps := foldAll(positions)
			if len(trips) != tc.trips || len(jumps) != tc.jumps {
				t.Errorf("%d trips, want %d, and %d jumps, want %d: %+v", len(trips), tc.trips, len(jumps), tc.jumps, trips)
			}
			for seed := range uint64(20) {
				checkOrder(t, rand.New(rand.NewPCG(seed, 3)), positions)
			}
		})
	}
}

// TestTwoWitnessesRefuteALeg holds which reports at both ends of a leg say that it was
// not driven: two of speed, ignition and odometer, and none against them.
func TestTwoWitnessesRefuteALeg(t *testing.T) {
	t.Parallel()
	type says struct {
		kph, odometer *float64
		ignition      *bool
	}
	for name, tc := range map[string]struct {
		from, to says
		jump     bool
	}{
		"SpeedAndIgnition":     {says{new(0.0), nil, new(false)}, says{new(0.0), nil, new(false)}, true},
		"SpeedAndOdometer":     {says{new(0.0), new(9.0), nil}, says{new(4.9), new(9.0), nil}, true},
		"IgnitionAndOdometer":  {says{nil, new(9.0), new(false)}, says{nil, new(9.0), new(false)}, true},
		"TheOdometerWasReset":  {says{new(0.0), new(9000.0), nil}, says{new(0.0), new(3.0), nil}, false},
		"ResetButStillOff":     {says{new(0.0), new(9000.0), new(false)}, says{new(0.0), new(3.0), new(false)}, true},
		"SpeedAlone":           {says{new(0.0), nil, nil}, says{new(0.0), nil, nil}, false},
		"ItMovesAfter":         {says{new(0.0), nil, new(false)}, says{new(5.0), nil, new(false)}, false},
		"TheIgnitionIsOn":      {says{new(0.0), nil, new(false)}, says{new(0.0), nil, new(true)}, false},
		"TheOdometerCounts":    {says{new(0.0), new(0.0), new(false)}, says{new(0.0), new(900.0), new(false)}, false},
		"TheOdometerHasATenth": {says{new(0.0), new(0.0), new(false)}, says{new(0.0), new(99.0), new(false)}, true},
	} {
		from, to := seen(0, 0, 0, false), seen(60, 1000, 0, false)
		from.SpeedKPH, from.OdometerMetres, from.Ignition = tc.from.kph, tc.from.odometer, tc.from.ignition
		to.SpeedKPH, to.OdometerMetres, to.Ignition = tc.to.kph, tc.to.odometer, tc.to.ignition
		if _, step := fold(from, to); step.Jump != tc.jump {
			t.Errorf("%s: a jump is %v", name, step.Jump)
		}
	}
	if _, step := fold(seen(0, 0, 0, false), seen(900, 1000, 0, false)); step.Jump {
		t.Error("what happened in a hole is known at its ends")
	}
}

// TestHolesOfVehiclesThatSayLittle has holes of vehicles without speed and ignition,
// and such whose odometer knows more than the straight line.
func TestHolesOfVehiclesThatSayLittle(t *testing.T) {
	t.Parallel()
	blind := func(odometer bool) *vehicle {
		v := exact()
		v.speed, v.ignition, v.auxiliary, v.odo, v.interval = false, false, false, odometer, 15*time.Second
		return v
	}
	v := blind(false)
	v.drive(10 * time.Minute)
	v.at, v.place = v.at.Add(30*time.Minute), geo.Destination(v.place, v.heading, 9000)
	v.drive(10 * time.Minute)
	if d := one(t, v.positions); math.Abs(d.Why.UnseenMetres-9000) > 1500 || d.Why.OdometerMetres != 0 {
		t.Errorf("without a speed: %+v", d)
	}
	v = blind(true)
	v.drive(10 * time.Minute)
	v.at, v.place, v.odometer = v.at.Add(30*time.Minute), geo.Destination(v.place, v.heading, 500), v.odometer+9000
	v.drive(10 * time.Minute)
	d := one(t, v.positions)
	if math.Abs(d.Why.UnseenMetres-9000) > 1500 || d.Why.OdometerMetres != d.Why.UnseenMetres {
		t.Errorf("with an odometer: %+v", d)
	}
	if odometer := *v.positions[len(v.positions)-1].OdometerMetres - *v.positions[0].OdometerMetres; math.Abs(d.DistanceMetres-odometer) > 1 {
		t.Errorf("the distance is %v, the odometer's %v", d.DistanceMetres, odometer)
	}
}

// TestWorkInOnePlace holds that an odometer that counts shows movement within a place.
func TestWorkInOnePlace(t *testing.T) {
	t.Parallel()
	v := exact()
	v.speed, v.ignition, v.auxiliary, v.interval = false, false, false, 15*time.Second
	v.drive(10 * time.Minute)
	for range 40 {
		v.odometer += 30
		v.report(0, false, false)
	}
	v.drive(10 * time.Minute)
	one(t, v.positions)
}

// crawl works slowly: a machine on a field at a reported speed.
func (v *vehicle) crawl(d time.Duration, kph float64) {
	for until := v.at.Add(d); v.at.Before(until); {
		v.place = geo.Destination(v.place, v.heading, kph/3.6*v.interval.Seconds())
		v.report(kph, true, false)
	}
}

// TestSlowWorkIsWork holds that a machine which works at 3 km/h drives and does not
// idle, and that the three sums still make up the trip.
func TestSlowWorkIsWork(t *testing.T) {
	t.Parallel()
	for _, interval := range []time.Duration{time.Second, 10 * time.Second, time.Minute} {
		v := exact()
		v.interval, v.odo, v.auxiliary = interval, false, false
		v.stop(10*time.Minute, false, false)
		v.drive(10 * time.Minute)
		v.crawl(40*time.Minute, 3)
		v.stop(20*time.Minute, true, false)
		v.crawl(20*time.Minute, 2)
		v.stop(20*time.Minute, false, false)
		d := one(t, v.positions)
		if working := d.Why.WorkingSeconds / 60; math.Abs(working-60) > 4 {
			t.Errorf("at a position in %v: %.1f min of work, want 60", interval, working)
		}
		if idling := *d.IdlingSeconds / 60; math.Abs(idling-20) > 4 {
			t.Errorf("at a position in %v: %.1f min of idling, want 20", interval, idling)
		}
		if rest := d.EndTime.Sub(d.StartTime.Time).Seconds() - d.DrivingSeconds - *d.IdlingSeconds; math.Abs(rest) > 60 {
			t.Errorf("at a position in %v: %.0f s are neither driving nor idling", interval, rest)
		}
	}
}

// TestNoiseIsNoWork holds that a vehicle which reports a little speed, and stays where it
// is, idles.
func TestNoiseIsNoWork(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo, v.auxiliary = false, false
	v.drive(10 * time.Minute)
	for range 40 {
		v.report(1.2, true, false)
	}
	v.drive(10 * time.Minute)
	if d := one(t, v.positions); d.Why.WorkingSeconds != 0 || *d.IdlingSeconds < 19*60 {
		t.Errorf("working %v s, idling %v s", d.Why.WorkingSeconds, *d.IdlingSeconds)
	}
}

// TestMachineThatIsSlowByNature holds that a lower speed of movement makes trips of work
// that never gets faster.
func TestMachineThatIsSlowByNature(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo, v.auxiliary = false, false
	v.stop(10*time.Minute, false, false)
	v.crawl(30*time.Minute, 2.5)
	v.stop(10*time.Minute, false, false)
	slow := trip.DefaultRules()
	slow.MovingKPH = 2
	trips, _ := foldBy(slow, v.positions)
	if len(trips) != 1 || trips[0].Why.WorkingSeconds != 0 || math.Abs(trips[0].DrivingSeconds-1800) > 60 {
		t.Errorf("the trips are %+v", trips)
	}
	text, err := json.Marshal(trips[0].Why)
	var why trip.Why
	if err != nil || json.Unmarshal(text, &why) != nil || why.Start().Value != 2 {
		t.Errorf("the start of %s is explained by %+v", text, why.Start())
	}
	if got := (trip.Why{Began: why.Began}).Start().Value; got != trip.MovingKPH {
		t.Errorf("by the default rules it is explained by %v km/h", got)
	}
}

// TestBriefIgnitionDoesNotRestartTheStop holds that half an hour at a place ends a trip
// though the ignition was off for a moment.
func TestBriefIgnitionDoesNotRestartTheStop(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		brief  float64 // minutes into the stop
		trips  int
		minute float64 // of the last position at the stop
	}{{20, 1, 29}, {20, 2, 31}, {5, 2, 31}} {
		positions := []drover.Position{seen(0, 0, 50, true), seen(60, 800, 50, true)}
		for m := 0.0; m <= tc.minute; m++ {
			positions = append(positions, seen(120+60*m, 1600, 0, m != tc.brief))
		}
		after := 120 + 60*tc.minute
		positions = append(positions, seen(after+60, 2400, 50, true), seen(after+120, 3200, 50, true))
		if trips, _ := foldAll(positions); len(trips) != tc.trips {
			t.Errorf("off at minute %v, away after %v: %d trips, want %d", tc.brief, tc.minute, len(trips), tc.trips)
		}
	}
}
