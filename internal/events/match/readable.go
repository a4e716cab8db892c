package match

import (
	"encoding/json"

	"github.com/drover-fleet/drover"
)

// Readable is an event as a tenant with the grant may read it, and whether it may at
// all. A tenant's own records, which milestones are, stay readable whatever becomes
// of the share; where a device was does not.
func Readable(e drover.Event, g drover.Grant) (drover.Event, bool) {
	if g == drover.FullGrant {
		return e, true
	}
	switch e.Type {
	case drover.EventPositionUpdated:
		return positions(e, g)
	case drover.EventReadingUpdated, drover.EventFaultOpened, drover.EventFaultClosed, drover.EventCoverageLost:
		return e, g.Readings()
	case drover.EventSafetyRecorded, drover.EventSafetyUpdated:
		return safety(e, g)
	case drover.EventMilestoneStarted, drover.EventMilestoneEntered, drover.EventMilestoneEnded, drover.EventMilestoneTimedOut:
		return step(e, g), true
	case drover.EventMilestoneLate, drover.EventMilestoneOnTime:
		return lateness(e, g), true
	case drover.EventMilestoneCreated, drover.EventMilestoneUpdated, drover.EventMilestoneDeleted, drover.EventWebhookDisabled:
		return e, true
	case drover.EventDriverCreated, drover.EventDriverUpdated:
		return e, g.Drivers()
	default:
		return e, g.Records()
	}
}

func positions(e drover.Event, g drover.Grant) (drover.Event, bool) {
	if !g.Positions() {
		return e, false
	}
	batch, err := drover.ReadPositions(e.Data)
	if err != nil {
		return e, false // it cannot be said what it holds
	}
	for i := range batch.Positions {
		if !g.Drivers() {
			batch.Positions[i].DriverID = nil
		}
	}
	e.Data, err = json.Marshal(batch)
	return e, err == nil
}

// safety leaves of a safety event what the grant shows.
func safety(e drover.Event, g drover.Grant) (drover.Event, bool) {
	var s drover.SafetyEvent
	if !g.Safety() || json.Unmarshal(e.Data, &s) != nil {
		return e, false
	}
	var err error
	e.Data, err = json.Marshal(s.SeenWith(g))
	return e, err == nil
}

// step leaves of a milestone's event what the grant shows of the position.
func step(e drover.Event, g drover.Grant) drover.Event {
	var keys map[string]json.RawMessage
	var p *drover.CurrentPosition
	err := json.Unmarshal(e.Data, &keys)
	if err == nil && g.Positions() && len(keys["position"]) > 0 {
		err = json.Unmarshal(keys["position"], &p)
	}
	if p != nil && !g.Drivers() {
		p.DriverID = nil
	}
	text, _ := json.Marshal(p) // numbers and texts always marshal
	if keys == nil {
		keys = map[string]json.RawMessage{}
	}
	if _, has := keys["position"]; has || err != nil {
		keys["position"] = text
	}
	e.Data, _ = json.Marshal(keys)
	return e
}

// lateness leaves the prediction out where the grant shows no positions: it says where
// the device is.
func lateness(e drover.Event, g drover.Grant) drover.Event {
	if g.Positions() {
		return e
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(e.Data, &keys) != nil || keys == nil {
		keys = map[string]json.RawMessage{}
	}
	for _, key := range []string{"eta", "eta_p10", "eta_p90", "late_by_seconds"} {
		keys[key] = json.RawMessage("null")
	}
	e.Data, _ = json.Marshal(keys) // texts always marshal
	return e
}

// About names what decides whether an event may be read: its connection, or the
// device of a milestone. Both are empty for what is the tenant's own.
func About(e drover.Event) (connectionID, deviceID string) {
	switch {
	case e.ConnectionID != nil:
		return *e.ConnectionID, ""
	case e.DeviceID != nil:
		return "", *e.DeviceID
	default:
		return "", ""
	}
}
