package trip

import (
	"cmp"
	"time"

	"github.com/drover-fleet/drover"
)

// Standing is what was seen of a vehicle between two trips, in seconds. What no
// position reported is nil.
type Standing struct {
	// Gap is the silence through which nothing holds; zero is that of the default rules.
	Gap       time.Duration
	EngineOn  *float64
	Auxiliary *float64
	last      point
	has       values
	on, extra int64
}

// Add counts a position of the stand; they come oldest first. What one reports holds
// until the next, but not through a silence.
func (s *Standing) Add(p drover.Position) {
	q := usual.point(&p)
	if leg := q.At - s.last.At; s.last.At != 0 && leg < cmp.Or(s.Gap, Gap).Milliseconds() {
		if s.last.has(ignitionOn) {
			s.on += leg
		}
		if s.last.has(auxiliaryOn) {
			s.extra += leg
		}
	}
	s.last, s.has = q, s.has|q.Has
	if s.has&hasIgnition != 0 {
		s.EngineOn = new(seconds(s.on))
	}
	if s.has&hasAuxiliary != 0 {
		s.Auxiliary = new(seconds(s.extra))
	}
}
