// Package arrival predicts when a device arrives. A prediction is a range, made from
// three things: the pace of the journey itself (Estimate), the pace of journeys that
// have ended with as much before them, and those among them that passed both here
// and the end. How wide it is comes from the predictor's own errors. Everything is
// a pure function of the question and of finished journeys; docs/milestones.md says
// the rules and how far they are off on real vehicles.
package arrival

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// What a profile assumes before any trip, and within which bounds it learns.
const (
	priorDetour   = 1.3   // length of the road by length of the straight line
	priorSpeedKPH = 50.0  // on the way, stops included
	priorIdle     = 120.0 // seconds of a trip
	maxIdle       = 1800.0
	minDetour     = 1.0
	maxDetour     = 3.0
	minSpeedKPH   = 10.0
	maxSpeedKPH   = 130.0
)

// A trip below minLearnMetres says more about a yard than about roads. Newer
// trips count more: each has at least the weight minLearnWeight.
const (
	minLearnMetres = 2000.0
	minLearnWeight = 0.05
)

// Profile is what a device's own trips taught about its roads and its pace. The
// zero value knows nothing and answers with the priors.
type Profile struct {
	Detour   float64 `json:"detour"`
	SpeedKPH float64 `json:"speed_kph"`
	// IdleSeconds is how long the engine runs at a stop on a trip, without work on
	// site; 0 where no trip says.
	IdleSeconds float64 `json:"idle_seconds,omitempty"`
	Trips       int     `json:"trips"`
}

// Teaches reports whether a trip leads far enough to teach something.
func Teaches(t drover.Trip) bool {
	return t.StartLatitude != nil && t.StartLongitude != nil && t.EndLatitude != nil && t.EndLongitude != nil &&
		straightOf(t) >= minLearnMetres
}

func straightOf(t drover.Trip) float64 {
	return geo.DistanceMetres(
		drover.Coordinate{Latitude: *t.StartLatitude, Longitude: *t.StartLongitude},
		drover.Coordinate{Latitude: *t.EndLatitude, Longitude: *t.EndLongitude})
}

// Learn returns the profile with one more trip in it. Trips that are too short,
// invalid, or that came back to where they began teach nothing.
func (p Profile) Learn(t drover.Trip) Profile {
	if !t.IsValid || t.DistanceMetres == nil || !Teaches(t) {
		return p
	}
	underWay := t.DurationSeconds
	if t.AuxiliarySeconds != nil {
		underWay -= *t.AuxiliarySeconds // work on site is no part of the way
	}
	detour := *t.DistanceMetres / straightOf(t)
	if detour > maxDetour || underWay <= 0 {
		return p
	}
	weight := max(minLearnWeight, 1/float64(p.Trips+2))
	blend := func(old, seen float64) float64 { return old + weight*(seen-old) }
	learned := Profile{
		Detour:      blend(p.detour(), max(minDetour, detour)),
		SpeedKPH:    blend(p.speed(), clamp(geo.SpeedKPH(*t.DistanceMetres, underWay), minSpeedKPH, maxSpeedKPH)),
		IdleSeconds: p.IdleSeconds,
		Trips:       p.Trips + 1,
	}
	if t.IdlingSeconds != nil {
		learned.IdleSeconds = blend(p.idle(), clamp(*t.IdlingSeconds, 0, maxIdle))
	}
	return learned
}

func (p Profile) detour() float64 {
	if p.Trips == 0 {
		return priorDetour
	}
	return clamp(p.Detour, minDetour, maxDetour)
}

func (p Profile) speed() float64 {
	if p.Trips == 0 {
		return priorSpeedKPH
	}
	return clamp(p.SpeedKPH, minSpeedKPH, maxSpeedKPH)
}

func (p Profile) idle() float64 {
	if p.IdleSeconds == 0 {
		return priorIdle
	}
	return clamp(p.IdleSeconds, 0, maxIdle)
}

func clamp(v, low, high float64) float64 { return max(low, min(v, high)) }

// Route is what a routing server says about the way that remains.
type Route struct {
	Metres   float64
	Duration time.Duration
}

// Seconds is how long the way takes; nil without a route.
func (r *Route) Seconds() *float64 {
	if r == nil {
		return nil
	}
	return new(r.Duration.Seconds())
}

// Input is what an estimate is made from.
type Input struct {
	Now time.Time
	// From is when the device was, or will be, where the way begins.
	From time.Time
	// Place is where the way begins, and End where it leads.
	Place, End drover.Coordinate
	// StraightMetres is the straight line that remains, and WholeMetres that of
	// the whole journey.
	StraightMetres float64
	WholeMetres    float64
	// RadiusMetres is by how much earlier than the point the way counts as
	// arrived.
	RadiusMetres float64
	Profile      Profile
	// Track is how the journey has gone lately; the zero value before it started.
	Track Track
	// Route is what a router says of the way; nil without one.
	Route *Route
}

const (
	// bendShare is the share of a journey that a bend of the road may take: the
	// less of it remains, the less detour a kilometre can still hold.
	bendShare = 1.5
	// aheadBend is for how much of a journey the road leads on as it does now.
	aheadBend = 0.06
	// ownShare is the share of a journey after which its own detour and that of
	// earlier trips count the same.
	ownShare = 0.7
	// trackHorizon is the remaining time at which the recent pace and the usual
	// one count the same.
	trackHorizon = 3 * time.Hour
	// trackSettled is the time of movement at which a pace counts half of that.
	trackSettled = 5 * time.Second
	// idleOnWay is how much of a trip's idling is to be expected on the way, which
	// the recent pace does not hold. The rest is warming up and parking.
	idleOnWay = 0.25
)

// Estimate returns when the device arrives and how many kilometres of road remain, by
// the profile and the journey's own pace alone.
func Estimate(in Input) (eta drover.Time, distanceKM float64) {
	return in.rounded(in.From.Add(time.Duration(in.remaining() * float64(time.Second)))), in.distanceKM()
}

// distanceKM is the way that remains: the straight line by the profile's detour, or
// the route. It is rounded to ten metres.
func (in *Input) distanceKM() float64 {
	road := in.StraightMetres * in.Profile.detour()
	if in.Route != nil && in.Route.Duration > 0 {
		road = in.Route.Metres
	}
	return math.Round(road/10) / 100
}

// remaining is how many seconds it takes from From on. It looks closer than the
// distance does: how the journey itself has bent so far, and its pace.
func (in *Input) remaining() float64 {
	var remaining float64
	if in.StraightMetres > 0 {
		remaining = in.seconds(in.StraightMetres*in.detour(), in.Profile.speed()/3.6) * max(0, 1-in.RadiusMetres/in.StraightMetres)
	}
	// An arrival is seen with the first position after it.
	return remaining + in.Track.IntervalSeconds/2
}

// rounded is never before Now. Far arrivals are rounded to the minute, near ones to ten
// seconds.
func (in *Input) rounded(arrival time.Time) drover.Time {
	if arrival.Before(in.Now) {
		arrival = in.Now
	}
	step := 10 * time.Second
	if arrival.Sub(in.Now) > 10*time.Minute {
		step = time.Minute
	}
	if rounded := arrival.Round(step); !rounded.Before(in.Now) {
		arrival = rounded
	}
	return drover.At(arrival)
}

// rest is the share of the journey that remains, by the straight line.
func (in *Input) rest() float64 {
	if in.StraightMetres >= in.WholeMetres {
		return 1
	}
	return in.StraightMetres / in.WholeMetres
}

// detour is the length of the way that remains by that of the straight line, of which
// some remains.
func (in *Input) detour() float64 {
	detour, rest := in.Profile.detour(), in.rest()
	if own, ok := in.Track.detour(); ok {
		covered := in.Track.CoveredMetres
		detour += covered / (covered + ownShare*in.WholeMetres) * (own - detour)
	}
	detour = 1 + (detour-1)*rest*(1+bendShare)/(rest+bendShare)
	if ahead, ok := in.Track.ahead(); ok {
		bend := aheadBend * in.WholeMetres
		detour += bend / (bend + in.StraightMetres) * (ahead - detour)
	}
	return detour
}

// seconds is how long the way that remains takes, given its length and the usual
// speed in metres a second, which holds stops.
func (in *Input) seconds(metres, usual float64) float64 {
	moving, ok := in.Track.pace()
	if !ok {
		return metres / usual
	}
	weight := trackHorizon.Seconds() / (trackHorizon.Seconds() + metres/usual) *
		in.Track.MovingSeconds / (in.Track.MovingSeconds + trackSettled.Seconds())
	return metres/(usual+weight*(moving-usual)) + weight*idleOnWay*in.Profile.idle()*in.rest()
}
