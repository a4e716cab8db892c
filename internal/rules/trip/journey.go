package trip

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// journey is a trip under way.
type journey struct {
	Start   point   `json:"start"`
	Why     Cause   `json:"why"`
	Far     float64 `json:"far"`   // how far from the start it got
	Moves   int32   `json:"moves"` // movements, each with an anchor of its own
	Rows    int32   `json:"rows"`  // positions
	Fast    bool    `json:"fast"`  // a reported speed says that it moved
	Metres  float64 `json:"metres"`
	Driving int64   `json:"driving"` // milliseconds up to the anchor
	Working int64   `json:"working"` // of these, below the speed of a vehicle that moves
	Parts   parts   `json:"parts"`   // standing time up to the anchor
	Pending parts   `json:"pending"` // standing time since the anchor
	Unseen  unseen  `json:"unseen"`
	Has     values  `json:"has"`    // what positions up to the anchor reported
	Closed  bool    `json:"closed"` // Close has completed it
}

// parts is the time of a standing vehicle, in milliseconds. An auxiliary that
// runs while the engine does counts as auxiliary, not as idling.
type parts struct {
	Idling    int64 `json:"idling"`
	Auxiliary int64 `json:"auxiliary"`
	// Slow is the time at a speed that may be slow work, and in which of the two it is
	// counted unless the vehicle turns out to have left its place.
	Slow          int64 `json:"slow"`
	SlowIdling    int64 `json:"slow_idling"`
	SlowAuxiliary int64 `json:"slow_auxiliary"`
}

func (p *parts) add(o parts) {
	p.Idling += o.Idling
	p.Auxiliary += o.Auxiliary
	p.Slow += o.Slow
	p.SlowIdling += o.SlowIdling
	p.SlowAuxiliary += o.SlowAuxiliary
}

// unseen is the way of a trip that no position shows: its holes. Odometer is the part
// of the metres that an odometer counted; the rest is a straight line.
type unseen struct {
	Metres   float64 `json:"metres"`
	Odometer float64 `json:"odometer"`
	Millis   int64   `json:"millis"`
}

// goOn adds the leg from the last position to p to the trip under way.
func (f *fold) goOn(p *point, metres float64, moved bool) {
	j := &f.Trip
	j.Has |= p.Has & hasDriver
	j.Rows++
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
	if moved || f.Anchor.Mode == moving {
		f.Reached = p.At
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
	if !p.has(hasSpeed) && geo.SpeedKPH(metres, seconds(since)) >= f.under().moving {
		// Slow but steady progress shows only in the time since the anchor.
		leg, j.Pending = since, parts{}
	}
	driven := f.driven(p, metres, leg)
	if f.Last.Mode != moving && p.Mode != moving && max(f.Last.KPH, p.KPH) >= crawlKPH {
		j.Working += driven
	}
	j.Driving += driven
	j.work(&f.Anchor, &f.Last)
	j.Pending.add(f.standing(leg - driven))
	j.Metres += metres
	j.Moves++
	j.Fast = j.Fast || f.Last.Mode == moving || p.Mode == moving
	j.Far = max(j.Far, j.Start.metresTo(p))
}

// work counts the slow time between the anchor and the last position as driving, where
// the vehicle got on meanwhile: it need not be as far as the speeds say, for wheels slip.
func (j *journey) work(anchor, last *point) {
	p := &j.Pending
	if p.Slow == 0 || geo.SpeedKPH(anchor.metresTo(last), seconds(p.Slow)) < workKPH {
		return
	}
	j.Driving += p.Slow
	j.Working += p.Slow
	*p = parts{Idling: p.Idling - p.SlowIdling, Auxiliary: p.Auxiliary - p.SlowAuxiliary}
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
	if kph < crawlKPH {
		kph = slowKPH
	}
	return min(leg, int64(metres/kph*3600))
}

// standing returns a time since the last position as parts. What that one reported
// holds until the next reports otherwise.
func (f *fold) standing(millis int64) parts {
	var p parts
	switch {
	case f.Last.has(auxiliaryOn):
		p.Auxiliary = millis
	case f.Last.has(ignitionOn):
		p.Idling = millis
	}
	if f.Last.crawls() {
		p.Slow, p.SlowIdling, p.SlowAuxiliary = millis, p.Idling, p.Auxiliary
	}
	return p
}

// crosses reports whether the vehicle drove through a hole in its reports and is seen
// again at p. Where it was under way before, the way between must take no less than the
// speed of a vehicle that moves; where it is first seen to move after, or never reports a
// speed, so much that it drove for most of the time.
func (f *fold) crosses(p *point) bool {
	metres, _ := way(&f.Last, p)
	kph, l := geo.SpeedKPH(metres, seconds(p.At-f.Last.At)), f.under()
	if kph > doubtKPH {
		return false
	}
	if f.Open && (f.Last.Mode == moving || !f.Last.off() && f.Trip.Moves > 0 && f.Last.At-f.Anchor.At <= l.stopAfter) {
		return kph >= l.moving
	}
	return kph >= slowKPH && (p.Mode == moving || !p.has(hasSpeed))
}

// cross adds a hole to the trip under way, or begins one before it.
func (f *fold) cross(p *point) {
	if !f.Open {
		f.begin(&f.Last, causeMovement)
	}
	j := &f.Trip
	metres, counted := way(&f.Last, p)
	leg := p.At - f.Last.At
	j.Unseen.Metres += metres
	if counted {
		j.Unseen.Odometer += metres
	}
	j.Unseen.Millis += leg
	metres += f.Anchor.metresTo(&f.Last)
	j.Metres += metres
	j.Driving += min(leg, int64(metres/max(slowKPH, (f.Last.KPH+p.KPH)/2)*3600))
	j.Moves++
	j.Fast = j.Fast || f.Last.Mode == moving || p.Mode == moving
	j.Far = max(j.Far, j.Start.metresTo(p))
	f.arrive(p)
	f.Last, f.Closed, f.Reached = *p, false, p.At
}

// Hole is the part between two positions that none shows.
func Hole(from, to drover.Position) drover.Unseen {
	a, b := usual.point(&from), usual.point(&to)
	return unseenBetween(&a, &b)
}

func unseenBetween(from, to *point) drover.Unseen {
	metres, counted := way(from, to)
	u := drover.Unseen{
		StartTime: drover.Milli(from.At), EndTime: drover.Milli(to.At), DistanceMetres: math.Round(metres*10) / 10,
		KnownBy: drover.ByStraightLine,
	}
	if counted {
		u.KnownBy = drover.ByOdometer
	}
	return u
}

// way is how far a vehicle got from one point to another, by these two alone: what its
// odometer counted where that is plausible, else the straight line.
func way(from, to *point) (metres float64, counted bool) {
	metres = from.metresTo(to)
	if !from.has(hasOdometer) || !to.has(hasOdometer) {
		return metres, false
	}
	driven := to.Odo - from.Odo
	if driven <= 0 || driven < metres*(1-shortfallShare)-shortfallMetres || geo.SpeedKPH(driven, seconds(to.At-from.At)) > doubtKPH {
		return metres, false
	}
	return driven, true
}
