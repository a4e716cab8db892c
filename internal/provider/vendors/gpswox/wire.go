package gpswox

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// errRefused is the failure of a call that the server refuses with HTTP's status 200.
var errRefused = provider.Errorf(provider.KindPermanent, "the server refuses the call")

// open returns an answer, unless its own status says that the call was refused.
// Lists have no status.
func open(answer []byte) ([]byte, error) {
	if !wire.IsObject(answer) {
		return answer, nil
	}
	var head struct {
		Status wire.Number `json:"status"`
	}
	if err := json.Unmarshal(answer, &head); err != nil {
		return nil, err
	}
	if head.Status.Or(1) == 0 {
		return nil, errRefused
	}
	return answer, nil
}

type group struct {
	Items []device `json:"items"`
}

type device struct {
	ID   wire.Text `json:"id"`
	Name wire.Text `json:"name"`
	// Time is that of the newest position, in seconds; 0 without one.
	Time wire.Text `json:"timestamp"`
	Data struct {
		Active             wire.Bool `json:"active"`
		Deleted            wire.Bool `json:"deleted"`
		Model              wire.Text `json:"device_model"`
		PlateNumber        wire.Text `json:"plate_number"`
		RegistrationNumber wire.Text `json:"registration_number"`
		ExpirationDate     wire.Text `json:"expiration_date"`
	} `json:"device_data"`
}

func (d device) record(now time.Time) provider.Device {
	return provider.Device{
		SystemDeviceID: d.ID.String(),
		Description:    d.Name.Ptr(),
		Registration:   wire.First(d.Data.PlateNumber.Ptr(), d.Data.RegistrationNumber.Ptr()),
		Model:          d.Data.Model.Ptr(),
		Active:         d.Data.Active.Or(true) && !d.Data.Deleted.Or(false) && !d.expired(now),
	}
}

// changed says that the device has something new. When the server heard of it is not said.
func (d device) changed(now time.Time) (device string, u window.Update) {
	own, _ := wire.ParseTime(d.Time.String()) // in another form it is not known
	return d.ID.String(), window.Update{Heard: now, Newest: own.Time}
}

// expired reports whether the device's last day is over. Without one, the date is
// empty or 0000-00-00.
func (d device) expired(now time.Time) bool {
	date, _, _ := strings.Cut(d.Data.ExpirationDate.String(), " ")
	last, err := time.Parse(time.DateOnly, date)
	return err == nil && !now.Before(last.AddDate(0, 0, 1))
}

// history is a page of a device's messages.
type history struct {
	Messages struct {
		LastPage wire.Number `json:"last_page"`
		Data     []message   `json:"data" required:"true"`
	} `json:"messages"`
	Sensors []struct {
		Type wire.Text `json:"type"`
		Tag  wire.Text `json:"tag_name"`
	} `json:"sensors"`
}

type message struct {
	Latitude   wire.Number `json:"latitude"`
	Longitude  wire.Number `json:"longitude"`
	Course     wire.Number `json:"course"`
	Speed      wire.Number `json:"speed"`       // in the user's unit
	Time       wire.Text   `json:"time"`        // in the user's zone
	ServerTime wire.Text   `json:"server_time"` // in UTC
	Sort       wire.Time   `json:"sort"`
	Valid      wire.Bool   `json:"valid"`
	Other      attributes  `json:"other"`
}

// at returns the instant of a message. The server's time is without a zone, which
// reads as UTC.
func (m message) at() wire.Time {
	if !m.Sort.IsZero() {
		return m.Sort
	}
	at, err := wire.ParseTime(m.ServerTime.String())
	if err != nil {
		return wire.Time{}
	}
	return at
}

func (h history) records(device string, miles bool) []provider.Position {
	tag := h.ignitionTag()
	return wire.Records(h.Messages.Data, func(m message) (provider.Position, bool) { return m.record(device, tag, miles) })
}

// record returns the position; false where the tracker had no fix.
func (m message) record(device, ignition string, miles bool) (provider.Position, bool) {
	p, ok := wire.Fix(device, m.at(), m.Latitude.Ptr(), m.Longitude.Ptr())
	if p.SpeedKPH = m.Speed.Ptr(); miles {
		p.SpeedKPH = wire.Map(p.SpeedKPH, wire.KPHFromMPH)
	}
	p.Heading, p.DriverID = m.Course.Ptr(), m.Other["driverUniqueId"].Ptr()
	p.Ignition = wire.First(m.Other.bool(ignition), m.Other.bool("ignition"), m.Other.bool("acc"))
	p.OdometerMetres = wire.First(m.Other.number("odometer"), m.Other.number("totalDistance"), m.Other.number("totaldistance"))
	p.Readings = provider.Readings(m, readings)
	return p, ok && m.Valid.Or(true)
}

// ignitionTag returns the attribute that the device's sensor of the ignition reads.
func (h history) ignitionTag() string {
	for _, s := range h.Sensors {
		if s.Type == "acc" || s.Type == "ignition" {
			return s.Tag.String()
		}
	}
	return ""
}

// offset returns the zone in which the page is written, nil where it does not show.
func (h history) offset() *time.Duration {
	for _, m := range h.Messages.Data {
		if offset := zoneOf(m.Time, m.Sort); offset != nil {
			return offset
		}
	}
	return nil
}

// attributes are what a tracker reports beside its position: XML in a text, JSON in
// a text, or JSON. What cannot be read is none.
type attributes map[string]wire.Text

// UnmarshalJSON reads any of the forms.
func (x *attributes) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		b = []byte(strings.TrimSpace(text))
	}
	*x = attributes{}
	if bytes.HasPrefix(b, []byte("<")) {
		x.readXML(b)
		return nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(b, &members) // what is neither has no members
	for name, raw := range members {
		var value wire.Text
		if value.UnmarshalJSON(raw) == nil {
			(*x)[name] = value
		}
	}
	return nil
}

func (x attributes) readXML(b []byte) {
	var info struct {
		Members []struct {
			XMLName xml.Name
			Value   string `xml:",chardata"`
		} `xml:",any"`
	}
	_ = xml.Unmarshal(b, &info) // what was read before a mistake is kept
	for _, m := range info.Members {
		x[m.XMLName.Local] = wire.Text(m.Value)
	}
}

func (x attributes) bool(name string) *bool {
	var v wire.Bool
	x.read(name, &v)
	return v.Ptr()
}

func (x attributes) number(name string) *float64 {
	var v wire.Number
	x.read(name, &v)
	return v.Ptr()
}

func (x attributes) read(name string, into json.Unmarshaler) {
	text, err := json.Marshal(x[name].String())
	if err == nil {
		_ = into.UnmarshalJSON(text) // what is no such value is not known
	}
}

// drives is the history of a device as the server divides it into drives and
// stops.
type drives struct {
	Items   []stretch `json:"items" required:"true"`
	Classes []struct {
		ID    wire.Text `json:"id"`
		Value wire.Text `json:"value"`
	} `json:"item_class"`
}

type stretch struct {
	Status   wire.Text   `json:"status"`   // id of its class
	Distance wire.Number `json:"distance"` // in the user's unit
	Points   []point     `json:"items"`
}

type point struct {
	Lat       wire.Number `json:"lat"`
	Lng       wire.Number `json:"lng"`
	Latitude  wire.Number `json:"latitude"` // as lat, with more digits
	Longitude wire.Number `json:"longitude"`
	RawTime   wire.Text   `json:"raw_time"` // in the user's zone
	Sort      wire.Time   `json:"sort"`
}

func (p point) at(offset time.Duration) time.Time {
	if !p.Sort.IsZero() {
		return p.Sort.Time
	}
	local, err := wire.ParseTime(p.RawTime.String())
	if err != nil || local.IsZero() {
		return time.Time{}
	}
	return local.Add(-offset)
}

func (p point) coordinate() *drover.Coordinate {
	return wire.Coordinate(wire.First(p.Latitude.Ptr(), p.Lat.Ptr()), wire.First(p.Longitude.Ptr(), p.Lng.Ptr()))
}

const classDrive = "drive"

// records returns the trips: one for each drive.
func (d drives) records(device string, offset time.Duration, miles bool) []provider.Trip {
	drive := "1" // its usual id, where the classes are missing
	for _, class := range d.Classes {
		if class.Value == classDrive {
			drive = class.ID.String()
		}
	}
	drives := slices.DeleteFunc(slices.Clone(d.Items), func(s stretch) bool { return s.Status.String() != drive })
	return wire.Records(drives, func(s stretch) (provider.Trip, bool) { return s.record(device, offset, miles) })
}

// record returns the trip, which has no id of its own: a device starts one at a
// time.
func (s stretch) record(device string, offset time.Duration, miles bool) (provider.Trip, bool) {
	points := slices.DeleteFunc(s.Points, func(p point) bool { return p.at(offset).IsZero() })
	if len(points) < 2 {
		return provider.Trip{}, false
	}
	byTime := func(a, b point) int { return a.at(offset).Compare(b.at(offset)) }
	first, last := slices.MinFunc(points, byTime), slices.MaxFunc(points, byTime)
	metres := wire.MetresFromKM
	if miles {
		metres = wire.MetresFromMiles
	}
	return provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   fmt.Sprintf("%s:%d", device, first.at(offset).Unix()),
		Start:          first.coordinate(),
		End:            last.coordinate(),
		StartTime:      drover.At(first.at(offset)),
		EndTime:        drover.At(last.at(offset)),
		DistanceMetres: wire.Map(s.Distance.Ptr(), metres),
		DrivingSeconds: new(last.at(offset).Sub(first.at(offset)).Seconds()),
	}, true
}

// offset returns the zone in which the history is written, nil where it does not
// show.
func (d drives) offset() *time.Duration {
	for _, s := range d.Items {
		for _, p := range s.Points {
			if offset := zoneOf(p.RawTime, p.Sort); offset != nil {
				return offset
			}
		}
	}
	return nil
}

// drivers is a page of the account's drivers.
type drivers struct {
	Items struct {
		Drivers struct {
			LastPage wire.Number `json:"last_page"`
			Data     []driver    `json:"data" required:"true"`
		} `json:"drivers"`
	} `json:"items"`
}

// driver is a person. Messages name drivers by the code of their key.
type driver struct {
	Name  wire.Text `json:"name"`
	RFID  wire.Text `json:"rfid"`
	Phone wire.Text `json:"phone"`
	Email wire.Text `json:"email"`
}

// record returns the driver; false for one without a key, whom no message names.
func (d driver) record() (provider.Driver, bool) {
	key := d.RFID.Ptr()
	if key == nil {
		return provider.Driver{}, false
	}
	return provider.Driver{
		SystemDriverID: *key, Name: d.Name.Ptr(), Phone: d.Phone.Ptr(), Email: d.Email.Ptr(), Active: true,
		Keys: []drover.DriverKey{{Type: drover.KeyRFID, Value: *key}},
	}, true
}
