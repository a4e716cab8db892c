package simulate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// field is a field of an event's data, as text.
func field(e drover.Event, name string) string {
	var data map[string]any
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return err.Error()
	}
	return fmt.Sprint(data[name])
}

// owner is whose connection an event is about, nil where it is about none.
func (c *check) owner(e drover.Event) *tenant {
	for _, t := range c.tenants {
		if e.ConnectionID != nil && *e.ConnectionID == t.connection.ID {
			return t
		}
	}
	if e.DeviceID != nil {
		return c.ownerOf(*e.DeviceID)
	}
	return nil
}

// checkStream wants the stream to have held what the feed has: nothing else, nothing
// less, and nothing of others that was not shared at that moment.
func (c *check) checkStream(t *tenant) {
	feed := map[int64]drover.Event{}
	for _, e := range c.events[t.id] {
		feed[e.Sequence] = e
	}
	seen := map[int64]bool{}
	for _, s := range t.seen {
		e, there := feed[s.Sequence]
		switch {
		case !there || e.ID != s.ID:
			c.fail("%s: the stream held event %d, which the feed has not", t.name, s.Sequence)
		case seen[s.Sequence]:
			c.fail("%s: the stream held event %d twice", t.name, s.Sequence)
		}
		seen[s.Sequence] = true
		c.checkAccess(t, e, s.at, "the stream", s.Data)
	}
	for _, e := range c.events[t.id] {
		if owner := c.owner(e); !seen[e.Sequence] && (owner == nil || owner == t) {
			c.fail("%s: the stream left out event %d, %s", t.name, e.Sequence, e.Type)
		}
	}
}

// checkAccess wants an event to be one that the tenant may have read when it got it, with
// data of which nothing else is left. Steps of its own milestones are its own, but for the
// position.
func (c *check) checkAccess(t *tenant, e drover.Event, at time.Time, by string, data json.RawMessage) {
	if t.suspended.during(at.Add(-suspensionGrace), at) == yes && by != "the stream" {
		c.fail("%s: %s sent %s of event %d although the tenant is suspended", t.name, by, e.Type, e.Sequence)
	}
	owner := c.owner(e)
	if owner == nil || owner == t {
		return
	}
	p := c.access.of(owner.index, t.index)
	known, what := p.records.during(at, at), "of a device"
	switch e.Type { //nolint:exhaustive // the others are records
	case drover.EventMilestoneCreated, drover.EventMilestoneUpdated, drover.EventMilestoneDeleted, drover.EventMilestoneTimedOut,
		drover.EventMilestoneLate, drover.EventMilestoneOnTime:
		return // records of its own
	case drover.EventMilestoneStarted, drover.EventMilestoneEntered, drover.EventMilestoneEnded:
		var step drover.MilestoneStep
		if len(data) == 0 || json.Unmarshal(data, &step) == nil && step.Position == nil {
			return // it never arrived, or without the position
		}
		known, what = p.positions.during(at, at), "of a position"
	case drover.EventPositionUpdated:
		known, what = p.positions.during(at, at), "of a position"
	}
	if known == no {
		c.fail("%s: %s gave it %s of %s that is not shared: event %d, %s", t.name, by, what, owner.name, e.Sequence, e.Type)
	}
}

// checkDeliveries wants every event sent, none again without need, in the order of
// what happened, to no one who may not read it.
func (c *check) checkDeliveries(t *tenant) {
	states := c.rows(`SELECT event_id, state FROM delivery WHERE tenant_id = $1 AND target_id = $2`, t.id, t.webhook)
	events := map[string]drover.Event{}
	for _, e := range c.events[t.id] {
		events[e.ID] = e
	}
	good := map[string]bool{}
	first := map[string]int64{} // the highest sequence that was tried, by device
	known := map[string]*attempt{}
	for _, a := range t.receiver.attempts {
		e, there := events[a.id]
		if !there {
			c.fail("%s: a delivery is of event %s, which the feed has not", t.name, a.id)
			continue
		}
		c.checkAccess(t, e, a.at, "a delivery", a.data())
		if before := known[a.id]; before != nil && !c.troubled(before.known, a.at) {
			c.fail("%s: event %d was delivered again after %s although its answer was known", t.name, e.Sequence, a.at.Sub(before.known))
		}
		if _, again := good[a.id]; !again && e.DeviceID != nil && !c.plan.has(clockStep) {
			if e.Sequence < first[*e.DeviceID] {
				c.fail("%s: event %d was delivered after %d of the same device", t.name, e.Sequence, first[*e.DeviceID])
			}
			first[*e.DeviceID] = max(first[*e.DeviceID], e.Sequence)
		}
		good[a.id] = good[a.id] || a.status/100 == 2 && !a.known.IsZero()
		if a.status/100 == 2 && !a.known.IsZero() {
			known[a.id] = a
		}
	}
	for _, e := range c.events[t.id] {
		c.checkDelivery(t, e, states[e.ID], good[e.ID])
	}
}

// checkDelivery wants an event to have been delivered, or a reason why not.
func (c *check) checkDelivery(t *tenant, e drover.Event, state string, received bool) {
	owner := c.owner(e)
	switch {
	case state == "delivered" && !received:
		c.fail("%s: event %d counts as delivered, and its receiver has not answered", t.name, e.Sequence)
	case state == "delivered", state == "superseded" && e.Type == drover.EventPositionUpdated:
	case state == "skipped" && owner != nil && owner != t:
	case strings.HasPrefix(string(e.Type), "connection.created"), strings.HasPrefix(string(e.Type), "webhook."):
	default:
		c.fail("%s: the delivery of event %d, %s, is %q", t.name, e.Sequence, e.Type, state)
	}
}
