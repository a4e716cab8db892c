package drover

import (
	"encoding/json"
	"strings"
)

// DeliverySummary is one event on its way to one target, with its last attempt.
type DeliverySummary struct {
	ID            string        `json:"id" doc:"The event and the target, which are the delivery together."`
	WebhookID     *string       `json:"webhook_id" doc:"Null for a milestone's own webhook."`
	MilestoneID   *string       `json:"milestone_id" doc:"Null for a webhook."`
	EventID       string        `json:"event_id" doc:"The webhook-id header of the delivery."`
	Type          EventType     `json:"type"`
	Sequence      *int64        `json:"sequence" doc:"Sequence of the event; null for a test."`
	State         DeliveryState `json:"state"`
	CreatedAt     Time          `json:"created_at"`
	NextAttemptAt *Time         `json:"next_attempt_at"`
	Attempts      int           `json:"attempts"`
	LastAttemptAt *Time         `json:"last_attempt_at"`
	Status        *int          `json:"status" doc:"HTTP status of the last answer; null where there was none."`
	DurationMS    *int64        `json:"duration_ms"`
	Error         *string       `json:"error"`
}

// DeliveryID names a delivery.
func DeliveryID(t Target, eventID string) string { return eventID + "." + t.ID }

// ParseDeliveryID parses the result of DeliveryID.
func ParseDeliveryID(text string) (targetID, eventID string, ok bool) {
	eventID, targetID, _ = strings.Cut(text, ".")
	return targetID, eventID, IsID(targetID) && IsID(eventID)
}

// DeliveryDetail is a delivery with all its attempts, and the request of the last.
type DeliveryDetail struct {
	DeliverySummary
	Log     []DeliveryAttempt `json:"log" doc:"Its attempts, the last one first."`
	Request *DeliveryRequest  `json:"request" doc:"The request of the last attempt; of the next, where none was made; null where its event is no longer kept or may no longer be read."`
}

// DeliveryRequest is a request as it is sent.
type DeliveryRequest struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body" doc:"The text that is signed, as JSON."`
}

// CodeClass is a class of HTTP statuses.
type CodeClass string

// CodeClasses lists the closed set. None is an attempt without an answer.
var CodeClasses = []CodeClass{"2xx", "3xx", "4xx", "5xx", "none"}

// DeliveryFilter narrows the list of deliveries.
type DeliveryFilter struct {
	WebhookID   string        `query:"webhook_id" doc:"Only deliveries to this webhook."`
	MilestoneID string        `query:"milestone_id" doc:"Only deliveries to this milestone's own webhook."`
	Type        EventType     `query:"type" doc:"Only deliveries of events of this type."`
	State       DeliveryState `query:"state" doc:"Only deliveries in this state."`
	Code        CodeClass     `query:"code" doc:"Only deliveries whose last answer was of this class."`
	From        *Time         `query:"from" doc:"Only deliveries that were made at or after this time."`
	To          *Time         `query:"to" doc:"Only deliveries that were made before this time."`
}

// DeliveryCursor is a place in the list of deliveries: after it come older ones.
type DeliveryCursor struct {
	EventID  string `json:"e"`
	TargetID string `json:"t"`
}

// Valid reports whether c can be the end of a list.
func (c DeliveryCursor) Valid() bool { return IsID(c.EventID) && IsID(c.TargetID) }

// WebhookStats sums up the deliveries of a webhook in the last 24 hours.
type WebhookStats struct {
	Attempts    int64         `json:"attempts"`
	SuccessRate *float64      `json:"success_rate" doc:"The part of them that succeeded, 0 to 1; null where there were none."`
	P95MS       *int64        `json:"p95_ms" doc:"Within this time 95 of 100 attempts ended, rounded up to 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 or 15000."`
	Pending     int64         `json:"pending" doc:"Deliveries that wait."`
	Held        bool          `json:"held" doc:"Five attempts or more have failed in a row: deliveries are held back, and tried one at a time."`
	HeldUntil   *Time         `json:"held_until" doc:"Until when the receiver has asked not to be called; null where it has not."`
	Hours       []WebhookHour `json:"hours" doc:"The hours with attempts, oldest first."`
}

// WebhookHour is an hour of a webhook's attempts.
type WebhookHour struct {
	Hour     Time   `json:"hour" doc:"Its beginning."`
	Attempts int64  `json:"attempts"`
	Failures int64  `json:"failures"`
	P95MS    *int64 `json:"p95_ms"`
}

// WebhookView is a webhook in a list, with its statistics if requested.
type WebhookView struct {
	Webhook
	Stats *WebhookStats `json:"stats,omitempty" nullable:"false" doc:"Only with include=stats."`
}
