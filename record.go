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

// RecordType says what a record is about.
type RecordType string

// The types of records.
const (
	RecordDevice   RecordType = "device"
	RecordPosition RecordType = "position"
	RecordTrip     RecordType = "trip"
	RecordReading  RecordType = "reading"
)

// RecordTypes lists the closed set.
var RecordTypes = []RecordType{RecordDevice, RecordPosition, RecordTrip, RecordReading}

// Record is what a tenant's own program sends of a device, in the shapes in which the
// interface shows the same: one struct for all types, of which each has its own fields.
type Record struct {
	Type           RecordType `json:"type" doc:"What the record is about. Each type has its own fields; those of another are refused."`
	SystemDeviceID string     `json:"system_device_id" minLength:"1" maxLength:"255" doc:"What the sender calls the device. One that is not known yet is added."`

	Description  *string `json:"description,omitempty" maxLength:"255" doc:"Of a device."`
	Registration *string `json:"registration,omitempty" maxLength:"255" doc:"Of a device."`
	Make         *string `json:"make,omitempty" maxLength:"255" doc:"Of a device."`
	Model        *string `json:"model,omitempty" maxLength:"255" doc:"Of a device."`
	Year         *int    `json:"year,omitempty" minimum:"1900" maximum:"2200" doc:"Of a device."`
	Active       *bool   `json:"active,omitempty" doc:"Of a device; true where it is left out."`

	Timestamp      *Time     `json:"timestamp,omitempty" doc:"When a position or a reading was measured; required for both."`
	Latitude       *float64  `json:"latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a position, in degrees; required."`
	Longitude      *float64  `json:"longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a position, in degrees; required."`
	Heading        *float64  `json:"heading,omitempty" minimum:"0" maximum:"360" doc:"Of a position, in degrees from north."`
	Speed          *Speed    `json:"speed,omitempty" doc:"Of a position, in km/h: 0 to 1000."`
	DriverID       *DriverID `json:"driver_id,omitempty" doc:"Who drives, of a position or a trip. The format is text."`
	Ignition       *bool     `json:"ignition,omitempty" doc:"Of a position."`
	Auxiliary      *bool     `json:"auxiliary,omitempty" doc:"Of a position: a power take-off or another auxiliary is running."`
	OdometerMetres *float64  `json:"odometer_metres,omitempty" minimum:"0" maximum:"1e11" doc:"Of a position, in metres."`

	SystemTripID     *string  `json:"system_trip_id,omitempty" minLength:"1" maxLength:"255" doc:"What the sender calls the trip, always the same; required for a trip."`
	StartLatitude    *float64 `json:"start_latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a trip, in degrees."`
	StartLongitude   *float64 `json:"start_longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a trip, in degrees."`
	EndLatitude      *float64 `json:"end_latitude,omitempty" minimum:"-90" maximum:"90" doc:"Of a trip, in degrees."`
	EndLongitude     *float64 `json:"end_longitude,omitempty" minimum:"-180" maximum:"180" doc:"Of a trip, in degrees."`
	StartTime        *Time    `json:"start_time,omitempty" doc:"Of a trip; required."`
	EndTime          *Time    `json:"end_time,omitempty" doc:"Of a trip, which is over; required."`
	DistanceMetres   *float64 `json:"distance_metres,omitempty" minimum:"0" maximum:"1e11" doc:"Of a trip, in metres."`
	DrivingSeconds   *float64 `json:"driving_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`
	IdlingSeconds    *float64 `json:"idling_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds,omitempty" minimum:"0" maximum:"1e9" doc:"Of a trip."`

	Kind       *ReadingKind   `json:"kind,omitempty" doc:"What a reading measures; required for one."`
	Channel    *string        `json:"channel,omitempty" maxLength:"64" doc:"Which of several, such as the number of a probe; of a reading."`
	Value      *float64       `json:"value,omitempty" doc:"Of a reading, in the unit that the kind names; required."`
	Source     *ReadingSource `json:"source,omitempty" doc:"Who measures or counts; of a reading."`
	NativeName *string        `json:"native_name,omitempty" maxLength:"255" doc:"What the sender calls the reading; the kind where it is left out."`
}

// recordFields are what a record of each type needs, and what it may have besides.
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
}

// Takes reports whether records of the type have a field.
func (t RecordType) Takes(field string) bool {
	of := recordFields[t]
	return field == "type" || field == "system_device_id" || slices.Contains(of.needs, field) || slices.Contains(of.may, field)
}

// maxSpeedKPH is more than any vehicle on a road makes.
const maxSpeedKPH = 1000

// Check refuses a record that lacks something, or whose fields contradict each other. Each
// field has been checked by itself.
func (r *Record) Check() error {
	given := map[string]bool{
		"timestamp": r.Timestamp != nil, "latitude": r.Latitude != nil, "longitude": r.Longitude != nil,
		"system_trip_id": r.SystemTripID != nil, "start_time": r.StartTime != nil, "end_time": r.EndTime != nil,
		"kind": r.Kind != nil, "value": r.Value != nil,
	}
	for _, name := range recordFields[r.Type].needs {
		if !given[name] {
			return Invalid("missing", "Field required", name)
		}
	}
	switch {
	case strings.TrimSpace(r.SystemDeviceID) == "":
		return Invalid("string_too_short", "String should have at least 1 character", "system_device_id")
	case r.Speed != nil && (r.Speed.SpeedKPH < 0 || r.Speed.SpeedKPH > maxSpeedKPH):
		return InvalidValue("a speed is 0 to 1000 km/h", "speed", "speed_kph")
	case r.DriverID != nil && r.DriverID.Format != "text":
		return InvalidValue("the format of a driver is text", "driver_id", "format")
	case r.DriverID != nil && (r.DriverID.Value == "" || len([]rune(r.DriverID.Value)) > MaxDeviceText):
		return InvalidValue("a driver has 1 to 255 characters", "driver_id", "value")
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

// RecordState says what became of a record.
type RecordState string

// What can become of a record.
const (
	RecordStored  RecordState = "stored"
	RecordKnown   RecordState = "known"
	RecordRefused RecordState = "refused"
)

// RecordStates lists the closed set.
var RecordStates = []RecordState{RecordStored, RecordKnown, RecordRefused}

// RecordOutcome is what became of one record.
type RecordOutcome struct {
	Outcome RecordState `json:"outcome" doc:"stored: it is new, or changes what is stored. known: it was there already, and nothing changed. refused: reason says why."`
	Reason  *string     `json:"reason" doc:"Why the record was refused; null otherwise."`
}

// maxReason bounds the words of one refusal, and so the answer.
const maxReason = 200

// Refused is the outcome of a record that is not taken.
func Refused(reason string) RecordOutcome {
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason-1]) + "…"
	}
	return RecordOutcome{RecordRefused, &reason}
}

// RecordResult is what became of a batch of records.
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
