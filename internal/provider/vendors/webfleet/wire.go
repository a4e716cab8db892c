package webfleet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Codes of errors, which come with status 200. That of a refused login is not
// documented; clients have seen this one.
const (
	codeNotAllowed   = 8
	codeGeneral      = 60
	codeNoData       = 63
	codeLogin        = 1101
	codeQuota        = 8011
	codeUserBusy     = 8015
	codeUpstream     = 9199
	codeResourceBusy = 10000
)

// fault is an error in an answer; a code of zero is none.
type fault struct {
	Code    wire.Text `json:"errorCode"`
	Message wire.Text `json:"errorMsg"`
}

// code returns the error's number, -1 where it is none.
func (f fault) code() int {
	code, err := strconv.Atoi(cmp.Or(strings.TrimSpace(f.Code.String()), "0"))
	if err != nil {
		return -1
	}
	return code
}

// answer is a list of rows, the same below "report", or an error.
type answer[T any] struct {
	rows  []T
	fault fault
}

// UnmarshalJSON reads any of the forms.
func (a *answer[T]) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return json.Unmarshal(b, &a.rows)
	}
	var object struct {
		fault
		Report []T `json:"report"`
	}
	if err := json.Unmarshal(b, &object); err != nil {
		return err
	}
	a.rows, a.fault = object.Report, object.fault
	if a.rows == nil && a.fault.code() == 0 {
		return outbound.FormError("it is no report")
	}
	return nil
}

// gateway hands the errors that some gateways write as plain text, such as
// "63, Document is empty", or in headers alone, on in the JSON of the others.
type gateway struct{ next provider.Doer }

// Do implements provider.Doer.
func (g gateway) Do(req *http.Request) (*http.Response, error) {
	resp, err := g.next.Do(req)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(resp.Body)
	first, _ := body.Peek(1) // what fails here fails again when the body is read
	f := fault{Code: wire.Text(resp.Header.Get("X-Webfleet-Errorcode")), Message: wire.Text(resp.Header.Get("X-Webfleet-Errormessage"))}
	if len(first) == 1 && first[0] >= '0' && first[0] <= '9' {
		text, err := io.ReadAll(io.LimitReader(body, 1<<10))
		if err != nil {
			_ = resp.Body.Close() // the answer is lost already
			return nil, err
		}
		code, message, _ := strings.Cut(string(text), ",")
		f = fault{wire.Text(code), wire.Text(message)}
	}
	var rest io.Reader = body
	if f.code() != 0 {
		text, err := json.Marshal(f)
		if err != nil {
			panic(err) // strings always marshal
		}
		rest = bytes.NewReader(text)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{rest, resp.Body}
	return resp, nil
}

// period writes a window for a query. The vendor's end is inclusive and of whole
// seconds.
func period(w window.Window) url.Values {
	return url.Values{
		"range_pattern":    {"ud"},
		"rangefrom_string": {wire.ISO(w.From)},
		"rangeto_string":   {wire.ISO(w.To.Add(-time.Millisecond))},
	}
}

type vehicle struct {
	ObjectUID    wire.Text   `json:"objectuid"`
	Name         wire.Text   `json:"objectname"`
	Description  wire.Text   `json:"description"`
	LicensePlate wire.Text   `json:"licenseplatenumber"`
	Year         wire.Number `json:"manufacturedyear"`
}

func (v vehicle) record(active bool) provider.Device {
	return provider.Device{
		SystemDeviceID: v.ObjectUID.String(),
		Description:    wire.First(v.Name.Ptr(), v.Description.Ptr()),
		Registration:   v.LicensePlate.Ptr(),
		Year:           v.Year.Int(),
		Active:         active,
	}
}

// position is a row of the object report or of a track.
type position struct {
	ObjectUID wire.Text   `json:"objectuid"`
	Deleted   wire.Bool   `json:"deleted"`
	Time      wire.Time   `json:"pos_time"`
	LatMicro  wire.Number `json:"latitude_mdeg"` // millionths of a degree, whatever the name says
	LonMicro  wire.Number `json:"longitude_mdeg"`
	// Latitude and Longitude are a text for people in the object report, and
	// numbers in a track.
	Latitude     wire.Text   `json:"latitude"`
	Longitude    wire.Text   `json:"longitude"`
	Status       wire.Text   `json:"status"`
	Speed        wire.Number `json:"speed"` // km/h
	Course       wire.Number `json:"course"`
	DriverUID    wire.Text   `json:"driveruid"`
	Ignition     wire.Bool   `json:"ignition"`
	Odometer     wire.Number `json:"odometer"` // 100 m
	OdometerLong wire.Number `json:"odometer_long"`

	// Of the object report alone, where the unit is connected to the vehicle's bus.
	Message    wire.Time  `json:"msgtime"`
	EngineTime wire.Gauge `json:"engine_operation_time"` // seconds
	FuelLevel  wire.Gauge `json:"fuellevel"`             // per mille
	FuelVolume wire.Gauge `json:"fuellevel_milliliters"`
}

const invalidFix = "0"

// record returns the position; false where the row has none. A track's rows need
// not name their object.
func (p position) record(object string) (provider.Position, bool) {
	point, ok := p.point()
	if !ok || p.Time.IsZero() || p.Status == invalidFix {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: cmp.Or(p.ObjectUID.String(), object),
		Position: drover.Position{
			Time:           p.Time.Record(),
			Latitude:       point.Latitude,
			Longitude:      point.Longitude,
			Heading:        p.Course.Ptr(),
			SpeedKPH:       p.Speed.Ptr(),
			DriverID:       p.DriverUID.Ptr(),
			Ignition:       p.Ignition.Ptr(),
			OdometerMetres: wire.First(p.OdometerLong.Ptr(), wire.Map(p.Odometer.Ptr(), metresFromHectometres)),
		},
		Readings: provider.Readings(p, readings),
	}, true
}

// reported is when a vehicle sent what a row says of its instruments.
func (p position) reported() drover.Time {
	if p.Message.IsZero() {
		return p.Time.Record()
	}
	return p.Message.Record()
}

var readings = []provider.Instrument[position]{
	{
		Name: "odometer_long", Kind: drover.ReadingOdometer, At: position.reported,
		Of: func(p position) *float64 { return p.OdometerLong.Ptr() },
	},
	{
		Name: "engine_operation_time", Kind: drover.ReadingEngine, Source: drover.SourceVehicle, At: position.reported,
		Of: func(p position) *float64 { return p.EngineTime.Ptr() },
	},
	{
		Name: "fuellevel", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, Factor: 0.1, At: position.reported,
		Of: func(p position) *float64 { return p.FuelLevel.Ptr() },
	},
	{
		Name: "fuellevel_milliliters", Kind: drover.ReadingFuelLitres, Source: drover.SourceVehicle, Factor: 0.001, At: position.reported,
		Of: func(p position) *float64 { return p.FuelVolume.Ptr() },
	},
}

func (p position) point() (drover.Coordinate, bool) {
	lat, lon := p.LatMicro.Ptr(), p.LonMicro.Ptr()
	if lat != nil && lon != nil {
		return microdegrees(*lat, *lon), true
	}
	y, errY := strconv.ParseFloat(p.Latitude.String(), 64)
	x, errX := strconv.ParseFloat(p.Longitude.String(), 64)
	if errY != nil || errX != nil {
		return drover.Coordinate{}, false
	}
	if math.Abs(y) > 180 || math.Abs(x) > 180 {
		return microdegrees(y, x), true
	}
	return drover.Coordinate{Latitude: y, Longitude: x}, true
}

func positions(rows []position, object string) []provider.Position {
	return wire.Records(rows, func(p position) (provider.Position, bool) { return p.record(object) })
}

func microdegrees(lat, lon float64) drover.Coordinate {
	return drover.Coordinate{Latitude: wire.Degrees(lat), Longitude: wire.Degrees(lon)}
}

func metresFromHectometres(v float64) float64 { return v * 100 }

type trip struct {
	TripID    wire.Text   `json:"tripid"`
	Mode      wire.Number `json:"tripmode"`
	ObjectUID wire.Text   `json:"objectuid"`
	StartTime wire.Time   `json:"start_time"`
	EndTime   wire.Time   `json:"end_time"`
	StartLat  wire.Number `json:"start_latitude"` // millionths of a degree
	StartLon  wire.Number `json:"start_longitude"`
	EndLat    wire.Number `json:"end_latitude"`
	EndLon    wire.Number `json:"end_longitude"`
	Duration  wire.Number `json:"duration"`  // seconds
	IdleTime  wire.Number `json:"idle_time"` // seconds
	Distance  wire.Number `json:"distance"`  // metres
	DriverUID wire.Text   `json:"driveruid"`
}

// modeCorrection marks an entry that corrects the logbook and was never driven.
const modeCorrection = 4

// record returns the trip; false where it is under way or no trip.
func (t trip) record() (provider.Trip, bool) {
	if t.StartTime.IsZero() || t.EndTime.IsZero() || t.Mode.Or(0) == modeCorrection {
		return provider.Trip{}, false
	}
	duration := t.Duration.Or(t.EndTime.Sub(t.StartTime.Time).Seconds())
	return provider.Trip{
		SystemDeviceID: t.ObjectUID.String(),
		SystemTripID:   t.TripID.String(),
		Start:          place(t.StartLat, t.StartLon),
		End:            place(t.EndLat, t.EndLon),
		StartTime:      t.StartTime.Record(),
		EndTime:        t.EndTime.Record(),
		DistanceMetres: t.Distance.Ptr(),
		DrivingSeconds: new(max(duration-t.IdleTime.Or(0), 0)),
		IdlingSeconds:  t.IdleTime.Ptr(),
		DriverID:       t.DriverUID.Ptr(),
	}, true
}

// place returns where a trip starts or ends, nil for a private one, whose places
// are hidden.
func place(lat, lon wire.Number) *drover.Coordinate {
	if lat.Or(0) == 0 && lon.Or(0) == 0 {
		return nil
	}
	return new(microdegrees(lat.Or(0), lon.Or(0)))
}

// driver is a person. Objects and trips name drivers by their unique id.
type driver struct {
	UID    wire.Text `json:"driveruid"`
	Number wire.Text `json:"driverno"`
	Name1  wire.Text `json:"name1"`
	Name2  wire.Text `json:"name2"`
	Name3  wire.Text `json:"name3"`
	Email  wire.Text `json:"email"`
	Mobile wire.Text `json:"telmobile"`
}

func (d driver) record() provider.Driver {
	r := provider.Driver{
		SystemDriverID: d.UID.String(), EmployeeNumber: d.Number.Ptr(), Email: d.Email.Ptr(), Phone: d.Mobile.Ptr(), Active: true,
	}
	if name := strings.Join(strings.Fields(string(d.Name1+" "+d.Name2+" "+d.Name3)), " "); name != "" {
		r.Name = &name
	}
	return r
}
