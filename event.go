package drover

import (
	"encoding/json"
	"fmt"
)

// EventType says what happened.
type EventType string

// The types of events. All of them are stored and delivered.
const (
	EventDeviceCreated       EventType = "device.created"
	EventDeviceUpdated       EventType = "device.updated"
	EventDeviceStateChanged  EventType = "device.state_changed"
	EventPositionUpdated     EventType = "position.updated"
	EventReadingUpdated      EventType = "reading.updated"
	EventFaultOpened         EventType = "fault.opened"
	EventFaultClosed         EventType = "fault.closed"
	EventSafetyRecorded      EventType = "safety_event.recorded"
	EventSafetyUpdated       EventType = "safety_event.updated"
	EventTripCompleted       EventType = "trip.completed"
	EventTripUpdated         EventType = "trip.updated"
	EventDriverCreated       EventType = "driver.created"
	EventDriverUpdated       EventType = "driver.updated"
	EventMilestoneCreated    EventType = "milestone.created"
	EventMilestoneUpdated    EventType = "milestone.updated"
	EventMilestoneStarted    EventType = "milestone.started"
	EventMilestoneEntered    EventType = "milestone.entered"
	EventMilestoneEnded      EventType = "milestone.ended"
	EventMilestoneTimedOut   EventType = "milestone.timed_out"
	EventMilestoneLate       EventType = "milestone.late"
	EventMilestoneOnTime     EventType = "milestone.on_time_again"
	EventMilestoneDeleted    EventType = "milestone.deleted"
	EventConnectionCreated   EventType = "connection.created"
	EventConnectionUpdated   EventType = "connection.updated"
	EventConnectionDeleted   EventType = "connection.deleted"
	EventConnectionFailing   EventType = "connection.failing"
	EventConnectionRecovered EventType = "connection.recovered"
	EventConnectionDoubtful  EventType = "connection.doubtful"
	EventConnectionTrusted   EventType = "connection.trusted"
	EventCoverageLost        EventType = "connection.coverage_lost"
	EventWebhookDisabled     EventType = "webhook.disabled"
)

// EventTypes lists the closed set.
var EventTypes = []EventType{
	EventDeviceCreated, EventDeviceUpdated, EventDeviceStateChanged, EventPositionUpdated, EventReadingUpdated,
	EventFaultOpened, EventFaultClosed, EventSafetyRecorded, EventSafetyUpdated, EventTripCompleted, EventTripUpdated,
	EventDriverCreated, EventDriverUpdated,
	EventMilestoneCreated, EventMilestoneUpdated, EventMilestoneStarted, EventMilestoneEntered, EventMilestoneEnded, EventMilestoneTimedOut,
	EventMilestoneLate, EventMilestoneOnTime, EventMilestoneDeleted,
	EventConnectionCreated, EventConnectionUpdated, EventConnectionDeleted, EventConnectionFailing, EventConnectionRecovered,
	EventConnectionDoubtful, EventConnectionTrusted, EventCoverageLost, EventWebhookDisabled,
}

// Event is one entry of a tenant's change feed. Sequence grows by one with each
// event of the tenant, in the order of their commits.
type Event struct {
	ID           string          `json:"id"`
	Sequence     int64           `json:"sequence"`
	Type         EventType       `json:"type"`
	Timestamp    Time            `json:"timestamp"`
	ConnectionID *string         `json:"connection_id"`
	DeviceID     *string         `json:"device_id"`
	MilestoneID  *string         `json:"milestone_id"`
	Data         json.RawMessage `json:"data"`

	// Subjects and OwnURL are set by the code that makes an event, so that its data need not
	// be parsed to find its receivers. They are not stored.
	//
	// Subjects are the devices of the event, or the whole connection.
	Subjects []Subject `json:"-"`
	// OwnURL is the webhook of the event's milestone, if it is enabled.
	OwnURL *string `json:"-"`
}

// NewEvent makes an event from its data. It gets its id and sequence when it is stored.
func NewEvent(typ EventType, at Time, data EventData) (Event, error) {
	text, err := json.Marshal(public(data))
	if err != nil {
		return Event{}, fmt.Errorf("write event: %w", err)
	}
	e := Event{Type: typ, Timestamp: at, Data: text}
	data.describe(&e)
	return e, nil
}
