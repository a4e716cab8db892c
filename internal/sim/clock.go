package sim

import "time"

// Clock maps the time of the machine to the time of a simulation, which starts
// anywhere and runs at any speed.
type Clock struct {
	now    func() time.Time
	origin time.Time
	start  time.Time
	factor float64
}

// NewClock returns a clock that shows start now and from then on runs factor
// times as fast as now does.
func NewClock(now func() time.Time, start time.Time, factor float64) *Clock {
	return &Clock{now: now, origin: now(), start: start, factor: factor}
}

// Now returns the time of the simulation.
func (c *Clock) Now() time.Time {
	passed := c.now().Sub(c.origin)
	return c.start.Add(time.Duration(float64(passed) * c.factor))
}
