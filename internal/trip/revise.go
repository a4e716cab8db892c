package trip

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
)

// Loader returns a device's stored positions in a span of time, oldest first.
// Positions that Suspect refused are not among them.
type Loader func(Span) ([]drover.Position, error)

// Outcome is what a batch of positions means for a device's stored trips.
type Outcome struct {
	// Completed are new trips. One whose SystemTripID is already stored, since
	// Close had ended it too early, replaces that one.
	Completed []Derived
	// Revised are stretches of the history that were derived anew.
	Revised []Revision
}

// Revision is a stretch of the history that was derived anew: the stored trips
// that start within Span are to become Trips, as Diff tells.
type Revision struct {
	Span  Span
	Trips []Derived
	// Unfinished says that the last of Trips is still under way. It revises the
	// stored trip that it continues, so that that one keeps its id, but is not
	// added where there is none.
	Unfinished bool
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
// derived anew, from the cut before it to the cut after it; load reads that
// stretch, the new positions included. On an error the state is as before.
func (s *State) Absorb(stored []drover.Position, load Loader) (Outcome, error) {
	late, next := s.split(stored)
	after := *s
	var out Outcome
	for _, p := range next {
		if step := after.Add(p); step.Completed {
			out.Completed = append(out.Completed, step.Trip)
		}
	}
	if len(late) == 0 {
		*s = after
		return out, nil
	}
	newest := max(after.f.Seen, late[len(late)-1])
	for len(late) > 0 {
		r, err := revise(late, newest, load)
		if err != nil {
			return Outcome{}, fmt.Errorf("derive trips anew from %v: %w", drover.Milli(late[0]), err)
		}
		out.Revised = append(out.Revised, r.Revision)
		out.Completed = slices.DeleteFunc(out.Completed, func(d Derived) bool { return r.covers(d.StartTime) })
		if r.atEnd {
			after = r.end
		}
		late = r.rest
	}
	*s = after
	return out, nil
}

// split sorts positions into the times of the late ones and those that follow
// on what was folded, both oldest first.
func (s *State) split(stored []drover.Position) (late []int64, next []drover.Position) {
	sorted := slices.DeleteFunc(slices.Clone(stored), func(p drover.Position) bool { return !geo.Plausible(p.Point()) })
	slices.SortFunc(sorted, byTime)
	sorted = slices.CompactFunc(sorted, func(a, b drover.Position) bool { return byTime(a, b) == 0 })
	continues := false
	for _, p := range sorted {
		at := p.Time.UnixMilli()
		// A position that continues a trip after Close makes all later ones
		// late too: they follow on it, and no longer on the closed trip.
		continues = continues || at > s.f.Seen && !s.InOrder(p.Time)
		if continues || at <= s.f.Seen {
			late = append(late, at)
		} else {
			next = append(next, p)
		}
	}
	return late, next
}

func byTime(a, b drover.Position) int { return cmp.Compare(a.Time.UnixMilli(), b.Time.UnixMilli()) }

// revised is a revision, and how far it came.
type revised struct {
	Revision
	rest  []int64 // late times that lie beyond it
	atEnd bool    // it reached the newest position; end is the state there
	end   State
}

func (r *revised) covers(at drover.Time) bool {
	return !at.Before(r.Span.From.Time) && at.Before(r.Span.To.Time)
}

// firstChunk is how much is loaded at first; every further load takes twice as
// much, for what is derived anew is mostly short and seldom very long.
const firstChunk = int64(6 * time.Hour / time.Millisecond)

// revise derives anew around the first of the late times, and around those that
// follow before the next cut.
func revise(late []int64, newest int64, load Loader) (revised, error) {
	from, err := cutBefore(late[0], load)
	if err != nil {
		return revised{}, err
	}
	r := revised{rest: late}
	for at, chunk := from, firstChunk; at <= newest; at, chunk = at+chunk, chunk*2 {
		positions, err := load(milliSpan(at, at+chunk))
		if err != nil {
			return revised{}, err
		}
		for i := range positions {
			if to, done := r.add(&positions[i], late); done {
				r.Span = milliSpan(from, to)
				return r, nil
			}
		}
	}
	r.finishAt(from, newest)
	return r, nil
}

// add folds one position. It is done at a cut that was one before the late
// positions came too, for from there on everything is as it was: after a gap that
// lies wholly behind them, or after a quiet hour that does.
func (r *revised) add(p *drover.Position, late []int64) (at int64, done bool) {
	at = p.Time.UnixMilli()
	for len(r.rest) > 0 && r.rest[0] < at {
		r.rest = r.rest[1:]
	}
	passed := len(late) - len(r.rest)
	step := r.end.Add(*p)
	if step.Completed {
		r.Trips = append(r.Trips, step.Trip)
	}
	if len(r.rest) > 0 && r.rest[0] == at {
		return at, false
	}
	return at, step.Cut && passed > 0 && (!step.afterQuiet || step.quietSince > late[passed-1])
}

// Rebuild derives everything from a device's first position to its newest one,
// for a state of another version or one that was lost.
func Rebuild(first, newest drover.Time, load Loader) (State, Revision, error) {
	var r revised
	from, to := first.UnixMilli(), newest.UnixMilli()
	for at := from; at <= to; at += 4 * firstChunk {
		positions, err := load(milliSpan(at, min(at+4*firstChunk, to+1)))
		if err != nil {
			return State{}, Revision{}, fmt.Errorf("derive trips anew from %v: %w", drover.Milli(at), err)
		}
		for i := range positions {
			r.add(&positions[i], nil)
		}
	}
	r.finishAt(from, to)
	return r.end, r.Revision, nil
}

// finishAt ends a revision at the newest position.
func (r *revised) finishAt(from, newest int64) {
	r.Span, r.rest, r.atEnd = milliSpan(from, newest+1), nil, true
	if trip, ok := r.end.underWay(); ok {
		r.Trips, r.Unfinished = append(r.Trips, trip), true
	}
}

// firstLook is how far back a cut is looked for at first; each further look goes
// lookFactor times as far, up to lookLimit and then to the beginning.
const (
	firstLook  = 3 * hour
	lookFactor = 4
	lookLimit  = 400 * 24 * hour
)

// cutBefore returns the time of a cut at or before a position's time: from there
// a fold from nothing is the same as one over the whole history.
func cutBefore(at int64, load Loader) (int64, error) {
	for look := firstLook; ; look *= lookFactor {
		from := max(0, (at-look)/hour*hour)
		if look > lookLimit {
			from = 0
		}
		positions, err := load(milliSpan(from, at+1))
		if err != nil {
			return 0, err
		}
		if cut, ok := lastCut(positions, from); ok {
			return cut, nil
		}
		if from == 0 {
			return at, nil
		}
	}
}

// lastCut finds the last cut among the positions from a full hour on.
func lastCut(positions []drover.Position, from int64) (cut int64, ok bool) {
	var f fold
	for i := range positions {
		if !geo.Plausible(positions[i].Point()) {
			continue
		}
		p := pointOf(&positions[i])
		first := f.Seen == 0
		isCut, _ := f.follow(&p)
		// What came before the first one is unknown, unless the silence up to
		// it is a gap already.
		if isCut && (!first || from == 0 || p.At-from >= gap) {
			cut, ok = p.At, true
		}
	}
	return cut, ok
}

// underWay returns the trip under way as if it ended now.
func (s *State) underWay() (Derived, bool) {
	f := s.f
	return f.finish()
}

func milliSpan(from, to int64) Span { return Span{From: drover.Milli(from), To: drover.Milli(to)} }
