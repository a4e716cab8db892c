package trip

import (
	"cmp"
	"time"

	"github.com/drover-fleet/drover"
)

// StopMetres is how far from its place a position of a stop may be: more than a
// receiver drifts, and less than a vehicle gets on unseen.
const StopMetres = 500.0

// Standing is what was seen of a vehicle between two trips: a stop, or several where it
// was moved meanwhile, by a way that no trip has.
type Standing struct {
	// Gap is the silence through which nothing holds; zero is that of the default rules.
	Gap   time.Duration
	Stops []Stop
	last  point
	place point
	has   values
}

// Stop is a stay in one place, from its first position to its last. The seconds are nil
// where no position reported it.
type Stop struct {
	Place     drover.Coordinate
	From, To  drover.Time
	EngineOn  *float64
	Auxiliary *float64
	on, extra int64
}

// Add counts a position between the trips; they come oldest first. What one reports holds
// until the next, but not through a silence, nor on the way to another place.
func (s *Standing) Add(p drover.Position) {
	q := usual.point(&p)
	if len(s.Stops) == 0 || s.place.metresTo(&q) > StopMetres {
		s.place, s.last, s.has = q, point{}, 0
		// Where it only passed by it made no stop.
		if n := len(s.Stops); n > 0 && s.Stops[n-1].From.Equal(s.Stops[n-1].To.Time) && n > 1 {
			s.Stops = s.Stops[:n-1]
		}
		s.Stops = append(s.Stops, Stop{Place: p.Point(), From: p.Time, To: p.Time})
	}
	stop := &s.Stops[len(s.Stops)-1]
	if leg := q.At - s.last.At; s.last.At != 0 && leg < cmp.Or(s.Gap, Gap).Milliseconds() {
		if s.last.has(ignitionOn) {
			stop.on += leg
		}
		if s.last.has(auxiliaryOn) {
			stop.extra += leg
		}
	}
	stop.To = p.Time
	s.last, s.has = q, s.has|q.Has
	if s.has&hasIgnition != 0 {
		stop.EngineOn = new(seconds(stop.on))
	}
	if s.has&hasAuxiliary != 0 {
		stop.Auxiliary = new(seconds(stop.extra))
	}
}
