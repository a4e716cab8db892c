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

// assumedRange is the range before any prediction was held against an arrival, as logarithms
// by the class of the way that remains: the nearer the end, the less is known of the rest.
var assumedRange = [len(reaches) + 1]struct{ low, high float64 }{
	{-0.4, 1.5}, {-0.45, 0.75}, {-0.42, 0.6}, {-0.33, 0.4}, {-0.27, 0.38}, {-0.22, 0.45}, {-0.2, 0.4},
}

// Predict returns when the device arrives. Never before Now. Without a model it knows
// the profile alone.
func (m *Model) Predict(in Input) Range {
	if m == nil {
		m = &Model{}
	}
	straight := max(minLeft/2, in.StraightMetres-in.RadiusMetres)
	e := math.Log(max(1, in.remaining()))
	pace, values := m.usual(straight)
	if values > 0 {
		usual := math.Log(straight) + pace
		known := float64(values) / float64(values+few)
		e += known * (1 - in.ownPace()) * (usual - e)
		if lane, weight := middle(m.passes(in.Place, in.edge(), straight, usual)); weight > 0 {
			e += weight / (weight + passWeight) * (lane - e)
		}
	}
	e = m.routed(in, e)
	low, high := m.spread(straight)
	return Range{P10: in.at(e + low), P50: in.at(e), P90: in.at(e + high), DistanceKM: in.distanceKM()}
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

// spread is how far arrivals are before and after the middle of the range, as
// logarithms, by the predictor's own errors.
func (m *Model) spread(straight float64) (low, high float64) {
	i := reachOf(straight)
	low = shrunk(m.own.off[i], m.fleet.off[i], 0.1, assumedRange[i].low, errorWeight)
	high = shrunk(m.own.off[i], m.fleet.off[i], 0.9, assumedRange[i].high, errorWeight)
	return min(low, 0), max(high, 0)
}

// at is the time that lies the exponential of logSeconds after the device was
// where the way begins, rounded.
func (in *Input) at(logSeconds float64) drover.Time {
	return in.rounded(in.From.Add(time.Duration(math.Exp(min(logSeconds, maxLog)) * float64(time.Second))))
}

// maxLog keeps a prediction within a year.
const maxLog = 17.2
