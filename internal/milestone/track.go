package milestone

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
)

const (
	// trackWindow is how far back a track reaches, and paceWindow how far its pace
	// does.
	trackWindow = 30 * time.Minute
	paceWindow  = 15 * time.Minute
	// minMoving is the movement, and minCovered the progress, from which a track
	// tells a pace and a detour.
	minMoving  = 30.0   // seconds
	minCovered = 1000.0 // metres
)

// Track is what the positions of late tell of a journey under way.
type Track struct {
	// MovingMetres were driven in MovingSeconds since the device last stood.
	MovingMetres  float64
	MovingSeconds float64
	// Over PathMetres the straight line to the end became shorter by
	// CoveredMetres.
	PathMetres    float64
	CoveredMetres float64
	// IntervalSeconds is the time between two positions.
	IntervalSeconds float64
}

// NewTrack follows positions, oldest first, on the way to end.
func NewTrack(end drover.Coordinate, positions []drover.Position) Track {
	var t Track
	if len(positions) < 2 {
		return t
	}
	last := len(positions) - 1
	t.CoveredMetres = geo.DistanceMetres(positions[0].Point(), end) - geo.DistanceMetres(positions[last].Point(), end)
	t.IntervalSeconds = positions[last].Time.Sub(positions[0].Time.Time).Seconds() / float64(last)
	stood := false
	for i := last; i > 0; i-- {
		metres := geo.DistanceMetres(positions[i-1].Point(), positions[i].Point())
		seconds := positions[i].Time.Sub(positions[i-1].Time.Time).Seconds()
		t.PathMetres += metres
		moves := seconds > 0 && geo.SpeedKPH(metres, seconds) >= MovingKPH
		// Before it last stood it may have been on other roads, and while it stands
		// it tells nothing of those to come.
		stood = stood || !moves
		if moves && !stood && positions[last].Time.Sub(positions[i-1].Time.Time) <= paceWindow {
			t.MovingMetres += metres
			t.MovingSeconds += seconds
		}
	}
	return t
}

// pace is the speed of the movement, in metres a second.
func (t Track) pace() (float64, bool) {
	if t.MovingSeconds < minMoving {
		return 0, false
	}
	return clamp(t.MovingMetres/t.MovingSeconds, MinSpeedKPH/3.6, MaxSpeedKPH/3.6), true
}

// detour is the length of the way by that of the straight line.
func (t Track) detour() (float64, bool) {
	if t.CoveredMetres < minCovered {
		return 0, false
	}
	return clamp(t.PathMetres/t.CoveredMetres, MinDetour, MaxDetour), true
}
