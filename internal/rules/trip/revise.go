package trip

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Loader returns a device's stored positions in a span of time, oldest first.
// Those marked as jumps are among them, and those that Suspect refused are not.
type Loader func(Span) ([]Known, error)

// Outcome is what a batch of positions means for a device's stored trips.
type Outcome struct {
	// Completed are new trips. One whose SystemTripID is already stored, since
	// Close has completed it before, replaces that one.
	Completed []Derived
	// Revised are stretches of the history that were derived again.
	Revised []Revision
	// Marks are the positions whose stored mark changes. New positions are stored
	// without one.
	Marks []Mark
	// Moved says that a vehicle may have left its stop by a way that no trip has.
	Moved bool
}

// Revision is a stretch of the history that was derived again: the stored trips
// that start within Span are to become Trips, as Diff says.
type Revision struct {
	Span  Span
	Trips []Derived
	// Unfinished says that the last of Trips is still under way. It revises the
	// stored trip that it continues, so that that one keeps its id, but is not
	// added where there is none.
	Unfinished bool
	// Marks are the positions whose stored mark changes, oldest first.
	Marks []Mark
}

// Diff compares the stored trips of the revision's span with the revised ones.
func (r Revision) Diff(stored []Derived) Changes {
	c := Diff(stored, r.Trips)
	if r.Unfinished {
		c.Add = slices.DeleteFunc(c.Add, func(i int) bool { return i == len(r.Trips)-1 })
	}
	return c
}

// Absorb folds positions that were just stored, in whatever order and age. Those
// later than all before are added. Each late one makes the stretch around it be
// derived again, from the cut before it to the cut after it; load reads that
// stretch, the new positions included. On an error the state is as before.
func (s *State) Absorb(stored []drover.Position, load Loader) (Outcome, error) {
	late, next := s.split(stored)
	after, marks := *s, s.marker(load)
	var out Outcome
	for _, p := range next {
		step := after.Add(p)
		if err := marks.note(p.Time.UnixMilli(), false, step); err != nil {
			return Outcome{}, fmt.Errorf("read what a position confirms: %w", err)
		}
		out.take(step)
	}
	out.Marks = marks.end()
	if len(late) == 0 {
		*s = after
		return out, nil
	}
	newest := max(after.f.Seen, late[len(late)-1])
	for len(late) > 0 {
		r, err := after.f.under().revise(late, newest, load)
		if err != nil {
			return Outcome{}, fmt.Errorf("derive trips again from %v: %w", drover.Milli(late[0]), err)
		}
		out.Revised = slices.DeleteFunc(out.Revised, func(d Revision) bool { return r.covers(d.Span.From) })
		out.Revised = append(out.Revised, r.Revision)
		out.Completed = slices.DeleteFunc(out.Completed, func(d Derived) bool { return r.covers(d.StartTime) })
		out.Marks = slices.DeleteFunc(out.Marks, func(m Mark) bool { return r.covers(m.Time) })
		out.Marks = append(out.Marks, r.Marks...)
		if r.atEnd {
			after = r.end
		}
		late = r.rest
	}
	*s = after
	return out, nil
}

// take notes what became of the trip under way.
func (o *Outcome) take(step Step) {
	o.Moved = o.Moved || step.Moved
	if step.Completed {
		o.Completed = append(o.Completed, step.Trip)
	}
	if at := step.Dissolved; !at.IsZero() {
		o.Revised = append(o.Revised, Revision{Span: milliSpan(at.UnixMilli(), at.UnixMilli()+1)})
	}
}

// split sorts positions into the times of the late ones and those that follow
// on what was folded, both oldest first.
func (s *State) split(stored []drover.Position) (late []int64, next []drover.Position) {
	sorted := slices.DeleteFunc(slices.Clone(stored), func(p drover.Position) bool { return !geo.Plausible(p.Point()) })
	slices.SortFunc(sorted, byTime)
	sorted = slices.CompactFunc(sorted, func(a, b drover.Position) bool { return byTime(a, b) == 0 })
	for _, p := range sorted {
		if s.InOrder(p.Time) {
			next = append(next, p)
		} else {
			late = append(late, p.Time.UnixMilli())
		}
	}
	return late, next
}

func byTime(a, b drover.Position) int { return cmp.Compare(a.Time.UnixMilli(), b.Time.UnixMilli()) }

// revised is a revision, and how far it came.
type revised struct {
	Revision
	marks marker
	late  int64   // the last late time that it came to
	rest  []int64 // late times that lie beyond it
	atEnd bool    // it reached the newest position; end is the state there
	end   State
	// resting says that it begins with a vehicle at rest.
	resting bool
}

func (r *revised) fold(p drover.Position) Step {
	if !r.resting {
		return r.end.Add(p)
	}
	r.resting = false
	q := r.end.f.under().point(&p)
	return r.end.f.wake(&q)
}

func (r *revised) covers(at drover.Time) bool {
	return !at.Before(r.Span.From.Time) && at.Before(r.Span.To.Time)
}

// firstChunk is how much is loaded at first; every further load takes twice as
// much, up to maxChunk: what is derived again is mostly short and seldom very long.
const (
	firstChunk = int64(6 * time.Hour / time.Millisecond)
	maxChunk   = 4 * firstChunk
)

// revise derives again around the first of the late times, and around those that
// follow before the next cut.
func (l *limits) revise(late []int64, newest int64, load Loader) (revised, error) {
	start, err := cutBefore(late[0], l, load)
	if err != nil {
		return revised{}, err
	}
	return l.reviseFrom(start, late, newest, load)
}

// reviseFrom derives again from a cut to the first one that the late times do not
// decide, or to the newest position.
func (l *limits) reviseFrom(start cut, late []int64, newest int64, load Loader) (revised, error) {
	from, r := start.at, revised{rest: late, resting: start.resting, end: State{fold{rules: l}}}
	for at, chunk := from, firstChunk; at <= newest; at, chunk = at+chunk, min(chunk*2, maxChunk) {
		positions, err := load(milliSpan(at, at+chunk))
		if err != nil {
			return revised{}, err
		}
		for i := range positions {
			if to, done := r.add(&positions[i]); done {
				r.Span, r.Marks = milliSpan(from, to), r.marks.end()
				return r, nil
			}
		}
	}
	r.finishAt(from, newest)
	return r, nil
}

// add folds one position. It is done at a cut that was one before the late
// positions came too, for from there on everything is as it was: where all that
// makes it one lies behind them.
func (r *revised) add(p *Known) (at int64, done bool) {
	at = p.Time.UnixMilli()
	if !geo.Plausible(p.Point()) {
		return at, false
	}
	for len(r.rest) > 0 && r.rest[0] <= at {
		r.late, r.rest = r.rest[0], r.rest[1:]
	}
	step := r.fold(p.Position)
	_ = r.marks.note(at, p.Jump, step) // it loads nothing: it has seen the whole chain
	if step.Completed {
		r.Trips = append(r.Trips, step.Trip)
	}
	return at, step.Cut && r.late != 0 && step.since > r.late
}

// Rebuild derives everything from a device's first position to its newest one,
// for a state of another version or one that was lost.
func Rebuild(rules Rules, first, newest drover.Time, load Loader) (State, Revision, error) {
	r, err := rules.limits().reviseFrom(cut{at: first.UnixMilli()}, nil, newest.UnixMilli(), load)
	if err != nil {
		return State{}, Revision{}, fmt.Errorf("derive trips again from %v: %w", first, err)
	}
	return r.end, r.Revision, nil
}

// finishAt ends a revision at the newest position.
func (r *revised) finishAt(from, newest int64) {
	r.Span, r.Marks = milliSpan(from, newest+1), r.marks.end()
	r.rest, r.atEnd = nil, true
	r.end.f.Trip.Closed = r.end.f.Open // by Close, perhaps, before the revision
	if step := r.end.underWay(); step.Completed {
		r.Trips, r.Unfinished = append(r.Trips, step.Trip), true
	}
}

func milliSpan(from, to int64) Span { return Span{From: drover.Milli(from), To: drover.Milli(to)} }
