package wialon

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// open returns what a service says, or the error whose code it has.
func open(answer []byte) ([]byte, error) {
	if !wire.IsObject(answer) {
		return answer, nil
	}
	var failed struct {
		Code wire.Number `json:"error"`
	}
	if err := json.Unmarshal(answer, &failed); err != nil {
		return nil, err
	}
	return answer, kind(int(failed.Code.Or(0)))
}

// unitFlags ask for a unit's base data, billing, tracker, last message, driver
// code, sensors, counters and profile fields. Which of them brings its activity is
// not documented; this sum does.
const unitFlags = 1 | 4 | 256 | 1024 | 2048 | 4096 | 8192 | 8388608

// resourceFlags ask for a resource's base data and drivers.
const resourceFlags = 1 | 256

// search asks for the items of a type from first to last, both counted.
func search(items string, flags, first, last int) map[string]any {
	return map[string]any{
		"spec": map[string]any{"itemsType": items, "propName": "sys_name", "propValueMask": "*", "sortType": "sys_name"},
		// The server keeps the last search: without force, units that came
		// since would be missing.
		"force": 1, "flags": flags, "from": first, "to": last,
	}
}

// Messages of the type data (0) with a position (1), by a mask of both.
const (
	positionFlags     = 0x0001
	positionFlagsMask = 0xFF01
)

// interval loads the messages of a unit and returns the first count of them.
func interval(w window.Window, count int64) map[string]any {
	from, to := seconds(w)
	return map[string]any{
		"itemId": json.Number(w.Devices[0]), "timeFrom": from, "timeTo": to,
		"flags": positionFlags, "flagsMask": positionFlagsMask, "loadCount": count,
	}
}

// tripsOf asks for the trips in the messages that are loaded.
func tripsOf(w window.Window) map[string]any {
	from, to := seconds(w)
	return map[string]any{"itemId": json.Number(w.Devices[0]), "timeFrom": from, "timeTo": to, "msgsSource": "1"}
}

// seconds returns the bounds of a window, of which the vendor includes both.
func seconds(w window.Window) (from, to int64) {
	return w.From.Unix(), w.To.Add(-time.Millisecond).Unix()
}

type units struct {
	Total int    `json:"totalItemsCount"`
	Items []unit `json:"items" required:"true"`
}

type unit struct {
	ID       wire.Text `json:"id"`
	Name     wire.Text `json:"nm"`
	Active   wire.Bool `json:"act"`
	Profiles map[string]struct {
		Name  string    `json:"n"`
		Value wire.Text `json:"v"`
	} `json:"pflds"`
	Sensors map[string]struct {
		Type      string `json:"t"`
		Parameter string `json:"p"`
	} `json:"sens"`
	Last *message `json:"lmsg"`
	counters
}

func (u unit) record() provider.Device {
	d := provider.Device{
		SystemDeviceID: u.ID.String(),
		Description:    u.Name.Ptr(),
		Active:         u.Active.Or(true),
	}
	for _, p := range u.Profiles {
		switch p.Name {
		case "registration_plate":
			d.Registration = p.Value.Ptr()
		case "brand":
			d.Make = p.Value.Ptr()
		case "model":
			d.Model = p.Value.Ptr()
		case "year": // typed by people: what is no number is not known
			d.Year = p.Value.Int()
		}
	}
	return d
}

// ignition returns the sensor of the unit's ignition. Of several, the one that
// comes first by its number counts.
func (u unit) ignition() sensor {
	first, found := 0, sensor{}
	for key, s := range u.Sensors {
		number, err := strconv.Atoi(key)
		if err == nil && strings.EqualFold(s.Type, "engine operation") && (found == sensor{} || number < first) {
			first, found = number, newSensor(s.Parameter)
		}
	}
	return found
}

// sensor tells the ignition from a message: by a bit of its inputs, or by one of
// its parameters. The zero value cannot tell.
type sensor struct {
	bit       uint64
	parameter string
}

var (
	inputName = regexp.MustCompile(`^in([1-9]|[1-5][0-9]|6[0-4])$`)
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// newSensor reads the formula of a sensor. One that computes is not understood.
func newSensor(formula string) sensor {
	if m := inputName.FindStringSubmatch(formula); m != nil {
		number, _ := strconv.Atoi(m[1])
		return sensor{bit: 1 << (number - 1)}
	}
	if plainName.MatchString(formula) {
		return sensor{parameter: formula}
	}
	return sensor{}
}

type messages struct {
	Messages []message `json:"messages" required:"true"`
}

type message struct {
	Time     wire.Time `json:"t"`
	Position *struct {
		Latitude  float64     `json:"y"`
		Longitude float64     `json:"x"`
		Speed     wire.Number `json:"s"` // km/h
		Course    wire.Number `json:"c"`
	} `json:"pos"`
	Inputs     *uint64  `json:"i"`
	Parameters wire.Bag `json:"p"`
}

func (m messages) records(unit string, ignition sensor) []provider.Position {
	var records []provider.Position
	for _, message := range m.Messages {
		if p := message.Position; p != nil && !message.Time.IsZero() {
			records = append(records, provider.Position{
				SystemDeviceID: unit,
				Position: drover.Position{
					Time:      message.Time.Record(),
					Latitude:  p.Latitude,
					Longitude: p.Longitude,
					Heading:   p.Course.Ptr(),
					SpeedKPH:  p.Speed.Ptr(),
					DriverID:  message.driver(),
					Ignition:  message.ignition(ignition),
				},
				Readings: provider.Readings(message, parameters),
			})
		}
	}
	return records
}

func (m message) driver() *string {
	return m.Parameters.Text("avl_driver").ID()
}

func (m message) ignition(s sensor) *bool {
	switch {
	case s.bit != 0 && m.Inputs != nil:
		return new(*m.Inputs&s.bit != 0)
	case s.parameter != "":
		return wire.Map(m.Parameters.Number(s.parameter).Ptr(), func(v float64) bool { return v != 0 })
	default:
		return nil
	}
}

// trips is a list, or an object that holds it.
type trips []trip

// UnmarshalJSON reads either.
func (t *trips) UnmarshalJSON(b []byte) (err error) {
	*t, err = wire.ListIn[trip](b, "trips")
	return err
}

type trip struct {
	From     tripEnd     `json:"from"`
	To       tripEnd     `json:"to"`
	Distance wire.Number `json:"m"` // metres
}

type tripEnd struct {
	Time  wire.Time `json:"t"`
	Place *struct {
		Latitude  float64 `json:"y"`
		Longitude float64 `json:"x"`
	} `json:"p"`
}

func (e tripEnd) coordinate() *drover.Coordinate {
	if e.Place == nil {
		return nil
	}
	return &drover.Coordinate{Latitude: e.Place.Latitude, Longitude: e.Place.Longitude}
}

// records returns the trips, which have no id of their own: a unit starts one at
// a time.
func (t trips) records(unit string) []provider.Trip {
	var records []provider.Trip
	for _, trip := range t {
		records = append(records, provider.Trip{
			SystemDeviceID: unit,
			SystemTripID:   fmt.Sprintf("%s:%d", unit, trip.From.Time.Unix()),
			Start:          trip.From.coordinate(),
			End:            trip.To.coordinate(),
			StartTime:      trip.From.Time.Record(),
			EndTime:        trip.To.Time.Record(),
			DistanceMetres: trip.Distance.Ptr(),
			DrivingSeconds: new(trip.To.Time.Sub(trip.From.Time.Time).Seconds()),
		})
	}
	return records
}

// resources are what holds the drivers of an account.
type resources struct {
	Total int        `json:"totalItemsCount"`
	Items []resource `json:"items" required:"true"`
}

type resource struct {
	Drivers map[string]driver `json:"drvrs"`
}

// driver is a person. Messages name drivers by their code.
type driver struct {
	Code  wire.Text `json:"c"`
	Name  wire.Text `json:"n"`
	Phone wire.Text `json:"p"`
}

// record returns the driver; false for one without a code, whom no message names.
func (d driver) record() (provider.Driver, bool) {
	code := d.Code.ID()
	if code == nil {
		return provider.Driver{}, false
	}
	return provider.Driver{
		SystemDriverID: *code, Name: d.Name.Ptr(), Phone: d.Phone.Ptr(), Active: true,
		Keys: []drover.DriverKey{{Type: drover.KeyCode, Value: *code}},
	}, true
}
