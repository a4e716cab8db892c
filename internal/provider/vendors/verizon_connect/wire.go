package verizonconnect

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// withoutNumber begins the id of a vehicle that has no number: nothing else can be
// asked of it.
const withoutNumber = "id:"

// timestamp writes t for a query: the server fails with 500 over a fraction of a
// second and over a zone.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

// escape writes a vehicle number for a path, in which a dash is not understood.
func escape(number string) string {
	return strings.ReplaceAll(url.PathEscape(strings.TrimSpace(number)), "-", "%2D")
}

// vehicles is a list, or an object with a list: both were seen.
type vehicles []vehicle

// UnmarshalJSON reads either form.
func (v *vehicles) UnmarshalJSON(b []byte) (err error) {
	*v, err = wire.ListIn[vehicle](b, "Vehicles", "Items", "Data")
	return err
}

type vehicle struct {
	VehicleNumber      wire.Text `json:"VehicleNumber"`
	VehicleID          wire.Text `json:"VehicleId"`
	Name               wire.Text `json:"Name"`
	RegistrationNumber wire.Text `json:"RegistrationNumber"`
	Make               wire.Text `json:"Make"`
	Model              wire.Text `json:"Model"`
	Year               wire.Text `json:"Year"`
}

// record returns the device; false for one that has neither a number nor an id.
func (v vehicle) record() (provider.Device, bool) {
	id, numbered := strings.TrimSpace(v.VehicleNumber.String()), true
	if id == "" {
		id, numbered = withoutNumber+v.VehicleID.String(), false
	}
	return provider.Device{
		SystemDeviceID: id,
		Description:    v.Name.Ptr(),
		Registration:   v.RegistrationNumber.Ptr(),
		Make:           v.Make.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         numbered,
	}, id != withoutNumber
}

// location is an entry of a bulk answer.
type location struct {
	VehicleNumber   wire.Text   `json:"VehicleNumber"`
	StatusCode      wire.Number `json:"StatusCode"`
	ContentResource *struct {
		Value *position `json:"Value"`
	} `json:"ContentResource"`
}

// position returns the newest position, nil where the entry has none. How a failed
// entry looks is not documented.
func (l location) position() *position {
	if l.ContentResource == nil || l.StatusCode.Or(200) >= 300 || l.ContentResource.Value == nil ||
		l.ContentResource.Value.UpdateUTC.IsZero() {
		return nil
	}
	return l.ContentResource.Value
}

// heard returns when the vehicle reported last, by its own clock: Reveal has no other.
func (l location) heard() (vehicle string, u window.Update) {
	at := l.position().UpdateUTC.Time
	return strings.TrimSpace(l.VehicleNumber.String()), window.Update{Heard: at, Newest: at}
}

// position is a position of the history or the newest one. The time is UpdateUtc
// in the one and UpdateUTC in the other: names are matched whatever their case.
type position struct {
	UpdateUTC    wire.Time   `json:"UpdateUTC"`
	Latitude     wire.Number `json:"Latitude"`
	Longitude    wire.Number `json:"Longitude"`
	Speed        wire.Number `json:"Speed"` // miles or kilometres an hour
	DriverNumber wire.Text   `json:"DriverNumber"`
	OdometerInKM wire.Number `json:"OdometerInKM"`
	IsPrivate    wire.Bool   `json:"IsPrivate"`
}

// record returns the position; false for one without time or place, or on a
// private journey.
func (p position) record(device string, miles bool) (provider.Position, bool) {
	r, ok := wire.Fix(device, p.UpdateUTC, p.Latitude.Ptr(), p.Longitude.Ptr())
	r.DriverID, r.OdometerMetres = p.DriverNumber.Ptr(), wire.Map(p.OdometerInKM.Ptr(), wire.MetresFromKM)
	if r.SpeedKPH = p.Speed.Ptr(); miles {
		r.SpeedKPH = wire.Map(r.SpeedKPH, wire.KPHFromMPH)
	}
	r.Readings = provider.Readings(p, readings)
	return r, ok && !p.IsPrivate.Or(false)
}

// segments are those of one driver, or of a list of drivers: both were seen.
type segments []segment

// UnmarshalJSON reads either form.
func (s *segments) UnmarshalJSON(b []byte) error {
	var drivers wire.List[struct {
		Segments *[]segment `json:"Segments"`
	}]
	if err := json.Unmarshal(b, &drivers); err != nil {
		return err
	}
	*s = segments{}
	for _, d := range drivers {
		if d.Segments == nil {
			return outbound.FormError("it has no segments")
		}
		*s = append(*s, *d.Segments...)
	}
	return nil
}

type segment struct {
	StartDateUTC   wire.Time   `json:"StartDateUtc"`
	EndDateUTC     wire.Time   `json:"EndDateUtc"`
	StartLocation  *place      `json:"StartLocation"`
	EndLocation    *place      `json:"EndLocation"`
	StartIsPrivate wire.Bool   `json:"StartLocationIsPrivate"`
	EndIsPrivate   wire.Bool   `json:"EndLocationIsPrivate"`
	IsComplete     wire.Bool   `json:"IsComplete"`
	Kilometers     wire.Number `json:"DistanceKilometers"`
}

type place struct {
	Latitude  wire.Number `json:"Latitude"`
	Longitude wire.Number `json:"Longitude"`
}

// point returns the place, nil where it is not known or private.
func (p *place) point(private wire.Bool) *drover.Coordinate {
	if p == nil || private.Or(false) {
		return nil
	}
	return wire.Coordinate(p.Latitude.Ptr(), p.Longitude.Ptr())
}

// record returns the trip; false where it is not over. It has no id of the
// vendor's: a vehicle starts once at a time.
func (s segment) record(device string) (provider.Trip, bool) {
	return provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   fmt.Sprintf("%s-%s", device, s.StartDateUTC.Record()),
		Start:          s.StartLocation.point(s.StartIsPrivate),
		End:            s.EndLocation.point(s.EndIsPrivate),
		StartTime:      s.StartDateUTC.Record(),
		EndTime:        s.EndDateUTC.Record(),
		DistanceMetres: wire.Map(s.Kilometers.Ptr(), wire.MetresFromKM),
	}, s.IsComplete.Or(true) && !s.StartDateUTC.IsZero() && !s.EndDateUTC.IsZero()
}

type driverItem struct {
	Driver struct {
		Number    wire.Text `json:"DriverNumber"`
		FirstName wire.Text `json:"FirstName"`
		LastName  wire.Text `json:"LastName"`
		Email     wire.Text `json:"EmailAddress"`
		Phone     wire.Text `json:"PhoneNumber"`
	} `json:"Driver"`
}

func (i driverItem) record() (provider.Driver, bool) {
	d := i.Driver
	return provider.Driver{
		SystemDriverID: strings.TrimSpace(d.Number.String()), FirstName: d.FirstName.Ptr(), LastName: d.LastName.Ptr(), Email: d.Email.Ptr(),
		Phone: d.Phone.Ptr(), Active: true,
	}, d.Number.Ptr() != nil
}
