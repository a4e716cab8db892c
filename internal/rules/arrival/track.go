package arrival

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

const (
	// TrackWindow is how far back a track reaches, and paceWindow how far its pace
	// does.
	TrackWindow = 30 * time.Minute
	paceWindow  = 15 * time.Minute
	// minMoving is the movement, and minCovered the progress, from which a track
	// shows a pace and a detour.
	minMoving  = 30.0   // seconds
	minCovered = 1000.0 // metres
	// aheadShare is how much of the way that remained at the beginning of a track
	// shows where the road leads at present.
	aheadShare = 0.01
	// maxAhead bounds the detour that this shows.
	maxAhead = 1.6
)

// Track is what the recent positions show of a journey under way.
type Track struct {
	// MovingMetres were driven in MovingSeconds since the device last stood, once
	// it had set off.
	MovingMetres  float64
	MovingSeconds float64
	// Over PathMetres the straight line to the end became shorter by
	// CoveredMetres.
	PathMetres    float64
	CoveredMetres float64
	// AheadMetres and AheadCovered are the same for the last stretch alone.
	AheadMetres  float64
	AheadCovered float64
	// IntervalSeconds is the time between two positions.
	IntervalSeconds float64
	// Blind says that none of them reports a speed.
	Blind bool
}

// NewTrack follows positions, oldest first, on the way to end.
func NewTrack(end drover.Coordinate, positions []drover.Position) Track {
	var t Track
	if len(positions) < 2 {
		return t
	}
	t.Blind = Blind(positions)
	last := len(positions) - 1
	whole, left := geo.DistanceMetres(positions[0].Point(), end), geo.DistanceMetres(positions[last].Point(), end)
	t.CoveredMetres = whole - left
	t.IntervalSeconds = positions[last].Time.Sub(positions[0].Time.Time).Seconds() / float64(last)
	moving := true // without a stop up to the latest position
	for i := last; i > 0; i-- {
		s := newStep(&positions[i-1], &positions[i])
		if s.moves() && t.AheadMetres < aheadShare*whole {
			t.AheadMetres += s.metres
			t.AheadCovered = geo.DistanceMetres(positions[i-1].Point(), end) - left
		}
		t.PathMetres += s.metres
		// Before it last stood it may have been on other roads, and while it stands
		// it says nothing of those to come.
		moving = moving && s.moves() && positions[last].Time.Sub(positions[i-1].Time.Time) <= paceWindow
		// A step that follows a stop began with it: it is slower than the road.
		if moving && (i == 1 || newStep(&positions[i-2], &positions[i-1]).moves()) {
			t.MovingMetres += s.metres
			t.MovingSeconds += s.seconds
		}
	}
	return t
}

// Blind reports whether no position reports a speed.
func Blind(positions []drover.Position) bool {
	return !slices.ContainsFunc(positions, func(p drover.Position) bool { return p.SpeedKPH != nil })
}

// step is the way between two positions.
type step struct{ metres, seconds float64 }

func newStep(a, b *drover.Position) step {
	return step{metres: geo.DistanceMetres(a.Point(), b.Point()), seconds: b.Time.Sub(a.Time.Time).Seconds()}
}

func (s step) moves() bool {
	return s.seconds > 0 && geo.SpeedKPH(s.metres, s.seconds) >= geo.MovingKPH
}

// pace is the speed of the movement, in metres a second.
func (t Track) pace() (float64, bool) {
	if t.MovingSeconds < minMoving {
		return 0, false
	}
	return clamp(t.MovingMetres/t.MovingSeconds, minSpeedKPH/3.6, maxSpeedKPH/3.6), true
}

// detour is the length of the way by that of the straight line.
func (t Track) detour() (float64, bool) {
	if t.CoveredMetres < minCovered {
		return 0, false
	}
	return clamp(t.PathMetres/t.CoveredMetres, minDetour, maxDetour), true
}

// ahead is the same of the road as it leads at present. One that leads away does
// not do so for long.
func (t Track) ahead() (float64, bool) {
	if t.AheadMetres <= 0 {
		return 0, false
	}
	if t.AheadCovered*maxAhead <= t.AheadMetres {
		return maxAhead, true
	}
	return max(minDetour, t.AheadMetres/t.AheadCovered), true
}
