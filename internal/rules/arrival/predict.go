package arrival

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Range is a predicted arrival. One in ten arrivals is before P10, half are before
// P50, and one in ten is after P90.
type Range struct {
	P10, P50, P90 drover.Time
	DistanceKM    float64
}

const (
	// paceAtStart and paceAtEnd are how much the pace of the journey itself counts
	// beside that of earlier journeys.
	paceAtStart = 0.3
	paceAtEnd   = 1.0
	// maxDirect bounds the length of a journey by its straight line.
	maxDirect = 2.0
	// errorWeight is how many outcomes count as much as what is assumed.
	errorWeight = 15
	// routeWeight is how many arrivals it takes until what a router said of them
	// counts as much as that it may be wrong, and routeShare how much a router that
	// is known counts beside all else.
	routeWeight = 3
	routeShare  = 0.5
)

// band is how far arrivals are before and after the middle of the range, as logarithms.
type band struct{ low, high float64 }

// What is assumed before any prediction was held against an arrival, by the class of the way
// that remains: the nearer the end, the less is known of the rest. unknownPace is for
// vehicles of which no journey has ended, knownPace for those of which many have.
var (
	unknownPace = [len(reaches) + 1]band{
		{-0.45, 1.9}, {-0.5, 1.1}, {-0.55, 1}, {-0.55, 0.75}, {-0.45, 0.65}, {-0.25, 0.65}, {-0.15, 0.6},
	}
	knownPace = [len(reaches) + 1]band{
		{-0.4, 1.5}, {-0.45, 0.75}, {-0.42, 0.6}, {-0.33, 0.4}, {-0.27, 0.38}, {-0.22, 0.45}, {-0.2, 0.4},
	}
)

// Predict returns when the device arrives. Never before Now. Without a model it knows
// the profile alone.
func (m *Model) Predict(in Input) Range {
	if m == nil {
		m = &Model{}
	}
	straight := max(minLeft/2, in.StraightMetres-in.RadiusMetres)
	e := math.Log(max(1, in.remaining()))
	pace, values := m.usual(straight)
	known := float64(values) / float64(values+few)
	if values > 0 {
		usual := math.Log(straight) + pace
		e += known * (1 - in.ownPace()) * (usual - e)
		if lane, weight := middle(m.passes(in.Place, in.edge(), straight, usual)); weight > 0 {
			e += weight / (weight + passWeight) * (lane - e)
		}
	}
	e = m.routed(in, e)
	off := m.spread(straight, known)
	return Range{P10: in.at(e + off.low), P50: in.at(e), P90: in.at(e + off.high), DistanceKM: in.distanceKM()}
}

// edge is where the straight line comes into the end circle.
func (in *Input) edge() drover.Coordinate {
	return geo.Destination(in.End, geo.BearingDegrees(in.End, in.Place), min(in.RadiusMetres, in.StraightMetres))
}

// ownPace is how much the journey's own pace counts: the more of it is done.
func (in *Input) ownPace() float64 { return paceAtStart + (paceAtEnd-paceAtStart)*(1-in.rest()) }

// routed draws an estimate to what a router says, scaled by what devices made of
// its answers before.
func (m *Model) routed(in Input, e float64) float64 {
	if in.Route == nil || in.Route.Duration <= 0 {
		return e
	}
	n := float64(len(m.own.route) + len(m.fleet.route))
	route := math.Log(in.Route.Duration.Seconds()) + shrunk(m.own.route, m.fleet.route, 0.5, 0, routeWeight)
	if len(m.own.ways)+len(m.fleet.ways) == 0 {
		return route
	}
	return e + routeShare*n/(n+routeWeight)*(route-e)
}

// spread is how far off the middle of the range is, by the predictor's own errors. Known is
// how well the pace is known, from 0 to 1.
func (m *Model) spread(straight, known float64) band {
	i := reachOf(straight)
	far, near := unknownPace[i], knownPace[i]
	low := shrunk(m.own.off[i], m.fleet.off[i], 0.1, far.low+known*(near.low-far.low), errorWeight)
	high := shrunk(m.own.off[i], m.fleet.off[i], 0.9, far.high+known*(near.high-far.high), errorWeight)
	return band{min(low, 0), max(high, 0)}
}

// at is the time that lies the exponential of logSeconds after the device was
// where the way begins, rounded.
func (in *Input) at(logSeconds float64) drover.Time {
	return in.rounded(in.From.Add(time.Duration(math.Exp(min(logSeconds, maxLog)) * float64(time.Second))))
}

// maxLog keeps a prediction within a year.
const maxLog = 17.2
