package main

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// A guess of a unit needs so many legs between two positions of a device, each at least so
// fast and no longer than so.
const (
	fewLegs    = 5
	leastSpeed = 15 // km/h
	longestLeg = 2 * time.Minute
)

// candidate is a unit that numbers may be in.
type candidate struct {
	unit   string
	factor float64
}

var (
	speedUnits    = []candidate{{"km/h", 1}, {"mph", 1.609344}, {"knots", 1.852}, {"m/s", 3.6}}
	odometerUnits = []candidate{{"m", 1}, {"km", 1000}, {"miles", 1609.344}}
)

// guessUnits finds the units that no name and no one says, by how far the device went.
func (p *importPlan) guessUnits(c importCommand) {
	speeds, distances := p.legs()
	p.speed = p.unit("speed", c.SpeedUnit, p.speed, speedUnits, speeds)
	p.odometer = p.unit("odometer", c.OdometerUnit, p.odometer, odometerUnits, distances)
}

// unit is the factor of a column: as it is said, as its name says, as its numbers show, or
// that of the interface.
func (p *importPlan) unit(field, said string, byName float64, units []candidate, ratios []float64) float64 {
	if p.columns[field] == "" {
		return 1
	}
	for _, u := range units {
		if u.unit == said {
			p.note("unit of the %s: %s, as you say", field, u.unit)
			return u.factor
		}
	}
	if byName != 0 {
		return byName
	}
	if len(ratios) < fewLegs {
		p.note("unit of the %s: taken for %s, because nothing shows it (--%s-unit)", field, units[0].unit, field)
		return units[0].factor
	}
	slices.Sort(ratios)
	middle := ratios[len(ratios)/2]
	best := slices.MinFunc(units, func(a, b candidate) int {
		return cmp.Compare(math.Abs(math.Log(middle/a.factor)), math.Abs(math.Log(middle/b.factor)))
	})
	p.note("unit of the %s: %s, by how far the device went between %d positions (--%s-unit)", field, best.unit, len(ratios), field)
	return best.factor
}

// legs are, for each leg between two positions of a device, by what its speed and the growth
// of its odometer must be multiplied to be those of the way between them.
func (p *importPlan) legs() (speeds, odometers []float64) {
	type fix struct {
		at              time.Time
		place           drover.Coordinate
		speed, odometer *float64
	}
	last := map[string]fix{}
	for _, r := range p.sample {
		at, ok := p.times.parse(p.timeText(r), p.zone)
		latitude, _ := p.number(r, "latitude")
		longitude, _ := p.number(r, "longitude")
		if !ok || latitude == nil || longitude == nil {
			continue
		}
		now := fix{at: at, place: drover.Coordinate{Latitude: *latitude, Longitude: *longitude}}
		now.speed, _ = p.number(r, "speed")
		now.odometer, _ = p.number(r, "odometer")
		device := r.values[p.columns["device"]]
		before, seen := last[device]
		last[device] = now
		took := now.at.Sub(before.at)
		if !seen || took <= 0 || took > longestLeg {
			continue
		}
		metres := geo.DistanceMetres(before.place, now.place)
		kph := metres / took.Seconds() * 3.6
		if kph < leastSpeed {
			continue
		}
		if before.speed != nil && now.speed != nil && *before.speed > 0 && *now.speed > 0 {
			speeds = append(speeds, kph/((*before.speed+*now.speed)/2))
		}
		if before.odometer != nil && now.odometer != nil && *now.odometer > *before.odometer {
			odometers = append(odometers, metres/(*now.odometer-*before.odometer))
		}
	}
	return speeds, odometers
}
