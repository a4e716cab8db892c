package drover

import "slices"

// SafetyType is the type of a safety event.
type SafetyType string

// The types of safety events. SafetyOther has the provider's own type as its native type.
const (
	SafetyBraking      SafetyType = "harsh_braking"
	SafetyAcceleration SafetyType = "harsh_acceleration"
	SafetyCornering    SafetyType = "harsh_cornering"
	SafetySpeeding     SafetyType = "speeding"
	SafetyCrash        SafetyType = "crash"
	SafetyDrowsiness   SafetyType = "drowsiness"
	SafetyDistraction  SafetyType = "distraction"
	SafetyTailgating   SafetyType = "tailgating"
	SafetySeatBelt     SafetyType = "seat_belt"
	SafetyCollision    SafetyType = "forward_collision"
	SafetyLane         SafetyType = "lane_departure"
	SafetyCamera       SafetyType = "camera_obstruction"
	SafetyPhone        SafetyType = "phone"
	SafetyOther        SafetyType = "other"
)

// SafetyTypes lists the closed set.
var SafetyTypes = []SafetyType{
	SafetyBraking, SafetyAcceleration, SafetyCornering, SafetySpeeding, SafetyCrash, SafetyDrowsiness, SafetyDistraction, SafetyTailgating,
	SafetySeatBelt, SafetyCollision, SafetyLane, SafetyCamera, SafetyPhone, SafetyOther,
}

// CheckSafetyTypes returns an error if a name is mapped to an unknown type.
func CheckSafetyTypes(words Optional[map[string]string]) error {
	if words.Value == nil {
		return nil
	}
	for word, typ := range *words.Value {
		if !slices.Contains(SafetyTypes, SafetyType(typ)) {
			return InvalidValue("there is no such type of safety events", "body", "configuration", "safety_types", word)
		}
	}
	return nil
}

// SafetyStatus is the state of review of an event at the provider.
type SafetyStatus string

// The states of a safety event.
const (
	SafetyOpen      SafetyStatus = "open"
	SafetyReviewed  SafetyStatus = "reviewed"
	SafetyDismissed SafetyStatus = "dismissed"
	SafetyInvalid   SafetyStatus = "invalid"
)

// SafetyStatuses lists the closed set.
var SafetyStatuses = []SafetyStatus{SafetyOpen, SafetyReviewed, SafetyDismissed, SafetyInvalid}

// SafetySeverity is the severity of an event, as the provider reports it.
type SafetySeverity string

// The severities of safety events.
const (
	SafetyLow    SafetySeverity = "low"
	SafetyMedium SafetySeverity = "medium"
	SafetyHigh   SafetySeverity = "high"
)

// SafetySeverities lists the closed set.
var SafetySeverities = []SafetySeverity{SafetyLow, SafetyMedium, SafetyHigh}

// SafetyMethod is how an event was found.
type SafetyMethod string

// Events are found by the device, by a camera, or by the provider's own rules.
const (
	SafetyByDevice   SafetyMethod = "device"
	SafetyByCamera   SafetyMethod = "camera"
	SafetyByPlatform SafetyMethod = "platform"
)

// SafetyMethods lists the closed set.
var SafetyMethods = []SafetyMethod{SafetyByDevice, SafetyByCamera, SafetyByPlatform}

// SafetyEvent is dangerous driving, or an accident, that a provider reports.
type SafetyEvent struct {
	ID             string          `json:"id"`
	DeviceID       string          `json:"device_id"`
	ConnectionID   string          `json:"connection_id"`
	SystemEventID  string          `json:"system_event_id" doc:"The provider's own id or, where it has none, time and type."`
	Type           SafetyType      `json:"type"`
	NativeType     string          `json:"native_type" doc:"The provider's own word or rule."`
	DriverID       *DriverID       `json:"driver_id" doc:"Who drove; null where that is not known or not shared."`
	StartTime      Time            `json:"start_time"`
	EndTime        *Time           `json:"end_time" doc:"Null for what happened at one instant."`
	Latitude       *float64        `json:"latitude" doc:"Null where it is not known or not shared."`
	Longitude      *float64        `json:"longitude" doc:"Null where it is not known or not shared."`
	Heading        *float64        `json:"heading" doc:"Degrees; null where it is not known or not shared."`
	SpeedKPH       *float64        `json:"speed_kph" doc:"At the start; null where it is not known."`
	MaxSpeedKPH    *float64        `json:"max_speed_kph" doc:"The highest; null where it is not known."`
	SpeedLimitKPH  *float64        `json:"speed_limit_kph" doc:"As the provider knows it; null where it does not."`
	AccelerationG  *float64        `json:"acceleration_g" doc:"Along the way, braking below zero; null where it is not known."`
	LateralG       *float64        `json:"lateral_g" doc:"To the side, without a sign; null where it is not known."`
	Severity       *SafetySeverity `json:"severity" doc:"As the provider says; null where it does not."`
	Status         SafetyStatus    `json:"status"`
	Method         *SafetyMethod   `json:"method" doc:"How it was found; null where the provider does not say."`
	MediaAvailable *bool           `json:"media_available" doc:"Whether the provider has pictures of it; null where it does not say."`
}

func (s SafetyEvent) describe(e *Event) {
	e.ConnectionID, e.DeviceID = &s.ConnectionID, &s.DeviceID
	e.Subjects = []Subject{{ConnectionID: s.ConnectionID, DeviceID: s.DeviceID}}
}

// SeenWith returns the event with the fields that a grant shows.
func (s SafetyEvent) SeenWith(g Grant) SafetyEvent {
	if !g.Positions() {
		s.Latitude, s.Longitude, s.Heading = nil, nil, nil
	}
	if !g.Drivers() {
		s.DriverID = nil
	}
	return s
}

// SafetyFilter narrows the list of safety events. Within a list one match is enough; all that
// are given must match.
type SafetyFilter struct {
	DeviceIDs     []string     `query:"device_id" maxItems:"1000" doc:"Only events of these devices."`
	ConnectionIDs []string     `query:"connection_id" maxItems:"1000" doc:"Only events of these connections' devices."`
	Tags          []string     `query:"tag" maxItems:"100" doc:"Only events of devices with one of these tags, their own or their connection's."`
	DriverIDs     []string     `query:"driver_id" maxItems:"100" maxLength:"255" doc:"Only events of these drivers, by driver_id.value."`
	Types         []SafetyType `query:"type" maxItems:"14" doc:"Only events of these types."`
	From          *Time        `query:"from" doc:"Events that began at or after this time."`
	To            *Time        `query:"to" doc:"Events that began before this time."`
	// IDs are for lists of changes.
	IDs    []string
	Newest bool // first
}

// SameSafetyEvent reports whether two events are equal.
func SameSafetyEvent(a, b SafetyEvent) bool {
	return a.ID == b.ID && a.Type == b.Type && a.NativeType == b.NativeType && SameDriverID(a.DriverID, b.DriverID) &&
		a.StartTime.Equal(b.StartTime.Time) && sameTime(a.EndTime, b.EndTime) && same(a.Latitude, b.Latitude) && same(a.Longitude, b.Longitude) &&
		same(a.Heading, b.Heading) && same(a.SpeedKPH, b.SpeedKPH) && same(a.MaxSpeedKPH, b.MaxSpeedKPH) &&
		same(a.SpeedLimitKPH, b.SpeedLimitKPH) &&
		same(a.AccelerationG, b.AccelerationG) && same(a.LateralG, b.LateralG) && same(a.Severity, b.Severity) && a.Status == b.Status &&
		same(a.Method, b.Method) && same(a.MediaAvailable, b.MediaAvailable)
}

// SameDriverID reports whether two drivers are the same, or none.
func SameDriverID(a, b *DriverID) bool { return same(a, b) }

// Sent returns the event with the fields of a webhook's options: without them the driver is
// null.
func (s SafetyEvent) Sent(o WebhookOptions) SafetyEvent {
	s.DriverID = keep(s.DriverID, o.IncludeDriverID)
	return s
}
