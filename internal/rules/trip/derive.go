package trip

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// State is the fold of one device's positions so far: what of the past still
// matters for the trips to come. Its zero value is that of a device without
// positions. It is small and survives storing, as bytes or as JSON.
type State struct{ f fold }

// fold is the state, and the rules that it goes by; nil for the default ones.
type fold struct {
	kept
	rules *limits
}

// kept is the state's content.
//
// The anchor is the place that the vehicle was last known to have reached: each
// movement sets it again, positions that stay near it do not. A trip ends at the
// anchor, so totals are kept up to the anchor, and what came after it is pending.
type kept struct {
	Seen   int64   `json:"seen,omitzero"` // time of the newest position, accepted or not
	Rest   stretch `json:"rest,omitzero"`
	Last   point   `json:"last,omitzero"` // newest position accepted
	Odd    chain   `json:"odd,omitzero"`
	Anchor point   `json:"anchor,omitzero"`
	// Reached is when the vehicle came to the anchor: what is switched there does not
	// change it.
	Reached int64   `json:"reached,omitzero"`
	Open    bool    `json:"open,omitzero"`
	Closed  bool    `json:"closed,omitzero"` // Close has looked at the trip, which a position may still go on with
	Trip    journey `json:"trip,omitzero"`
}

// Step is what one position brought about.
type Step struct {
	// Trip is the trip that the position completed; Completed says whether
	// there is one. It ended before the position.
	Trip      Derived
	Completed bool
	// dissolved is the start of a trip that Close has completed, and that the position
	// shows to be none; zero where there is no such trip.
	Dissolved drover.Time
	// Jump says that the position is passed over, until later ones may confirm it.
	// First says that it is the first of those that do not agree with what is
	// accepted, and Confirms that it confirms all of them since First.
	Jump, First, Confirms bool
	// Moved says that the vehicle may have left its stop by a way that no trip has.
	Moved bool
	// Cut says that the fold began again at this position, so that nothing
	// before it matters for what follows.
	Cut bool
	// since is the time from which on positions decide that it is a cut.
	since int64
}

// Accepted returns the time of the newest position that is no jump; false where
// there was none.
func (s *State) Accepted() (drover.Time, bool) { return drover.Milli(s.f.Last.At), s.f.Last.At != 0 }

// Seen returns the time of the newest position; false where there was none.
func (s *State) Seen() (drover.Time, bool) { return drover.Milli(s.f.Seen), s.f.Seen != 0 }

// Open reports whether a trip is under way.
func (s *State) Open() bool { return s.f.Open && !s.f.Closed }

// Began returns when the trip under way began; false where there is none.
func (s *State) Began() (drover.Time, bool) { return drover.Milli(s.f.Trip.Start.At), s.Open() }

// Deadline returns when silence ends the trip under way, which is when to call
// Close; false where there is none.
func (s *State) Deadline() (drover.Time, bool) {
	return drover.Milli(s.f.Last.At + s.f.under().gap), s.Open()
}

// InOrder reports whether a position of time at may be given to Add. One that is
// not later than those before changes what is already derived: then Absorb derives
// again.
func (s *State) InOrder(at drover.Time) bool { return at.UnixMilli() > s.f.Seen }

// Add folds one position, later than all before. A position that is no place on
// earth changes nothing.
func (s *State) Add(p drover.Position) Step {
	if !geo.Plausible(p.Point()) {
		return Step{}
	}
	q := s.f.under().point(&p)
	return s.f.add(&q)
}

// Close completes the trip under way where it has been silent for so long that another
// position would most likely begin a new one. The trip stays in the state: a later
// position completes the same trip, or goes on with it where the vehicle drove on
// through the silence. Now is the time up to which the device's positions have
// been read.
func (s *State) Close(now time.Time) Outcome {
	var out Outcome
	if deadline, open := s.Deadline(); !open || now.Before(deadline.Time) {
		return out
	}
	step := s.underWay()
	out.take(step)
	s.f.Closed, s.f.Trip.Closed = true, step.Completed
	return out
}

// underWay is what became of the trip under way if silence ended it now.
func (s *State) underWay() Step {
	f := s.f
	var step Step
	f.finish(&step, causeSilence, 0)
	return step
}

func (f *fold) add(p *point) Step {
	var step Step
	silent := p.At-f.Seen >= forget // as it is before the first one
	step.Cut, step.since = f.seesCut(p)
	switch {
	case step.Cut && silent:
		f.end(p, &step, causeSilence, 0)
	case step.Cut:
		f.finish(&step, f.rest(), p.At)
		f.reset(p)
	case f.Odd.Doubted && f.goesOn(p):
		step.Confirms = true
		f.accept(&f.Odd.Last, &step)
		f.Odd = chain{}
		f.reach(p, &step)
	default:
		f.weigh(p, &step)
	}
	return step
}

// goesOn reports whether p shows that the doubted position before it was true: the
// vehicle is nearer to that than to where it was before.
func (f *fold) goesOn(p *point) bool {
	return f.under().judge(&f.Odd.Last, p) != refuted && f.Odd.Last.metresTo(p) < f.Last.metresTo(p)
}

// weigh accepts a position, or passes it over until others confirm it.
func (f *fold) weigh(p *point, step *Step) {
	l := f.under()
	found := l.judge(&f.Last, p)
	switch {
	case found == believed:
		f.Odd = chain{}
		f.reach(p, step)
	case found == refuted && f.Odd.agrees(p, l):
		f.Odd.add(p)
		f.Odd.Doubted = false
		if step.Confirms = f.Odd.confirmed(); step.Confirms {
			f.end(p, step, causeJump, p.At)
		}
		step.Jump = !step.Confirms
	default:
		step.Jump, step.First = true, true
		f.Odd = chain{From: p.At, Last: *p, Count: 1, Doubted: found == doubted}
	}
}

// wake begins a fold at a cut where the vehicle is at rest.
func (f *fold) wake(p *point) Step {
	var step Step
	step.Cut, step.since = f.seesCut(p)
	f.reset(p)
	return step
}

// reset forgets all but p, where the vehicle stands.
func (f *fold) reset(p *point) {
	f.Closed, f.Odd = false, chain{}
	f.Anchor, f.Last, f.Reached = *p, *p, p.At
}

// end ends the trip under way and forgets all but p, which may begin another.
func (f *fold) end(p *point, step *Step, why Cause, decided int64) {
	step.Moved = f.Last.At != 0 && f.Last.metresTo(p) > StopMetres
	f.finish(step, why, decided)
	f.reset(p)
	if p.Mode != still {
		f.begin(p, why)
	}
}

func (f *fold) begin(p *point, why Cause) {
	f.Open, f.Anchor, f.Reached = true, *p, p.At
	f.Trip = journey{Start: *p, Has: p.Has, Why: why}
	if p.Mode == moving {
		f.Trip.Moves, f.Trip.Fast = 1, true
	}
}

// reach folds a position that is no jump and no cut.
func (f *fold) reach(p *point, step *Step) {
	switch {
	case p.At-f.Last.At < f.under().gap:
		f.accept(p, step)
	case f.crosses(p):
		f.cross(p)
	default:
		f.end(p, step, causeSilence, 0)
	}
}

// accept folds a position that follows on the last one without a hole.
func (f *fold) accept(p *point, step *Step) {
	metres := f.Anchor.metresTo(p)
	inPlace := metres <= f.under().reach(p)
	if f.Open && inPlace && f.rested(p.At) {
		f.finish(step, f.rest(), p.At)
	}
	moved := p.Mode == moving || !inPlace || f.counted(p)
	switch {
	case f.Open:
		f.goOn(p, metres, moved)
	case moved && (!inPlace || p.At-f.Last.At <= f.under().stopAfter):
		f.begin(&f.Last, causeMovement)
		f.goOn(p, f.Last.metresTo(p), true)
	case moved:
		f.begin(p, causeMovement)
	case p.Mode == idle && f.Anchor.Mode != idle:
		f.begin(p, causeIgnition)
	case p.Mode != f.Anchor.Mode:
		f.Anchor = *p
	}
	f.Last, f.Closed = *p, false
}

// counted reports whether the odometer says that the vehicle moves within its place, as
// those do that clear a yard.
func (f *fold) counted(p *point) bool {
	return f.Anchor.has(hasOdometer) && p.has(hasOdometer) && p.At-f.Anchor.At <= f.under().stopAfter &&
		p.Odo-f.Anchor.Odo >= f.under().minTrip && geo.SpeedKPH(p.Odo-f.Anchor.Odo, seconds(p.At-f.Anchor.At)) <= doubtKPH
}

// rested reports whether the vehicle, seen in its place at a time, has been
// there for so long that the trip is over.
func (f *fold) rested(at int64) bool {
	switch f.Anchor.Mode {
	case still:
		return at-f.Anchor.At >= f.under().stopAfter
	case idle:
		return at-f.Reached >= f.under().idleAfter
	case moving:
	}
	return false
}

// rest is why a vehicle that rests at its anchor has ended its trip.
func (f *fold) rest() Cause {
	if f.Anchor.Mode == idle {
		return causeIdle
	}
	return causeStop
}
