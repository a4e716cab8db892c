package trip_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

var epoch = time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)

// vehicle writes a history, position by position, with what its provider reports.
type vehicle struct {
	r         *rand.Rand
	at        time.Time
	place     drover.Coordinate
	heading   float64
	odometer  float64
	interval  time.Duration
	speed     bool
	ignition  bool
	auxiliary bool
	odo       bool
	positions []drover.Position
}

func newVehicle(r *rand.Rand) *vehicle {
	return &vehicle{
		r: r, at: epoch, place: drover.Coordinate{Latitude: 48.1, Longitude: 11.5},
		interval: []time.Duration{time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 4 * time.Minute}[r.IntN(5)],
		speed:    r.IntN(4) > 0, ignition: r.IntN(3) > 0, auxiliary: r.IntN(3) == 0, odo: r.IntN(2) == 0,
	}
}

func (v *vehicle) report(kph float64, ignition, auxiliary bool) {
	seen := geo.Destination(v.place, v.r.Float64()*360, v.r.Float64()*8)
	p := drover.Position{Time: drover.At(v.at), Latitude: seen.Latitude, Longitude: seen.Longitude}
	if v.speed {
		p.SpeedKPH = &kph
	}
	if v.ignition {
		p.Ignition = &ignition
	}
	if v.auxiliary {
		p.Auxiliary = &auxiliary
	}
	if v.odo {
		odometer := v.odometer
		p.OdometerMetres = &odometer
	}
	v.positions = append(v.positions, p)
	v.at = v.at.Add(v.interval)
}

func (v *vehicle) drive(d time.Duration) {
	for until := v.at.Add(d); v.at.Before(until); {
		kph := 20 + v.r.Float64()*80
		metres := kph / 3.6 * v.interval.Seconds()
		v.heading += v.r.Float64()*60 - 30
		v.place = geo.Destination(v.place, v.heading, metres)
		v.odometer += metres * 1.05
		v.report(kph, true, false)
	}
}

func (v *vehicle) stop(d time.Duration, ignition, auxiliary bool) {
	for until := v.at.Add(d); v.at.Before(until); {
		v.report(0, ignition, auxiliary)
	}
}

// hole drives on unseen.
func (v *vehicle) hole(d time.Duration) {
	metres := (10 + v.r.Float64()*60) / 3.6 * d.Seconds()
	v.at = v.at.Add(d)
	v.place = geo.Destination(v.place, v.heading, metres)
	v.odometer += metres * 1.05
}

// stray reports a few positions from elsewhere: impossibly far, or just off.
func (v *vehicle) stray() {
	home := v.place
	metres := []float64{300, 30_000, 500_000}[v.r.IntN(3)]
	v.place = geo.Destination(home, v.r.Float64()*360, metres)
	for range 1 + v.r.IntN(3)*v.r.IntN(5) {
		v.report(0, v.r.IntN(2) == 0, false)
	}
	if v.r.IntN(3) > 0 {
		v.place = home
	}
}

func (v *vehicle) minutes(most int) time.Duration {
	return time.Duration(v.r.IntN(most*60)+1) * time.Second
}

// randomHistory is some hours of a vehicle that does anything that vehicles and
// their trackers do. Positions come oldest first and unique by time.
func randomHistory(r *rand.Rand, stages int) []drover.Position {
	v := newVehicle(r)
	for range stages {
		switch r.IntN(11) {
		case 0, 1, 2:
			v.drive(v.minutes(40))
		case 3:
			v.stop(v.minutes(8), true, r.IntN(2) == 0)
		case 4:
			v.stop(v.minutes(90), true, r.IntN(2) == 0)
		case 5:
			v.stop(v.minutes(200), false, false)
		case 6:
			v.stop(v.minutes(7), false, false)
		case 7:
			v.at = v.at.Add(v.minutes(40))
		case 8:
			v.stray()
		case 9:
			v.drive(v.minutes(5))
			v.hole(v.minutes(100))
			v.drive(v.minutes(5))
		case 10:
			v.drive(v.minutes(5))
			v.hole(v.minutes(30))
			v.stop(v.minutes(5), true, false)
		}
	}
	return thin(r, v.positions)
}

// jumpyHistory is that of a tracker which often reports another place than that of
// the vehicle, between stops, drives and silences.
func jumpyHistory(r *rand.Rand, stages int) []drover.Position {
	v := newVehicle(r)
	v.interval = []time.Duration{20 * time.Second, time.Minute, 10 * time.Minute, 20 * time.Minute}[r.IntN(4)]
	other := geo.Destination(v.place, 70, []float64{5_000, 120_000, 400_000}[r.IntN(3)])
	for range stages {
		switch r.IntN(9) {
		case 0:
			v.drive(v.minutes(15))
		case 1:
			v.stop(v.minutes(20), r.IntN(2) == 0, false)
		case 2: // a quiet hour, and on to the next one
			v.stop(v.minutes(90)+time.Hour, false, false)
		case 3:
			v.at = v.at.Add(v.minutes(60))
		case 4:
			v.at = v.at.Add(v.minutes(300))
		default:
			v.place, other = other, v.place
			for range 1 + r.IntN(2)*r.IntN(7) {
				v.report(0, false, false)
			}
			if r.IntN(3) == 0 {
				v.at = v.at.Add(v.minutes(40))
			}
			if r.IntN(3) > 0 {
				v.place, other = other, v.place
			}
		}
	}
	return thin(r, v.positions)
}

// thin keeps histories of trackers that report by the second short.
func thin(r *rand.Rand, positions []drover.Position) []drover.Position {
	const most = 800
	if len(positions) <= most {
		return positions
	}
	from := r.IntN(len(positions) - most)
	return slices.Clone(positions[from : from+most])
}
