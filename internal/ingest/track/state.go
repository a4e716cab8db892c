package track

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/motion"
)

// move finds what the device does after new accepted positions, oldest first.
// Before is its newest position until now.
func (d *device) move(before *drover.Position, positions []drover.Position) error {
	latest := d.state.Latest
	if latest == nil || before != nil && latest.Time.Equal(before.Time.Time) && d.state.State != "" {
		return nil
	}
	var s motion.Status
	if d.state.State != "" {
		s = motion.Status{State: d.state.State, Since: *d.state.StateSince}
	}
	newer := slices.DeleteFunc(slices.Clone(positions), func(p drover.Position) bool {
		return before != nil && !p.Time.After(before.Time.Time) || p.Time.After(latest.Time.Time)
	})
	if len(newer) == 0 { // the newest one so far is no longer accepted
		before, newer = nil, []drover.Position{*latest}
	}
	return d.setState(motion.Now(motion.After(s, before, newer, d.source.Poll, d.rules.MovingKPH), latest.Time, d.tracker.Now(),
		d.source.Poll))
}

// setState notes what the device does, says so where it has changed, and when to look whether it has fallen
// silent. As with trips, a time that has yet to come is left alone though positions
// have come since.
func (d *device) setState(s motion.Status) error {
	if s.State != d.state.State && !d.silent {
		change := drover.StateChange{
			DeviceID: d.state.DeviceID, ConnectionID: d.source.ConnectionID, DeviceStatus: drover.DeviceStatus{State: s.State, StateSince: &s.Since},
		}
		if d.state.State != "" {
			change.Previous = new(d.state.State)
		}
		e, err := drover.NewEvent(drover.EventDeviceStateChanged, d.now(), change)
		if err != nil {
			return err
		}
		d.events = append(d.events, e)
	}
	if s.State == drover.DeviceStopped && (d.state.State == drover.DeviceDriving || d.state.State == drover.DeviceIdling) {
		d.stopped = endAfter(s.Since, d.state.Latest)
	}
	d.state.State, d.state.StateSince = s.State, &s.Since
	// At that very time it is not silent yet.
	due := drover.At(d.state.Latest.Time.Add(motion.SilentAfter(s.State, d.source.Poll) + time.Millisecond))
	switch {
	case s.State == drover.DeviceSilent:
		d.state.SilentDue = nil
	case d.state.SilentDue == nil, !d.state.SilentDue.After(d.tracker.Now()), due.Before(d.state.SilentDue.Time):
		d.state.SilentDue = &due
	}
	return nil
}

const (
	// endSoon is how long after an engine was switched off a vendor has had the end of the
	// trip, and endLater how long a vehicle of which no engine is known stands until that
	// is an end, and no traffic light.
	endSoon  = time.Minute
	endLater = 5 * time.Minute
)

// endAfter is when a vendor may know of the end of a trip, after a device has stopped.
func endAfter(since drover.Time, latest *drover.Position) drover.Time {
	if latest.Ignition != nil && !*latest.Ignition {
		return drover.At(since.Add(endSoon))
	}
	return drover.At(since.Add(endLater))
}
