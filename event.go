package drover

import "encoding/json"

// EventType says what happened.
type EventType string

// Every event that is stored, and so delivered.
const (
	EventDeviceCreated       EventType = "device.created"
	EventDeviceUpdated       EventType = "device.updated"
	EventPositionUpdated     EventType = "position.updated"
	EventTripCompleted       EventType = "trip.completed"
	EventTripUpdated         EventType = "trip.updated"
	EventMilestoneCreated    EventType = "milestone.created"
	EventMilestoneUpdated    EventType = "milestone.updated"
	EventMilestoneStarted    EventType = "milestone.started"
	EventMilestoneEnded      EventType = "milestone.ended"
	EventMilestoneTimedOut   EventType = "milestone.timed_out"
	EventMilestoneDeleted    EventType = "milestone.deleted"
	EventConnectionCreated   EventType = "connection.created"
	EventConnectionUpdated   EventType = "connection.updated"
	EventConnectionFailing   EventType = "connection.failing"
	EventConnectionRecovered EventType = "connection.recovered"
	EventWebhookDisabled     EventType = "webhook.disabled"
)

// EventTypes lists the closed set.
var EventTypes = []EventType{
	EventDeviceCreated, EventDeviceUpdated, EventPositionUpdated, EventTripCompleted, EventTripUpdated,
	EventMilestoneCreated, EventMilestoneUpdated, EventMilestoneStarted, EventMilestoneEnded, EventMilestoneTimedOut, EventMilestoneDeleted,
	EventConnectionCreated, EventConnectionUpdated, EventConnectionFailing, EventConnectionRecovered, EventWebhookDisabled,
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
}
