package trip

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// The thresholds of the derivation, where no one has chosen others. A change of one
// changes stored trips, so it comes with a new version of the state.
const (
	MovingKPH     = geo.MovingKPH
	crawlKPH      = geo.CrawlKPH // that it leaves its place decides whether it works slowly
	workKPH       = geo.WorkKPH
	PlaceMetres   = 50.0  // within this distance a vehicle is still in its place
	blindFactor   = 2     // times as far where no speed is known
	driftFactor   = 4     // times as far while the ignition is known to be off
	MinTripMetres = 100.0 // a trip that never gets this far away is scatter
	stopAfter     = 5 * time.Minute
	idleAfter     = 30 * time.Minute // a stop with the ignition on or an auxiliary running
	Gap           = 15 * time.Minute // silence that ends a trip, unless the vehicle drove through it
	quietFor      = time.Hour        // rest after which the rule starts from nothing, at the least
	quietFactor   = 2                // and so many times the longest stop within a trip
	Forget        = 3 * time.Hour    // silence after which any place is accepted
)

// A jump is accepted once so many positions over such a time agree on it: corrupt
// receivers repeat a wrong place, but seldom for long.
const (
	ConfirmPositions = 5
	confirmTime      = 3 * time.Minute
)

// minRoundTripMoves is how many movements a trip needs that ends where it began.
// A single stray position makes two: out and back.
const minRoundTripMoves = 3

const (
	confirmFor = int64(confirmTime / time.Millisecond)
	forget     = int64(Forget / time.Millisecond)
)

// point is a position reduced to what the fold looks at. It holds no pointers,
// so that remembering one allocates nothing.
type point struct {
	At   int64   `json:"t"` // milliseconds since 1970
	Lat  float64 `json:"y"`
	Lon  float64 `json:"x"`
	KPH  float64 `json:"v,omitzero"`
	Odo  float64 `json:"o,omitzero"`
	Has  values  `json:"h,omitzero"` // which of the optional values the provider reported
	Mode mode    `json:"m,omitzero"`
}

// values is a set of the optional values.
type values uint8

const (
	hasSpeed values = 1 << iota
	hasIgnition
	hasAuxiliary
	hasOdometer
	ignitionOn
	auxiliaryOn
	hasDriver
)

// mode is what a position says about the vehicle, whatever the place.
type mode uint8

const (
	still  mode = iota // nothing says that anything runs
	idle               // the ignition is on or an auxiliary runs
	moving             // the speed says so
)

// point reads a position by the rules.
func (l *limits) point(p *drover.Position) point {
	q := point{At: p.Time.UnixMilli(), Lat: p.Latitude, Lon: p.Longitude}
	if p.SpeedKPH != nil {
		q.KPH = *p.SpeedKPH
		q.Has |= hasSpeed
	}
	if p.OdometerMetres != nil {
		q.Odo = *p.OdometerMetres
		q.Has |= hasOdometer
	}
	if p.DriverID != nil {
		q.Has |= hasDriver
	}
	q.Has |= flag(p.Ignition, hasIgnition, ignitionOn) | flag(p.Auxiliary, hasAuxiliary, auxiliaryOn)
	switch {
	case q.KPH >= l.moving:
		q.Mode = moving
	case q.has(ignitionOn) || q.has(auxiliaryOn):
		q.Mode = idle
	}
	return q
}

func flag(v *bool, known, on values) values {
	switch {
	case v == nil:
		return 0
	case *v:
		return known | on
	}
	return known
}

func (p *point) has(v values) bool { return p.Has&v != 0 }

func (p *point) place() drover.Coordinate {
	return drover.Coordinate{Latitude: p.Lat, Longitude: p.Lon}
}

func (p *point) metresTo(q *point) float64 { return geo.DistanceMetres(p.place(), q.place()) }

// reach is how far from a place p may be seen and still be in it.
func (l *limits) reach(p *point) float64 {
	switch {
	case p.off():
		return l.drift
	case !p.has(hasSpeed):
		return l.blind
	case p.crawls():
		return l.place * crawlKPH / p.KPH
	}
	return l.place
}

// off reports whether the ignition is known to be off.
func (p *point) off() bool { return p.has(hasIgnition) && !p.has(ignitionOn) }

// crawls reports whether the vehicle may be at slow work: its speed is below that of one
// that moves, and more than nothing.
func (p *point) crawls() bool { return p.Mode != moving && p.KPH >= crawlKPH && !p.off() }

func seconds(milli int64) float64 { return float64(milli) / 1000 }
