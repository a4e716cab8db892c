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

// assumed is a band before any prediction was held against an arrival. The first of ten arrivals
// comes at early times the predicted time, and the last at late times it and a stop of stopSeconds.
type assumed struct{ early, late, stopSeconds float64 }

func (a assumed) band(seconds float64) band {
	return band{math.Log(a.early), math.Log(max(1, a.late+a.stopSeconds/seconds))}
}

// kind is what is known of a journey at its start: how long it is, and whether the vehicle
// reports its speed.
type kind uint8

const (
	usual kind = iota
	brief      // within a town
	far        // some rest on such a way, and some do not
	blind      // reports no speed: where it stands and where it turns is known less
	blindBrief
)

// unknownPace is for vehicles of which no journey has ended, by kind, and knownPace for those of
// which many have.
var (
	unknownPace = [...]assumed{
		usual:      {0.70, 1.43, 400},
		brief:      {0.54, 0.16, 1800},
		far:        {0.89, 1.79, 1800},
		blind:      {0.40, 0.69, 1500},
		blindBrief: {0.55, 1.15, 600},
	}
	knownPace = assumed{0.75, 1.4, 600}
)

// The straight lines, in metres, of journeys that are brief and far.
const (
	briefMetres = 5_000.0
	farMetres   = 50_000.0
)

func (in *Input) kind() kind {
	switch whole := max(in.WholeMetres, in.StraightMetres); {
	case whole < briefMetres && in.Track.Blind:
		return blindBrief
	case whole < briefMetres:
		return brief
	case in.Track.Blind:
		return blind
	case whole >= farMetres:
		return far
	}
	return usual
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
	known := float64(values) / float64(values+few)
	if values > 0 {
		usual := math.Log(straight) + pace
		e += known * (1 - in.ownPace()) * (usual - e)
		if lane, weight := middle(m.passes(in.Place, in.edge(), straight, usual)); weight > 0 {
			e += weight / (weight + passWeight) * (lane - e)
		}
	}
	e = m.routed(in, e)
	off := m.spread(in.kind(), straight, math.Exp(e), known)
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

// spread is how far off the middle of the range is, in seconds, by the predictor's own errors.
// Known is how well the pace is known, from 0 to 1.
func (m *Model) spread(of kind, straight, seconds, known float64) band {
	i, short := reachOf(straight), of == brief || of == blindBrief
	own, fleet := m.own.errors(short)[i], m.fleet.errors(short)[i]
	wide, near := unknownPace[of].band(seconds), knownPace.band(seconds)
	low := shrunk(own, fleet, 0.1, wide.low+known*(near.low-wide.low), errorWeight)
	high := shrunk(own, fleet, 0.9, wide.high+known*(near.high-wide.high), errorWeight)
	return band{min(low, 0), max(high, 0)}
}

// at is the time that lies the exponential of logSeconds after the device was
// where the way begins, rounded.
func (in *Input) at(logSeconds float64) drover.Time {
	return in.rounded(in.From.Add(time.Duration(math.Exp(min(logSeconds, maxLog)) * float64(time.Second))))
}

// maxLog keeps a prediction within a year.
const maxLog = 17.2
