package drover

import (
	"fmt"
	"maps"
)

// MilestoneStatus is the status of a tracked journey.
type MilestoneStatus string

// The three statuses. A milestone never goes back by itself.
const (
	TripNotStarted MilestoneStatus = "trip_not_started"
	TripInProgress MilestoneStatus = "trip_in_progress"
	TripEnded      MilestoneStatus = "trip_ended"
)

// MilestoneStatuses lists the closed set in the order of a journey.
var MilestoneStatuses = []MilestoneStatus{TripNotStarted, TripInProgress, TripEnded}

// maxMetadataBytes bounds a milestone's metadata, keys and values together: it is part of
// every event about the milestone.
const maxMetadataBytes = 4096

// MaxURLLength bounds a webhook URL, in characters.
const MaxURLLength = 2083

// Milestone is a tracked journey of a device between two points.
type Milestone struct {
	ID                 string          `json:"id"`
	TenantID           string          `json:"tenant_id"`
	DeviceID           string          `json:"device_id"`
	StartPoint         Coordinate      `json:"start_point"`
	EndPoint           Coordinate      `json:"end_point"`
	StartTime          Time            `json:"start_time"`
	EndTime            *Time           `json:"end_time"`
	CreatedAt          Time            `json:"created_at"`
	UpdatedAt          Time            `json:"updated_at"`
	Status             MilestoneStatus `json:"status"`
	WebhookURL         *string         `json:"webhook_url"`
	WebhookEnabled     bool            `json:"webhook_enabled"`
	WebhookErrorCount  int             `json:"webhook_error_count"`
	LastWebhookError   *string         `json:"last_webhook_error"`
	LastWebhookErrorAt *Time           `json:"last_webhook_error_at"`
	// RadiusMetres is the radius of the circles around its points, if the tenant has set
	// one. Otherwise the service's default applies, and the field is not shown.
	RadiusMetres *float64 `json:"radius_metres,omitempty"`
	// Reference and Metadata are the tenant's own, such as the number of an order, and
	// are not shown where they are not set.
	Reference *string           `json:"reference,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// SeenBy is the milestone as a caller may see it.
func (m Milestone) SeenBy(p Principal) Milestone {
	if m.WebhookURL != nil {
		m.WebhookURL = new(p.Address(*m.WebhookURL))
	}
	return m
}

// MilestoneInput is what a tenant sends to create a milestone. Without a start
// time it begins now.
type MilestoneInput struct {
	DeviceID       string             `json:"device_id" maxLength:"255"`
	StartPoint     Coordinate         `json:"start_point"`
	EndPoint       Coordinate         `json:"end_point"`
	StartTime      *Time              `json:"start_time" required:"false"`
	EndTime        *Time              `json:"end_time" required:"false"`
	WebhookURL     *string            `json:"webhook_url" required:"false" minLength:"1" maxLength:"2083"`
	WebhookEnabled *bool              `json:"webhook_enabled" required:"false"`
	RadiusMetres   *float64           `json:"radius_metres" required:"false" minimum:"50" maximum:"20000"`
	Reference      *string            `json:"reference" required:"false" minLength:"1" maxLength:"255"`
	Metadata       *map[string]string `json:"metadata" required:"false" maxProperties:"16" maxLength:"4096"`
}

// MilestoneUpdate is a partial change of a milestone by its tenant.
type MilestoneUpdate struct {
	DeviceID       Optional[string]            `json:"device_id" required:"false" nullable:"false" maxLength:"255"`
	StartPoint     Optional[Coordinate]        `json:"start_point" required:"false" nullable:"false"`
	EndPoint       Optional[Coordinate]        `json:"end_point" required:"false" nullable:"false"`
	StartTime      Optional[Time]              `json:"start_time" required:"false" nullable:"false"`
	EndTime        Optional[Time]              `json:"end_time" required:"false"`
	WebhookURL     Optional[string]            `json:"webhook_url" required:"false" blank:"true" minLength:"1" maxLength:"2083"`
	WebhookEnabled Optional[bool]              `json:"webhook_enabled" required:"false" nullable:"false"`
	RadiusMetres   Optional[float64]           `json:"radius_metres" required:"false" minimum:"50" maximum:"20000"`
	Reference      Optional[string]            `json:"reference" required:"false" minLength:"1" maxLength:"255"`
	Metadata       Optional[map[string]string] `json:"metadata" required:"false" maxProperties:"16" maxLength:"4096"`
}

// Apply returns m with the update's fields set, and whether the journey itself
// changed, so that its tracking starts again.
func (u MilestoneUpdate) Apply(m Milestone) (changed Milestone, restart bool, err error) {
	before := m
	u.DeviceID.ApplyValue(&m.DeviceID)
	u.StartPoint.ApplyValue(&m.StartPoint)
	u.EndPoint.ApplyValue(&m.EndPoint)
	u.StartTime.ApplyValue(&m.StartTime)
	u.EndTime.Apply(&m.EndTime)
	u.RadiusMetres.Apply(&m.RadiusMetres)
	u.WebhookURL.Apply(&m.WebhookURL)
	u.WebhookEnabled.ApplyValue(&m.WebhookEnabled)
	u.Reference.Apply(&m.Reference)
	if u.Metadata.Set {
		m.Metadata = nil
		u.Metadata.ApplyValue(&m.Metadata)
	}
	if u.WebhookURL.Set && u.WebhookURL.Value == nil && !u.WebhookEnabled.Set {
		m.WebhookEnabled = false
	}
	return m, !m.sameJourney(before), m.Validate()
}

func (m Milestone) sameJourney(o Milestone) bool {
	sameEnd := (m.EndTime == nil) == (o.EndTime == nil) && (m.EndTime == nil || m.EndTime.Equal(o.EndTime.Time))
	return m.DeviceID == o.DeviceID && m.StartPoint == o.StartPoint && m.EndPoint == o.EndPoint &&
		m.StartTime.Equal(o.StartTime.Time) && sameEnd && same(m.RadiusMetres, o.RadiusMetres)
}

// Validate checks the rules that concern more than one field.
func (m Milestone) Validate() error {
	if m.EndTime != nil && m.EndTime.Before(m.StartTime.Time) {
		return InvalidValue("end_time must not be before start_time", "end_time")
	}
	if m.WebhookEnabled && m.WebhookURL == nil {
		return InvalidValue("webhook_enabled needs a webhook_url", "webhook_enabled")
	}
	size := 0
	for key, value := range m.Metadata {
		size += len(key) + len(value)
	}
	if size > maxMetadataBytes {
		return InvalidValue(fmt.Sprintf("metadata must not hold more than %d bytes", maxMetadataBytes), "metadata")
	}
	return nil
}

// MilestoneVariant names which of the two shapes an update record has.
type MilestoneVariant string

// The variants of an update record.
const (
	MilestoneValidState   MilestoneVariant = "MilestoneValidState"
	MilestoneTimeoutState MilestoneVariant = "MilestoneTimeoutState"
)

// MilestoneProgress is the live view of a milestone. In MilestoneTimeoutState
// the ETA and the distance are nil.
type MilestoneProgress struct {
	MilestoneID             string           `json:"milestone_id"`
	ConnectionID            string           `json:"connection_id"`
	DeviceID                string           `json:"device_id"`
	SystemDeviceID          string           `json:"system_device_id"`
	CurrentPosition         *CurrentPosition `json:"current_position"`
	ETA                     *Time            `json:"eta"`
	DistanceToDestinationKM *float64         `json:"distance_to_destination_km"`
	LastUpdatedAt           *Time            `json:"last_updated_at"`
}

// MilestoneUpdateEntry is an update record in the list of them, with what a board of
// milestones shows.
type MilestoneUpdateEntry struct {
	MilestoneProgress
	Status        MilestoneStatus `json:"status"`
	LateBySeconds *float64        `json:"late_by_seconds" doc:"By how much the arrival, predicted or real, is later than end_time; below zero where it is earlier. Where nothing is predicted, the time since end_time once that has passed. Null without end_time, before it without a prediction, and where the journey ended without an arrival."`
	Progress      *float64        `json:"progress" doc:"How much of the way is behind the device, from 0 to 1, by straight lines. Null while it is under way and has no position."`
}

// ETAPrediction is a predicted arrival with its error.
type ETAPrediction struct {
	PredictedAt             Time    `json:"predicted_at"`
	ETA                     Time    `json:"eta"`
	DistanceToDestinationKM float64 `json:"distance_to_destination_km"`
	// ETAP10 and ETAP90 are the range: one arrival in ten is before it, and one after it.
	// They are null if no range was stored.
	ETAP10 *Time `json:"eta_p10"`
	ETAP90 *Time `json:"eta_p90"`
	// ArrivedAt is null until the device has arrived, and if the deadline ended the
	// journey.
	ArrivedAt *Time `json:"arrived_at"`
	// ErrorSeconds is by how much the predicted arrival is later than the real one.
	ErrorSeconds *float64 `json:"error_seconds"`
}

// Variant returns the variant of p.
func (p MilestoneProgress) Variant() MilestoneVariant {
	if p.ETA == nil {
		return MilestoneTimeoutState
	}
	return MilestoneValidState
}

// SameMilestone compares what a tenant can change of a milestone.
func SameMilestone(a, b Milestone) bool {
	return a.sameJourney(b) && same(a.WebhookURL, b.WebhookURL) && a.WebhookEnabled == b.WebhookEnabled &&
		same(a.Reference, b.Reference) && maps.Equal(a.Metadata, b.Metadata)
}
