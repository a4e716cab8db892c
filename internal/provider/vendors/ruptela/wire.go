package ruptela

import (
	"cmp"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/geo"
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

// page is a page of a list of T.
type page[T any] interface {
	rows() []T
	next() string
}

// continuation leads to the next page of a list.
type continuation struct {
	Token wire.Text `json:"continuation_token"`
}

func (c continuation) next() string { return c.Token.String() }

// coordinates is a page of an object's track.
type coordinates struct {
	Items []coordinate `json:"items" required:"true"`
	continuation
}

func (c coordinates) rows() []coordinate { return c.Items }

// trips is a page of an object's trips.
type trips struct {
	Trips []trip `json:"trips" required:"true"`
	continuation
}

func (t trips) rows() []trip { return t.Trips }

// newest is a page of the newest coordinate of each object.
type newest struct {
	Results []last `json:"results" required:"true"`
	continuation
}

func (n newest) rows() []last { return n.Results }

var (
	_ page[coordinate] = coordinates{}
	_ page[event]      = events{}
	_ page[trip]       = trips{}
	_ page[last]       = newest{}
)

// last is when an object was heard of.
type last struct {
	ID         wire.Text `json:"id"`
	Coordinate struct {
		Time     wire.Time `json:"datetime"`
		Received wire.Time `json:"server_datetime"`
	} `json:"last_coordinate"`
}

// heard returns when the vendor heard of the object; zero where it never did.
func (l last) heard() (object string, u window.Update) {
	own := l.Coordinate.Time
	return l.ID.String(), window.Update{Heard: cmp.Or(l.Coordinate.Received, own).Time, Newest: own.Time}
}

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
	p, ok := wire.Fix(objectID, c.Time, c.Position.Latitude.Ptr(), c.Position.Longitude.Ptr())
	p.Heading, p.SpeedKPH = c.Position.Direction.Ptr(), c.Position.Speed.Ptr()
	p.DriverID = wire.First(printable(c.Inputs.Device.Text("first_driver_id")), printable(c.Inputs.Device.Text("ibutton")))
	p.Ignition, p.Auxiliary, p.OdometerMetres = c.Ignition.Ptr(), c.auxiliary(), c.odometer()
	p.Readings = provider.Readings(c, readings)
	return p, ok
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

// auxiliary reads the power take-off, nil where the vehicle does not report it.
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

// end is where the trip ended, wherever that is reported.
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
	return provider.Trip{
		SystemDeviceID: objectID,
		SystemTripID:   objectID + "/" + start.Time.Record().String(),
		Start:          start.point(),
		End:            end.point(),
		StartTime:      start.Time.Record(),
		EndTime:        end.Time.Record(),
		DistanceMetres: t.metres(unit),
	}, !start.Time.IsZero() && !end.Time.IsZero()
}

// What tells metres from kilometres.
const (
	scatter = 100 // metres that a receiver may see two places apart that are the same
	// A trip that takes longer than shortTrip and is slower than slowest over all,
	// in km/h, shows kilometres, where they have decimals: metres have none.
	slowest   = 0.1
	shortTrip = 5 * time.Minute
	fastest   = 200
)

// unit tells in which unit the trip's mileage is, where that shows: its ends are
// too far apart for metres, or it would have been slower than on foot.
func (t trip) unit() (string, bool) {
	from, to, mileage := t.Start.point(), t.end().point(), t.Mileage.Ptr()
	if mileage == nil || *mileage <= 0 {
		return "", false
	}
	if from != nil && to != nil {
		switch line := geo.DistanceMetres(*from, *to); {
		case line > 2**mileage+scatter:
			return unitKM, true
		case line >= 10*scatter:
			return unitMetres, true
		}
	}
	lasted := t.end().Time.Sub(t.Start.Time.Time)
	if t.Start.Time.IsZero() || t.end().Time.IsZero() || lasted < shortTrip {
		return "", false
	}
	switch asKM := *mileage / lasted.Hours(); {
	case asKM > fastest:
		return unitMetres, true
	case asKM/1000 < slowest && math.Trunc(*mileage) != *mileage:
		return unitKM, true
	}
	return "", false
}

// metres returns the trip's mileage. Its unit is disputed: left to decide, it is
// metres, unless the trip shows that it is not.
func (t trip) metres(unit string) *float64 {
	if unit != unitMetres && unit != unitKM {
		unit, _ = t.unit()
	}
	if unit == unitKM {
		return wire.Map(t.Mileage.Ptr(), wire.MetresFromKM)
	}
	return t.Mileage.Ptr()
}
