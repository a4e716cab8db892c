package quality

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// fix is a position as it is compared.
type fix struct {
	at       int64 // milliseconds
	point    drover.Coordinate
	speed    float64 // not a number where it is not reported
	heading  float64
	ignition int // 1 on, 0 off, -1 not reported
}

// device is the newest position of a device, and the stretch that leads there.
type device struct {
	known  bool
	last   fix
	placed int64 // when its place last changed
	stretch
	// before is where the stretch before this one began, and driving says that it was driven.
	before  *drover.Coordinate
	driving bool

	odometer float64 // at the begin of path
	counted  float64 // at the begin of the stretch
	path     float64 // metres up to the begin of the stretch
	least    bool    // of a part of the path no more is known than that it is so long at the least
}

// stretch is what lies between two positions that are far enough from each other to
// be compared: two neighbours where they are seldom, many where they come each second.
type stretch struct {
	from   fix
	step   drover.Coordinate // up to which it is measured
	metres float64           // along steps that are longer than a receiver scatters
	// exchanged is the same on the map with latitude and longitude exchanged.
	exchanged float64
	reported  float64 // metres by the speeds
	places    int64   // positions with a new place
	legs      int64   // from one position to the next
}

// What is compared, in metres and seconds. Shorter stretches tell little: a receiver
// scatters, and some repeat a place for seconds while the vehicle goes on.
const (
	longestLeg    = 11 * 60.0 // a position each ten minutes
	longestStop   = 35 * 60.0
	slowest       = 120.0 // to be a stretch
	shortest      = 10.0
	drivenMetres  = 100.0
	drivenKPH     = 15.0
	fastestKPH    = 250.0
	frozenSeconds = 20.0
	stepMetres    = 25.0
	stoodMetres   = 50.0
	stoodSeconds  = 30.0
	stoodKPH      = 3.0
	// odometerMetres is the path after which an odometer is compared, and stuckMetres the
	// one after which it should have changed.
	odometerMetres = 1000.0
	stuckMetres    = 5000.0
	steadyHeading  = 20.0
	// A road bends between two positions that are further apart than straight.
	straightSeconds = 30.0
	mostBend        = 1.5
	// leastReported are the metres by the speeds below which the vehicle is said to stand.
	leastReported = 10.0
)

// observe notes a position that is newer than what is known of the device, and
// reports whether it was driven there.
func (f *Facts) observe(d *device, p *drover.Position) (moved bool) {
	f.Positions++
	f.coverage(p)
	if math.Abs(p.Latitude) > 90 && math.Abs(p.Latitude) <= 180 && math.Abs(p.Longitude) <= 90 {
		f.Outside++
	}
	b := fix{at: p.Time.UnixMilli(), point: p.Point(), speed: number(p.SpeedKPH), heading: number(p.Heading), ignition: -1}
	if !geo.Plausible(b.point) {
		return false
	}
	if p.Ignition != nil {
		b.ignition = 0
		if *p.Ignition {
			b.ignition = 1
		}
	}
	if !d.known || !d.reaches(&b) {
		*d = device{known: true, placed: b.at, odometer: number(p.OdometerMetres), counted: number(p.OdometerMetres)}
		d.begin(&b)
		return false
	}
	changed := b.point != d.last.point
	d.extend(&b, changed)
	if f.complete(d, &b, changed) {
		f.odometer(d, number(p.OdometerMetres))
		d.begin(&b)
	}
	d.last = b
	return changed && d.driving
}

// reaches reports whether a position is near enough to go on with.
func (d *device) reaches(b *fix) bool {
	metres, seconds := geo.DistanceMetres(d.last.point, b.point), float64(b.at-d.last.at)/1000
	if metres < stoodMetres && seconds <= longestStop {
		return true
	}
	// A place that was repeated for seconds is left all at once.
	moving := max(seconds, min(float64(b.at-d.placed)/1000, frozenSeconds))
	return seconds <= longestLeg && geo.SpeedKPH(metres, moving) <= fastestKPH
}

// begin starts a stretch.
func (d *device) begin(b *fix) {
	d.last, d.stretch = *b, stretch{from: *b, step: b.point}
}

// extend adds a position to the stretch.
func (d *device) extend(b *fix, changed bool) {
	d.reported += (d.last.speed + b.speed) / 2 / 3.6 * float64(b.at-d.last.at) / 1000
	d.legs++
	if !changed {
		return
	}
	d.placed = b.at
	d.places++
	if geo.DistanceMetres(d.step, b.point) >= stepMetres {
		d.advance(b.point)
	}
}

func (d *device) advance(to drover.Coordinate) {
	d.metres += geo.DistanceMetres(d.step, to)
	if from, to := exchanged(d.step), exchanged(to); from.Valid() && to.Valid() {
		d.exchanged += geo.DistanceMetres(from, to)
	}
	d.step = to
}

// leastWay is how far a stretch of some seconds is at the least.
func leastWay(seconds float64) float64 { return max(drivenMetres, drivenKPH/3.6*seconds) }

// complete looks whether the stretch says something, and reports whether it has ended.
func (f *Facts) complete(d *device, b *fix, changed bool) bool {
	seconds, straight := float64(b.at-d.from.at)/1000, geo.DistanceMetres(d.from.point, b.point)
	least := leastWay(seconds)
	far := max(d.metres, straight) >= least || d.reported >= least
	switch {
	case !far && straight < stoodMetres && seconds >= stoodSeconds && !(d.from.speed > stoodKPH) && !(b.speed > stoodKPH):
		f.stood(d, b, seconds)
	case !far && seconds <= slowest, far && seconds <= longestLeg && (!changed || seconds < shortest):
		return false
	case far && changed:
		f.measure(d, b, seconds, straight)
		return true
	}
	d.path += straight
	d.least = d.least || seconds >= slowest
	d.driving, d.before = false, nil
	return true
}

// measure compares what a stretch reports with its way.
func (f *Facts) measure(d *device, b *fix, seconds, straight float64) {
	d.advance(b.point)
	bend := d.bend(b, straight)
	f.Stretches++
	f.Places += d.places
	if bend >= mostBend {
		f.Turned++
	}
	metres := d.metres
	if seconds >= straightSeconds {
		metres *= min(bend, mostBend)
	}
	d.path += metres
	f.compareSpeed(d, metres, seconds >= slowest || d.before != nil && bend < mostBend,
		d.legs > 1 || seconds < slowest || mostBend*straight >= leastWay(seconds))
	before := d.from.point
	d.before = &before
	kph := geo.SpeedKPH(metres, seconds)
	if d.driving = straight >= drivenMetres && kph >= drivenKPH; d.driving {
		f.Moving += d.places
		f.driven(&d.from, b)
		f.compareHeading(&d.from, b)
	}
}

// bend is how much longer than a straight line the way was from where the stretch before
// began. Between positions that are seldom it is about as much again within each of both.
func (d *device) bend(b *fix, straight float64) float64 {
	if d.before == nil {
		return 1
	}
	return (geo.DistanceMetres(*d.before, d.from.point) + straight) / max(1, geo.DistanceMetres(*d.before, b.point))
}

// driven notes a stretch by the ignition. One at whose ends the vehicle is said to stand
// is left out: it may be a fix that is wrong.
func (f *Facts) driven(a, b *fix) {
	switch {
	case a.ignition != b.ignition || b.ignition < 0 || a.speed <= stoodKPH || b.speed <= stoodKPH:
	case b.ignition == 1:
		f.DrivenOn++
	default:
		f.DrivenOff++
	}
}

// stood notes a stretch without movement by the ignition.
func (f *Facts) stood(d *device, b *fix, seconds float64) {
	switch {
	case d.from.ignition != b.ignition:
	case b.ignition == 1:
		f.StoodOn += int64(seconds)
	case b.ignition == 0:
		f.StoodOff += int64(seconds)
	}
}

// compareSpeed holds the reported speed against the way. Between positions that are
// seldom the speeds of both ends say little of one stretch, and much of many. Real says that
// it goes on from another one, and does not come back; fair, that it was not chosen by its
// speeds: those that are high by chance would say that all are too high.
func (f *Facts) compareSpeed(d *device, metres float64, real, fair bool) {
	switch {
	case math.IsNaN(d.reported):
		return
	case d.reported < leastReported:
		// Reported as standing while it drives, unless it is a fix that is wrong.
		if real {
			count(&f.Speed, lastRatio)
		}
		return
	}
	if fair {
		count(&f.Speed, ratioBin(metres, d.reported))
	}
	if d.exchanged > 0 {
		f.Mirror.add(math.Log(max(d.metres, 1)/d.reported), math.Log(max(d.exchanged, 1)/d.reported))
	}
}

func exchanged(c drover.Coordinate) drover.Coordinate {
	return drover.Coordinate{Latitude: c.Longitude, Longitude: c.Latitude}
}

// compareHeading holds the reported heading against the course, where the vehicle
// went straight on.
func (f *Facts) compareHeading(a, b *fix) {
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

// odometer holds the odometer against the path, from one change of it to another: some
// count whole kilometres. Between positions that are seldom a slow vehicle goes to and fro: such
// a path refutes no odometer that counts more.
func (f *Facts) odometer(d *device, reported float64) {
	changed := reported != d.counted
	d.counted = reported
	switch {
	case !(reported >= d.odometer):
		d.path, d.odometer, d.least = 0, reported, false
	case changed && d.path >= odometerMetres, d.path >= stuckMetres:
		if counted := reported - d.odometer; !d.least || counted <= d.path {
			count(&f.Odometer, ratioBin(d.path, counted))
		}
		d.path, d.odometer, d.least = 0, reported, false
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
