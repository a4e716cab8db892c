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
	has   values
}

// Stop is a stay in one place, from its first position to its last. The seconds are nil
// where no position reported it.
type Stop struct {
	Place     drover.Coordinate
	From, To  drover.Time
	EngineOn  *float64
	Auxiliary *float64
	// Unseen is the way from here to where the vehicle was seen next; nil where there
	// is no such way.
	Unseen    *drover.Unseen
	at        point
	on, extra int64
}

// Add counts a position between the trips; they come oldest first. What one reports holds
// until the next, but not through a silence, nor on the way to another place.
func (s *Standing) Add(p drover.Position) {
	q := usual.point(&p)
	silent := q.At-s.last.At >= cmp.Or(s.Gap, Gap).Milliseconds()
	if len(s.Stops) == 0 || s.left(&q, silent) {
		if !s.leave(&q, silent) {
			s.Stops = append(s.Stops, Stop{Place: p.Point(), From: p.Time, To: p.Time, at: q})
		}
		s.last, s.has = point{}, 0
	}
	stop := &s.Stops[len(s.Stops)-1]
	if leg := q.At - s.last.At; s.last.At != 0 && !silent {
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

// left reports whether q shows that the vehicle has been elsewhere: it is, or its odometer
// has counted the way there and back through a silence.
func (s *Standing) left(q *point, silent bool) bool {
	if s.Stops[len(s.Stops)-1].at.metresTo(q) > StopMetres {
		return true
	}
	metres, counted := way(&s.last, q)
	return silent && counted && metres > StopMetres
}

// leave ends the stop before q, and reports whether the one before that goes on. A way through
// a silence is unseen; without one, what has a single position was only passed, or
// was a stray one, and is no stop.
func (s *Standing) leave(q *point, silent bool) (goesOn bool) {
	n := len(s.Stops)
	switch {
	case n == 0:
	case silent:
		s.Stops[n-1].Unseen = new(unseenBetween(&s.last, q))
	case n > 1 && s.Stops[n-1].From.Equal(s.Stops[n-1].To.Time):
		s.Stops = s.Stops[:n-1]
		before := &s.Stops[n-2]
		return before.Unseen == nil && before.at.metresTo(q) <= StopMetres
	}
	return false
}
