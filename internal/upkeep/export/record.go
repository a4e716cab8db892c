package export

import (
	"time"

	"github.com/drover-fleet/drover"
)

type readingRow struct {
	DeviceID     string    `parquet:"device_id,dict" json:"device_id"`
	ConnectionID string    `parquet:"connection_id,dict" json:"connection_id"`
	Kind         string    `parquet:"kind,dict" json:"kind"`
	Channel      *string   `parquet:"channel,dict" json:"channel"`
	Timestamp    time.Time `parquet:"timestamp,timestamp(millisecond)" json:"timestamp"`
	Value        float64   `parquet:"value" json:"value"`
	Source       *string   `parquet:"source,dict" json:"source"`
	NativeName   string    `parquet:"native_name,dict" json:"native_name"`
	Suspect      *string   `parquet:"suspect,dict" json:"suspect"`
}

var readings = table[drover.Reading, readingRow]{
	connection: func(r drover.Reading) string { return r.ConnectionID },
	flat: func(r drover.Reading) readingRow {
		return readingRow{
			DeviceID: r.DeviceID, ConnectionID: r.ConnectionID, Kind: string(r.Kind), Channel: r.Channel, Timestamp: r.Timestamp.Time,
			Value: r.Value, Source: word(r.Source), NativeName: r.NativeName, Suspect: r.Suspect,
		}
	},
}

type driverRow struct {
	ID             string   `parquet:"id" json:"id"`
	ConnectionID   string   `parquet:"connection_id,dict" json:"connection_id"`
	SystemDriverID string   `parquet:"system_driver_id" json:"system_driver_id"`
	Name           *string  `parquet:"name" json:"name"`
	FirstName      *string  `parquet:"first_name" json:"first_name"`
	LastName       *string  `parquet:"last_name" json:"last_name"`
	EmployeeNumber *string  `parquet:"employee_number" json:"employee_number"`
	Email          *string  `parquet:"email" json:"email"`
	Phone          *string  `parquet:"phone" json:"phone"`
	LicenceNumber  *string  `parquet:"licence_number" json:"licence_number"`
	LicenceRegion  *string  `parquet:"licence_region,dict" json:"licence_region"`
	Keys           []string `parquet:"keys,list" json:"keys"` // each with its type before a colon
	Active         bool     `parquet:"active" json:"active"`
	Tags           []string `parquet:"tags,list" json:"tags"`
}

var drivers = table[drover.Driver, driverRow]{
	connection: func(r drover.Driver) string { return r.ConnectionID },
	flat: func(d drover.Driver) driverRow {
		row := driverRow{
			ID: d.ID, ConnectionID: d.ConnectionID, SystemDriverID: d.SystemDriverID, Name: d.Name, FirstName: d.FirstName, LastName: d.LastName,
			EmployeeNumber: d.EmployeeNumber, Email: d.Email, Phone: d.Phone, LicenceNumber: d.LicenceNumber, LicenceRegion: d.LicenceRegion,
			Active: d.Active, Tags: d.Tags,
		}
		for _, k := range d.Keys {
			row.Keys = append(row.Keys, string(k.Type)+":"+k.Value)
		}
		return row
	},
}

type faultRow struct {
	ID            string     `parquet:"id" json:"id"`
	DeviceID      string     `parquet:"device_id,dict" json:"device_id"`
	ConnectionID  string     `parquet:"connection_id,dict" json:"connection_id"`
	Protocol      string     `parquet:"protocol,dict" json:"protocol"`
	Code          string     `parquet:"code,dict" json:"code"`
	SPN           *int64     `parquet:"spn" json:"spn"`
	FMI           *int64     `parquet:"fmi" json:"fmi"`
	SourceAddress *int64     `parquet:"source_address" json:"source_address"`
	Description   *string    `parquet:"description,dict" json:"description"`
	Severity      *string    `parquet:"severity,dict" json:"severity"`
	Lamps         []string   `parquet:"lamps,list" json:"lamps"`
	Status        string     `parquet:"status,dict" json:"status"`
	FirstSeenAt   time.Time  `parquet:"first_seen_at,timestamp(millisecond)" json:"first_seen_at"`
	LastSeenAt    time.Time  `parquet:"last_seen_at,timestamp(millisecond)" json:"last_seen_at"`
	ClosedAt      *time.Time `parquet:"closed_at,timestamp(millisecond)" json:"closed_at"`
	Occurrences   *int64     `parquet:"occurrences" json:"occurrences"`
	ClosedBy      *string    `parquet:"closed_by,dict" json:"closed_by"`
}

var faults = table[drover.Fault, faultRow]{
	connection: func(r drover.Fault) string { return r.ConnectionID },
	flat: func(f drover.Fault) faultRow {
		row := faultRow{
			ID: f.ID, DeviceID: f.DeviceID, ConnectionID: f.ConnectionID, Protocol: string(f.Protocol), Code: f.Code, SPN: f.SPN, FMI: f.FMI,
			SourceAddress: f.SourceAddress, Description: f.Description, Severity: word(f.Severity), Status: string(f.Status),
			FirstSeenAt: f.FirstSeenAt.Time, LastSeenAt: f.LastSeenAt.Time, ClosedAt: instant(f.ClosedAt), Occurrences: f.Occurrences,
			ClosedBy: word(f.ClosedBy),
		}
		for _, lamp := range f.Lamps {
			row.Lamps = append(row.Lamps, string(lamp))
		}
		return row
	},
}

type safetyRow struct {
	ID             string     `parquet:"id" json:"id"`
	DeviceID       string     `parquet:"device_id,dict" json:"device_id"`
	ConnectionID   string     `parquet:"connection_id,dict" json:"connection_id"`
	SystemEventID  string     `parquet:"system_event_id" json:"system_event_id"`
	Type           string     `parquet:"type,dict" json:"type"`
	NativeType     string     `parquet:"native_type,dict" json:"native_type"`
	DriverID       *string    `parquet:"driver_id,dict" json:"driver_id"`
	StartTime      time.Time  `parquet:"start_time,timestamp(millisecond)" json:"start_time"`
	EndTime        *time.Time `parquet:"end_time,timestamp(millisecond)" json:"end_time"`
	Latitude       *float64   `parquet:"latitude" json:"latitude"`
	Longitude      *float64   `parquet:"longitude" json:"longitude"`
	Heading        *float64   `parquet:"heading" json:"heading"`
	SpeedKPH       *float64   `parquet:"speed_kph" json:"speed_kph"`
	MaxSpeedKPH    *float64   `parquet:"max_speed_kph" json:"max_speed_kph"`
	SpeedLimitKPH  *float64   `parquet:"speed_limit_kph" json:"speed_limit_kph"`
	AccelerationG  *float64   `parquet:"acceleration_g" json:"acceleration_g"`
	LateralG       *float64   `parquet:"lateral_g" json:"lateral_g"`
	Severity       *string    `parquet:"severity,dict" json:"severity"`
	Status         string     `parquet:"status,dict" json:"status"`
	Method         *string    `parquet:"method,dict" json:"method"`
	MediaAvailable *bool      `parquet:"media_available" json:"media_available"`
}

var safetyEvents = table[drover.SafetyEvent, safetyRow]{
	connection: func(r drover.SafetyEvent) string { return r.ConnectionID },
	flat: func(e drover.SafetyEvent) safetyRow {
		row := safetyRow{
			ID: e.ID, DeviceID: e.DeviceID, ConnectionID: e.ConnectionID, SystemEventID: e.SystemEventID, Type: string(e.Type),
			NativeType: e.NativeType, StartTime: e.StartTime.Time, EndTime: instant(e.EndTime), Latitude: e.Latitude, Longitude: e.Longitude,
			Heading: e.Heading, SpeedKPH: e.SpeedKPH, MaxSpeedKPH: e.MaxSpeedKPH, SpeedLimitKPH: e.SpeedLimitKPH, AccelerationG: e.AccelerationG,
			LateralG: e.LateralG, Severity: word(e.Severity), Status: string(e.Status), Method: word(e.Method), MediaAvailable: e.MediaAvailable,
		}
		if e.DriverID != nil {
			row.DriverID = &e.DriverID.Value
		}
		return row
	},
	place: func(e drover.SafetyEvent) *geometry {
		if e.Longitude == nil || e.Latitude == nil {
			return nil
		}
		return point(*e.Longitude, *e.Latitude)
	},
}

// word is a text of a closed set that may be null.
func word[T ~string](v *T) *string {
	if v == nil {
		return nil
	}
	return new(string(*v))
}

func instant(t *drover.Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}
