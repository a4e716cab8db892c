package drover

import (
	"encoding/json"
	"slices"
	"strings"
)

// Webhook is a stored notification target.
type Webhook struct {
	ID          string         `json:"id"`
	URL         string         `json:"url"`
	Enabled     bool           `json:"enabled"`
	ErrorCount  int            `json:"error_count"`
	LastError   *string        `json:"last_error"`
	LastErrorAt *Time          `json:"last_error_at"`
	CreatedAt   Time           `json:"created_at"`
	UpdatedAt   Time           `json:"updated_at"`
	Filters     WebhookFilters `json:"filters"`
	Options     WebhookOptions `json:"options"`
}

// SeenBy is the webhook as a caller may see it.
func (w Webhook) SeenBy(p Principal) Webhook {
	w.URL = p.Address(w.URL)
	return w
}

// withoutQuery is an address without what may be a secret in it.
func withoutQuery(address string) string {
	short, _, _ := strings.Cut(address, "?")
	return short
}

// WebhookFilters narrows what a webhook receives. Empty means everything of
// the tenant; otherwise a device matches when any of the lists does.
type WebhookFilters struct {
	ConnectionIDs     []string            `json:"connection_ids"`
	Tags              []string            `json:"tags"`
	DeviceIDs         []string            `json:"device_ids"`
	ConnectionDevices []ConnectionDevices `json:"connection_devices"`
	// EventTypes narrows further, whatever the lists say; absent it does not.
	EventTypes []EventType `json:"event_types,omitempty" doc:"Only these types of event; absent where all are sent."`
	// ReadingKinds are asked for by name: without them no readings are sent.
	ReadingKinds []ReadingKind `json:"reading_kinds,omitempty" doc:"The kinds of readings that reading.updated has; absent where it is not sent."`
}

// Size is how many bytes the filters take where they are stored.
func (f WebhookFilters) Size() int64 {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // texts always marshal
	}
	return int64(len(text))
}

// ConnectionDevices names devices of one connection by the provider's ids.
type ConnectionDevices struct {
	ConnectionID    string   `json:"connection_id"`
	SystemDeviceIDs []string `json:"system_device_ids"`
}

// WebhookOptions adds to what a delivered position holds.
type WebhookOptions struct {
	IncludeSpeed    bool `json:"include_speed"`
	IncludeDriverID bool `json:"include_driver_id"`
}

// WebhookInput is what a tenant sends to create a webhook. It is enabled, and
// hears of everything, unless it says otherwise.
type WebhookInput struct {
	URL     string               `json:"url" minLength:"1" maxLength:"2083"`
	Enabled *bool                `json:"enabled" required:"false"`
	Filters *WebhookFiltersInput `json:"filters" required:"false"`
	Options *WebhookOptionsInput `json:"options" required:"false"`
}

// WebhookFiltersInput is WebhookFilters as it is sent: a list that is left out is
// empty.
type WebhookFiltersInput struct {
	ConnectionIDs     []string                 `json:"connection_ids" required:"false" nullable:"true" maxItems:"1000" maxLength:"255"`
	Tags              []string                 `json:"tags" required:"false" nullable:"true" maxItems:"1000" maxLength:"255" trimmed:"true"`
	DeviceIDs         []string                 `json:"device_ids" required:"false" nullable:"true" maxItems:"1000" maxLength:"255"`
	ConnectionDevices []ConnectionDevicesInput `json:"connection_devices" required:"false" nullable:"true" maxItems:"1000"`
	EventTypes        []EventType              `json:"event_types" required:"false" nullable:"true" maxItems:"100" doc:"Only these types of event; all where it is left out or empty."`
	ReadingKinds      []ReadingKind            `json:"reading_kinds" required:"false" nullable:"true" maxItems:"100" doc:"Send reading.updated, with these kinds of readings; it is not sent where this is left out or empty."`
}

// ConnectionDevicesInput is ConnectionDevices as it is sent.
type ConnectionDevicesInput struct {
	ConnectionID    string   `json:"connection_id" maxLength:"255"`
	SystemDeviceIDs []string `json:"system_device_ids" maxItems:"1000" maxLength:"255"`
}

// WebhookOptionsInput is WebhookOptions as it is sent.
type WebhookOptionsInput struct {
	IncludeSpeed    bool `json:"include_speed" required:"false"`
	IncludeDriverID bool `json:"include_driver_id" required:"false"`
}

// WebhookUpdate is a partial change of a webhook. Filters and options are set as
// a whole; null is everything, and no additions.
type WebhookUpdate struct {
	URL     Optional[string]              `json:"url" required:"false" nullable:"false" minLength:"1" maxLength:"2083"`
	Enabled Optional[bool]                `json:"enabled" required:"false" nullable:"false"`
	Filters Optional[WebhookFiltersInput] `json:"filters" required:"false"`
	Options Optional[WebhookOptionsInput] `json:"options" required:"false"`
}

// Normalize returns the filters as they are stored: without repetitions, and
// without a list that is null. Tags are compared as tags are.
func (f *WebhookFiltersInput) Normalize() (WebhookFilters, error) {
	out := WebhookFilters{ConnectionIDs: []string{}, Tags: []string{}, DeviceIDs: []string{}, ConnectionDevices: []ConnectionDevices{}}
	if f == nil {
		return out, nil
	}
	out.ConnectionIDs = distinct(f.ConnectionIDs)
	if out.EventTypes = distinct(f.EventTypes); len(out.EventTypes) == 0 {
		out.EventTypes = nil
	}
	if out.ReadingKinds = distinct(f.ReadingKinds); len(out.ReadingKinds) == 0 {
		out.ReadingKinds = nil
	}
	out.DeviceIDs = distinct(f.DeviceIDs)
	for i, tag := range f.Tags {
		tags, err := NormalizeTags([]string{tag})
		if err != nil {
			e := *err.(*Error) //nolint:errorlint // NormalizeTags returns no other
			e.Loc = []any{"tags", i}
			return out, &e
		}
		out.Tags = append(out.Tags, tags[0])
	}
	out.Tags = distinct(out.Tags)
	for _, c := range f.ConnectionDevices {
		out.ConnectionDevices = append(out.ConnectionDevices, ConnectionDevices{c.ConnectionID, distinct(c.SystemDeviceIDs)})
	}
	return out, nil
}

func distinct[T ~string](list []T) []T {
	out := make([]T, 0, len(list))
	for _, text := range list {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// WebhookCreated is a new webhook with its secret, which is shown this once.
type WebhookCreated struct {
	Webhook
	Secret string `json:"secret"`
}

// WebhookSecret is a secret that signs deliveries. For a while after a rotation
// the one before signs them too.
type WebhookSecret struct {
	Secret            string `json:"secret"`
	PreviousExpiresAt *Time  `json:"previous_expires_at"`
}

// EventWebhookTest is the type of a test that a tenant asks for. It is delivered
// and never stored as an event.
const EventWebhookTest EventType = "webhook.test"

// DeliveryState says how far the delivery of one event to one target has come.
type DeliveryState string

// The states of a delivery. Those that are failed or skipped can be replayed.
const (
	DeliveryPending    DeliveryState = "pending"
	DeliveryDelivered  DeliveryState = "delivered"
	DeliveryFailed     DeliveryState = "failed"     // after the last attempt
	DeliverySkipped    DeliveryState = "skipped"    // the target was disabled
	DeliverySuperseded DeliveryState = "superseded" // newer positions took its place
)

// DeliveryStates lists the closed set.
var DeliveryStates = []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliverySkipped, DeliverySuperseded}

// DeliveryAttempt is an entry of a webhook's log: one attempt, or a delivery that
// no attempt was made of, with attempt 0.
type DeliveryAttempt struct {
	EventID       string        `json:"event_id" doc:"The webhook-id header of the delivery."`
	Type          EventType     `json:"type"`
	Sequence      *int64        `json:"sequence" doc:"Sequence of the event; null for a test."`
	State         DeliveryState `json:"state" doc:"How far the delivery has come by now or, where there was a later attempt, what came of this one."`
	CreatedAt     Time          `json:"created_at"`
	NextAttemptAt *Time         `json:"next_attempt_at"`
	Attempt       int           `json:"attempt" doc:"Number of the attempt; 0 where none was made."`
	Time          *Time         `json:"time"`
	Status        *int          `json:"status" doc:"HTTP status of the answer; null where there was none."`
	DurationMS    *int64        `json:"duration_ms"`
	Error         *string       `json:"error"`
	Response      *string       `json:"response" doc:"The first 4 KiB of the answer; null where there was none, and for a receiver in a network that only the operator has opened."`
}

// ReplayInput says what is sent again: one delivery by its event, or all since a
// time that failed or were skipped.
type ReplayInput struct {
	EventID *string `json:"event_id" required:"false" maxLength:"255"`
	Since   *Time   `json:"since" required:"false"`
}

// ReplayResult says how many deliveries are sent again.
type ReplayResult struct {
	Replayed int `json:"replayed"`
}
