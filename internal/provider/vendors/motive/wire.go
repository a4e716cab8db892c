package motive

import (
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

type pagination struct {
	PerPage wire.Number `json:"per_page"`
	Total   wire.Number `json:"total"`
}

// more reports whether there is a page behind this one, which has so many rows. A
// page past the end is empty and no error.
func (p pagination) more(number, rows int) bool {
	size := p.PerPage.Or(perPage)
	if total := p.Total.Ptr(); total != nil {
		return rows > 0 && float64(number)*size < *total
	}
	return float64(rows) >= size
}

// vehicles is the answer of the list of vehicles and of that of their locations.
type vehicles struct {
	Vehicles   []vehicleItem `json:"vehicles" required:"true"`
	Pagination pagination    `json:"pagination"`
}

type vehicleItem struct {
	Vehicle vehicle `json:"vehicle"`
}

type vehicle struct {
	ID       wire.Text   `json:"id"`
	Number   wire.Text   `json:"number"`
	Status   string      `json:"status"`
	Make     wire.Text   `json:"make"`
	Model    wire.Text   `json:"model"`
	Year     wire.Number `json:"year"` // as text; "" and "0" are none
	Plate    wire.Text   `json:"license_plate_number"`
	Location *location   `json:"current_location"`
	Driver   *driver     `json:"current_driver"`
}

type driver struct {
	ID wire.Text `json:"id"`
}

// id is nil where no one is known to have driven.
func (d *driver) id() *string {
	if d == nil {
		return nil
	}
	return d.ID.Ptr()
}

func (v vehicle) record() provider.Device {
	return provider.Device{
		SystemDeviceID: v.ID.String(),
		Description:    v.Number.Ptr(),
		Registration:   v.Plate.Ptr(),
		Make:           v.Make.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         v.Status == "active",
	}
}

// position returns the latest position; false where there is none.
func (v vehicle) position() (provider.Position, bool) {
	if v.Location == nil {
		return provider.Position{}, false
	}
	return v.Location.record(v.ID.String(), v.Driver)
}

type locations struct {
	Locations []locationItem `json:"vehicle_locations" required:"true"`
}

type locationItem struct {
	Location location `json:"vehicle_location"`
}

// location is a position with the metric header: kilometres and km/h. That the
// odometers follow the header is unverified.
type location struct {
	Time         wire.Time   `json:"located_at"`
	Latitude     wire.Number `json:"lat"`
	Longitude    wire.Number `json:"lon"`
	Bearing      wire.Number `json:"bearing"`
	Speed        wire.Number `json:"speed"`
	Type         string      `json:"type"`
	Odometer     wire.Number `json:"odometer"`
	TrueOdometer wire.Number `json:"true_odometer"`
	Driver       *driver     `json:"driver"` // in the history alone
	instruments
}

func (l location) record(device string, by *driver) (provider.Position, bool) {
	p, ok := wire.Fix(device, l.Time, l.Latitude.Ptr(), l.Longitude.Ptr())
	p.Heading, p.SpeedKPH, p.Ignition = l.Bearing.Ptr(), l.Speed.Ptr(), ignition(l.Type)
	p.OdometerMetres = wire.Map(wire.First(l.TrueOdometer.Ptr(), l.Odometer.Ptr()), wire.MetresFromKM)
	p.DriverID, p.Readings = by.id(), provider.Readings(l, readings)
	return p, ok
}

// ignition reads the state from the type of a record; many do not tell it.
func ignition(kind string) *bool {
	switch kind {
	case "ignition_on", "engine_start", "vehicle_moving":
		return new(true)
	case "ignition_off", "engine_stop":
		return new(false)
	default:
		return nil
	}
}

type periods struct {
	Periods    []periodItem `json:"driving_periods" required:"true"`
	Pagination pagination   `json:"pagination"`
}

type periodItem struct {
	Period period `json:"driving_period"`
}

// period is a driving period. Its kilometres are kilometres whatever the header;
// its distance is a text for people and is not read.
type period struct {
	ID             wire.Text   `json:"id"`
	Status         string      `json:"status"`
	Start          wire.Time   `json:"start_time"`
	End            wire.Time   `json:"end_time"`
	Duration       wire.Number `json:"duration"` // seconds
	StartKM        wire.Number `json:"start_kilometers"`
	EndKM          wire.Number `json:"end_kilometers"`
	OriginLat      wire.Number `json:"origin_lat"`
	OriginLon      wire.Number `json:"origin_lon"`
	DestinationLat wire.Number `json:"destination_lat"`
	DestinationLon wire.Number `json:"destination_lon"`
	Vehicle        struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
	Driver *driver `json:"driver"`
}

// record returns the trip; false where it is under way, or of no vehicle.
func (p period) record() (provider.Trip, bool) {
	over := !p.Start.IsZero() && !p.End.IsZero() && p.Status != "in_progress"
	return provider.Trip{
		SystemDeviceID: p.Vehicle.ID.String(),
		SystemTripID:   p.ID.String(),
		Start:          wire.Coordinate(p.OriginLat.Ptr(), p.OriginLon.Ptr()),
		End:            wire.Coordinate(p.DestinationLat.Ptr(), p.DestinationLon.Ptr()),
		StartTime:      p.Start.Record(),
		EndTime:        p.End.Record(),
		DistanceMetres: wire.Map(wire.Difference(p.StartKM.Ptr(), p.EndKM.Ptr()), wire.MetresFromKM),
		DrivingSeconds: new(p.Duration.Or(p.End.Sub(p.Start.Time).Seconds())),
		DriverID:       p.Driver.id(),
	}, over && p.Vehicle.ID != ""
}

type users struct {
	Users      []userItem `json:"users" required:"true"`
	Pagination pagination `json:"pagination"`
}

type userItem struct {
	User user `json:"user"`
}

// user is someone with a login, who need not drive. Those who left are listed too.
type user struct {
	ID        wire.Text `json:"id"`
	FirstName wire.Text `json:"first_name"`
	LastName  wire.Text `json:"last_name"`
	Email     wire.Text `json:"email"`
	Phone     wire.Text `json:"phone"`
	Role      wire.Text `json:"role"`
	Status    wire.Text `json:"status"`
	CompanyID wire.Text `json:"driver_company_id"`
	Licence   wire.Text `json:"drivers_license_number"`
	Region    wire.Text `json:"drivers_license_state"`
}

func (u user) record() (provider.Driver, bool) {
	return provider.Driver{
		SystemDriverID: u.ID.String(), FirstName: u.FirstName.Ptr(), LastName: u.LastName.Ptr(), Email: u.Email.Ptr(), Phone: u.Phone.Ptr(),
		EmployeeNumber: u.CompanyID.Ptr(), LicenceNumber: u.Licence.Ptr(), LicenceRegion: u.Region.Ptr(), Active: u.Status != "deactivated",
	}, u.Role == "driver"
}
