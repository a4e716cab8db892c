package motion_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/geo/geotest"
	"github.com/drover-fleet/drover/internal/rules/motion"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at is a position some seconds after noon, some metres north of the equator.
func at(seconds, metres float64, set ...func(*drover.Position)) drover.Position {
	p := drover.Position{Time: drover.At(noon.Add(time.Duration(seconds * float64(time.Second)))), Latitude: metres / 111_195}
	for _, f := range set {
		f(&p)
	}
	return p
}

func speed(kph float64) func(*drover.Position) { return func(p *drover.Position) { p.SpeedKPH = &kph } }
func ignition(on bool) func(*drover.Position)  { return func(p *drover.Position) { p.Ignition = &on } }
func auxiliary(on bool) func(*drover.Position) { return func(p *drover.Position) { p.Auxiliary = &on } }
func minute(n float64) time.Time               { return noon.Add(time.Duration(n * float64(time.Minute))) }
func status(s drover.DeviceState, minutes float64) motion.Status {
	return motion.Status{State: s, Since: drover.At(minute(minutes))}
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before *drover.Position
		p      drover.Position
		want   drover.DeviceState
	}{
		{"NothingReported", nil, at(0, 0), drover.DeviceStopped},
		{"Fast", nil, at(0, 0, speed(5)), drover.DeviceDriving},
		{"Slow", nil, at(0, 0, speed(4.9)), drover.DeviceStopped},
		{"SlowIgnition", nil, at(0, 0, speed(4.9), ignition(true)), drover.DeviceIdling},
		{"FastIgnitionOff", nil, at(0, 0, speed(50), ignition(false)), drover.DeviceDriving},
		{"Ignition", nil, at(0, 0, ignition(true)), drover.DeviceIdling},
		{"IgnitionOff", nil, at(0, 0, ignition(false)), drover.DeviceStopped},
		{"Auxiliary", nil, at(0, 0, ignition(false), auxiliary(true)), drover.DeviceIdling},
		{"AuxiliaryOff", nil, at(0, 0, auxiliary(false)), drover.DeviceStopped},
		{"MovedWithoutSpeed", new(at(0, 0)), at(36, 50.1), drover.DeviceDriving},
		{"MovedTooLittle", new(at(0, 0)), at(10, 49.9), drover.DeviceStopped},
		{"MovedTooSlowly", new(at(0, 0)), at(60, 80), drover.DeviceStopped},
		{"MovedButSpeedSaysNo", new(at(0, 0)), at(60, 5000, speed(0)), drover.DeviceStopped},
		{"MovedLongAgo", new(at(0, 0)), at(901, 50_000), drover.DeviceStopped},
		{"MovedJustInTime", new(at(0, 0)), at(900, 50_000), drover.DeviceDriving},
		{"SameTime", new(at(0, 0)), at(0, 5000), drover.DeviceStopped},
		{"SlowWork", new(at(0, 0)), at(36, 2.6, speed(1), ignition(true)), drover.DeviceDriving},
		{"SlowWorkWithAuxiliary", new(at(0, 0)), at(30, 33, speed(4), auxiliary(true)), drover.DeviceDriving},
		{"SlowWorkTooSlow", new(at(0, 0)), at(36, 36, speed(0.9), ignition(true)), drover.DeviceIdling},
		{"SlowWorkInOnePlace", new(at(0, 0)), at(36, 2.4, speed(4), ignition(true)), drover.DeviceIdling},
		{"SlowWorkIgnitionOff", new(at(0, 0)), at(36, 40, speed(4), ignition(false)), drover.DeviceStopped},
		{"SlowWorkLongAgo", new(at(0, 0)), at(901, 900, speed(4), ignition(true)), drover.DeviceIdling},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := motion.At(tt.before, tt.p, geo.MovingKPH); got != tt.want {
				t.Errorf("state is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSilentAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state drover.DeviceState
		poll  time.Duration
		want  time.Duration
	}{
		{drover.DeviceDriving, time.Minute, 15 * time.Minute},
		{drover.DeviceIdling, 225 * time.Second, 15 * time.Minute},
		{drover.DeviceIdling, 226 * time.Second, 904 * time.Second},
		{drover.DeviceDriving, time.Hour, 4 * time.Hour},
		{drover.DeviceStopped, time.Minute, 24 * time.Hour},
	} {
		if got := motion.SilentAfter(tt.state, tt.poll); got != tt.want {
			t.Errorf("%s, polled every %v: silent after %v, want %v", tt.state, tt.poll, got, tt.want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	drive, stop := speed(50), speed(0)
	for _, tt := range []struct {
		name      string
		from      motion.Status
		latest    *drover.Position
		positions []drover.Position
		want      motion.Status
	}{
		{"Nothing", status(drover.DeviceStopped, 0), new(at(0, 0)), nil, status(drover.DeviceStopped, 0)},
		{"First", motion.Status{}, nil, []drover.Position{at(60, 0, drive)}, status(drover.DeviceDriving, 1)},
		{
			"GoesOn", status(drover.DeviceDriving, 0), new(at(60, 0, drive)),
			[]drover.Position{at(120, 0, drive), at(180, 0, drive)},
			status(drover.DeviceDriving, 0),
		},
		{
			"Changes", status(drover.DeviceDriving, 0), new(at(60, 0, drive)),
			[]drover.Position{at(120, 0, drive), at(180, 0, stop), at(240, 0, stop)},
			status(drover.DeviceStopped, 3),
		},
		{
			"ThereAndBack", status(drover.DeviceDriving, 0), new(at(60, 0, drive)),
			[]drover.Position{at(120, 0, stop), at(180, 0, drive)},
			status(drover.DeviceDriving, 3),
		},
		{
			"AfterSilence", status(drover.DeviceDriving, 0), new(at(0, 0, drive)),
			[]drover.Position{at(901, 0, drive)},
			status(drover.DeviceDriving, 901.0/60),
		},
		{
			"NotYetSilent", status(drover.DeviceDriving, 0), new(at(0, 0, drive)),
			[]drover.Position{at(900, 0, drive)},
			status(drover.DeviceDriving, 0),
		},
		{
			"ParkedReportsSeldom", status(drover.DeviceStopped, 0), new(at(0, 0, stop)),
			[]drover.Position{at(86_400, 0, stop)},
			status(drover.DeviceStopped, 0),
		},
		{
			"OutOfSilence", status(drover.DeviceSilent, 0), new(at(0, 0, stop)),
			[]drover.Position{at(60, 0, stop)},
			status(drover.DeviceStopped, 1),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, motion.After(tt.from, tt.latest, tt.positions, time.Minute, geo.MovingKPH)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNow(t *testing.T) {
	t.Parallel()
	heard := drover.At(minute(10))
	for _, tt := range []struct {
		name string
		s    motion.Status
		now  time.Time
		want motion.Status
	}{
		{"Heard", status(drover.DeviceIdling, 5), minute(25), status(drover.DeviceIdling, 5)},
		{"Silent", status(drover.DeviceIdling, 5), minute(25.001), status(drover.DeviceSilent, 10)},
		{"Parked", status(drover.DeviceStopped, 5), minute(24*60 + 10), status(drover.DeviceStopped, 5)},
		{"ParkedTooLong", status(drover.DeviceStopped, 5), minute(24*60 + 10.001), status(drover.DeviceSilent, 10)},
		{"SilentAlready", status(drover.DeviceSilent, 10), minute(11), status(drover.DeviceSilent, 10)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, motion.Now(tt.s, heard, tt.now, time.Minute)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMovedToTheMetre holds that a vehicle without a speed drives from 50 m and from
// 5 km/h on, both included.
func TestMovedToTheMetre(t *testing.T) {
	t.Parallel()
	from := at(0, 0)
	for _, tt := range []struct{ metres, seconds float64 }{{50, 10}, {100, 72}} {
		place := geotest.MetresNorthOf(t, from.Point(), tt.metres)
		to := at(tt.seconds, 0)
		to.Latitude, to.Longitude = place.Latitude, place.Longitude
		if got := motion.At(&from, to, geo.MovingKPH); got != drover.DeviceDriving {
			t.Errorf("%v m in %v s: %s", tt.metres, tt.seconds, got)
		}
	}
}

// TestSlowWorkToTheMetre holds that slow work begins at 1 km/h by the reported speed, and at 0.25 km/h by the places.
func TestSlowWorkToTheMetre(t *testing.T) {
	t.Parallel()
	from := at(0, 0)
	place := geotest.NorthOf(t, from.Point(), geo.WorkKPH, func(c drover.Coordinate) float64 {
		return geo.SpeedKPH(geo.DistanceMetres(from.Point(), c), 36)
	})
	to := at(36, 0, speed(geo.CrawlKPH), ignition(true))
	to.Latitude, to.Longitude = place.Latitude, place.Longitude
	if got := motion.At(&from, to, geo.MovingKPH); got != drover.DeviceDriving {
		t.Errorf("it is %s", got)
	}
}

// TestMovingSpeed holds that a device moves from the speed of its rules on, whether it
// reports that or gets on so fast.
func TestMovingSpeed(t *testing.T) {
	t.Parallel()
	from := drover.Position{Time: drover.At(minute(0))}
	to := drover.Position{Time: drover.At(minute(2)), Latitude: 100 / 111_195.0} // at 3 km/h
	reported := to
	reported.SpeedKPH = new(3.0)
	for moving, want := range map[float64]drover.DeviceState{2.9: drover.DeviceDriving, 3.1: drover.DeviceStopped} {
		if got := motion.At(&from, to, moving); got != want {
			t.Errorf("from %v km/h on, a device that got on at 3 is %s", moving, got)
		}
		if got := motion.After(motion.Status{}, nil, []drover.Position{reported}, time.Minute, moving).State; got != want {
			t.Errorf("from %v km/h on, a device that reports 3 is %s", moving, got)
		}
	}
}
