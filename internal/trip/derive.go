package trip

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
)

// State is the fold of one device's positions so far: what of the past still
// matters for the trips to come. Its zero value is that of a device without
// positions. It is small and survives storing, as bytes or as JSON.
type State struct{ f fold }

// fold is the state's content.
//
// The anchor is the place that the vehicle was last known to have reached: each
// movement sets it anew, positions that stay near it do not. A trip ends at the
// anchor, so totals are kept up to the anchor, and what came after it is pending.
type fold struct {
	Seen   int64   `json:"seen,omitzero"` // time of the newest position, believed or not
	Hour   stretch `json:"hour,omitzero"`
	Last   point   `json:"last,omitzero"` // newest position believed
	Odd    point   `json:"odd,omitzero"`  // the position just passed over as a jump
	Anchor point   `json:"anchor,omitzero"`
	Open   bool    `json:"open,omitzero"`
	Closed bool    `json:"closed,omitzero"` // Close ended the trip, before any position did
	Trip   journey `json:"trip,omitzero"`
}

// stretch is the part of a clock hour since the last cut.
type stretch struct {
	First point `json:"first"`
	Quiet bool  `json:"quiet"` // every position rests where the first one does
}

// journey is a trip under way.
type journey struct {
	Start   point   `json:"start"`
	Far     float64 `json:"far"`   // how far from the start it got
	Moves   int32   `json:"moves"` // movements, each with an anchor of its own
	Metres  float64 `json:"metres"`
	Driving int64   `json:"driving"` // milliseconds up to the anchor
	Parts   parts   `json:"parts"`   // standing time up to the anchor
	Pending parts   `json:"pending"` // standing time since the anchor
	Has     told    `json:"has"`     // what positions up to the anchor told
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

// Step is what one position brought about.
type Step struct {
	// Trip is the trip that the position completed; Completed says whether
	// there is one. It ended before the position.
	Trip      Derived
	Completed bool
	// Jump says that the position is passed over, until the next one may confirm
	// it. Confirms says that this one does so for the position before it.
	Jump     bool
	Confirms bool
	// Cut says that the fold began anew at this position, so that nothing
	// before it matters for what follows.
	Cut bool
	// since is the time from which on positions decide that it is a cut.
	since int64
}

// Believed returns the time of the newest position that is no jump; false where
// there was none.
func (s *State) Believed() (drover.Time, bool) { return drover.Milli(s.f.Last.At), s.f.Last.At != 0 }

// Seen returns the time of the newest position; false where there was none.
func (s *State) Seen() (drover.Time, bool) { return drover.Milli(s.f.Seen), s.f.Seen != 0 }

// Open reports whether a trip is under way.
func (s *State) Open() bool { return s.f.Open }

// Deadline returns when silence ends the trip under way, which is when to call
// Close; false where there is none.
func (s *State) Deadline() (drover.Time, bool) { return drover.Milli(s.f.Seen + gap), s.f.Open }

// InOrder reports whether a position of time at may be given to Add. One that
// is not later than those before, or that continues a trip which Close has
// ended, changes what is already derived: then Absorb derives anew.
func (s *State) InOrder(at drover.Time) bool {
	ms := at.UnixMilli()
	return ms > s.f.Seen && (!s.f.Closed || ms-s.f.Seen >= gap)
}

// Add folds one position, later than all before. A position that is no place on
// earth changes nothing.
func (s *State) Add(p drover.Position) Step {
	if !geo.Plausible(p.Point()) {
		return Step{}
	}
	q := pointOf(&p)
	return s.f.add(&q)
}

// Close ends the trip under way where the time has passed by which another
// position would have continued it. The trip is the one that any later position
// would complete. Now is the time up to which the device's positions have been
// read: ahead of it, trips end that late positions then revise.
func (s *State) Close(now time.Time) (Derived, bool) {
	f := &s.f
	if !f.Open || now.UnixMilli() < f.Seen+gap {
		return Derived{}, false
	}
	f.Closed = true
	return f.finish()
}

func (f *fold) add(p *point) Step {
	var step Step
	silent := p.At-f.Seen >= gap
	step.Cut, step.since = f.follow(p)
	switch {
	case step.Cut:
		step.Confirms = p.confirms(&f.Odd)
		step.Trip, step.Completed = f.finish()
		f.restart(p)
	case !jumps(&f.Last, p):
		step.Trip, step.Completed = f.resume(p)
	case p.confirms(&f.Odd):
		// Two in a row agree on the other place, so the vehicle is there and
		// there is no telling how it came.
		odd := f.Odd
		step.Confirms = true
		step.Trip, step.Completed = f.finish()
		f.restart(&odd)
		f.believe(p)
	default:
		step.Jump = true
		f.Odd = *p
		if silent {
			f.Closed = false
			step.Trip, step.Completed = f.finish()
		}
	}
	return step
}

// follow keeps what the cuts are found by. A cut is where the fold starts from
// nothing: after a gap, and after an hour in which the vehicle did not stir, where
// it did not jump meanwhile. Both can be told from the few positions before it,
// whatever the history, which is what makes it possible to derive a part of the
// history by itself. It returns from when on these positions are.
func (f *fold) follow(p *point) (cut bool, since int64) {
	seen, newest, h := f.Seen, f.newest(), &f.Hour
	f.Seen = p.At
	switch silence := p.At - seen; {
	case seen == 0 || silence >= forget:
		cut, since = true, p.At-forget+1
	case silence >= gap:
		cut, since = !jumps(newest, p), seen
	case h.First.At/hour == p.At/hour:
		h.Quiet = h.Quiet && p.Mode == h.First.Mode && h.First.metresTo(p) <= p.reach()
		return false, 0
	default:
		rest := h.First
		rest.At = seen
		cut, since = h.Quiet && seen-h.First.At >= quietFor && !jumps(&rest, p), h.First.At
	}
	*h = stretch{First: *p, Quiet: p.Mode != moving}
	return cut, since
}

// newest is the newest position, believed or not.
func (f *fold) newest() *point {
	if f.Odd.At != 0 {
		return &f.Odd
	}
	return &f.Last
}

// restart forgets all but p, which may begin a trip.
func (f *fold) restart(p *point) {
	f.Closed, f.Odd = false, point{}
	f.Anchor, f.Last = *p, *p
	if p.Mode != still {
		f.begin(p)
	}
}

func (f *fold) begin(p *point) {
	f.Open, f.Anchor = true, *p
	f.Trip = journey{Start: *p, Has: p.Has}
	if p.Mode == moving {
		f.Trip.Moves = 1
	}
}

// resume folds a position that is no jump from the last one believed. Where that
// is long ago, all that came since was passed over, which is a silence too.
func (f *fold) resume(p *point) (done Derived, completed bool) {
	if p.At-f.Last.At >= gap {
		done, completed = f.finish()
		f.restart(p)
		return done, completed
	}
	f.Odd = point{}
	return f.believe(p)
}

// believe folds a position that is no jump and no cut.
func (f *fold) believe(p *point) (done Derived, completed bool) {
	metres := f.Anchor.metresTo(p)
	inPlace := metres <= p.reach()
	if f.Open && inPlace && f.rested(p.At) {
		done, completed = f.finish()
	}
	moved := p.Mode == moving || !inPlace
	switch {
	case f.Open:
		f.goOn(p, metres, moved)
	case moved && (!inPlace || p.At-f.Last.At <= stopAfter):
		f.begin(&f.Last)
		f.goOn(p, f.Last.metresTo(p), true)
	case moved || p.Mode == idle && f.Anchor.Mode != idle:
		f.begin(p)
	case p.Mode != f.Anchor.Mode:
		f.Anchor = *p
	}
	f.Last = *p
	return done, completed
}

// rested reports whether the vehicle, seen in its place at a time, has been
// there for so long that the trip is over.
func (f *fold) rested(at int64) bool {
	switch f.Anchor.Mode {
	case still:
		return at-f.Anchor.At >= stopAfter
	case idle:
		return at-f.Anchor.At >= idleAfter
	case moving:
	}
	return false
}

// goOn adds the leg from the last position to p to the trip under way.
func (f *fold) goOn(p *point, metres float64, moved bool) {
	j := &f.Trip
	switch {
	case moved:
		f.drive(p, metres)
	case p.Mode != f.Anchor.Mode:
		j.Pending.add(f.standing(p))
	default:
		j.Pending.add(f.standing(p))
		return
	}
	j.Parts.add(j.Pending)
	j.Pending = parts{}
	j.Has |= f.Last.Has | p.Has
	f.Anchor = *p
}

// drive counts a movement that reached p, metres away from the anchor. The last
// leg was driven. Where the provider tells no speed, slow but steady progress
// shows only in the time since the anchor: then all of that was driven.
func (f *fold) drive(p *point, metres float64) {
	j := &f.Trip
	since := p.At - f.Anchor.At
	if !p.has(toldSpeed) && geo.SpeedKPH(metres, seconds(since)) >= MovingKPH {
		j.Driving += since
		j.Pending = parts{}
	} else {
		j.Driving += p.At - f.Last.At
	}
	j.Metres += metres
	j.Moves++
	j.Far = max(j.Far, j.Start.metresTo(p))
}

// standing returns the time from the last position to p as parts. What the last
// position told holds until p tells otherwise.
func (f *fold) standing(p *point) parts {
	leg := p.At - f.Last.At
	switch {
	case f.Last.has(auxiliaryOn):
		return parts{Auxiliary: leg}
	case f.Last.has(ignitionOn):
		return parts{Idling: leg}
	}
	return parts{}
}
