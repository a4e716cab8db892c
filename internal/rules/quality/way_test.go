package quality_test

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// TestScatterIsNoWay follows a receiver that is a few metres off at every second position, to either side:
// its speed agrees with what is driven, not with the line through all of them.
func TestScatterIsNoWay(t *testing.T) {
	t.Parallel()
	var o quality.Observer
	for i := range 60 {
		p := spot{seconds: float64(i), metres: 20 * float64(i), speed: new(72.0)}.position()
		p.Longitude += float64(i%2) * 15 / degree
		o.Observe([]quality.Fix{{Device: "a", Position: p}}, monday, false)
	}
	if f := o.Facts(); f.Stretches != 5 || f.Speed[0] != 5 {
		t.Errorf("%d stretches, ratios %v: want 5 that agree", f.Stretches, f.Speed)
	}
}

// TestTurned counts the stretches within which a vehicle turned back.
func TestTurned(t *testing.T) {
	t.Parallel()
	var spots []spot
	for i, metres := range []float64{0, 1000, 0, 1000, 2000, 3000} {
		spots = append(spots, spot{seconds: 60 * float64(i), metres: metres})
	}
	if f := observed(spots...); f.Stretches != 5 || f.Turned != 2 {
		t.Errorf("%d of %d stretches turned, want 2 of 5", f.Turned, f.Stretches)
	}
}

// TestPlacesOfStretches counts each place of a stretch that is measured once, and a place that is repeated not at all.
func TestPlacesOfStretches(t *testing.T) {
	t.Parallel()
	f := observed(spot{}, spot{seconds: 5, metres: 60}, spot{seconds: 6, metres: 60}, spot{seconds: 12, metres: 160},
		spot{seconds: 60, metres: 1000}, spot{seconds: 120, metres: 1000})
	if f.Stretches != 2 || f.Places != 3 {
		t.Errorf("%d places in %d stretches, want 3 in 2", f.Places, f.Stretches)
	}
}

// TestSlowForTwoMinutes goes on with a stretch for two minutes until it is driven.
func TestSlowForTwoMinutes(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]int64{120: 2, 121: 1} {
		if f := observed(spot{}, spot{seconds: seconds, metres: 60}, spot{seconds: seconds + 10, metres: 700}); f.Moving != want {
			t.Errorf("after %v s %d positions moved, want %d", seconds, f.Moving, want)
		}
	}
}

// TestNoMirrorBeyondThePole compares no way with one on a map that has no such place.
func TestNoMirrorBeyondThePole(t *testing.T) {
	t.Parallel()
	for longitude, want := range map[float64]float64{60: 2, 120: 0} {
		var o quality.Observer
		for i := range 3 {
			p := spot{seconds: 60 * float64(i), metres: 1000 * float64(i), speed: new(60.0)}.position()
			p.Longitude = longitude
			o.Observe([]quality.Fix{{Device: "a", Position: p}}, monday, false)
		}
		m := o.Facts().Mirror
		if m[0] != want {
			t.Errorf("at %v degrees %v ways are compared, want %v", longitude, m[0], want)
		}
		// As it is the speeds agree; on the exchanged map, where ways are half as long, they are as far off as is counted.
		if math.Abs(m[1]) > 0.01*want || math.Abs(m[3]+0.5*want) > 0.01*want {
			t.Errorf("at %v degrees the speeds are off by %v, and by %v on the exchanged map", longitude, m[1], m[3])
		}
	}
}

// TestForgottenAQuarterOfAnHourBehind begins again where a clock falls a quarter of an hour back.
func TestForgottenAQuarterOfAnHourBehind(t *testing.T) {
	t.Parallel()
	for back, want := range map[time.Duration]time.Duration{15 * time.Minute: -15 * time.Minute, 15*time.Minute - time.Millisecond: 0} {
		var o quality.Observer
		for _, at := range []time.Duration{0, -back} {
			p := spot{}.position()
			p.Time = drover.At(monday.Add(at))
			o.Observe([]quality.Fix{{Device: "a", Position: p}}, monday, true)
		}
		if got := o.Newest("a"); !got.Equal(monday.Add(want)) {
			t.Errorf("%v back, the newest is %v", back, got)
		}
	}
}

// TestRecentAges halves ages once there are more than a hundred.
func TestRecentAges(t *testing.T) {
	t.Parallel()
	var f quality.Facts
	f.Add(quality.Facts{Age: bins{0: 100}})
	if f.Age[0] != 100 {
		t.Errorf("of 100 ages %d are left", f.Age[0])
	}
	f.Add(quality.Facts{Age: bins{0: 1}})
	if f.Age[0] != 50 {
		t.Errorf("of 101 ages %d are left", f.Age[0])
	}
}

// TestSamplesOfIDs counts the devices that are there and those that came and went.
func TestSamplesOfIDs(t *testing.T) {
	t.Parallel()
	for _, c := range quality.Judge(quality.Facts{}, quality.Context{Devices: 4, Brief: 3}).Checks {
		if c.Name == drover.CheckIDs && c.Samples != 7 {
			t.Errorf("%d devices, want 7", c.Samples)
		}
	}
}
