package quality_test

import (
	"math"
	"math/rand/v2"
	"slices"
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
func found(
	all []drover.Position,
	spoil func(*drover.Position),
	check string,
	most int64,
) (q drover.ConnectionQuality, c drover.QualityCheck) {
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
		for _, c = range q.Checks {
			if (check == "" || c.Name == check) && c.Verdict == drover.VerdictDoubtful {
				return q, c
			}
		}
		if f.Moving >= most {
			break
		}
	}
	return q, drover.QualityCheck{}
}

var cadences = []int{1, 5, 30, 120, 300}

// TestEveryCadence finds mistakes within 200 moving positions, whether those come each
// second or each five minutes, and names no unit that is wrong.
func TestEveryCadence(t *testing.T) {
	t.Parallel()
	speed := func(by float64) func(*drover.Position) { return func(p *drover.Position) { *p.SpeedKPH *= by } }
	for _, m := range []struct {
		name, check string
		spoil       func(*drover.Position)
		suggestions []string
	}{
		{"MilesPerHour", drover.CheckSpeed, speed(1 / 1.609344), []string{"", "speed=mph"}},
		{"Knots", drover.CheckSpeed, speed(1 / 1.852), []string{"", "speed=knots"}},
		{"MetresPerSecond", drover.CheckSpeed, speed(1 / 3.6), []string{"", "speed=ms"}},
		{"ConvertedTwice", drover.CheckSpeed, speed(1.609344), []string{""}},
		{"Standing", drover.CheckSpeed, speed(0), []string{""}},
		{"Exchanged", drover.CheckCoordinates, exchange, []string{"coordinates=lon_lat"}},
		{
			"Behind", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(-6 * time.Hour)) },
			[]string{"time_offset_minutes=-360"},
		},
		{
			"Ahead", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(330 * time.Minute)) },
			[]string{"time_offset_minutes=330"},
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
					switch {
					case c.Verdict != drover.VerdictDoubtful:
						t.Errorf("outing %d at %d s: not found in %d moving positions", seed, seconds, q.Moving)
					case q.Moving > budget:
						t.Errorf("outing %d at %d s: found after %d moving positions", seed, seconds, q.Moving)
					case !slices.Contains(m.suggestions, value(c.Suggestion)):
						t.Errorf("outing %d at %d s: %s is suggested", seed, seconds, *c.Suggestion)
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
