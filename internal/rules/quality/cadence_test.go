package quality_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// outing is a vehicle that drives about for a day: it stops, turns and speeds up.
// Frozen is for how many seconds its receiver repeats a place.
func outing(seed uint64, frozen int) []drover.Position {
	random := rand.New(rand.NewPCG(seed, 1))
	place, odometer := drover.Coordinate{Latitude: 50, Longitude: 8}, 7e6
	speed, target, way, course := 0.0, 0.0, 0.0, 0.0
	var all []drover.Position
	shown := place
	for i := range 24 * 3600 {
		if i%1200 == 0 {
			way += 90
		}
		if i%100 == 0 {
			target, course = []float64{0, 25, 50, 60, 80}[random.IntN(5)], way+45*float64(random.IntN(3)-1)
		}
		speed += max(-5, min(target-speed, 5))
		metres := speed / 3.6
		odometer += metres
		place = geo.Destination(place, course, metres)
		if frozen == 0 || i%frozen == 0 {
			shown = place
		}
		all = append(all, drover.Position{
			Time: drover.At(monday.Add(time.Duration(i) * time.Second)), Latitude: shown.Latitude, Longitude: shown.Longitude,
			SpeedKPH: new(speed), OdometerMetres: new(math.Floor(odometer/1000) * 1000),
		})
	}
	return all
}

// every thins positions, and leaves out what is too many.
func every(all []drover.Position, seconds int) (out []drover.Position) {
	for i := 0; i < len(all) && len(out) < 3000; i += seconds {
		out = append(out, all[i])
	}
	return out
}

// found follows positions until a check is doubtful, or any, and returns the last judgement.
func found(all []drover.Position, spoil func(*drover.Position), check string, most int64) (drover.ConnectionQuality, drover.QualityCheck) {
	return follow(all, spoil, check, most, func(drover.QualityCheck) bool { return true })
}

// follow follows positions until a check is doubtful, or any, in a way that is enough; otherwise
// it returns the last judgement that was doubtful.
func follow(
	all []drover.Position,
	spoil func(*drover.Position),
	check string,
	most int64,
	enough func(drover.QualityCheck) bool,
) (q drover.ConnectionQuality, last drover.QualityCheck) {
	var o quality.Observer
	var f quality.Facts
	for i, p := range all {
		now := p.Time.Time
		p.SpeedKPH, p.OdometerMetres = copied(p.SpeedKPH), copied(p.OdometerMetres)
		spoil(&p)
		o.Observe([]quality.Fix{{Device: "a", Position: &p}}, now, true)
		if i%10 > 0 {
			continue
		}
		f.Add(o.Take())
		q = quality.Judge(f, reading)
		for _, c := range q.Checks {
			if (check == "" || c.Name == check) && c.Verdict == drover.VerdictDoubtful {
				if last = c; enough(c) {
					return q, c
				}
			}
		}
		if f.Moving >= most {
			break
		}
	}
	return q, last
}

var cadences = []int{1, 5, 30, 120, 300}

// TestEveryCadence finds mistakes within 200 moving positions, whether those come each
// second or each five minutes, and names no unit that is wrong; where they come each half a minute,
// it names the right one.
func TestEveryCadence(t *testing.T) {
	t.Parallel()
	speed := func(by float64) func(*drover.Position) { return func(p *drover.Position) { *p.SpeedKPH *= by } }
	for _, m := range []struct {
		name, check string
		spoil       func(*drover.Position)
		suggestion  string
		// namedTo are the seconds between positions up to which, from 30 on, a unit must be named: of
		// ways of minutes the curves are not known, so that no other unit can be ruled out.
		namedTo int
	}{
		{"MilesPerHour", drover.CheckSpeed, speed(1 / 1.609344), "speed=mph", 30},
		{"Knots", drover.CheckSpeed, speed(1 / 1.852), "speed=knots", 30},
		{"MetresPerSecond", drover.CheckSpeed, speed(1 / 3.6), "speed=ms", 300},
		{"ConvertedTwice", drover.CheckSpeed, speed(1.609344), "", 0},
		{"Standing", drover.CheckSpeed, speed(0), "", 0},
		{"Exchanged", drover.CheckCoordinates, exchange, "coordinates=lon_lat", 0},
		{
			"Behind", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(-6 * time.Hour)) },
			"time_offset_minutes=-360", 0,
		},
		{
			"Ahead", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(330 * time.Minute)) },
			"time_offset_minutes=330", 0,
		},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				all := outing(seed, 0)
				for _, seconds := range cadences {
					if m.check == drover.CheckCoordinates && seconds == 1 {
						continue // too few courses in 200 seconds
					}
					q, c := found(every(all, seconds), m.spoil, m.check, budget)
					suggested := value(c.Suggestion)
					unnamed := m.check == drover.CheckSpeed && suggested == ""
					switch {
					case c.Verdict != drover.VerdictDoubtful:
						t.Errorf("outing %d at %d s: not found in %d moving positions", seed, seconds, q.Moving)
					case q.Moving > budget:
						t.Errorf("outing %d at %d s: found after %d moving positions", seed, seconds, q.Moving)
					case suggested != m.suggestion && !unnamed:
						t.Errorf("outing %d at %d s: %q is suggested", seed, seconds, suggested)
					}
					if seconds < 30 || seconds > m.namedTo {
						continue
					}
					named := func(c drover.QualityCheck) bool { return value(c.Suggestion) == m.suggestion }
					if _, c := follow(every(all, seconds), m.spoil, m.check, budget, named); !named(c) {
						t.Errorf("outing %d at %d s: %q is suggested at last", seed, seconds, value(c.Suggestion))
					}
				}
			}
		})
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestNoFalseAlarmAtAnyCadence follows vehicles that are right, also ones whose receivers
// repeat a place for seconds, and counts a place that is repeated once.
func TestNoFalseAlarmAtAnyCadence(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		for _, frozen := range []int{0, 15} {
			all := outing(seed, frozen)
			for _, seconds := range append(cadences, 600) {
				q, c := found(every(all, seconds), func(*drover.Position) {}, "", math.MaxInt64)
				if c.Verdict == drover.VerdictDoubtful {
					t.Errorf("outing %d, frozen for %d s, at %d s: %s", seed, frozen, seconds, *c.Reason)
				}
				if places := int64(min(len(all), 3000*seconds) / max(1, frozen, seconds)); q.Moving > places || q.Moving < 20 {
					t.Errorf("outing %d, frozen for %d s, at %d s: %d of %d places moved", seed, frozen, seconds, q.Moving, places)
				}
			}
		}
	}
}

// TestStopAndGo follows buses that are right, stand at their stops for as long as they drive, and turn at each: in the mean
// they are as fast as what counts as driven, so speeds that are high by chance must not choose what they are compared with.
func TestStopAndGo(t *testing.T) {
	t.Parallel()
	const step, kph, most = 10, 32.0, 6 // seconds, and steps of a drive or of a stop at the most
	for _, seed := range []uint64{15, 24, 30} {
		random := rand.New(rand.NewPCG(seed, 2))
		place, course := drover.Coordinate{Latitude: 30, Longitude: -97}, 0.0
		var all []drover.Position
		for len(all) < 2*24*3600/step {
			course += []float64{-60, -30, 0, 30, 60}[random.IntN(5)]
			for _, speed := range []float64{kph, 0} {
				for range 1 + random.IntN(most) {
					place = geo.Destination(place, course, speed/3.6*step)
					all = append(all, drover.Position{
						Time: drover.At(monday.Add(time.Duration(len(all)*step) * time.Second)), Latitude: place.Latitude, Longitude: place.Longitude,
						SpeedKPH: new(speed),
					})
				}
			}
		}
		for _, seconds := range []int{120, 300, 450, 600} {
			q, c := found(every(all, seconds/step), func(*drover.Position) {}, "", math.MaxInt64)
			if c.Verdict == drover.VerdictDoubtful {
				t.Errorf("bus %d at %d s, after %d moving positions: %s", seed, seconds, q.Moving, *c.Reason)
			}
		}
	}
}

// TestClockThatFallsBehind follows a vendor that is right for long, and then half an hour or
// six hours behind: that is found within 200 positions, at each cadence.
func TestClockThatFallsBehind(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{30 * time.Minute, 6 * time.Hour} {
		fallBehind(t, off)
	}
}

func fallBehind(t *testing.T, off time.Duration) {
	t.Helper()
	for _, seconds := range cadences {
		var o quality.Observer
		var f quality.Facts
		behind := func(i int) (doubted bool) {
			const right = 2000
			s := spot{seconds: float64(i * seconds), metres: math.Abs(math.Remainder(15*float64(i*seconds), 200_000))}
			p := s.position()
			now := p.Time.Time
			if i >= right {
				p.Time = drover.At(now.Add(-off))
			}
			o.Observe([]quality.Fix{{Device: "a", Position: p}}, now, true)
			f.Add(o.Take())
			for _, c := range quality.Judge(f, reading).Checks {
				doubted = doubted || c.Name == drover.CheckTime && c.Verdict == drover.VerdictDoubtful
			}
			if doubted && i < right {
				t.Errorf("at %d s it is doubted while it is right", seconds)
			}
			return doubted
		}
		i := 0
		for i < 2000+5*budget && !behind(i) {
			i++
		}
		if i > 2000+budget {
			t.Errorf("%v at %d s is found after %d positions", off, seconds, i-2000)
		}
	}
}

// errands are five drives with a stand of as many seconds before each and after the last, with the
// ignition on, or off at the last one. It reports each so many seconds, and each minute while it stands.
func errands(each, stand int, offAtLast bool) (out []drover.Position) {
	const drives, legs, longestLeg, kph = 5, 4, 300, 60.0
	metres, at := 0.0, 0
	add := func(seconds, each int, speed float64, on bool) {
		for range seconds / each {
			metres += speed / 3.6 * float64(each)
			at += each
			out = append(out, *spot{seconds: float64(at), metres: metres, speed: &speed, ignition: &on}.position())
		}
	}
	for range drives {
		add(stand, max(60, each), 0, true)
		add(legs*min(longestLeg, max(10, each)), each, kph, true)
	}
	add(stand, max(60, each), 0, !offAtLast)
	return out
}

// TestIgnitionNeverOff finds an ignition that is stuck at each cadence, and doubts none of a vehicle
// that idles at each stop for 27 hours in all, whenever one begins to follow it.
func TestIgnitionNeverOff(t *testing.T) {
	t.Parallel()
	right := func(*drover.Position) {}
	for _, seconds := range cadences {
		q, c := found(errands(seconds, 6*3600, false), right, drover.CheckIgnition, math.MaxInt64)
		if c.Verdict != drover.VerdictDoubtful || q.Moving > budget {
			t.Errorf("at %d s one that is stuck is %s after %d moving positions", seconds, c.Verdict, q.Moving)
		}
		idles := errands(seconds, 27*3600/5, true)
		for begin := range 4 {
			if _, c := found(idles[begin*len(idles)/5:], right, "", math.MaxInt64); c.Verdict == drover.VerdictDoubtful {
				t.Errorf("at %d s from %d fifths on: %s", seconds, begin, *c.Reason)
			}
		}
	}
}
