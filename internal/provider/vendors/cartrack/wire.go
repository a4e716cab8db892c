package cartrack

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// envelope is an answer of the API.
type envelope[T any] struct {
	Data []T `json:"data"`
	Meta struct {
		LastPage wire.Number `json:"last_page"`
	} `json:"meta"`
	Error *struct {
		Code wire.Number `json:"code"`
	} `json:"error"`
}

// failure returns the error of an answer that has one though its status is 200.
func (e envelope[T]) failure() error {
	switch {
	case e.Error == nil && e.Data == nil:
		return provider.Errorf(provider.KindTemporary, "Cartrack's answer has no data")
	case e.Error == nil:
		return nil
	}
	kind := provider.KindTemporary
	code := int(e.Error.Code.Or(0))
	switch code {
	case http.StatusUnauthorized:
		kind = provider.KindCredentials
	case http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest, http.StatusUnprocessableEntity:
		kind = provider.KindPermanent
	case http.StatusTooManyRequests:
		kind = provider.KindRateLimited
	}
	return provider.Errorf(kind, "Cartrack answered with error %d", code)
}

// records converts rows as wire.Records does, where one may have a time that cannot
// be read: nothing is returned then, as the rest of the account's are no better.
func records[R, T any](rows []R, convert func(R) (T, bool, error)) ([]T, error) {
	var failed error
	records := wire.Records(rows, func(row R) (T, bool) {
		record, ok, err := convert(row)
		failed = cmp.Or(failed, err)
		return record, ok
	})
	return records, failed
}

type vehicle struct {
	ID           wire.Text   `json:"vehicle_id"`
	Registration wire.Text   `json:"registration"`
	Name         wire.Text   `json:"vehicle_name"`
	Description  wire.Text   `json:"client_vehicle_description"`
	Manufacturer wire.Text   `json:"manufacturer"`
	Model        wire.Text   `json:"model"`
	ModelYear    wire.Number `json:"model_year"`
}

// placeholder starts the registrations that Cartrack makes up.
const placeholder = "TEMP-"

func (v vehicle) record() provider.Device {
	registration := v.Registration.Ptr()
	if registration != nil && strings.HasPrefix(*registration, placeholder) {
		registration = v.Name.Ptr()
	}
	return provider.Device{
		SystemDeviceID: v.ID.String(),
		Description:    wire.First(v.Name.Ptr(), v.Description.Ptr()),
		Registration:   registration,
		Make:           v.Manufacturer.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.ModelYear.Int(),
		Active:         true,
	}
}

type event struct {
	VehicleID wire.Text   `json:"vehicle_id"`
	Time      wire.Text   `json:"event_ts"`
	Latitude  wire.Number `json:"latitude"`
	Longitude wire.Number `json:"longitude"`
	Bearing   wire.Number `json:"bearing"`
	Speed     wire.Number `json:"speed"` // km/h
	Ignition  wire.Bool   `json:"ignition"`
	Odometer  wire.Number `json:"odometer"` // metres
	DriverID  wire.Text   `json:"driver_id"`
	Fix       wire.Number `json:"gps_fix_type"` // 2 and 3 are fixes in a plane and in space
	instruments
}

// status is the newest state of a vehicle.
type status struct {
	event
	Location *struct {
		Updated   wire.Text   `json:"updated"`
		Latitude  wire.Number `json:"latitude"`
		Longitude wire.Number `json:"longitude"`
		Fix       wire.Number `json:"gps_fix_type"`
	} `json:"location"`
	Driver *struct {
		ID wire.Text `json:"driver_id"`
	} `json:"driver"`
}

// newest returns the state as the event that reported it.
func (s status) newest() event {
	e := s.event
	if s.Driver != nil {
		e.DriverID = s.Driver.ID
	}
	if s.Location != nil {
		e.Latitude, e.Longitude, e.Fix = s.Location.Latitude, s.Location.Longitude, s.Location.Fix
		e.Time = cmp.Or(s.Location.Updated, e.Time)
	}
	return e
}

// record returns the position; false where the event has none. A time without an
// offset is of zone.
func (e event) record(zone *time.Location) (provider.Position, bool, error) {
	at, err := wire.ParseTimeIn(e.Time.String(), zone)
	p, ok := wire.Fix(e.VehicleID.String(), at, e.Latitude.Ptr(), e.Longitude.Ptr())
	p.Heading, p.SpeedKPH, p.OdometerMetres = e.Bearing.Ptr(), e.Speed.Ptr(), e.Odometer.Ptr()
	p.DriverID, p.Ignition = e.DriverID.Ptr(), e.Ignition.Ptr()
	p.Readings = e.readings(zone)
	return p, ok && e.Fix.Or(3) >= 2, err
}

type trip struct {
	ID            wire.Text   `json:"trip_id"`
	VehicleID     wire.Text   `json:"vehicle_id"`
	Start         wire.Text   `json:"start_timestamp"`
	End           wire.Text   `json:"end_timestamp"`
	Duration      wire.Number `json:"trip_duration_seconds"`
	StartPoint    *point      `json:"start_coordinates"`
	EndPoint      *point      `json:"end_coordinates"`
	StartOdometer wire.Number `json:"start_odometer"` // metres
	EndOdometer   wire.Number `json:"end_odometer"`   // metres
	Distance      wire.Number `json:"trip_distance"`  // metres or kilometres
	IdleSeconds   wire.Number `json:"idle_time_seconds"`
	Idle          wire.Span   `json:"idle_time"`
	DriverID      wire.Text   `json:"driver_id"`
}

type point struct {
	Latitude  wire.Number `json:"latitude"`
	Longitude wire.Number `json:"longitude"`
}

func (p *point) coordinate() *drover.Coordinate {
	if p == nil {
		return nil
	}
	return wire.Coordinate(p.Latitude.Ptr(), p.Longitude.Ptr())
}

// record returns the trip; false where it is not over.
func (t trip) record(zone *time.Location) (provider.Trip, bool, error) {
	start, err := wire.ParseTimeIn(t.Start.String(), zone)
	if err != nil {
		return provider.Trip{}, false, err
	}
	end, err := wire.ParseTimeIn(t.End.String(), zone)
	if err != nil || start.IsZero() || end.IsZero() {
		return provider.Trip{}, false, err
	}
	seconds := t.Duration.Or(end.Sub(start.Time).Seconds())
	idling := wire.First(t.IdleSeconds.Ptr(), t.Idle.Seconds())
	return provider.Trip{
		SystemDeviceID: t.VehicleID.String(),
		SystemTripID:   t.ID.String(),
		Start:          t.StartPoint.coordinate(),
		End:            t.EndPoint.coordinate(),
		StartTime:      start.Record(),
		EndTime:        end.Record(),
		DistanceMetres: t.metres(seconds),
		DrivingSeconds: wire.Without(idling, seconds),
		IdlingSeconds:  idling,
		DriverID:       t.DriverID.ID(),
	}, true, nil
}

// plausibleKPH is the mean speed up to which a distance may be in kilometres.
const plausibleKPH = 200

// metres returns the distance. Business accounts give metres and some personal
// ones kilometres, without a word; the odometers are metres in both.
func (t trip) metres(seconds float64) *float64 {
	first, last := t.StartOdometer.Ptr(), t.EndOdometer.Ptr()
	if first != nil && last != nil && *last > *first {
		return new(*last - *first)
	}
	distance := t.Distance.Ptr()
	if distance != nil && seconds > 0 && *distance/(seconds/3600) <= plausibleKPH {
		return new(wire.MetresFromKM(*distance))
	}
	return distance
}

// driver is a person. Which words a status has is not published, but for that of one who is
// no longer active.
type driver struct {
	ID             wire.Text `json:"driver_id"`
	FirstName      wire.Text `json:"first_name"`
	LastName       wire.Text `json:"last_name"`
	Email          wire.Text `json:"email"`
	Phone          wire.Text `json:"phone_number"`
	Licence        wire.Text `json:"license_number"`
	EmployeeNumber wire.Text `json:"employee_number"`
	Status         wire.Text `json:"status"`
}

func (d driver) record() provider.Driver {
	return provider.Driver{
		SystemDriverID: d.ID.String(), FirstName: d.FirstName.Ptr(), LastName: d.LastName.Ptr(), Email: d.Email.Ptr(), Phone: d.Phone.Ptr(),
		LicenceNumber: d.Licence.Ptr(), EmployeeNumber: d.EmployeeNumber.Ptr(), Active: !strings.EqualFold(d.Status.String(), "inactive"),
	}
}
