package ruptela

import (
	"strings"
	"unicode"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

type object struct {
	ID      wire.Text `json:"id"`
	Name    wire.Text `json:"name"`
	Vehicle struct {
		Make  wire.Text `json:"make"`
		Model wire.Text `json:"model"`
		Plate wire.Text `json:"plate_number"`
	} `json:"vehicle_params"`
}

func (o object) record() provider.Device {
	return provider.Device{
		SystemDeviceID: o.ID.String(),
		Description:    o.Name.Ptr(),
		Registration:   o.Vehicle.Plate.Ptr(),
		Make:           o.Vehicle.Make.Ptr(),
		Model:          o.Vehicle.Model.Ptr(),
		Active:         true,
	}
}

// coordinates is a page of an object's track.
type coordinates struct {
	Items []coordinate `json:"items" required:"true"`
	continuation
}

// trips is a page of an object's trips.
type trips struct {
	Trips []trip `json:"trips" required:"true"`
	continuation
}

// newest is a page of the newest coordinate of each object.
type newest struct {
	Results []coordinate `json:"results" required:"true"`
	continuation
}

// continuation leads to the next page of a list.
type continuation struct {
	Token wire.Text `json:"continuation_token"`
}

func (c continuation) next() string { return c.Token.String() }

// coordinate is a record of a tracker. Its inputs depend on the tracker's model.
type coordinate struct {
	Time     wire.Time `json:"datetime"`
	Ignition wire.Bool `json:"ignition_status"`
	Position struct {
		Latitude  wire.Number `json:"latitude"`
		Longitude wire.Number `json:"longitude"`
		Direction wire.Number `json:"direction"`
		Speed     wire.Number `json:"speed"` // km/h
	} `json:"position"`
	Inputs struct {
		Device     wire.Bag `json:"device_inputs"`
		Calculated wire.Bag `json:"calculated_inputs"`
		Other      wire.Bag `json:"other"`
	} `json:"inputs"`
}

// record returns the position; false where there was none.
func (c coordinate) record(objectID string) (provider.Position, bool) {
	latitude, longitude := c.Position.Latitude.Ptr(), c.Position.Longitude.Ptr()
	if c.Time.IsZero() || latitude == nil || longitude == nil {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: objectID,
		Position: drover.Position{
			Time:           c.Time.Record(),
			Latitude:       *latitude,
			Longitude:      *longitude,
			Heading:        c.Position.Direction.Ptr(),
			SpeedKPH:       c.Position.Speed.Ptr(),
			DriverID:       wire.First(printable(c.Inputs.Device.Text("first_driver_id")), printable(c.Inputs.Device.Text("ibutton"))),
			Ignition:       c.Ignition.Ptr(),
			Auxiliary:      c.auxiliary(),
			OdometerMetres: c.odometer(),
		},
	}, true
}

// odometer prefers the vehicle's own to those that are counted from positions.
// All are kilometres.
func (c coordinate) odometer() *float64 {
	km := wire.First(
		c.Inputs.Device.Number("canbus_distance").Ptr(),
		c.Inputs.Calculated.Number("mileage").Ptr(),
		c.Inputs.Device.Number("virtual_odometer").Ptr(),
		c.Inputs.Other.Number("virtual_gps_odometer").Ptr(),
	)
	return wire.Map(km, wire.MetresFromKM)
}

// auxiliary reads the power take-off, nil where the vehicle does not tell.
func (c coordinate) auxiliary() *bool {
	for _, key := range []string{"canbus_pto_state", "canbus_pto"} {
		switch c.Inputs.Device.Text(key) {
		case "SET", "AT_LEAST_ONE_PTO_DRIVER":
			return new(true)
		case "OFF_DISABLED", "NO_PTO_DRIVER":
			return new(false)
		}
	}
	return nil
}

// printable returns an identifier without the bytes that readers fill it up with.
func printable(text wire.Text) *string {
	kept := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text.String())
	return wire.Text(kept).Ptr()
}

type trip struct {
	Mileage wire.Number `json:"mileage"` // metres or kilometres
	Start   struct {
		place
		// The documentation's example has the end within the start, its schema
		// beside it.
		End place `json:"trip_end"`
	} `json:"trip_start"`
	End place `json:"trip_end"`
}

type place struct {
	Time      wire.Time   `json:"datetime"`
	Latitude  wire.Number `json:"latitude"`
	Longitude wire.Number `json:"longitude"`
}

func (p place) point() *drover.Coordinate {
	return wire.Coordinate(p.Latitude.Ptr(), p.Longitude.Ptr())
}

// end is where the trip ended, wherever that is told.
func (t trip) end() place {
	if t.End.Time.IsZero() {
		return t.Start.End
	}
	return t.End
}

// record returns the trip; false where it is not over. Trips have no id: one
// object starts one trip at a time.
func (t trip) record(objectID, unit string) (provider.Trip, bool) {
	start, end := t.Start.place, t.end()
	if start.Time.IsZero() || end.Time.IsZero() {
		return provider.Trip{}, false
	}
	return provider.Trip{
		SystemDeviceID: objectID,
		SystemTripID:   objectID + "/" + start.Time.Record().String(),
		Start:          start.point(),
		End:            end.point(),
		StartTime:      start.Time.Record(),
		EndTime:        end.Time.Record(),
		DistanceMetres: metres(t.Mileage.Ptr(), unit, start.point(), end.point()),
	}, true
}

// scatter is how far apart a receiver may see two places that are the same.
const scatter = 100

// unit tells in which unit the trip's mileage is, where its ends are far enough
// apart to show it.
func (t trip) unit() (string, bool) {
	from, to, mileage := t.Start.point(), t.end().point(), t.Mileage.Ptr()
	if from == nil || to == nil || mileage == nil || *mileage <= 0 {
		return "", false
	}
	if line := geo.DistanceMetres(*from, *to); line < 10*scatter {
		return "", false
	} else if line > 2**mileage+scatter {
		return unitKM, true
	}
	return unitMetres, true
}

// metres returns a trip's mileage. Its unit is disputed: left to decide, it is
// metres, unless the ends are so far apart that only kilometres reach. The scatter
// of a receiver alone does not count as far.
func metres(mileage *float64, unit string, start, end *drover.Coordinate) *float64 {
	if mileage == nil || unit == unitMetres {
		return mileage
	}
	far := start != nil && end != nil && geo.DistanceMetres(*start, *end) > 2**mileage+scatter
	if unit == unitKM || far {
		return new(wire.MetresFromKM(*mileage))
	}
	return mileage
}
