package geotab

import (
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// noDriver stands for a driver that is not known, driverAbsent for none.
	noDriver     = "UnknownDriverId"
	driverAbsent = "NoDriverId"
	// untracked is the device type of an asset without a tracker.
	untracked = "None"
	// ignitionDiagnostic is 1 while the ignition is on and 0 while it is off.
	ignitionDiagnostic = "DiagnosticIgnitionId"
)

// reference is another entity: an object with its id, or the id alone.
type reference string

// UnmarshalJSON reads either form.
func (r *reference) UnmarshalJSON(b []byte) error {
	text, err := wire.TextIn(b, "id")
	*r = reference(text)
	return err
}

// driver is the id of a driver, nil where none is known.
func (r reference) driver() *string {
	if r == noDriver || r == driverAbsent {
		return nil
	}
	return wire.NonZero(string(r))
}

type device struct {
	ID           wire.Text `json:"id"`
	Name         wire.Text `json:"name"`
	DeviceType   wire.Text `json:"deviceType"`
	LicensePlate wire.Text `json:"licensePlate"`
	ActiveTo     wire.Time `json:"activeTo"`
}

func (d device) record(now time.Time) provider.Device {
	return provider.Device{
		SystemDeviceID: d.ID.String(),
		Description:    d.Name.Ptr(),
		Registration:   d.LicensePlate.Ptr(),
		Active:         d.DeviceType != untracked && (d.ActiveTo.IsZero() || d.ActiveTo.After(now)),
	}
}

type logRecord struct {
	Device    reference   `json:"device"`
	DateTime  wire.Time   `json:"dateTime"`
	Latitude  float64     `json:"latitude"`
	Longitude float64     `json:"longitude"`
	Speed     wire.Number `json:"speed"` // km/h
}

// record returns the position; false for a row that names no device or time.
func (r logRecord) record() (provider.Position, bool) {
	return provider.Position{
		SystemDeviceID: string(r.Device),
		Position: drover.Position{
			Time:      r.DateTime.Record(),
			Latitude:  r.Latitude,
			Longitude: r.Longitude,
			SpeedKPH:  r.Speed.Ptr(),
		},
	}, r.Device != "" && !r.DateTime.IsZero()
}

func records(rows []logRecord) []provider.Position {
	return wire.Records(rows, logRecord.record)
}

// nearest returns the place of the row nearest to an instant, nil where there is
// none.
func nearest(rows []logRecord, at time.Time) *drover.Coordinate {
	var best *drover.Coordinate
	var off time.Duration
	for _, r := range rows {
		if d := r.DateTime.Sub(at).Abs(); best == nil || d < off {
			best, off = &drover.Coordinate{Latitude: r.Latitude, Longitude: r.Longitude}, d
		}
	}
	return best
}

type driverChange struct {
	ID       wire.Text `json:"id"`
	Device   reference `json:"device"`
	Driver   reference `json:"driver"`
	DateTime wire.Time `json:"dateTime"`
	Type     wire.Text `json:"type"`
}

func (c driverChange) state() (string, time.Time, *string, bool) {
	if c.Type == "None" || c.Driver.driver() == nil {
		return string(c.Device), c.DateTime.Time, nil, true
	}
	return string(c.Device), c.DateTime.Time, wire.NonZero(string(c.Driver)), true
}

// statusData is a reading of any kind: an odometer, a voltage, the ignition.
type statusData struct {
	Device     reference   `json:"device"`
	Diagnostic reference   `json:"diagnostic"`
	DateTime   wire.Time   `json:"dateTime"`
	Data       wire.Number `json:"data"`
}

// state returns what the ignition was; false for a reading of anything else.
func (s statusData) state() (string, time.Time, *bool, bool) {
	on := wire.Map(s.Data.Ptr(), func(v float64) bool { return v != 0 })
	return string(s.Device), s.DateTime.Time, on, s.Diagnostic == ignitionDiagnostic
}

type trip struct {
	Device          reference   `json:"device"`
	Driver          reference   `json:"driver"`
	Start           wire.Time   `json:"start"`
	Stop            wire.Time   `json:"stop"`
	NextTripStart   wire.Time   `json:"nextTripStart"`
	Distance        wire.Number `json:"distance"` // kilometres
	DrivingDuration wire.Span   `json:"drivingDuration"`
	StopPoint       *struct {
		X float64 `json:"x"` // longitude
		Y float64 `json:"y"` // latitude
	} `json:"stopPoint"`
}

// record returns the trip without its start place; false where it is not over.
//
// The vendor's id is not used: it changes when a trip is calculated again. Nor is
// idlingDuration, which belongs to the stop after the trip.
func (t trip) record() (provider.Trip, bool) {
	return provider.Trip{
		SystemDeviceID: string(t.Device),
		SystemTripID:   fmt.Sprintf("%s-%s", t.Device, t.Start.Record()),
		End:            t.end(),
		StartTime:      t.Start.Record(),
		EndTime:        t.Stop.Record(),
		DistanceMetres: wire.Map(t.Distance.Ptr(), wire.MetresFromKM),
		DrivingSeconds: t.DrivingDuration.Seconds(),
		DriverID:       t.Driver.driver(),
	}, t.Device != "" && !t.Start.IsZero() && t.Stop.After(t.Start.Time)
}

func (t trip) end() *drover.Coordinate {
	if t.StopPoint == nil {
		return nil
	}
	return &drover.Coordinate{Latitude: t.StopPoint.Y, Longitude: t.StopPoint.X}
}

// startAfter returns where the trip that this one follows ended, nil where it is
// not among rows.
func (t trip) startAfter(rows []trip) *drover.Coordinate {
	for _, r := range rows {
		if r.Device == t.Device && r.NextTripStart.Equal(t.Start.Time) && r.Start.Before(t.Start.Time) {
			return r.end()
		}
	}
	return nil
}

type user struct {
	ID             wire.Text `json:"id"`
	Login          wire.Text `json:"name"`
	FirstName      wire.Text `json:"firstName"`
	LastName       wire.Text `json:"lastName"`
	EmployeeNumber wire.Text `json:"employeeNo"`
	Licence        wire.Text `json:"licenseNumber"`
	Region         wire.Text `json:"licenseProvince"`
	ActiveTo       wire.Time `json:"activeTo"`
	Keys           []struct {
		Serial wire.Text `json:"serialNumber"`
	} `json:"keys"`
}

// record is the driver. The login is often an e-mail address, and the name of one without
// another.
func (u user) record(now time.Time) provider.Driver {
	d := provider.Driver{
		SystemDriverID: u.ID.String(), FirstName: u.FirstName.Ptr(), LastName: u.LastName.Ptr(), EmployeeNumber: u.EmployeeNumber.Ptr(),
		LicenceNumber: u.Licence.Ptr(), LicenceRegion: u.Region.Ptr(), Active: u.ActiveTo.IsZero() || u.ActiveTo.After(now),
	}
	if login := u.Login.Ptr(); login != nil && strings.Contains(*login, "@") {
		d.Email = login
	} else if d.FirstName == nil && d.LastName == nil {
		d.Name = login
	}
	for _, key := range u.Keys {
		d.Keys = append(d.Keys, provider.Key(drover.KeyOther, key.Serial.Ptr())...)
	}
	return d
}
