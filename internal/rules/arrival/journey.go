package arrival

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

const (
	// maxWaypoints bounds what is kept of a journey's way.
	maxWaypoints = 40
	// minSpacing is the least distance between two waypoints in metres.
	minSpacing = 300.0
)

// Waypoint is a place on the way of a finished journey.
type Waypoint struct {
	Place drover.Coordinate
	// Left is how long the journey took from there to its arrival, in seconds.
	Left float64
}

// Outcome is how far a prediction was off, once the journey had ended.
type Outcome struct {
	// Metres is the straight line that remained.
	Metres float64
	// LogRatio is the logarithm of the time that it took by the time that was
	// predicted: above 0 where the device came late.
	LogRatio float64
	// LogRoute is the same for what the router said; nil where none was asked.
	LogRoute *float64
}

// NewOutcome holds a prediction against the arrival, both in seconds from the time it
// was made. Routed is what a router said; nil where none was asked.
func NewOutcome(metres, predicted, took float64, routed *float64) Outcome {
	o := Outcome{Metres: metres, LogRatio: math.Log(max(1, took) / max(leastSeconds, predicted))}
	if routed != nil && *routed > 0 {
		o.LogRoute = new(math.Log(max(1, took) / *routed))
	}
	return o
}

// leastSeconds is what a prediction is taken for that says "now".
const leastSeconds = 10.0

// Journey is what is kept of a journey that has ended: enough to learn from, and no
// more than some hundred bytes.
type Journey struct {
	// Way leads from the start to the arrival, where Left is 0.
	Way []Waypoint
	// Outcomes are those of its own predictions; none for a trip that no
	// milestone followed.
	Outcomes []Outcome
}

// NewJourney makes a journey of the positions from its start to its arrival, oldest
// first. It answers false where they make no way.
func NewJourney(positions []drover.Position, arrived time.Time) (Journey, bool) {
	var length float64
	for i := 1; i < len(positions); i++ {
		length += geo.DistanceMetres(positions[i-1].Point(), positions[i].Point())
	}
	spacing := max(minSpacing, length/(maxWaypoints-1))
	var j Journey
	last := len(positions) - 1
	driven, next := 0.0, 0.0
	for i := range positions {
		if i > 0 {
			driven += geo.DistanceMetres(positions[i-1].Point(), positions[i].Point())
		}
		if driven < next && i != last {
			continue
		}
		j.Way = append(j.Way, Waypoint{Place: positions[i].Point(), Left: max(0, arrived.Sub(positions[i].Time.Time).Seconds())})
		next = driven + spacing
	}
	return j, len(j.Way) >= 2 && j.StraightMetres() >= minLearnMetres && j.Way[0].Left > 0
}

// StraightMetres is the straight line from the start to the end.
func (j Journey) StraightMetres() float64 { return geo.DistanceMetres(j.Way[0].Place, j.end()) }

func (j Journey) end() drover.Coordinate { return j.Way[len(j.Way)-1].Place }

// metres is the length of the way from waypoint to waypoint.
func (j Journey) metres() float64 {
	var sum float64
	for i := 1; i < len(j.Way); i++ {
		sum += geo.DistanceMetres(j.Way[i-1].Place, j.Way[i].Place)
	}
	return sum
}

// direct reports whether the journey led to where it ended: one that wandered
// about says nothing of how long it takes to get there.
func (j Journey) direct() bool { return j.metres() <= maxDirect*j.StraightMetres() }
