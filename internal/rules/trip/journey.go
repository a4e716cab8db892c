package trip

import (
	"math"

	"github.com/drover-fleet/drover/internal/rules/geo"
)

// journey is a trip under way.
type journey struct {
	Start   point   `json:"start"`
	Why     Cause   `json:"why"`
	Far     float64 `json:"far"`   // how far from the start it got
	Moves   int32   `json:"moves"` // movements, each with an anchor of its own
	Metres  float64 `json:"metres"`
	Driving int64   `json:"driving"` // milliseconds up to the anchor
	Parts   parts   `json:"parts"`   // standing time up to the anchor
	Pending parts   `json:"pending"` // standing time since the anchor
	Holes   holes   `json:"holes"`
	Has     values  `json:"has"`    // what positions up to the anchor reported
	Closed  bool    `json:"closed"` // Close has completed it
}

// parts is the time of a standing vehicle, in milliseconds. An auxiliary that
// runs while the engine does counts as auxiliary, not as idling.
type parts struct {
	Idling    int64 `json:"idling"`
	Auxiliary int64 `json:"auxiliary"`
}

func (p *parts) add(o parts) {
	p.Idling += o.Idling
	p.Auxiliary += o.Auxiliary
}

// holes is the way of a trip that nobody saw, in a straight line.
type holes struct {
	Metres float64 `json:"metres"`
	Millis int64   `json:"millis"`
}

// goOn adds the leg from the last position to p to the trip under way.
func (f *fold) goOn(p *point, metres float64, moved bool) {
	j := &f.Trip
	j.Has |= p.Has & hasDriver
	switch {
	case moved:
		f.drive(p, metres)
	case p.Mode != f.Anchor.Mode:
		// The place stays, but the anchor moves, and the way counts.
		j.Metres += metres
		j.Far = max(j.Far, j.Start.metresTo(p))
		j.Pending.add(f.standing(p.At - f.Last.At))
	default:
		j.Pending.add(f.standing(p.At - f.Last.At))
		return
	}
	f.arrive(p)
}

// arrive makes p the anchor: all that was pending belongs to the trip.
func (f *fold) arrive(p *point) {
	j := &f.Trip
	j.Parts.add(j.Pending)
	j.Pending = parts{}
	j.Has |= f.Last.Has | p.Has
	f.Anchor = *p
}

// drive counts a movement that reached p, metres away from the anchor.
func (f *fold) drive(p *point, metres float64) {
	j := &f.Trip
	since, leg := p.At-f.Anchor.At, p.At-f.Last.At
	if !p.has(hasSpeed) && geo.SpeedKPH(metres, seconds(since)) >= MovingKPH {
		// Slow but steady progress shows only in the time since the anchor.
		leg, j.Pending = since, parts{}
	}
	driven := f.driven(p, metres, leg)
	j.Driving += driven
	j.Pending.add(f.standing(leg - driven))
	j.Metres += metres
	j.Moves++
	j.Far = max(j.Far, j.Start.metresTo(p))
}

// slowKPH is the speed of a vehicle that is seen to have moved and of which no
// speed was reported: that of yards and queues.
const slowKPH = 15.0

// driven is how much of a leg to p was driven: all of it where the vehicle moves at
// both ends; else as long as the way takes at the speed that is reported, for it stood
// for the rest.
func (f *fold) driven(p *point, metres float64, leg int64) int64 {
	if f.Last.Mode == moving && p.Mode == moving {
		return leg
	}
	kph := max(f.Last.KPH, p.KPH)
	if kph < MovingKPH {
		kph = slowKPH
	}
	return min(leg, int64(metres/kph*3600))
}

// standing returns a time since the last position as parts. What that one reported
// holds until the next reports otherwise.
func (f *fold) standing(millis int64) parts {
	switch {
	case f.Last.has(auxiliaryOn):
		return parts{Auxiliary: millis}
	case f.Last.has(ignitionOn):
		return parts{Idling: millis}
	}
	return parts{}
}

// crosses reports whether the vehicle drove on through a hole in its reports and
// is seen again at p: it was under way before, its engine runs after, and the way
// between takes no less than the speed of a vehicle that moves.
func (f *fold) crosses(p *point) bool {
	before := f.Last.Mode == moving || !f.Last.off() && f.Trip.Moves > 0 && f.Last.At-f.Anchor.At <= f.under().stopAfter
	after := p.Mode == moving || p.has(ignitionOn)
	return before && after && geo.SpeedKPH(f.Last.metresTo(p), seconds(p.At-f.Last.At)) >= MovingKPH
}

// cross adds a hole to the trip under way.
func (f *fold) cross(p *point) {
	j := &f.Trip
	metres, leg := f.Anchor.metresTo(p), p.At-f.Last.At
	j.Holes.Metres += metres
	j.Holes.Millis += leg
	j.Metres += metres
	j.Driving += min(leg, int64(metres/math.Max(MovingKPH, (f.Last.KPH+p.KPH)/2)*3600))
	j.Moves++
	j.Far = max(j.Far, j.Start.metresTo(p))
	f.arrive(p)
	f.Last, f.Closed = *p, false
}
