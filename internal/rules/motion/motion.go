// Package motion has the one rule for the state of a device: driving, idling, stopped or silent.
// It is a pure function of accepted positions and of the time, used by events, lists and maps.
package motion

import (
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

const (
	// quietAfter is the shortest time after which a device that moved or idled is
	// silent, and quietPolls the number of polls that it may miss before.
	quietAfter = 15 * time.Minute
	quietPolls = 4
	// parkedAfter is the same for one that stood: many report once a day then.
	parkedAfter = 24 * time.Hour
	// PairWithin is how far apart two positions may be to give a speed, and
	// minMetres how far it must have got, since a standing receiver wanders.
	PairWithin = 15 * time.Minute
	minMetres  = 50.0
)

// Status is what a device does, and since when.
type Status struct {
	State drover.DeviceState
	Since drover.Time
}

// At says what a device does at a position, that moves from a speed on, or works slowly. Before is the
// position before it, nil where there is none: it counts where the vendor reports no speed, or a slow one.
func At(before *drover.Position, p drover.Position, movingKPH float64) drover.DeviceState {
	switch {
	case p.SpeedKPH != nil && *p.SpeedKPH >= movingKPH, before != nil && (moved(before, &p, movingKPH) || works(before, &p)):
		return drover.DeviceDriving
	case p.Ignition != nil && *p.Ignition, p.Auxiliary != nil && *p.Auxiliary:
		return drover.DeviceIdling
	}
	return drover.DeviceStopped
}

// moved reports whether a device of which no speed is known got from one place to another.
func moved(from, to *drover.Position, movingKPH float64) bool {
	metres, kph := between(from, to)
	return to.SpeedKPH == nil && metres >= minMetres && kph >= movingKPH
}

// works reports whether a device is slow and gets on, as the rule of trips has it for their days.
func works(from, to *drover.Position) bool {
	if to.SpeedKPH == nil || *to.SpeedKPH < geo.CrawlKPH || to.Ignition != nil && !*to.Ignition {
		return false
	}
	_, kph := between(from, to)
	return kph >= geo.WorkKPH
}

// between is how far and how fast a device got, which is nothing where that is not known.
func between(from, to *drover.Position) (metres, kph float64) {
	took := to.Time.Sub(from.Time.Time)
	if took <= 0 || took > PairWithin {
		return 0, 0
	}
	metres = geo.DistanceMetres(from.Point(), to.Point())
	return metres, geo.SpeedKPH(metres, took.Seconds())
}

// SilentAfter is how long nothing need be heard of a device that is polled at an
// interval, and does what s says, before it is silent.
func SilentAfter(s drover.DeviceState, poll time.Duration) time.Duration {
	if s == drover.DeviceStopped {
		return parkedAfter
	}
	return max(quietAfter, quietPolls*poll)
}

// After returns the status after positions, oldest first, that are newer than
// latest, the newest one so far; nil before the first. A silence between two ends
// what was before it.
func After(s Status, latest *drover.Position, positions []drover.Position, poll time.Duration, movingKPH float64) Status {
	for i := range positions {
		p := &positions[i]
		state := At(latest, *p, movingKPH)
		if state != s.State || latest == nil || p.Time.Sub(latest.Time.Time) > SilentAfter(s.State, poll) {
			s = Status{State: state, Since: p.Time}
		}
		latest = p
	}
	return s
}

// Now returns the status at a time, if the newest position was at heard: silent,
// since it was last heard of, where that is too long ago.
func Now(s Status, heard drover.Time, now time.Time, poll time.Duration) Status {
	if s.State == drover.DeviceSilent || now.Sub(heard.Time) > SilentAfter(s.State, poll) {
		return Status{State: drover.DeviceSilent, Since: heard}
	}
	return s
}
