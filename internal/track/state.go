package track

import (
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/motion"
)

// move finds what the device does after new believed positions, oldest first.
// Before is its newest position until now.
func (d *device) move(before *drover.Position, positions []drover.Position) {
	latest := d.state.Latest
	if latest == nil || before != nil && latest.Time.Equal(before.Time.Time) && d.state.State != "" {
		return
	}
	var s motion.Status
	if d.state.State != "" {
		s = motion.Status{State: d.state.State, Since: *d.state.StateSince}
	}
	newer := slices.DeleteFunc(slices.Clone(positions), func(p drover.Position) bool {
		return before != nil && !p.Time.After(before.Time.Time) || p.Time.After(latest.Time.Time)
	})
	if len(newer) == 0 { // the newest one so far is no longer believed
		before, newer = nil, []drover.Position{*latest}
	}
	d.setState(motion.Now(motion.Follow(s, before, newer, d.source.Poll), latest.Time, d.tracker.Now(), d.source.Poll))
}

// setState notes what the device does, and when to look whether it has fallen
// silent. As with trips, a time that has yet to come is left alone though positions
// have come since.
func (d *device) setState(s motion.Status) {
	d.state.State, d.state.StateSince = s.State, &s.Since
	due := drover.At(d.state.Latest.Time.Add(motion.SilentAfter(s.State, d.source.Poll)))
	switch {
	case s.State == drover.DeviceSilent:
		d.state.SilentDue = nil
	case d.state.SilentDue == nil, !d.state.SilentDue.After(d.tracker.Now()), due.Before(d.state.SilentDue.Time):
		d.state.SilentDue = &due
	}
}
