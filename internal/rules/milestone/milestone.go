// Package milestone tracks a device's journey between two points: a pure state
// machine over positions, an estimate of the arrival, and the update record that
// shows both. docs/milestones.md draws it.
//
// The history of a milestone is a function of the set of positions that are
// accepted, whatever their order of arrival. A late position can make a start or an
// arrival earlier. It undoes an arrival only where it shows that the device was
// outside while it seemed to dwell; and where a position is withdrawn, because late
// ones show that it was a jump, is undone what it alone brought about.
package milestone

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Config holds what an operator may set.
type Config struct {
	StartRadius float64       // metres
	EndRadius   float64       // metres
	Timeout     time.Duration // age from which the newest position is too old
	EndGrace    time.Duration // how long after end_time a journey is given up
}

// DefaultConfig returns the defaults: circles of 200 m, a timeout of 15 minutes
// and 12 hours of grace.
func DefaultConfig() Config {
	return Config{StartRadius: 200, EndRadius: 200, Timeout: 15 * time.Minute, EndGrace: 12 * time.Hour}
}

// radii are those of the start and the end circle of a milestone.
func (cfg Config) radii(m drover.Milestone) (start, end float64) {
	if m.RadiusMetres != nil {
		return *m.RadiusMetres, *m.RadiusMetres
	}
	return cfg.StartRadius, cfg.EndRadius
}

const (
	// dwell is how long a device is inside the end circle until it has arrived
	// without a stop that was seen.
	dwell = 2 * time.Minute
)

// State is how far a journey has come and what of the past still matters. Its
// zero value, or one with TripNotStarted, is that of a journey not yet judged.
type State struct {
	Status    drover.MilestoneStatus `json:"status"`
	StartedAt *drover.Time           `json:"started_at,omitempty"`
	EndedAt   *drover.Time           `json:"ended_at,omitempty"`
	// Expired says that the journey ended by its deadline, not by arrival.
	Expired bool `json:"expired,omitempty"`
	// Judged is the time of the newest position judged.
	Judged *drover.Time `json:"judged,omitempty"`
	// SeenAtStart says that a position was inside the start circle.
	SeenAtStart bool `json:"seen_at_start,omitempty"`
	// AwayFromEnd says that a position was outside the end circle, so that one
	// inside has come into it.
	AwayFromEnd bool `json:"away_from_end,omitempty"`
	// AwayAtStart says that this was so when the journey started.
	AwayAtStart bool `json:"away_at_start,omitempty"`
	// EnteredAt is when the device last came into the end circle on its way, and
	// Inside whether it has been there since.
	EnteredAt *drover.Time `json:"entered_at,omitempty"`
	Inside    bool         `json:"inside,omitempty"`
	// SettledAt is the time of the position that made that an arrival.
	SettledAt *drover.Time `json:"settled_at,omitempty"`
	// Silent is the time of the newest position when its age was reported as a
	// timeout; nil once there is a newer one.
	Silent *drover.Time `json:"silent,omitempty"`
	// Late says that the milestone was reported as late, and not as on time since.
	Late bool `json:"late,omitempty"`
	// Outside bounds the positions outside the start circle.
	Outside *Box `json:"outside,omitempty"`
}

// Keeping returns the state with what was reported of the one before it, which no
// position says.
func (s State) Keeping(before State) State {
	s.Silent, s.Late = before.Silent, before.Late
	return s
}

// Same reports whether two states say the same, but for how far they have judged.
func Same(a, b State) bool {
	a.Judged, b.Judged = nil, nil
	for _, times := range [][2]**drover.Time{
		{&a.StartedAt, &b.StartedAt},
		{&a.EndedAt, &b.EndedAt},
		{&a.EnteredAt, &b.EnteredAt},
		{&a.SettledAt, &b.SettledAt},
		{&a.Silent, &b.Silent},
	} {
		x, y := *times[0], *times[1]
		if (x == nil) != (y == nil) || x != nil && !x.Equal(y.Time) {
			return false
		}
		*times[0], *times[1] = nil, nil
	}
	if (a.Outside == nil) != (b.Outside == nil) || a.Outside != nil && *a.Outside != *b.Outside {
		return false
	}
	a.Outside, b.Outside = nil, nil
	return a == b
}

// Fresh returns the state from which judging begins.
func Fresh() State { return State{Status: drover.TripNotStarted} }

// Transition is a change of status at a position's own time. Coming into the end
// circle is one that leaves the status as it is.
type Transition struct {
	Status  drover.MilestoneStatus `json:"status"`
	Entered bool                   `json:"entered,omitempty"`
	At      drover.Time            `json:"at"`
	// Position is what brought it about: nil where a deadline did.
	Position *drover.Position `json:"position"`
}

// Judge continues from st with positions, oldest first. Positions before the
// start time and those not later than what was judged already change nothing;
// whether the latter call for judging again is for NeedsReplay to say.
func Judge(m drover.Milestone, cfg Config, st State, positions []drover.Position) (State, []Transition) {
	if st.Status == "" {
		st.Status = drover.TripNotStarted
	}
	var out []Transition
	for i := range positions {
		p := &positions[i]
		if st.Status == drover.TripEnded {
			break
		}
		if p.Time.Before(m.StartTime.Time) || st.Judged != nil && !p.Time.After(st.Judged.Time) {
			continue
		}
		if deadline, ok := Deadline(m, cfg); ok && !p.Time.Before(deadline.Time) {
			out = append(out, st.expire(deadline))
			break
		}
		out = append(out, st.judge(m, cfg, p)...)
	}
	return st, out
}

func (st *State) judge(m drover.Milestone, cfg Config, p *drover.Position) []Transition {
	at := p.Time
	st.Judged = &at
	var out []Transition
	_, radius := cfg.radii(m)
	outsideEnd := !geo.Inside(m.EndPoint, radius, p.Point())
	if st.Status == drover.TripNotStarted && st.starts(m, cfg, p) {
		st.Status, st.StartedAt = drover.TripInProgress, &at
		st.AwayFromEnd = outsideEnd || st.AwayFromEnd && !roundTrip(m, cfg)
		st.AwayAtStart = st.AwayFromEnd
		out = append(out, Transition{Status: drover.TripInProgress, At: at, Position: p})
	}
	st.AwayFromEnd = st.AwayFromEnd || outsideEnd
	if outsideEnd {
		st.Inside = false
	} else if st.Status == drover.TripInProgress && st.AwayFromEnd {
		out = append(out, st.visit(p)...)
	}
	return out
}

// visit follows a device inside the end circle. It has arrived when it came into it,
// as soon as it stops there or has not left it for a while; driving through is no
// arrival.
func (st *State) visit(p *drover.Position) []Transition {
	at := p.Time
	var out []Transition
	if !st.Inside {
		st.Inside, st.EnteredAt = true, &at
		out = append(out, Transition{Status: st.Status, Entered: true, At: at, Position: p})
	}
	if p.SpeedKPH != nil && *p.SpeedKPH < geo.MovingKPH || at.Sub(st.EnteredAt.Time) >= dwell {
		st.Status, st.EndedAt, st.SettledAt = drover.TripEnded, st.EnteredAt, &at
		out = append(out, Transition{Status: drover.TripEnded, At: *st.EnteredAt, Position: p})
	}
	return out
}

// starts reports whether p starts the journey: the device is outside the start
// circle, and was seen inside before or moves. It moves where its speed says so,
// or where it was seen at places farther apart than receivers scatter.
func (st *State) starts(m drover.Milestone, cfg Config, p *drover.Position) bool {
	radius, _ := cfg.radii(m)
	if geo.Inside(m.StartPoint, radius, p.Point()) {
		st.SeenAtStart = true
		return false
	}
	box := st.Outside.including(m.StartPoint, p.Point())
	st.Outside = &box
	return st.SeenAtStart ||
		p.SpeedKPH != nil && *p.SpeedKPH >= geo.MovingKPH ||
		box.extent(m.StartPoint) > radius
}

// roundTrip reports whether the journey ends where it starts: one circle holds
// the other's center. Then leaving the start circle is no sign of having left
// the end circle, and arriving takes to have been away since the start.
func roundTrip(m drover.Milestone, cfg Config) bool {
	start, end := cfg.radii(m)
	return geo.Inside(m.StartPoint, max(start, end), m.EndPoint)
}

// Deadline returns when a journey is given up; false where it has no end time.
func Deadline(m drover.Milestone, cfg Config) (drover.Time, bool) {
	if m.EndTime == nil {
		return drover.Time{}, false
	}
	return drover.At(m.EndTime.Add(cfg.EndGrace)), true
}

// Expire ends a journey whose deadline has passed, started or not.
func Expire(m drover.Milestone, cfg Config, st State, now time.Time) (State, []Transition) {
	deadline, ok := Deadline(m, cfg)
	if !ok || st.Status == drover.TripEnded || now.Before(deadline.Time) {
		return st, nil
	}
	return st, []Transition{st.expire(deadline)}
}

func (st *State) expire(deadline drover.Time) Transition {
	st.Status, st.EndedAt, st.Expired = drover.TripEnded, &deadline, true
	return Transition{Status: drover.TripEnded, At: deadline}
}

// NeedsReplay reports whether p came too late for Judge and could change the
// history. The caller then judges all stored positions since the start time from
// Fresh, expires as before, and returns what Beyond leaves.
func NeedsReplay(m drover.Milestone, cfg Config, st State, p drover.Position) bool {
	switch {
	case p.Time.Before(m.StartTime.Time):
		return false
	case st.Status == drover.TripEnded && !p.Time.Before(st.settled().Time):
		return false
	case st.Status != drover.TripEnded && (st.Judged == nil || p.Time.After(st.Judged.Time)):
		return false
	case st.StartedAt == nil || p.Time.Before(st.StartedAt.Time):
		return true
	}
	// Once started, only the arrival is open, and what has to come before it. A
	// position outside matters where it parts a stay in the end circle.
	_, radius := cfg.radii(m)
	return !st.AwayAtStart || geo.Inside(m.EndPoint, radius, p.Point()) || st.Inside && p.Time.After(st.EnteredAt.Time)
}

// settled is the time of the newest position that had a part in the end.
func (st *State) settled() drover.Time {
	if st.SettledAt != nil {
		return *st.SettledAt
	}
	return *st.EndedAt
}

// Concerns reports whether a position of the time given may have had a part in the
// history so far. Where it is withdrawn, the caller judges again as after
// NeedsReplay.
func Concerns(m drover.Milestone, st State, at drover.Time) bool {
	return !at.Before(m.StartTime.Time) && (st.Status != drover.TripEnded || !at.After(st.settled().Time))
}

// Beyond returns what a replay found that comes after what was known: the
// transitions to later statuses, and the last time that the device came into the
// end circle.
func Beyond(known State, transitions []Transition) []Transition {
	var out []Transition
	for _, t := range transitions {
		if t.Entered && (known.EnteredAt == nil || t.At.After(known.EnteredAt.Time)) || !t.Entered && Rank(t.Status) > Rank(known.Status) {
			out = append(out, t)
		}
	}
	return out
}

// Rank orders the statuses: a journey only moves to a higher one by itself.
func Rank(s drover.MilestoneStatus) int {
	switch s {
	case drover.TripInProgress:
		return 1
	case drover.TripEnded:
		return 2
	case drover.TripNotStarted:
	}
	return 0
}
