package milestone

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
)

// What a profile assumes before any trip, and within which bounds it learns.
const (
	PriorDetour   = 1.3  // length of the road by length of the straight line
	PriorSpeedKPH = 50.0 // on the way, stops included
	MinDetour     = 1.0
	MaxDetour     = 3.0
	MinSpeedKPH   = 10.0
	MaxSpeedKPH   = 130.0
)

// A trip below minLearnMetres says more about a yard than about roads. Newer
// trips count more: each has at least the weight minLearnWeight.
const (
	minLearnMetres = 2000.0
	minLearnWeight = 0.1
)

// Profile is what a device's own trips taught about its roads and its pace. The
// zero value knows nothing and answers with the priors.
type Profile struct {
	Detour   float64 `json:"detour"`
	SpeedKPH float64 `json:"speed_kph"`
	Trips    int     `json:"trips"`
}

// Learn returns the profile with one more trip in it. Trips that are too short,
// invalid, or that came back to where they began teach nothing.
func (p Profile) Learn(t drover.Trip) Profile {
	if !t.IsValid || t.DistanceMetres == nil || t.StartLatitude == nil || t.StartLongitude == nil ||
		t.EndLatitude == nil || t.EndLongitude == nil {
		return p
	}
	underWay := t.DurationSeconds
	if t.AuxiliarySeconds != nil {
		underWay -= *t.AuxiliarySeconds // work on site is no part of the way
	}
	straight := geo.DistanceMetres(
		drover.Coordinate{Latitude: *t.StartLatitude, Longitude: *t.StartLongitude},
		drover.Coordinate{Latitude: *t.EndLatitude, Longitude: *t.EndLongitude})
	detour := *t.DistanceMetres / straight
	if straight < minLearnMetres || detour > MaxDetour || underWay <= 0 {
		return p
	}
	weight := max(minLearnWeight, 1/float64(p.Trips+2))
	blend := func(old, seen float64) float64 { return old + weight*(seen-old) }
	return Profile{
		Detour:   blend(p.detour(), max(MinDetour, detour)),
		SpeedKPH: blend(p.speed(), clamp(geo.SpeedKPH(*t.DistanceMetres, underWay), MinSpeedKPH, MaxSpeedKPH)),
		Trips:    p.Trips + 1,
	}
}

func (p Profile) detour() float64 {
	if p.Trips == 0 {
		return PriorDetour
	}
	return clamp(p.Detour, MinDetour, MaxDetour)
}

func (p Profile) speed() float64 {
	if p.Trips == 0 {
		return PriorSpeedKPH
	}
	return clamp(p.SpeedKPH, MinSpeedKPH, MaxSpeedKPH)
}

func clamp(v, low, high float64) float64 { return max(low, min(v, high)) }

// Route is what a routing server says about the way that remains.
type Route struct {
	Metres   float64
	Duration time.Duration
}

// Input is what an estimate is made from.
type Input struct {
	Now time.Time
	// From is when the device was, or will be, where the way begins.
	From time.Time
	// StraightMetres is the straight line that remains.
	StraightMetres float64
	// RadiusMetres is by how much earlier than the point the way counts as
	// arrived.
	RadiusMetres float64
	Profile      Profile
	// RecentKPH is the speed just now; nil where it is not known.
	RecentKPH *float64
	// CoveredMetres is by how much the straight line has become shorter on this
	// journey, in Elapsed. Zero before there is any.
	CoveredMetres float64
	Elapsed       time.Duration
	// Route replaces what the profile says; nil without a routing server.
	Route *Route
}

// How long each source of speed is trusted against the history: the present
// speed tells the next minutes, and a journey's own pace counts the more the
// longer it lasts.
const (
	recentHorizon = 15 * time.Minute
	paceHorizon   = 10 * time.Minute
	// minCoveredMetres is what a journey must have covered for its pace to count.
	minCoveredMetres = 1000.0
	// maxPaceFactor bounds how far a journey's pace may lie from the history's.
	maxPaceFactor = 3.0
)

// Estimate returns when the device arrives and how many kilometres of road remain.
// An arrival is never before Now. Far ones are told to the minute, near ones to
// ten seconds, the distance to ten metres.
func Estimate(in Input) (eta drover.Time, distanceKM float64) {
	metres := in.StraightMetres * in.Profile.detour()
	remaining := metres / (in.Profile.speed() / 3.6)
	if in.Route != nil {
		metres, remaining = in.Route.Metres, in.Route.Duration.Seconds()
	}
	remaining = withPace(in, remaining)
	remaining = withRecentSpeed(in, metres, remaining)
	if in.StraightMetres > 0 {
		remaining *= max(0, 1-in.RadiusMetres/in.StraightMetres)
	}
	arrival := in.From.Add(time.Duration(remaining * float64(time.Second)))
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
	return drover.At(arrival), math.Round(metres/10) / 100
}

// withPace blends in how fast this journey has come nearer so far.
func withPace(in Input, seconds float64) float64 {
	if in.CoveredMetres < minCoveredMetres || in.Elapsed <= 0 {
		return seconds
	}
	own := in.StraightMetres * in.Elapsed.Seconds() / in.CoveredMetres
	own = clamp(own, seconds/maxPaceFactor, seconds*maxPaceFactor)
	weight := in.Elapsed.Seconds() / (in.Elapsed + paceHorizon).Seconds()
	return seconds + weight*(own-seconds)
}

// withRecentSpeed lets the present speed hold for the next few minutes.
func withRecentSpeed(in Input, metres, seconds float64) float64 {
	if in.RecentKPH == nil || *in.RecentKPH < MinSpeedKPH || seconds <= 0 {
		return seconds
	}
	usual := metres / seconds
	recent := min(*in.RecentKPH, MaxSpeedKPH) / 3.6
	weight := recentHorizon.Seconds() / (recentHorizon.Seconds() + seconds)
	return metres / (usual + weight*(recent-usual))
}
