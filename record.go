package drover

import (
	"slices"
	"strings"
)

// Bounds of a batch of records.
const (
	MaxRecords    = 1000
	MaxRecordSize = 64 << 10 // bytes of one record
)

// RecordType is the type of a record.
type RecordType string

// The types of records.
const (
	RecordDevice   RecordType = "device"
	RecordPosition RecordType = "position"
	RecordTrip     RecordType = "trip"
	RecordReading  RecordType = "reading"
	RecordDriver   RecordType = "driver"
	RecordFault    RecordType = "fault"
	RecordSafety   RecordType = "safety_event"
)

// RecordTypes lists the closed set.
var RecordTypes = []RecordType{
	RecordDevice, RecordPosition, RecordTrip, RecordReading, RecordDriver, RecordFault, RecordSafety,
}

// Record is what a tenant's own program sends of a device or a driver, in the shapes in which the
// interface shows the same: one struct for all types, of which each has its own fields.
type Record struct {
	Type           RecordType `json:"type" doc:"What the record is about. Each type has its own fields; those of another are refused."`
	SystemDeviceID string     `json:"system_device_id,omitempty" maxLength:"255" doc:"What the sender calls the device; required for all but a driver. One that is not known yet is added."`

	Description  *string `json:"description,omitempty" maxLength:"255" doc:"Of a device."`
	Registration *string `json:"registration,omitempty" maxLength:"255" doc:"Of a device."`
	Make         *string `json:"make,omitempty" maxLength:"255" doc:"Of a device."`
	Model        *string `json:"model,omitempty" maxLength:"255" doc:"Of a device."`
	Year         *int    `json:"year,omitempty" minimum:"1900" maximum:"2200" doc:"Of a device."`
	Active       *bool   `json:"active,omitempty" doc:"Of a device or a driver; true where it is left out."`

	Timestamp      *Time     `json:"timestamp,omitempty" doc:"When a position or a reading was measured; required for both."`
	Latitude       *float64  `json:"latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a position, in degrees, where it is required, or of a safety event."`
	Longitude      *float64  `json:"longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a position, in degrees, where it is required, or of a safety event."`
	Heading        *float64  `json:"heading,omitempty" minimum:"0" maximum:"360" doc:"Of a position or a safety event, in degrees from north."`
	Speed          *Speed    `json:"speed,omitempty" doc:"Of a position, in km/h: 0 to 1000."`
	DriverID       *DriverID `json:"driver_id,omitempty" doc:"Who drives, of a position, a trip or a safety event. The format is text."`
	Ignition       *bool     `json:"ignition,omitempty" doc:"Of a position."`
	Auxiliary      *bool     `json:"auxiliary,omitempty" doc:"Of a position: a power take-off or another auxiliary is running."`
	OdometerMetres *float64  `json:"odometer_metres,omitempty" minimum:"0" maximum:"1e11" doc:"Of a position, in metres."`

	SystemTripID     *string  `json:"system_trip_id,omitempty" minLength:"1" maxLength:"255" doc:"What the sender calls the trip, always the same; required for a trip."`
	StartLatitude    *float64 `json:"start_latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a trip, in degrees."`
	StartLongitude   *float64 `json:"start_longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a trip, in degrees."`
	EndLatitude      *float64 `json:"end_latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a trip, in degrees."`
	EndLongitude     *float64 `json:"end_longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a trip, in degrees."`
	StartTime        *Time    `json:"start_time,omitempty" doc:"Of a trip or a safety event; required."`
	EndTime          *Time    `json:"end_time,omitempty" doc:"Of a trip, which is over, where it is required, or of a safety event that lasted."`
	DistanceMetres   *float64 `json:"distance_metres,omitempty" minimum:"0" maximum:"1e11" doc:"Of a trip, in metres."`
	DrivingSeconds   *float64 `json:"driving_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`
	IdlingSeconds    *float64 `json:"idling_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`

	Kind       *ReadingKind   `json:"kind,omitempty" doc:"What a reading measures; required for one."`
	Channel    *string        `json:"channel,omitempty" maxLength:"64" doc:"Which of several, such as the number of a probe; of a reading."`
	Value      *float64       `json:"value,omitempty" doc:"Of a reading, in the unit that the kind names; required."`
	Source     *ReadingSource `json:"source,omitempty" doc:"Who measures or counts; of a reading."`
	NativeName *string        `json:"native_name,omitempty" maxLength:"255" doc:"What the sender calls the reading; the kind where it is left out."`

	SystemDriverID *string     `json:"system_driver_id,omitempty" minLength:"1" maxLength:"255" doc:"What the sender calls the driver, as in driver_id.value of positions and trips; required for a driver."`
	Name           *string     `json:"name,omitempty" maxLength:"255" doc:"Of a driver; put together from its parts where it is left out."`
	FirstName      *string     `json:"first_name,omitempty" maxLength:"255" doc:"Of a driver."`
	LastName       *string     `json:"last_name,omitempty" maxLength:"255" doc:"Of a driver."`
	EmployeeNumber *string     `json:"employee_number,omitempty" maxLength:"255" doc:"Of a driver."`
	Email          *string     `json:"email,omitempty" maxLength:"255" doc:"Of a driver."`
	Phone          *string     `json:"phone,omitempty" maxLength:"255" doc:"Of a driver."`
	LicenceNumber  *string     `json:"licence_number,omitempty" maxLength:"255" doc:"Of a driver."`
	LicenceRegion  *string     `json:"licence_region,omitempty" maxLength:"255" doc:"Of a driver."`
	Keys           []DriverKey `json:"keys,omitempty" maxItems:"20" doc:"What a driver is known by at a vehicle."`

	Code          *string        `json:"code,omitempty" minLength:"1" maxLength:"255" doc:"Of a fault; required."`
	Protocol      *FaultProtocol `json:"protocol,omitempty" doc:"The language of a fault's code; unknown where it is left out."`
	SPN           *int64         `json:"spn,omitempty" minimum:"0" maximum:"524287" doc:"Of a fault of J1939."`
	FMI           *int64         `json:"fmi,omitempty" minimum:"0" maximum:"31" doc:"Of a fault of J1939."`
	SourceAddress *int64         `json:"source_address,omitempty" minimum:"0" maximum:"255" doc:"The control unit that reports a fault."`
	Lamps         []Lamp         `json:"lamps,omitempty" maxItems:"4" doc:"The lamps that are lit for a fault."`
	FirstSeenAt   *Time          `json:"first_seen_at,omitempty" doc:"When a fault began; last_seen_at where it is left out."`
	LastSeenAt    *Time          `json:"last_seen_at,omitempty" doc:"When a fault was last seen; required for one."`
	ClosedAt      *Time          `json:"closed_at,omitempty" doc:"When a fault was over; last_seen_at where it is left out of a closed one."`
	Occurrences   *int64         `json:"occurrences,omitempty" minimum:"0" doc:"How often the vehicle has counted a fault."`
	Severity      *FaultSeverity `json:"severity,omitempty" doc:"Of a fault or a safety event, which is never critical."`
	Status        *string        `json:"status,omitempty" maxLength:"32" doc:"Of a fault: open, pending or closed. Of a safety event: open, reviewed, dismissed or invalid. Open where it is left out."`

	SystemEventID  *string       `json:"system_event_id,omitempty" minLength:"1" maxLength:"255" doc:"What the sender calls the safety event, always the same; time and native type where it is left out."`
	SafetyType     *SafetyType   `json:"safety_type,omitempty" doc:"What a safety event is: its type; required for one."`
	NativeType     *string       `json:"native_type,omitempty" minLength:"1" maxLength:"255" doc:"The sender's own word for the type of a safety event; the type where it is left out."`
	SpeedKPH       *float64      `json:"speed_kph,omitempty" minimum:"0" maximum:"1000" doc:"Of a safety event, at its start."`
	MaxSpeedKPH    *float64      `json:"max_speed_kph,omitempty" minimum:"0" maximum:"1000" doc:"Of a safety event."`
	SpeedLimitKPH  *float64      `json:"speed_limit_kph,omitempty" minimum:"0" maximum:"1000" doc:"Of a safety event."`
	AccelerationG  *float64      `json:"acceleration_g,omitempty" minimum:"-100" maximum:"100" doc:"Of a safety event: along the way, braking below zero."`
	LateralG       *float64      `json:"lateral_g,omitempty" minimum:"0" maximum:"100" doc:"Of a safety event: to the side."`
	Method         *SafetyMethod `json:"method,omitempty" doc:"How a safety event was found."`
	MediaAvailable *bool         `json:"media_available,omitempty" doc:"Whether there are pictures of a safety event."`
}

// recordFields are the required and the optional fields of each type of record.
var recordFields = map[RecordType]struct{ needs, may []string }{
	RecordDevice: {nil, []string{"description", "registration", "make", "model", "year", "active"}},
	RecordPosition: {
		[]string{"timestamp", "latitude", "longitude"},
		[]string{"heading", "speed", "driver_id", "ignition", "auxiliary", "odometer_metres"},
	},
	RecordTrip: {[]string{"system_trip_id", "start_time", "end_time"}, []string{
		"start_latitude", "start_longitude", "end_latitude", "end_longitude", "distance_metres", "driving_seconds", "idling_seconds",
		"auxiliary_seconds", "driver_id",
	}},
	RecordReading: {[]string{"kind", "timestamp", "value"}, []string{"channel", "source", "native_name"}},
	RecordDriver: {[]string{"system_driver_id"}, []string{
		"name", "first_name", "last_name", "employee_number", "email", "phone", "licence_number", "licence_region", "keys", "active",
	}},
	RecordFault: {[]string{"code", "last_seen_at"}, []string{
		"protocol", "spn", "fmi", "source_address", "description", "severity", "lamps", "status", "first_seen_at", "closed_at", "occurrences",
	}},
	RecordSafety: {[]string{"safety_type", "start_time"}, []string{
		"system_event_id", "native_type", "driver_id", "end_time", "latitude", "longitude", "heading", "speed_kph", "max_speed_kph",
		"speed_limit_kph", "acceleration_g", "lateral_g", "severity", "status", "method", "media_available",
	}},
}

// Takes reports whether records of the type have a field.
func (t RecordType) Takes(field string) bool {
	of := recordFields[t]
	return field == "type" || field == "system_device_id" && t != RecordDriver || slices.Contains(of.needs, field) || slices.Contains(of.may, field)
}

// maxSpeedKPH is more than any vehicle on a road reaches.
const maxSpeedKPH = 1000

// Check returns an error if the record lacks a field, or if its fields contradict each other.
// Each field has already been checked by itself.
func (r *Record) Check() error {
	if r.Type != RecordDriver && r.SystemDeviceID == "" {
		return Invalid("missing", "Field required", "system_device_id")
	}
	for _, name := range recordFields[r.Type].needs {
		if !r.has(name) {
			return Invalid("missing", "Field required", name)
		}
	}
	switch {
	case r.Type != RecordDriver && strings.TrimSpace(r.SystemDeviceID) == "":
		return Invalid("string_too_short", "String should have at least 1 character", "system_device_id")
	case r.Speed != nil && (r.Speed.SpeedKPH < 0 || r.Speed.SpeedKPH > maxSpeedKPH):
		return InvalidValue("a speed is 0 to 1000 km/h", "speed", "speed_kph")
	case r.DriverID != nil && r.DriverID.Format != "text":
		return InvalidValue("the format of a driver is text", "driver_id", "format")
	case r.DriverID != nil && (r.DriverID.Value == "" || len([]rune(r.DriverID.Value)) > MaxDeviceText):
		return InvalidValue("a driver has 1 to 255 characters", "driver_id", "value")
	case r.Type == RecordDriver:
		return r.checkDriver()
	case r.Type == RecordFault:
		return r.checkFault()
	case r.Type == RecordSafety:
		return r.checkSafety()
	case r.Type != RecordTrip:
		return nil
	case r.EndTime.Before(r.StartTime.Time):
		return InvalidValue("end_time must not be before start_time", "end_time")
	case (r.StartLatitude == nil) != (r.StartLongitude == nil):
		return InvalidValue("start_latitude and start_longitude belong together", "start_latitude")
	case (r.EndLatitude == nil) != (r.EndLongitude == nil):
		return InvalidValue("end_latitude and end_longitude belong together", "end_latitude")
	}
	return nil
}

// has reports whether a record has one of the fields that a type needs.
func (r *Record) has(field string) bool {
	switch field {
	case "timestamp":
		return r.Timestamp != nil
	case "latitude":
		return r.Latitude != nil
	case "longitude":
		return r.Longitude != nil
	case "system_trip_id":
		return r.SystemTripID != nil
	case "start_time":
		return r.StartTime != nil
	case "end_time":
		return r.EndTime != nil
	case "kind":
		return r.Kind != nil
	case "value":
		return r.Value != nil
	case "system_driver_id":
		return r.SystemDriverID != nil
	case "code":
		return r.Code != nil
	case "last_seen_at":
		return r.LastSeenAt != nil
	default:
		return r.SafetyType != nil
	}
}

func (r *Record) checkDriver() error {
	if strings.TrimSpace(*r.SystemDriverID) == "" {
		return Invalid("string_too_short", "String should have at least 1 character", "system_driver_id")
	}
	for i, k := range r.Keys {
		if len([]rune(k.Value)) > MaxDeviceText {
			return Invalid("string_too_long", "String should have at most 255 characters", "keys", i, "value")
		}
	}
	return nil
}

func (r *Record) checkFault() error {
	if r.Status != nil && !slices.Contains(FaultStatuses, FaultStatus(*r.Status)) {
		return InvalidValue("the status of a fault is open, pending or closed", "status")
	}
	closed := r.Status != nil && FaultStatus(*r.Status) == FaultClosed
	switch {
	case strings.TrimSpace(*r.Code) == "":
		return Invalid("string_too_short", "String should have at least 1 character", "code")
	case r.FirstSeenAt != nil && r.LastSeenAt.Before(r.FirstSeenAt.Time):
		return InvalidValue("last_seen_at must not be before first_seen_at", "last_seen_at")
	case r.ClosedAt != nil && !closed:
		return InvalidValue("only a closed fault has a closed_at", "closed_at")
	case r.ClosedAt != nil && r.ClosedAt.Before(r.LastSeenAt.Time):
		return InvalidValue("closed_at must not be before last_seen_at", "closed_at")
	}
	return nil
}

func (r *Record) checkSafety() error {
	switch {
	case r.Status != nil && !slices.Contains(SafetyStatuses, SafetyStatus(*r.Status)):
		return InvalidValue("the status of a safety event is open, reviewed, dismissed or invalid", "status")
	case r.Severity != nil && !slices.Contains(SafetySeverities, SafetySeverity(*r.Severity)):
		return InvalidValue("the severity of a safety event is low, medium or high", "severity")
	case r.EndTime != nil && r.EndTime.Before(r.StartTime.Time):
		return InvalidValue("end_time must not be before start_time", "end_time")
	case (r.Latitude == nil) != (r.Longitude == nil):
		return InvalidValue("latitude and longitude belong together", "latitude")
	}
	return nil
}

// RecordState is the result for one record.
type RecordState string

// The results.
const (
	RecordStored  RecordState = "stored"
	RecordKnown   RecordState = "known"
	RecordRefused RecordState = "refused"
)

// RecordStates lists the closed set.
var RecordStates = []RecordState{RecordStored, RecordKnown, RecordRefused}

// RecordOutcome is the result for one record, with its reason.
type RecordOutcome struct {
	Outcome RecordState `json:"outcome" doc:"stored: it is new, or changes what is stored. known: it was there already, and nothing changed. refused: reason says why."`
	Reason  *string     `json:"reason" doc:"Why the record was refused; null otherwise."`
}

// maxReason bounds the text of one refusal, and so the answer.
const maxReason = 200

// Refused is the outcome of a refused record.
func Refused(reason string) RecordOutcome {
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason-1]) + "…"
	}
	return RecordOutcome{RecordRefused, &reason}
}

// RecordResult is the result of a batch of records.
type RecordResult struct {
	Received int             `json:"received" doc:"Records of the batch."`
	Stored   int             `json:"stored" doc:"Those that are new, or changed what is stored."`
	Known    int             `json:"known" doc:"Those that were there already."`
	Refused  int             `json:"refused" doc:"Those that were not taken."`
	Records  []RecordOutcome `json:"records" doc:"What became of each record, in the order in which they were sent."`
}

// NewRecordResult counts outcomes.
func NewRecordResult(outcomes []RecordOutcome) RecordResult {
	r := RecordResult{Received: len(outcomes), Records: outcomes}
	for _, o := range outcomes {
		switch o.Outcome {
		case RecordStored:
			r.Stored++
		case RecordKnown:
			r.Known++
		case RecordRefused:
			r.Refused++
		}
	}
	return r
}
