package traccar

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

type device struct {
	ID         wire.Text `json:"id"`
	Name       wire.Text `json:"name"`
	Disabled   bool      `json:"disabled"`
	Expiration wire.Time `json:"expirationTime"`
	Attributes struct {
		Registration wire.Text `json:"registration"`
	} `json:"attributes"`
}

func (d device) record(now time.Time) provider.Device {
	return provider.Device{
		SystemDeviceID: d.ID.String(),
		Description:    d.Name.Ptr(),
		Registration:   d.Attributes.Registration.Ptr(),
		Active:         !d.Disabled && (d.Expiration.IsZero() || d.Expiration.After(now)),
	}
}

type position struct {
	DeviceID   wire.Text   `json:"deviceId"`
	FixTime    wire.Time   `json:"fixTime"`
	Valid      *bool       `json:"valid"`
	Latitude   float64     `json:"latitude"`
	Longitude  float64     `json:"longitude"`
	Speed      wire.Number `json:"speed"` // knots
	Course     wire.Number `json:"course"`
	Attributes struct {
		Ignition      wire.Bool   `json:"ignition"`
		Odometer      wire.Number `json:"odometer"`      // metres, of the vehicle
		TotalDistance wire.Number `json:"totalDistance"` // metres, since the device was added
		Driver        wire.Text   `json:"driverUniqueId"`
		Codes         *wire.Text  `json:"dtcs"` // absent in messages that do not say
		instruments
	} `json:"attributes"`
}

// record returns the position; false where the tracker had no fix.
func (p position) record() (provider.Position, bool) {
	if p.FixTime.IsZero() || (p.Valid != nil && !*p.Valid) {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: p.DeviceID.String(),
		Position: drover.Position{
			Time:           p.FixTime.Record(),
			Latitude:       p.Latitude,
			Longitude:      p.Longitude,
			Heading:        p.Course.Ptr(),
			SpeedKPH:       wire.Map(p.Speed.Ptr(), wire.KPHFromKnots),
			DriverID:       p.Attributes.Driver.Ptr(),
			Ignition:       p.Attributes.Ignition.Ptr(),
			OdometerMetres: wire.First(p.Attributes.Odometer.Ptr(), p.Attributes.TotalDistance.Ptr()),
		},
		Readings: provider.Readings(p, readings),
		Faults:   p.faults(),
	}, true
}

// faults is the list of codes; nil where the message has none.
func (p position) faults() *fault.Report {
	if p.Attributes.Codes == nil {
		return nil
	}
	return provider.ListedCodes(p.Attributes.Codes.String())
}

type trip struct {
	DeviceID        wire.Text   `json:"deviceId"`
	StartPositionID wire.Text   `json:"startPositionId"`
	StartTime       wire.Time   `json:"startTime"`
	EndTime         wire.Time   `json:"endTime"`
	StartLat        float64     `json:"startLat"`
	StartLon        float64     `json:"startLon"`
	EndLat          float64     `json:"endLat"`
	EndLon          float64     `json:"endLon"`
	Distance        wire.Number `json:"distance"` // metres
	Driver          wire.Text   `json:"driverUniqueId"`
}

// record returns the trip. Its duration is not read: servers give milliseconds
// where their documentation says seconds.
func (t trip) record() provider.Trip {
	return provider.Trip{
		SystemDeviceID: t.DeviceID.String(),
		SystemTripID:   fmt.Sprintf("%s:%s", t.DeviceID, t.StartPositionID),
		Start:          &drover.Coordinate{Latitude: t.StartLat, Longitude: t.StartLon},
		End:            &drover.Coordinate{Latitude: t.EndLat, Longitude: t.EndLon},
		StartTime:      t.StartTime.Record(),
		EndTime:        t.EndTime.Record(),
		DistanceMetres: t.Distance.Ptr(),
		DrivingSeconds: new(t.EndTime.Sub(t.StartTime.Time).Seconds()),
		DriverID:       t.Driver.Ptr(),
	}
}

// driver is a person. Positions name drivers by their unique id, which is the key's.
type driver struct {
	Name     wire.Text `json:"name"`
	UniqueID wire.Text `json:"uniqueId"`
}

func (d driver) record() provider.Driver {
	return provider.Driver{SystemDriverID: d.UniqueID.String(), Name: d.Name.Ptr(), Active: true}
}
