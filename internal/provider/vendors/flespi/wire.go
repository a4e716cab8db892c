package flespi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// envelope is an answer of the API.
type envelope[T any] struct {
	Result []T `json:"result"`
	Errors []struct {
		Code wire.Number `json:"code"`
	} `json:"errors"`
	Pagination struct {
		Count wire.Number `json:"count"` // of all that there are
	} `json:"pagination"`
}

// failure returns the error of an answer that has one though its status is 200:
// a part of the result may be missing then. Codes are statuses where they are as
// large; the reasons are flespi's own words and may repeat the request.
func (e envelope[T]) failure() error {
	switch {
	case len(e.Errors) == 0 && e.Result == nil:
		return provider.Errorf(provider.KindTemporary, "flespi's answer has no result")
	case len(e.Errors) == 0:
		return nil
	}
	kind := provider.KindTemporary
	code := int(e.Errors[0].Code.Or(0))
	switch code {
	case http.StatusUnauthorized:
		kind = provider.KindCredentials
	case http.StatusForbidden, http.StatusNotFound, http.StatusBadRequest:
		kind = provider.KindPermanent
	case http.StatusTooManyRequests:
		kind = provider.KindRateLimited
	}
	return provider.Errorf(kind, "flespi answered with error %d: %w", code, &provider.StatusError{Status: code})
}

// data writes the parameters of a query that has them as JSON.
func data(parameters map[string]any) url.Values {
	text, err := json.Marshal(parameters)
	if err != nil {
		panic(err) // integers and strings always marshal
	}
	return url.Values{"data": {string(text)}}
}

// telemetry is what a device reported last, each value with its time.
type telemetry struct {
	ID        wire.Text `json:"id"`
	Telemetry map[string]struct {
		Value wire.Time `json:"value"`
	} `json:"telemetry"`
}

// heard returns when flespi heard of the device, by its own clock or else by the
// device's; zero where it never did.
func (t telemetry) heard() (device string, u window.Update) {
	own := t.Telemetry["timestamp"].Value
	return t.ID.String(), window.Update{Heard: cmp.Or(t.Telemetry["server.timestamp"].Value, own).Time, Newest: own.Time}
}

type device struct {
	ID       wire.Text `json:"id"`
	Name     wire.Text `json:"name"`
	Enabled  wire.Bool `json:"enabled"`
	Metadata wire.Bag  `json:"metadata"`
}

// record returns the device, with its vehicle's data from the keys of its
// metadata that the customer named.
func (d device) record(keys provider.Credentials) provider.Device {
	return provider.Device{
		SystemDeviceID: d.ID.String(),
		Description:    d.Name.Ptr(),
		Registration:   d.Metadata.Text(keys["metadata_registration"]).Ptr(),
		Make:           d.Metadata.Text(keys["metadata_make"]).Ptr(),
		Model:          d.Metadata.Text(keys["metadata_model"]).Ptr(),
		Year:           d.Metadata.Number(keys["metadata_year"]).Int(),
		Active:         d.Enabled.Or(true),
	}
}

// messageFields are the parameters of a message that record reads. Which one
// names the driver depends on the tracker; the three are unverified.
const messageFields = "timestamp,position.latitude,position.longitude,position.speed,position.direction,position.valid," +
	"engine.ignition.status,vehicle.mileage,can.vehicle.mileage,driver.id,ibutton.code,rfid.code," + readingFields

type message struct {
	Timestamp  wire.Time   `json:"timestamp"`
	Latitude   *float64    `json:"position.latitude"`
	Longitude  *float64    `json:"position.longitude"`
	Speed      wire.Number `json:"position.speed"` // km/h
	Direction  wire.Number `json:"position.direction"`
	Valid      wire.Bool   `json:"position.valid"`
	Ignition   wire.Bool   `json:"engine.ignition.status"`
	Mileage    wire.Number `json:"vehicle.mileage"`     // km
	CANMileage wire.Number `json:"can.vehicle.mileage"` // km
	Driver     wire.Text   `json:"driver.id"`
	IButton    wire.Text   `json:"ibutton.code"`
	RFID       wire.Text   `json:"rfid.code"`
	instruments
}

// record returns the position; false where the message has none.
func (m message) record(deviceID string) (provider.Position, bool) {
	p, ok := wire.Fix(deviceID, m.Timestamp, m.Latitude, m.Longitude)
	p.Heading, p.SpeedKPH, p.Ignition = m.Direction.Ptr(), m.Speed.Ptr(), m.Ignition.Ptr()
	p.DriverID = wire.First(m.Driver.Ptr(), m.IButton.Ptr(), m.RFID.Ptr())
	p.OdometerMetres = wire.Map(wire.First(m.Mileage.Ptr(), m.CANMileage.Ptr()), wire.MetresFromKM)
	p.Readings = provider.Readings(m, readings)
	return p, ok && m.Valid.Or(true)
}

// interval is one of a calculator. All but its id and times has the names that
// the customer gave to the counters.
type interval struct {
	id         wire.Text
	begin, end wire.Time
	counters   wire.Bag
}

// UnmarshalJSON reads an interval with all of its counters.
func (i *interval) UnmarshalJSON(b []byte) error {
	var fixed struct {
		ID    wire.Text `json:"id"`
		Begin wire.Time `json:"begin"`
		End   wire.Time `json:"end"`
	}
	if err := json.Unmarshal(b, &fixed); err != nil {
		return err
	}
	i.id, i.begin, i.end = fixed.ID, fixed.Begin, fixed.End
	return json.Unmarshal(b, &i.counters)
}

// record returns the interval as a trip. The id is the same when the interval is
// calculated again.
func (i interval) record(names provider.Credentials, deviceID string) provider.Trip {
	return provider.Trip{
		SystemDeviceID:   deviceID,
		SystemTripID:     fmt.Sprintf("%s:%s:%s", names["trips_calc_id"], deviceID, i.id),
		Start:            point(i.counters, names["counter_start"]),
		End:              point(i.counters, names["counter_end"]),
		StartTime:        i.begin.Record(),
		EndTime:          i.end.Record(),
		DistanceMetres:   wire.Map(i.counters.Number(names["counter_distance"]).Ptr(), wire.MetresFromKM),
		DrivingSeconds:   i.counters.Number(names["counter_driving"]).Ptr(),
		IdlingSeconds:    i.counters.Number(names["counter_idling"]).Ptr(),
		AuxiliarySeconds: i.counters.Number(names["counter_auxiliary"]).Ptr(),
	}
}

// point reads a counter that holds a position, in the names of a message or in
// those of flespi's composite parameter.
func point(b wire.Bag, key string) *drover.Coordinate {
	var place struct {
		MessageLatitude  wire.Number `json:"position.latitude"`
		MessageLongitude wire.Number `json:"position.longitude"`
		Latitude         wire.Number `json:"latitude"`
		Longitude        wire.Number `json:"longitude"`
	}
	if err := json.Unmarshal(b[key], &place); err != nil {
		return nil
	}
	latitude := wire.First(place.MessageLatitude.Ptr(), place.Latitude.Ptr())
	longitude := wire.First(place.MessageLongitude.Ptr(), place.Longitude.Ptr())
	return wire.Coordinate(latitude, longitude)
}
