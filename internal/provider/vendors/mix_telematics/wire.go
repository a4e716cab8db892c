package mixtelematics

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	tokenLayout = "20060102150405.000" // without the point
	pathLayout  = "20060102150405"
)

func tokenAt(t time.Time) string {
	return strings.Replace(t.UTC().Format(tokenLayout), ".", "", 1)
}

// tokenTime returns when a token was made; false for one of another form.
func tokenTime(token string) (time.Time, bool) {
	if len(token) <= len(pathLayout) {
		return time.Time{}, false
	}
	at, err := time.Parse(tokenLayout, token[:len(pathLayout)]+"."+token[len(pathLayout):])
	return at, err == nil
}

func pathTime(t time.Time) string { return t.UTC().Format(pathLayout) }

// Ids are signed numbers of up to 19 digits. They are kept as the text of their
// digits, which a float64 would round.
type organisation struct {
	GroupID wire.Text `json:"GroupId"`
	Name    string    `json:"Name"`
}

// numbers returns ids as the vendor reads them: bare numbers, of all their digits.
func numbers(ids []string) []json.Number {
	list := make([]json.Number, len(ids))
	for i, id := range ids {
		list[i] = json.Number(id)
	}
	return list
}

type driver struct {
	DriverID       wire.Text `json:"DriverId"`
	IsSystemDriver wire.Bool `json:"IsSystemDriver"`
	Name           wire.Text `json:"Name"`
	EmployeeNumber wire.Text `json:"EmployeeNumber"`
	Phone          wire.Text `json:"MobileNumber"`
	Email          wire.Text `json:"Email"`
	Key            wire.Text `json:"ExtendedDriverId"`
}

func (d driver) record() (provider.Driver, bool) {
	return provider.Driver{
		SystemDriverID: d.DriverID.String(), Name: d.Name.Ptr(), EmployeeNumber: d.EmployeeNumber.Ptr(), Phone: d.Phone.Ptr(),
		Email: d.Email.Ptr(), Keys: provider.Key(drover.KeyOther, d.Key.Ptr()), Active: true,
	}, !d.IsSystemDriver.Or(false)
}

type asset struct {
	AssetID            wire.Text `json:"AssetId"`
	Description        wire.Text `json:"Description"`
	RegistrationNumber wire.Text `json:"RegistrationNumber"`
	Make               wire.Text `json:"Make"`
	Model              wire.Text `json:"Model"`
	Year               wire.Text `json:"Year"`
	UserState          wire.Text `json:"UserState"`
}

// record returns the device. The words for its state are not documented: only the
// one that can mean nothing else makes it inactive.
func (a asset) record() provider.Device {
	return provider.Device{
		SystemDeviceID: a.AssetID.String(),
		Description:    a.Description.Ptr(),
		Registration:   a.RegistrationNumber.Ptr(),
		Make:           a.Make.Ptr(),
		Model:          a.Model.Ptr(),
		Year:           a.Year.Int(),
		Active:         !strings.Contains(strings.ToLower(a.UserState.String()), "decommissioned"),
	}
}

type position struct {
	AssetID   wire.Text   `json:"AssetId"`
	DriverID  wire.Text   `json:"DriverId"`
	Timestamp wire.Time   `json:"Timestamp"`
	Latitude  wire.Number `json:"Latitude"`
	Longitude wire.Number `json:"Longitude"`
	Speed     wire.Number `json:"SpeedKilometresPerHour"`
	Heading   wire.Number `json:"Heading"`
	Odometer  wire.Number `json:"OdometerKilometres"`
}

// point returns the place, nil where a row has none.
func (p *position) point() *drover.Coordinate {
	if p == nil {
		return nil
	}
	return wire.Coordinate(p.Latitude.Ptr(), p.Longitude.Ptr())
}

// record returns the position; false for a row without time or place.
func (p position) record() (provider.Position, bool) {
	r, ok := wire.Fix(p.AssetID.String(), p.Timestamp, p.Latitude.Ptr(), p.Longitude.Ptr())
	r.Heading, r.SpeedKPH, r.DriverID = p.Heading.Ptr(), p.Speed.Ptr(), p.DriverID.ID()
	r.OdometerMetres = wire.Map(p.Odometer.Ptr(), wire.MetresFromKM)
	r.Readings = provider.Readings(p, readings)
	return r, ok
}

type trip struct {
	TripID        wire.Text   `json:"TripId"`
	AssetID       wire.Text   `json:"AssetId"`
	TripStart     wire.Time   `json:"TripStart"`
	TripEnd       wire.Time   `json:"TripEnd"`
	StartPosition *position   `json:"StartPosition"`
	EndPosition   *position   `json:"EndPosition"`
	DrivingTime   wire.Number `json:"DrivingTime"`  // seconds
	StandingTime  wire.Number `json:"StandingTime"` // seconds
	Kilometers    wire.Number `json:"DistanceKilometers"`
	Kilometres    wire.Number `json:"DistanceKilometres"` // as the vendor spells it elsewhere
}

// record returns the trip; false where it is not over. Its Duration is not read:
// in the vendor's own example it is not the sum of the parts.
func (t trip) record() (provider.Trip, bool) {
	return provider.Trip{
		SystemDeviceID: t.AssetID.String(),
		SystemTripID:   t.TripID.String(),
		Start:          t.StartPosition.point(),
		End:            t.EndPosition.point(),
		StartTime:      t.TripStart.Record(),
		EndTime:        t.TripEnd.Record(),
		DistanceMetres: wire.Map(wire.First(t.Kilometers.Ptr(), t.Kilometres.Ptr()), wire.MetresFromKM),
		DrivingSeconds: t.DrivingTime.Ptr(),
		IdlingSeconds:  t.StandingTime.Ptr(),
	}, !t.TripStart.IsZero() && !t.TripEnd.IsZero()
}

func trips(rows []trip) []provider.Trip { return wire.Records(rows, trip.record) }
