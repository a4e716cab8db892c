package rfms

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Reports are followed by the time at which the maker received them, as the
// standard wants it: late ones are then as new as others. At some accounts that
// selection stands still: whatever the start time, the same old reports come, or
// none, while those selected by the time of their creation are there. Such an
// account is read by that time instead, for as long as the process lives.

const (
	// quiet is how long a fleet may be silent before it is asked whether it is.
	// The standard wants a position at least so often.
	quiet = 15 * time.Minute
	// lateness is how much later than its creation a report may come, where
	// reports are selected by that.
	lateness = time.Hour
)

// receipt is what a client knows of the selection by the time of receipt.
type receipt struct {
	stuck bool
	heard map[string]time.Time // the newest receipt, by resource
}

// selectable returns the span as it can be asked for.
func (r *receipt) selectable(s span) span {
	if s.by == byReceived && r.stuck {
		s.by, s.from = byCreated, s.from.Add(-lateness)
	}
	return s
}

// behind reports whether an answer has nothing but what was received before the
// time that was asked for.
func (a answer) behind(start time.Time) bool {
	reports := a.reports()
	for _, r := range reports {
		if !r.time(byReceived).Before(start) {
			return false
		}
	}
	return len(reports) > 0
}

// readCreated reads a span, and everything from then on, by the time of creation.
func (c *Client) readCreated(ctx context.Context, resource string, s span) (reading, error) {
	c.received.stuck = true
	return c.read(ctx, resource, s)
}

// stands reports whether the selection stands still: it has had nothing new for
// long, though the other one has reports that were received meanwhile.
func (c *Client) stops(ctx context.Context, resource string, s span, got reading) (bool, error) {
	if s.by != byReceived {
		return false, nil
	}
	if c.received.heard == nil {
		c.received.heard = map[string]time.Time{}
	}
	heard, known := c.received.heard[resource]
	if !known {
		heard = s.from
	}
	for _, r := range got.reports {
		if at := r.time(byReceived); at.After(heard) {
			heard = at
		}
	}
	c.received.heard[resource] = heard
	if got.reached.Sub(heard) <= quiet {
		return false, nil
	}
	probe := span{by: byCreated, filter: s.filter}
	var a answer
	err := c.get(ctx, resource, probe.query(heard, got.reached), &a)
	if provider.Canceled(err) {
		return false, err
	}
	for _, r := range a.reports() {
		if at := r.time(byReceived); at.After(heard) && at.Before(got.reached) {
			return true, nil
		}
	}
	if err == nil {
		c.received.heard[resource] = got.reached // it is silent: no need to ask again soon
	}
	return false, nil
}
