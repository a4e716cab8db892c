package export

import (
	"encoding/json"
	"time"

	"github.com/drover-fleet/drover"
)

// table says how the records R of a kind look as rows of a flat table T, whose
// columns are its fields, and where they are: place is nil where they are nowhere.
type table[R, T any] struct {
	flat  func(R) T
	place func(R) *geometry
	// connection is that of a record, for kinds of which a tenant's own can be chosen.
	connection func(R) string
}

// geometry is that of GeoJSON.
type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

func point(longitude, latitude float64) *geometry {
	return &geometry{"Point", [2]float64{longitude, latitude}}
}

// line is nil where an end is not known.
func line(startLongitude, startLatitude, endLongitude, endLatitude *float64) *geometry {
	if startLongitude == nil || startLatitude == nil || endLongitude == nil || endLatitude == nil {
		return nil
	}
	return &geometry{"LineString", [2][2]float64{{*startLongitude, *startLatitude}, {*endLongitude, *endLatitude}}}
}

// located is a device with its newest position, where the caller may read it.
type located struct {
	drover.Device
	position *drover.CurrentPosition
}

type deviceRow struct {
	ID             string   `parquet:"id" json:"id"`
	SystemDeviceID string   `parquet:"system_device_id" json:"system_device_id"`
	ConnectionID   string   `parquet:"connection_id,dict" json:"connection_id"`
	Description    *string  `parquet:"description" json:"description"`
	Registration   *string  `parquet:"registration" json:"registration"`
	Make           *string  `parquet:"make" json:"make"`
	Model          *string  `parquet:"model" json:"model"`
	Year           *int64   `parquet:"year" json:"year"`
	Active         bool     `parquet:"active" json:"active"`
	Tags           []string `parquet:"tags,list" json:"tags"`
}

var devices = table[located, deviceRow]{
	flat: func(d located) deviceRow {
		row := deviceRow{
			ID: d.ID, SystemDeviceID: d.SystemDeviceID, ConnectionID: d.ConnectionID, Description: d.Description, Registration: d.Registration,
			Make: d.Make, Model: d.Model, Active: d.Active, Tags: d.Tags,
		}
		if d.Year != nil {
			row.Year = new(int64(*d.Year))
		}
		return row
	},
	place: func(d located) *geometry {
		if d.position == nil {
			return nil
		}
		return point(d.position.Longitude, d.position.Latitude)
	},
}

// devicePosition is a position with its device.
type devicePosition struct {
	deviceID string
	drover.StoredPosition
}

// MarshalJSON shows it as the interface does.
func (p devicePosition) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		DeviceID string `json:"device_id"`
		drover.HistoricPosition
	}{p.deviceID, p.History()})
}

type positionRow struct {
	DeviceID       string    `parquet:"device_id,dict" json:"device_id"`
	Timestamp      time.Time `parquet:"timestamp,timestamp(millisecond)" json:"timestamp"`
	Longitude      float64   `parquet:"longitude" json:"longitude"`
	Latitude       float64   `parquet:"latitude" json:"latitude"`
	Heading        *float64  `parquet:"heading" json:"heading"`
	SpeedKPH       *float64  `parquet:"speed_kph" json:"speed_kph"`
	DriverID       *string   `parquet:"driver_id,dict" json:"driver_id"`
	Ignition       *bool     `parquet:"ignition" json:"ignition"`
	Auxiliary      *bool     `parquet:"auxiliary" json:"auxiliary"`
	OdometerMetres *float64  `parquet:"odometer_metres" json:"odometer_metres"`
	Suspect        *string   `parquet:"suspect,dict" json:"suspect"`
}

var positions = table[devicePosition, positionRow]{
	flat: func(p devicePosition) positionRow {
		row := positionRow{
			DeviceID: p.deviceID, Timestamp: p.Time.Time, Longitude: p.Longitude, Latitude: p.Latitude, Heading: p.Heading,
			SpeedKPH: p.SpeedKPH, DriverID: p.DriverID, Ignition: p.Ignition, Auxiliary: p.Auxiliary, OdometerMetres: p.OdometerMetres,
		}
		if p.Suspect != "" {
			row.Suspect = &p.Suspect
		}
		return row
	},
	place: func(p devicePosition) *geometry { return point(p.Longitude, p.Latitude) },
}

// drivenTrip is a trip as the list shows it, and who drove, which its row always has.
type drivenTrip struct {
	drover.TripView
	driver *drover.DriverID
}

// drivenTrips are the trips of a list, shown with their drivers or not.
func drivenTrips(views []drover.TripView, show bool) []drivenTrip {
	trips := make([]drivenTrip, len(views))
	for i, v := range views {
		trips[i] = drivenTrip{v, v.DriverID.Value}
		if !show {
			trips[i].DriverID = drover.Optional[drover.DriverID]{}
		}
	}
	return trips
}

type tripRow struct {
	ID                 string    `parquet:"id" json:"id"`
	DeviceID           string    `parquet:"device_id,dict" json:"device_id"`
	SystemTripID       string    `parquet:"system_trip_id" json:"system_trip_id"`
	StartLatitude      *float64  `parquet:"start_latitude" json:"start_latitude"`
	StartLongitude     *float64  `parquet:"start_longitude" json:"start_longitude"`
	EndLatitude        *float64  `parquet:"end_latitude" json:"end_latitude"`
	EndLongitude       *float64  `parquet:"end_longitude" json:"end_longitude"`
	StartTime          time.Time `parquet:"start_time,timestamp(millisecond)" json:"start_time"`
	EndTime            time.Time `parquet:"end_time,timestamp(millisecond)" json:"end_time"`
	DistanceMetres     *float64  `parquet:"distance_metres" json:"distance_metres"`
	DurationSeconds    float64   `parquet:"duration_seconds" json:"duration_seconds"`
	DrivingSeconds     *float64  `parquet:"driving_seconds" json:"driving_seconds"`
	IdlingSeconds      *float64  `parquet:"idling_seconds" json:"idling_seconds"`
	AuxiliarySeconds   *float64  `parquet:"auxiliary_seconds" json:"auxiliary_seconds"`
	IsValid            bool      `parquet:"is_valid" json:"is_valid"`
	ValidationComments *string   `parquet:"validation_comments,dict" json:"validation_comments"`
	DriverID           *string   `parquet:"driver_id,dict" json:"driver_id"`
}

var trips = table[drivenTrip, tripRow]{
	flat: func(t drivenTrip) tripRow {
		row := tripRow{
			ID: t.ID, DeviceID: t.DeviceID, SystemTripID: t.SystemTripID, StartLatitude: t.StartLatitude, StartLongitude: t.StartLongitude,
			EndLatitude: t.EndLatitude, EndLongitude: t.EndLongitude, StartTime: t.StartTime.Time, EndTime: t.EndTime.Time,
			DistanceMetres:  t.DistanceMetres,
			DurationSeconds: t.DurationSeconds, DrivingSeconds: t.DrivingSeconds, IdlingSeconds: t.IdlingSeconds,
			AuxiliarySeconds: t.AuxiliarySeconds,
			IsValid:          t.IsValid, ValidationComments: t.ValidationComments,
		}
		if t.driver != nil {
			row.DriverID = &t.driver.Value
		}
		return row
	},
	place: func(t drivenTrip) *geometry {
		return line(t.StartLongitude, t.StartLatitude, t.EndLongitude, t.EndLatitude)
	},
}

type stopRow struct {
	ID               string     `parquet:"id" json:"id"`
	DeviceID         string     `parquet:"device_id,dict" json:"device_id"`
	Latitude         *float64   `parquet:"latitude" json:"latitude"`
	Longitude        *float64   `parquet:"longitude" json:"longitude"`
	StartTime        time.Time  `parquet:"start_time,timestamp(millisecond)" json:"start_time"`
	EndTime          *time.Time `parquet:"end_time,timestamp(millisecond)" json:"end_time"`
	DurationSeconds  float64    `parquet:"duration_seconds" json:"duration_seconds"`
	EngineOnSeconds  *float64   `parquet:"engine_on_seconds" json:"engine_on_seconds"`
	AuxiliarySeconds *float64   `parquet:"auxiliary_seconds" json:"auxiliary_seconds"`
	UnseenMetres     *float64   `parquet:"unseen_metres" json:"unseen_metres"`
}

var stops = table[drover.Stop, stopRow]{
	flat: func(s drover.Stop) stopRow {
		row := stopRow{
			ID: s.ID, DeviceID: s.DeviceID, Latitude: s.Latitude, Longitude: s.Longitude, StartTime: s.StartTime.Time,
			DurationSeconds: s.DurationSeconds, EngineOnSeconds: s.EngineOnSeconds, AuxiliarySeconds: s.AuxiliarySeconds,
		}
		if s.EndTime != nil {
			row.EndTime = &s.EndTime.Time
		}
		if s.Unseen != nil {
			row.UnseenMetres = &s.Unseen.DistanceMetres
		}
		return row
	},
	place: func(s drover.Stop) *geometry {
		if s.Longitude == nil || s.Latitude == nil {
			return nil
		}
		return point(*s.Longitude, *s.Latitude)
	},
}

type milestoneRow struct {
	ID             string     `parquet:"id" json:"id"`
	TenantID       string     `parquet:"tenant_id,dict" json:"tenant_id"`
	DeviceID       string     `parquet:"device_id,dict" json:"device_id"`
	StartLatitude  float64    `parquet:"start_latitude" json:"start_latitude"`
	StartLongitude float64    `parquet:"start_longitude" json:"start_longitude"`
	EndLatitude    float64    `parquet:"end_latitude" json:"end_latitude"`
	EndLongitude   float64    `parquet:"end_longitude" json:"end_longitude"`
	StartTime      time.Time  `parquet:"start_time,timestamp(millisecond)" json:"start_time"`
	EndTime        *time.Time `parquet:"end_time,timestamp(millisecond)" json:"end_time"`
	CreatedAt      time.Time  `parquet:"created_at,timestamp(millisecond)" json:"created_at"`
	UpdatedAt      time.Time  `parquet:"updated_at,timestamp(millisecond)" json:"updated_at"`
	Status         string     `parquet:"status,dict" json:"status"`
	Reference      *string    `parquet:"reference" json:"reference"`
	Metadata       *string    `parquet:"metadata" json:"metadata"`
}

var milestones = table[drover.Milestone, milestoneRow]{
	flat: func(m drover.Milestone) milestoneRow {
		row := milestoneRow{
			ID: m.ID, TenantID: m.TenantID, DeviceID: m.DeviceID, StartLatitude: m.StartPoint.Latitude, StartLongitude: m.StartPoint.Longitude,
			EndLatitude: m.EndPoint.Latitude, EndLongitude: m.EndPoint.Longitude, StartTime: m.StartTime.Time, CreatedAt: m.CreatedAt.Time,
			UpdatedAt: m.UpdatedAt.Time, Status: string(m.Status), Reference: m.Reference,
		}
		if len(m.Metadata) > 0 {
			text, _ := json.Marshal(m.Metadata) // texts always marshal
			row.Metadata = new(string(text))
		}
		if m.EndTime != nil {
			row.EndTime = &m.EndTime.Time
		}
		return row
	},
	place: func(m drover.Milestone) *geometry {
		return line(&m.StartPoint.Longitude, &m.StartPoint.Latitude, &m.EndPoint.Longitude, &m.EndPoint.Latitude)
	},
}

type eventRow struct {
	ID           string          `parquet:"id" json:"id"`
	Sequence     int64           `parquet:"sequence" json:"sequence"`
	Type         string          `parquet:"type,dict" json:"type"`
	Timestamp    time.Time       `parquet:"timestamp,timestamp(millisecond)" json:"timestamp"`
	ConnectionID *string         `parquet:"connection_id,dict" json:"connection_id"`
	DeviceID     *string         `parquet:"device_id,dict" json:"device_id"`
	MilestoneID  *string         `parquet:"milestone_id,dict" json:"milestone_id"`
	Data         json.RawMessage `parquet:"data,string" json:"data"`
}

var events = table[drover.Event, eventRow]{
	flat: func(e drover.Event) eventRow {
		return eventRow{
			ID: e.ID, Sequence: e.Sequence, Type: string(e.Type), Timestamp: e.Timestamp.Time, ConnectionID: e.ConnectionID, DeviceID: e.DeviceID,
			MilestoneID: e.MilestoneID, Data: e.Data,
		}
	},
}
