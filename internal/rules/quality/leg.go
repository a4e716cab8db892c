package quality

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// device is the newest position of a device, and how its odometer stood.
type device struct {
	known    bool
	at       int64 // milliseconds
	point    drover.Coordinate
	speed    float64 // not a number where it is not reported
	heading  float64
	ignition int // 1 on, 0 off, -1 not reported
	standing bool

	odometer float64 // at the begin of path
	path     float64 // metres
}

// What counts as driven, in metres and seconds. Shorter or longer stretches tell
// little: a receiver scatters, and a road bends.
const (
	longestLeg   = 300.0
	comparedLeg  = 120.0
	longestStand = 35 * 60.0
	shortestLeg  = 5.0
	drivenMetres = 100.0
	drivenKPH    = 15.0
	fastestKPH   = 250.0
	stoodMetres  = 50.0
	stoodSeconds = 30.0
	stoodKPH     = 3.0
	// odometerMetres is the path after which an odometer is compared: some count
	// whole kilometres.
	odometerMetres = 5000.0
	steadySpeed    = 0.75 // of the lower to the higher one
	steadyHeading  = 20.0
)

// observe notes a position that is newer than what is known of the device, and
// reports whether it was driven there.
func (f *Facts) observe(d *device, p *drover.Position) (moved bool) {
	f.Positions++
	f.coverage(p)
	point := p.Point()
	if math.Abs(p.Latitude) > 90 && math.Abs(p.Latitude) <= 180 && math.Abs(p.Longitude) <= 90 {
		f.Outside++
	}
	if !geo.Plausible(point) {
		return false
	}
	next := device{known: true, at: p.Time.UnixMilli(), point: point, speed: number(p.SpeedKPH), heading: number(p.Heading), ignition: -1}
	if p.Ignition != nil {
		next.ignition = 0
		if *p.Ignition {
			next.ignition = 1
		}
	}
	if d.known {
		moved = f.leg(d, &next)
	}
	f.odometer(d, &next, p.OdometerMetres)
	*d = next
	return moved
}

// leg compares two neighbouring positions.
func (f *Facts) leg(a, b *device) (moved bool) {
	seconds := float64(b.at-a.at) / 1000
	metres := geo.DistanceMetres(a.point, b.point)
	kph := geo.SpeedKPH(metres, seconds)
	b.path = math.NaN() // where the leg is no part of a path
	switch {
	case metres < stoodMetres && seconds <= longestStand && !(reportedMetres(a, b, seconds) >= drivenMetres):
		b.path = a.path + metres
		f.stood(a, b, seconds)
		return false
	case seconds > longestLeg || kph > fastestKPH:
		return false
	}
	b.path = a.path + metres
	driven := metres >= drivenMetres && kph >= drivenKPH
	if seconds < shortestLeg {
		return false
	}
	if seconds <= comparedLeg && (driven || reportedMetres(a, b, seconds) >= drivenMetres) {
		f.compareSpeed(a, b, kph, seconds)
	}
	if !driven {
		return false
	}
	f.Moving++
	f.driven(a, b)
	if seconds <= comparedLeg {
		f.compareHeading(a, b)
	}
	return true
}

// reportedMetres is how far it was by the speeds. On a map with exchanged coordinates
// some ways look shorter than they are, and must count all the same.
func reportedMetres(a, b *device, seconds float64) float64 {
	return min(a.speed, b.speed) / 3.6 * seconds
}

// driven notes a leg by the ignition. One at whose ends the vehicle is said to stand
// is left out: it may be a fix that is wrong.
func (f *Facts) driven(a, b *device) {
	switch {
	case a.ignition != b.ignition || b.ignition < 0 || a.speed <= stoodKPH || b.speed <= stoodKPH:
	case b.ignition == 1:
		f.DrivenOn++
	default:
		f.DrivenOff++
	}
}

// stood notes a stretch without movement by the ignition.
func (f *Facts) stood(a, b *device, seconds float64) {
	if seconds < stoodSeconds || a.speed > stoodKPH || b.speed > stoodKPH || a.ignition != b.ignition || b.ignition < 0 {
		return
	}
	b.standing = true
	if !a.standing {
		f.Stands++
	}
	if b.ignition == 1 {
		f.StoodOn += int64(seconds)
	} else {
		f.StoodOff += int64(seconds)
	}
}

// compareSpeed holds the reported speed against the distance in the time, where
// it was steady.
func (f *Facts) compareSpeed(a, b *device, kph, seconds float64) {
	low, high := min(a.speed, b.speed), max(a.speed, b.speed)
	if math.IsNaN(low) || math.IsNaN(high) {
		return
	}
	mean := (low + high) / 2
	if high < 1 {
		// Reported as standing while it drives.
		if kph > 2*drivenKPH {
			count(&f.Speed, lastRatio)
		}
		return
	}
	if low < steadySpeed*high {
		return
	}
	count(&f.Speed, ratioBin(kph, mean))
	if kph, ok := exchangedKPH(a, b, seconds); ok {
		count(&f.SpeedExchanged, ratioBin(kph, mean))
	}
}

func exchangedKPH(a, b *device, seconds float64) (kph float64, ok bool) {
	from, to := exchanged(a.point), exchanged(b.point)
	if !from.Valid() || !to.Valid() {
		return 0, false
	}
	return geo.SpeedKPH(geo.DistanceMetres(from, to), seconds), true
}

func exchanged(c drover.Coordinate) drover.Coordinate {
	return drover.Coordinate{Latitude: c.Longitude, Longitude: c.Latitude}
}

// compareHeading holds the reported heading against the course, where the vehicle
// went straight on.
func (f *Facts) compareHeading(a, b *device) {
	turn := geo.WrapLongitude(b.heading - a.heading)
	if math.IsNaN(turn) || math.Abs(turn) > steadyHeading {
		return
	}
	if a.heading == 0 && b.heading == 0 {
		f.North++
	}
	heading := a.heading + turn/2
	count(&f.Heading, angleBin(heading-geo.BearingDegrees(a.point, b.point)))
	if from, to := exchanged(a.point), exchanged(b.point); from.Valid() && to.Valid() {
		count(&f.HeadingExchanged, angleBin(heading-geo.BearingDegrees(from, to)))
	}
}

// angleBin is the bin of a difference of two directions.
func angleBin(degrees float64) int {
	return int(math.Round(geo.WrapLongitude(degrees) / angleStep))
}

// odometer holds the odometer against the path, every few kilometres.
func (f *Facts) odometer(a, b *device, reported *float64) {
	switch {
	case reported == nil:
		b.path, b.odometer = 0, math.NaN()
	case !a.known, math.IsNaN(b.path), math.IsNaN(a.odometer), *reported < a.odometer:
		b.path, b.odometer = 0, *reported
	case b.path >= odometerMetres:
		count(&f.Odometer, ratioBin(b.path, *reported-a.odometer))
		b.path, b.odometer = 0, *reported
	default:
		b.odometer = a.odometer
	}
}

// coverage counts what a position has.
func (f *Facts) coverage(p *drover.Position) {
	if f.Fields == nil {
		f.Fields = map[string]int64{}
	}
	for _, field := range []struct {
		name string
		has  bool
	}{
		{"heading", p.Heading != nil},
		{"speed", p.SpeedKPH != nil},
		{"driver_id", p.DriverID != nil},
		{"ignition", p.Ignition != nil},
		{"auxiliary", p.Auxiliary != nil},
		{"odometer_metres", p.OdometerMetres != nil},
	} {
		if field.has {
			f.Fields[field.name]++
		}
	}
}

func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
