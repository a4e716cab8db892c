package quality_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// spot is a position seconds after monday, and metres north of a place.
type spot struct {
	seconds, metres float64
	speed, heading  *float64
	ignition        *bool
	odometer        *float64
}

// degree is how many metres a degree of latitude has.
var degree = geo.DistanceMetres(drover.Coordinate{Latitude: 48, Longitude: 60}, drover.Coordinate{Latitude: 49, Longitude: 60})

func (s spot) position() *drover.Position {
	return &drover.Position{
		Time: drover.At(monday.Add(time.Duration(s.seconds * float64(time.Second)))), Latitude: 48 + s.metres/degree, Longitude: 60,
		SpeedKPH: s.speed, Heading: s.heading, Ignition: s.ignition, OdometerMetres: s.odometer,
	}
}

// observed is what is found of spots of one device.
func observed(spots ...spot) quality.Facts {
	var o quality.Observer
	for _, s := range spots {
		o.Observe([]quality.Fix{{Device: "a", Position: s.position()}}, monday, false)
	}
	return o.Take()
}

// TestLegs holds what two neighbouring positions say at the bounds of the rules.
func TestLegs(t *testing.T) {
	t.Parallel()
	f := func(v float64) *float64 { return &v }
	on, off := new(true), new(false)
	for _, tt := range []struct {
		name string
		from spot
		to   spot
		want quality.Facts
	}{
		{"Stands", spot{ignition: off}, spot{seconds: 30, ignition: off}, quality.Facts{StoodOff: 30}},
		{"StandsWithTheEngineOn", spot{ignition: on}, spot{seconds: 30, metres: 49, ignition: on}, quality.Facts{StoodOn: 30}},
		{"StandsTooBriefly", spot{ignition: off}, spot{seconds: 29, ignition: off}, quality.Facts{}},
		{"StandsForLong", spot{ignition: off}, spot{seconds: 2100, ignition: off}, quality.Facts{StoodOff: 2100}},
		{"StandsForTooLong", spot{ignition: off}, spot{seconds: 2101, ignition: off}, quality.Facts{}},
		{
			"StandsAndCreeps",
			spot{speed: f(3), ignition: off},
			spot{seconds: 60, speed: f(3), ignition: off},
			quality.Facts{StoodOff: 60},
		},
		{"StandsAndDroveBefore", spot{speed: f(3.1), ignition: off}, spot{seconds: 60, speed: f(0), ignition: off}, quality.Facts{}},
		{"StandsAndDrivesAfter", spot{speed: f(0), ignition: off}, spot{seconds: 60, speed: f(3.1), ignition: off}, quality.Facts{}},
		{"StandsAndIsStarted", spot{ignition: off}, spot{seconds: 60, ignition: on}, quality.Facts{}},
		{"StandsOfUnknownIgnition", spot{}, spot{seconds: 60}, quality.Facts{}},
		{"Scatters", spot{ignition: off}, spot{seconds: 60, metres: 51, ignition: off}, quality.Facts{}},

		{"Drives", spot{ignition: on}, spot{seconds: 60, metres: 600, ignition: on}, quality.Facts{Moving: 1, DrivenOn: 1}},
		{"DrivesWithTheEngineOff", spot{ignition: off}, spot{seconds: 60, metres: 600, ignition: off}, quality.Facts{Moving: 1, DrivenOff: 1}},
		{"DrivesOfUnknownIgnition", spot{}, spot{seconds: 60, metres: 600}, quality.Facts{Moving: 1}},
		{"DrivesAndIsStarted", spot{ignition: off}, spot{seconds: 60, metres: 600, ignition: on}, quality.Facts{Moving: 1}},
		{
			"DrivesAndIsSaidToStandBefore",
			spot{speed: f(3), ignition: off},
			spot{seconds: 60, metres: 600, speed: f(50), ignition: off},
			quality.Facts{Moving: 1, Speed: bins{6: 1}},
		},
		{
			"DrivesAndIsSaidToStandAfter",
			spot{speed: f(50), ignition: off},
			spot{seconds: 60, metres: 600, speed: f(3), ignition: off},
			quality.Facts{Moving: 1, Speed: bins{6: 1}},
		},
		{
			"DrivesAndHardlyStood",
			spot{speed: f(3.1), ignition: off},
			spot{seconds: 60, metres: 600, speed: f(50), ignition: off},
			quality.Facts{Moving: 1, Speed: bins{6: 1}, DrivenOff: 1},
		},
		{"TooShort", spot{}, spot{seconds: 20, metres: 99}, quality.Facts{}},
		{"LongEnough", spot{}, spot{seconds: 20, metres: 101}, quality.Facts{Moving: 1}},
		{"TooSlow", spot{}, spot{seconds: 241, metres: 1000}, quality.Facts{}},
		{"FastEnough", spot{}, spot{seconds: 239, metres: 1000}, quality.Facts{Moving: 1}},
		{"TooFast", spot{}, spot{seconds: 14, metres: 1000}, quality.Facts{}},
		{"NearlyTooFast", spot{}, spot{seconds: 15, metres: 1000}, quality.Facts{Moving: 1}},
		{"TooBrief", spot{}, spot{seconds: 9.999, metres: 200}, quality.Facts{}},
		{"LongerThanBrief", spot{}, spot{seconds: 10, metres: 200}, quality.Facts{Moving: 1}},
		{"TooLong", spot{}, spot{seconds: 661, metres: 5000}, quality.Facts{}},
		{"NearlyTooLong", spot{}, spot{seconds: 660, metres: 5000}, quality.Facts{Moving: 1}},

		{"SpeedAgrees", spot{speed: f(36)}, spot{seconds: 60, metres: 600, speed: f(36)}, quality.Facts{Moving: 1, Speed: bins{0: 1}}},
		{"SpeedIsTheMean", spot{speed: f(32)}, spot{seconds: 60, metres: 600, speed: f(40)}, quality.Facts{Moving: 1, Speed: bins{0: 1}}},
		{"SpeedIsHalf", spot{speed: f(18)}, spot{seconds: 60, metres: 600, speed: f(18)}, quality.Facts{Moving: 1, Speed: bins{14: 1}}},
		{"SpeedIsSteady", spot{speed: f(30)}, spot{seconds: 60, metres: 583, speed: f(40)}, quality.Facts{Moving: 1, Speed: bins{0: 1}}},
		{"SpeedIsUnsteady", spot{speed: f(2)}, spot{seconds: 60, metres: 600, speed: f(70)}, quality.Facts{Moving: 1, Speed: bins{0: 1}}},
		{"SpeedAtALongDistance", spot{speed: f(36)}, spot{seconds: 600, metres: 6000, speed: f(36)}, quality.Facts{Moving: 1, Speed: bins{0: 1}}},
		{"SpeedAtTooLongADistance", spot{speed: f(36)}, spot{seconds: 661, metres: 6610, speed: f(36)}, quality.Facts{}},
		{"SpeedOnceUnknown", spot{speed: f(36)}, spot{seconds: 60, metres: 600}, quality.Facts{Moving: 1}},
		{"SpeedOfNothing", spot{speed: f(0)}, spot{seconds: 60, metres: 260, speed: f(0.1)}, quality.Facts{Moving: 1}},
		{"SpeedOfNothingWhileItCreeps", spot{speed: f(0)}, spot{seconds: 60, metres: 240, speed: f(0)}, quality.Facts{}},
		{"SpeedOfOne", spot{speed: f(1)}, spot{seconds: 60, metres: 600, speed: f(1)}, quality.Facts{Moving: 1, Speed: bins{72: 1}}},
		{"SpeedOfTenMetres", spot{speed: f(3.6)}, spot{seconds: 10, metres: 200, speed: f(3.6)}, quality.Facts{Moving: 1, Speed: bins{60: 1}}},
		{
			"SpeedOfNothingForLong",
			spot{speed: f(0)},
			spot{seconds: 120, metres: 1000, speed: f(0)},
			quality.Facts{Moving: 1, Speed: bins{160: 1}},
		},
		{"SpeedWithoutAWay", spot{speed: f(36)}, spot{seconds: 60, metres: 10, speed: f(36)}, quality.Facts{Speed: bins{-82: 1}}},
		{"SpeedWithoutAWayOfLittle", spot{speed: f(14.9)}, spot{seconds: 60, metres: 10, speed: f(14.9)}, quality.Facts{}},

		{
			"HeadingAgrees",
			spot{heading: f(350)},
			spot{seconds: 60, metres: 600, heading: f(10)},
			quality.Facts{Moving: 1, Heading: bins{0: 1}, HeadingExchanged: bins{-9: 1}},
		},
		{"HeadingTurns", spot{heading: f(350)}, spot{seconds: 60, metres: 600, heading: f(11)}, quality.Facts{Moving: 1}},
		{
			"HeadingIsTheMean",
			spot{heading: f(40)},
			spot{seconds: 60, metres: 600, heading: f(60)},
			quality.Facts{Moving: 1, Heading: bins{5: 1}, HeadingExchanged: bins{-4: 1}},
		},
		{
			"HeadingNorthAtBothEnds",
			spot{heading: f(0)},
			spot{seconds: 60, metres: 600, heading: f(0)},
			quality.Facts{Moving: 1, North: 1, Heading: bins{0: 1}, HeadingExchanged: bins{-9: 1}},
		},
		{
			"HeadingNorthAtTheBegin",
			spot{heading: f(0)},
			spot{seconds: 60, metres: 600, heading: f(1)},
			quality.Facts{Moving: 1, Heading: bins{0: 1}, HeadingExchanged: bins{-9: 1}},
		},
		{
			"HeadingNorthAtTheEnd",
			spot{heading: f(1)},
			spot{seconds: 60, metres: 600, heading: f(0)},
			quality.Facts{Moving: 1, Heading: bins{0: 1}, HeadingExchanged: bins{-9: 1}},
		},
		{
			"HeadingAtALongDistance",
			spot{heading: f(0)},
			spot{seconds: 600, metres: 6000, heading: f(0)},
			quality.Facts{Moving: 1, North: 1, Heading: bins{0: 1}, HeadingExchanged: bins{-9: 1}},
		},
		{"HeadingAtTooLongADistance", spot{heading: f(0)}, spot{seconds: 661, metres: 6000, heading: f(0)}, quality.Facts{}},

		{
			"OdometerAgrees",
			spot{odometer: f(7000)},
			spot{seconds: 200, metres: 5001, odometer: f(12001)},
			quality.Facts{Moving: 1, Odometer: bins{0: 1}},
		},
		{
			"OdometerInKilometres",
			spot{odometer: f(7)},
			spot{seconds: 200, metres: 5001, odometer: f(12)},
			quality.Facts{Moving: 1, Odometer: bins{138: 1}},
		},
		{"OdometerOfAShortWay", spot{odometer: f(7000)}, spot{seconds: 200, metres: 999, odometer: f(7999)}, quality.Facts{Moving: 1}},
		{"OdometerIsReset", spot{odometer: f(7000)}, spot{seconds: 200, metres: 5001, odometer: f(0)}, quality.Facts{Moving: 1}},
		{
			"OdometerStandsStill",
			spot{odometer: f(7000)},
			spot{seconds: 200, metres: 5001, odometer: f(7000)},
			quality.Facts{Moving: 1, Odometer: bins{160: 1}},
		},
		{"OdometerMayCountFewer", spot{odometer: f(7000)}, spot{seconds: 200, metres: 4999, odometer: f(7000)}, quality.Facts{Moving: 1}},
		{"OdometerAppears", spot{}, spot{seconds: 200, metres: 5001, odometer: f(7000)}, quality.Facts{Moving: 1}},
		{"OdometerAfterAGap", spot{odometer: f(7000)}, spot{seconds: 700, metres: 5001, odometer: f(12001)}, quality.Facts{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := observed(tt.from, tt.to)
			if got.Positions != 2 {
				t.Errorf("%d positions were looked at", got.Positions)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(quality.Facts{}, "Since", "Positions", "Fields", "Mirror",
				"Stretches", "Places")); diff != "" {
				t.Errorf("the facts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPathOfSeveralLegs adds up what was driven until it is long enough for an odometer.
func TestPathOfSeveralLegs(t *testing.T) {
	t.Parallel()
	var spots []spot
	for i := range 21 { // 20 legs of 600 metres, with a stop of 30 within
		n := float64(i)
		metres := 600 * n
		if i > 10 {
			metres += 30 - 600
		}
		spots = append(spots, spot{seconds: 60 * n, metres: metres, odometer: new(1000 + metres)})
	}
	got := observed(spots...)
	if diff := cmp.Diff(bins{0: 9}, got.Odometer); diff != "" {
		t.Errorf("odometers (-want +got):\n%s", diff)
	}
	if got.Moving != 19 {
		t.Errorf("%d legs were driven, want 19", got.Moving)
	}
}

// TestWayToAndFro holds that a slow way between positions that are seldom, of which no more is known than that it is
// so long at the least, is held against an odometer that counts less, and not against one that counts more.
func TestWayToAndFro(t *testing.T) {
	t.Parallel()
	for counted, want := range map[float64]bins{1000: nil, 400: {0: 2}, 40: {46: 2}} {
		var spots []spot
		for i := range 7 {
			n := float64(i)
			spots = append(spots, spot{seconds: 200 * n, metres: 400 * math.Mod(n, 2), odometer: new(5000 + counted*n)})
		}
		if diff := cmp.Diff(want, observed(spots...).Odometer); diff != "" {
			t.Errorf("%v m by the odometer (-want +got):\n%s", counted, diff)
		}
		for i := range 7 { // it goes on, in one direction
			n := float64(i)
			spots = append(spots, spot{seconds: 1200 + 200*n, metres: 2500 * n, odometer: new(5000 + 6*counted + 5000*n)})
		}
		if counted == 1000 {
			if diff := cmp.Diff(bins{-14: 6}, observed(spots...).Odometer); diff != "" {
				t.Errorf("after it goes on (-want +got):\n%s", diff)
			}
		}
	}
}

// TestLoopWithinAStop holds that a stand of two minutes may hide a way, and a shorter one hides none.
func TestLoopWithinAStop(t *testing.T) {
	t.Parallel()
	for stood, want := range map[float64]bins{119: {-8: 1}, 120: nil} {
		got := observed(spot{odometer: new(5000.0)}, spot{seconds: stood, odometer: new(5500.0)},
			spot{seconds: stood + 60, metres: 1001, odometer: new(6500.0)})
		if diff := cmp.Diff(want, got.Odometer); diff != "" {
			t.Errorf("it stood for %v s (-want +got):\n%s", stood, diff)
		}
	}
}

// TestSpeedOfNothing counts what is driven at a speed of zero, but no fix from which the
// next one comes back.
func TestSpeedOfNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		metres []float64
		want   bins
	}{
		{"GoesOn", []float64{0, 600, 1200, 1800}, bins{160: 2}},
		{"ComesBack", []float64{0, 600, 0, 0}, nil},
		{"ComesBackHalfWay", []float64{0, 600, 320, 320}, nil},
	} {
		var spots []spot
		for i, metres := range tt.metres {
			spots = append(spots, spot{seconds: 60 * float64(i), metres: metres, speed: new(0.0)})
		}
		if diff := cmp.Diff(tt.want, observed(spots...).Speed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestBends lengthens a way by as much as the one before it bends, where positions are
// seldom, and not where they are dense.
func TestBends(t *testing.T) {
	t.Parallel()
	// Two legs of 600 m that meet at a right angle: 1200 m by 849.
	corner := geo.Destination(drover.Coordinate{Latitude: 48, Longitude: 60}, 0, 600)
	for seconds, want := range map[float64]bins{29.9: {0: 2}, 30: {0: 1, 7: 1}} {
		var o quality.Observer
		for i, place := range []drover.Coordinate{{Latitude: 48, Longitude: 60}, corner, geo.Destination(corner, 90, 600)} {
			p := spot{seconds: seconds * float64(i), speed: new(600 / seconds * 3.6)}.position()
			p.Latitude, p.Longitude = place.Latitude, place.Longitude
			o.Observe([]quality.Fix{{Device: "a", Position: p}}, monday, false)
		}
		if diff := cmp.Diff(want, o.Facts().Speed); diff != "" {
			t.Errorf("each %g s (-want +got):\n%s", seconds, diff)
		}
	}
}

// TestStandsAndDrives follows a vehicle that stands, drives and stops.
func TestStandsAndDrives(t *testing.T) {
	t.Parallel()
	off := new(false)
	var spots []spot
	for i, metres := range []float64{0, 0, 0, 1000, 1000, 1000} {
		spots = append(spots, spot{seconds: 60 * float64(i), metres: metres, ignition: off})
	}
	if got := observed(spots...); got.StoodOff != 240 || got.DrivenOff != 1 {
		t.Errorf("it stood for %d s, %d legs; want 240, 1", got.StoodOff, got.DrivenOff)
	}
}

// TestPlacesThatAreNone counts latitudes that would be longitudes, and goes on from the
// last place.
func TestPlacesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		latitude, longitude float64
		outside             int64
	}{
		{90, 11, 0}, {90.1, 11, 1}, {-90.1, -90, 1}, {180, 90, 1}, {180.1, 11, 0}, {100, 90.1, 0}, {100, -91, 0},
	} {
		var o quality.Observer
		p := spot{}.position()
		p.Latitude, p.Longitude = tt.latitude, tt.longitude
		for _, p := range []*drover.Position{spot{seconds: -60}.position(), p, spot{seconds: 60, metres: 600}.position()} {
			o.ObservePast([]quality.Fix{{Device: "a", Position: p}}, monday)
		}
		if got := o.Facts(); got.Outside != tt.outside || got.Positions != 3 {
			t.Errorf("%g, %g: %d outside of %d, want %d of 3", tt.latitude, tt.longitude, got.Outside, got.Positions, tt.outside)
		}
	}
}

// TestCoverage counts the positions that have a field.
func TestCoverage(t *testing.T) {
	t.Parallel()
	full := spot{speed: new(1.0), heading: new(2.0), ignition: new(false), odometer: new(3.0)}.position()
	full.DriverID, full.Auxiliary = new("d"), new(true)
	var o quality.Observer
	o.ObservePast([]quality.Fix{
		{Device: "a", Position: full},
		{Device: "b", Position: spot{}.position()},
		{Device: "c", Position: spot{speed: new(0.0)}.position()},
	}, monday)
	q := quality.Judge(o.Facts(), reading)
	want := map[string]int{"heading": 33, "speed": 67, "driver_id": 33, "ignition": 33, "auxiliary": 33, "odometer_metres": 33}
	if diff := cmp.Diff(want, q.Coverage); diff != "" {
		t.Errorf("percent (-want +got):\n%s", diff)
	}
}

// TestNews ages what has just arrived, and only the newest of a device.
func TestNews(t *testing.T) {
	t.Parallel()
	now := monday.Add(time.Hour)
	page := func(seconds ...float64) (all []quality.Fix) {
		for _, s := range seconds {
			for _, device := range []string{"a", "b"} {
				all = append(all, quality.Fix{Device: device, Position: spot{seconds: s, metres: 10 * s}.position()})
			}
		}
		return all
	}
	var o quality.Observer
	o.Observe(page(2700), now, true) // nothing was known before: it may be old
	if got := o.Facts(); got.Age != nil || got.Latency != nil || got.Since != drover.At(now) {
		t.Errorf("at the beginning: %+v", got)
	}
	o.Observe(page(2760, 2820), now.Add(time.Minute), false) // there is more
	if got := o.Facts(); got.Age != nil || got.Latency != nil {
		t.Errorf("of a page that is followed by more: %+v", got)
	}
	o.Observe(page(2880, 3000), now, true)
	if diff := cmp.Diff(bins{2: 2}, o.Facts().Age); diff != "" { // ten minutes
		t.Errorf("ages (-want +got):\n%s", diff)
	}
	l := quality.Judge(o.Facts(), reading).Latency
	if l.P50Seconds == nil || *l.P50Seconds != 600.8 || *l.P95Seconds != 600.8 {
		t.Errorf("latency %+v", l)
	}
	if got := o.Newest("a"); !got.Equal(monday.Add(3000 * time.Second)) {
		t.Errorf("the newest is of %s", got)
	}
	if got := o.Newest("c"); !got.IsZero() {
		t.Errorf("the newest of an unknown device is of %s", got)
	}
	before := o.Facts().Positions
	o.Observe(page(3000), now, true) // seen before
	if got := o.Facts().Positions; got != before {
		t.Errorf("%d positions were looked at twice", got-before)
	}
}

// TestObserverIsBounded follows some of many devices, and others after an hour.
func TestObserverIsBounded(t *testing.T) {
	t.Parallel()
	page := func(seconds float64, devices, from int) (all []quality.Fix) {
		for i := range devices {
			all = append(all, quality.Fix{Device: fmt.Sprint(from + i), Position: spot{seconds: seconds}.position()})
		}
		return all
	}
	var o quality.Observer
	o.Observe(page(0, 300, 0), monday, true)
	if got := o.Facts().Positions; got != 256 {
		t.Errorf("%d devices are followed, want 256", got)
	}
	o.Observe(page(1, 300, 1000), monday.Add(time.Hour), true)
	if got := o.Facts().Positions; got != 256 {
		t.Errorf("after an hour %d were looked at", got)
	}
	o.Observe(page(1, 300, 1000), monday.Add(time.Hour+1), true)
	if got := o.Facts().Positions; got != 512 || o.Newest("0") != (time.Time{}) {
		t.Errorf("past an hour %d were looked at, and the first is still followed: %t", got, o.Newest("0") != time.Time{})
	}
	for i := range 6 {
		if o.Full() {
			t.Errorf("it is full at %d", o.Facts().Positions)
		}
		o.ObservePast(page(float64(i), 256, 0), monday)
	}
	if got := o.Facts().Positions; got != 2000 || !o.Full() {
		t.Errorf("%d positions were looked at, want 2000; full %t", got, o.Full())
	}
	o.Stored(3, 4)
	if f := o.Take(); f.Repeated != 3 || f.Late != 4 || o.Full() || o.Facts().Positions != 0 {
		t.Errorf("%d repeated, %d late; full %t", f.Repeated, f.Late, o.Full())
	}
}

// TestTripRatios holds the bins of ratios at their ends.
func TestTripRatios(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, reported float64
		bin            int
	}{
		{1000, 1000, 0},
		{1000 * math.Exp(0.05), 1000, 1},
		{1000, 1000 * math.Exp(0.1), -2},
		{1000, 0, 160},
		{1000, -1, 160},
		{0, 1000, -160},
		{-1, 1, -160},
		{1e9, 1, 160},
		{1, 1e9, -160},
		{0, 0, 160},
	} {
		var o quality.Observer
		o.Trip(tt.path, tt.reported)
		if diff := cmp.Diff(bins{tt.bin: 1}, o.Facts().Trips); diff != "" {
			t.Errorf("%g by %g (-want +got):\n%s", tt.path, tt.reported, diff)
		}
	}
}

// TestFade halves what is old once there is enough.
func TestFade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		before         quality.Facts
		positions      int64
		once, repeated int64
	}{
		{name: "Enough", before: quality.Facts{Moving: 5000, Positions: 100_000}, positions: 100_000, once: 1, repeated: 3},
		{name: "TooManyMoving", before: quality.Facts{Moving: 5001, Positions: 100_000}, positions: 50_000, repeated: 1},
		{name: "TooMany", before: quality.Facts{Moving: 5000, Positions: 100_001}, positions: 50_000, repeated: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.before
			f.Since = drover.At(monday)
			f.Add(quality.Facts{Since: drover.At(monday.Add(time.Hour)), Repeated: 3, Speed: bins{1: 1, 2: 2}, Fields: map[string]int64{"speed": 5}})
			want := map[string]int64{"positions": tt.positions, "once": tt.once, "repeated": tt.repeated}
			got := map[string]int64{"positions": f.Positions, "once": f.Speed[1], "repeated": f.Repeated}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, kept := f.Speed[1]; kept != (tt.once > 0) || f.Speed[2] != 1+tt.once || f.Fields["speed"] != 2+3*tt.once ||
				!f.Since.Equal(monday) {
				t.Errorf("bins %v, fields %v, since %s", f.Speed, f.Fields, f.Since)
			}
			clone := f.Clone()
			clone.Speed[2], clone.Fields["speed"] = 99, 99
			if f.Speed[2] == 99 || f.Fields["speed"] == 99 {
				t.Error("a clone shares what it has")
			}
		})
	}
}
