package rfms

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// answer is any answer of rFMS. Version 4.0 wraps its lists, 2.1 does not. The
// names are those of 4.0; encoding/json matches them without regard to case, as
// 2.1 needs, which even has VIN in one resource and Vin in another.
type answer struct {
	VehicleResponse struct {
		Vehicles []vehicle `json:"vehicles"`
	} `json:"vehicleResponse"`
	PositionResponse struct {
		Positions []report `json:"vehiclePositions"`
	} `json:"vehiclePositionResponse"`
	StatusResponse struct {
		Statuses []report `json:"vehicleStatuses"`
	} `json:"vehicleStatusResponse"`

	Vehicle         wire.List[vehicle] `json:"vehicle"`
	VehiclePosition wire.List[report]  `json:"vehiclePosition"`
	VehicleStatus   wire.List[report]  `json:"vehicleStatus"`

	MoreDataAvailable     wire.Bool `json:"moreDataAvailable"`
	RequestServerDateTime wire.Time `json:"requestServerDateTime"`
}

// more reports whether there is another page.
func (a answer) more() bool { return a.MoreDataAvailable.Or(false) }

// plausible tells an empty answer from one that is about something else. Makers may
// leave a list of reports out where there is none, but then say at least whether
// there is more, or their time. Vehicles are a list, or are not known.
func (a answer) plausible(resource string) bool {
	if resource == vehicles {
		return a.VehicleResponse.Vehicles != nil || a.Vehicle != nil
	}
	return a.MoreDataAvailable.Ptr() != nil || !a.RequestServerDateTime.IsZero() || a.reports() != nil
}

func (a answer) vehicles() []vehicle { return append(a.VehicleResponse.Vehicles, a.Vehicle...) }

func (a answer) reports() []report {
	return slices.Concat(a.PositionResponse.Positions, a.StatusResponse.Statuses, a.VehiclePosition, a.VehicleStatus)
}

type vehicle struct {
	VIN            wire.Text `json:"vin"`
	Name           wire.Text `json:"customerVehicleName"`
	Registration   wire.Text `json:"registrationNumber"` // not in 2.1, nor in the standard
	Brand          wire.Text `json:"brand"`
	Model          wire.Text `json:"model"`
	ProductionDate struct {
		Year wire.Number `json:"year"`
	} `json:"productionDate"`
	// AuthorizedPaths are the resources that may be read; absent where the maker
	// does not say.
	AuthorizedPaths *[]string `json:"authorizedPaths"`
}

// record returns the device. A vehicle of which nothing may be read is not
// active; every other that is listed is.
func (v vehicle) record() provider.Device {
	return provider.Device{
		SystemDeviceID: v.VIN.String(),
		Description:    wire.First(v.Name.Ptr(), v.VIN.Ptr()),
		Registration:   v.Registration.Ptr(),
		Make:           v.Brand.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.ProductionDate.Year.Int(),
		Active:         v.AuthorizedPaths == nil || len(*v.AuthorizedPaths) > 0,
	}
}

// report is an item of either job: a position has the first part, a status
// has the same values in its snapshot.
type report struct {
	VIN     wire.Text `json:"vin"`
	Trigger struct {
		Type wire.Text `json:"triggerType"`
	} `json:"triggerType"`
	Created  wire.Time `json:"createdDateTime"`
	Received wire.Time `json:"receivedDateTime"`
	snapshot

	Distance wire.Number `json:"hrTotalVehicleDistance"` // metres
	Engine   wire.Gauge  `json:"totalEngineHours"`
	FuelUsed wire.Gauge  `json:"engineTotalFuelUsed"` // millilitres
	Driver   driver      `json:"driver1Id"`
	Counters counters    `json:"accumulatedData"`
	Uptime   uptime      `json:"uptimeData"`
	Snapshot struct {
		snapshot
		levels
		Ignition wire.Bool `json:"ignition"` // not in 2.1; ERROR and NOT_AVAILABLE are unknown
	} `json:"snapshotData"`
}

// snapshot is what is true of one instant. Speeds are in km/h.
type snapshot struct {
	GNSS            *gnss       `json:"gnssPosition"`
	WheelBasedSpeed wire.Number `json:"wheelBasedSpeed"`
	TachographSpeed wire.Number `json:"tachographSpeed"`
}

type gnss struct {
	Latitude  wire.Number `json:"latitude"`
	Longitude wire.Number `json:"longitude"`
	Heading   wire.Number `json:"heading"` // a text at some makers
	Speed     wire.Number `json:"speed"`
	Time      wire.Time   `json:"positionDateTime"`
}

type driver struct {
	Tacho card `json:"tachoDriverIdentification"`
	OEM   own  `json:"oemDriverIdentification"`
}

// UnmarshalJSON reads an object, or the maker's own id alone: "" where there is no
// driver.
func (d *driver) UnmarshalJSON(b []byte) error {
	type plain driver
	if wire.IsObject(b) {
		return json.Unmarshal(b, (*plain)(d))
	}
	return d.OEM.ID.UnmarshalJSON(b)
}

// card is a driver's tachograph card. Where there is none, makers write "" in place
// of the object, or the bare number.
type card struct {
	State wire.Text `json:"cardIssuingMemberState"`
	ID    wire.Text `json:"driverIdentification"`
}

// UnmarshalJSON reads either form.
func (c *card) UnmarshalJSON(b []byte) error {
	type plain card
	if wire.IsObject(b) {
		return json.Unmarshal(b, (*plain)(c))
	}
	return c.ID.UnmarshalJSON(b)
}

// own is the maker's own id of a driver, in the same two forms.
type own struct {
	ID wire.Text `json:"oemDriverIdentification"`
}

// UnmarshalJSON reads either form.
func (o *own) UnmarshalJSON(b []byte) (err error) {
	o.ID, err = wire.TextIn(b, "oemDriverIdentification")
	return err
}

// id returns the card with the state that issued it, since its number is unique
// there only, or else the maker's own id. Without consent there is neither.
func (d driver) id() *string {
	if card := d.Tacho.ID.Ptr(); card != nil {
		return new(strings.TrimSpace(d.Tacho.State.String()) + *card)
	}
	return d.OEM.ID.Ptr()
}

// counters are totals in seconds over the life of the vehicle, with the spellings
// of 4.0 and of 2.1.
type counters struct {
	Driving   wire.Number `json:"durationWheelbasedSpeedOverZero"`
	Driving21 wire.Number `json:"durationWheelbaseSpeedOverZero"`
	Idling    wire.Number `json:"durationWheelbasedSpeedZero"`
	Idling21  wire.Number `json:"durationWheelbaseSpeedZero"`
	PTO       classes     `json:"ptoActiveClass"`
}

// classes are the parts of a counter: a list in 4.0, wrapped once more in 2.1, and one by
// itself in XML.
type classes []class

type class struct {
	Label   wire.Text   `json:"label"`
	Seconds wire.Number `json:"seconds"`
}

// UnmarshalJSON reads either form.
func (c *classes) UnmarshalJSON(b []byte) error {
	var list wire.List[struct {
		class
		Wrapped wire.List[class] `json:"value"`
	}]
	err := json.Unmarshal(b, &list)
	for _, item := range list {
		if *c = append(*c, item.Wrapped...); item.Wrapped == nil {
			*c = append(*c, item.class)
		}
	}
	return err
}

// seconds returns the sum of the classes, each once, nil where there are none.
func (c classes) seconds() *float64 {
	if len(c) == 0 {
		return nil
	}
	sum, counted := 0.0, map[wire.Text]bool{}
	for _, class := range c {
		if class.Label == "" || !counted[class.Label] {
			sum += class.Seconds.Or(0)
		}
		counted[class.Label] = true
	}
	return &sum
}

// time returns the time by which the report is selected.
func (r report) time(by string) time.Time {
	if by == byReceived && !r.Received.IsZero() {
		return r.Received.Time
	}
	return r.Created.Time
}

func (r report) trigger() string { return strings.ToUpper(r.Trigger.Type.String()) }

// ignition returns the vehicle's own word, or what its trigger says.
func (r report) ignition() *bool {
	if r.Snapshot.Ignition.Ptr() != nil {
		return r.Snapshot.Ignition.Ptr()
	}
	switch r.trigger() {
	case "IGNITION_ON", "ENGINE_ON":
		return new(true)
	case "IGNITION_OFF", "ENGINE_OFF":
		return new(false)
	default:
		return nil
	}
}

// auxiliary returns whether the power take-off runs, where the trigger tells.
func (r report) auxiliary() *bool {
	switch r.trigger() {
	case "PTO_ENABLED":
		return new(true)
	case "PTO_DISABLED":
		return new(false)
	default:
		return nil
	}
}

func (r report) gnss() gnss {
	if fix := wire.First(r.GNSS, r.Snapshot.GNSS); fix != nil {
		return *fix
	}
	return gnss{}
}

// speed prefers the vehicle's own measures to that of the satellites.
func (r report) speed() *float64 {
	return wire.First(
		r.Snapshot.WheelBasedSpeed.Ptr(), r.WheelBasedSpeed.Ptr(),
		r.Snapshot.TachographSpeed.Ptr(), r.TachographSpeed.Ptr(), r.gnss().Speed.Ptr(),
	)
}

// record returns the position; false where the report has none.
func (r report) record() (provider.Position, bool) {
	fix := r.gnss()
	at := fix.Time
	if at.IsZero() {
		at = r.Created
	}
	if r.VIN == "" || at.IsZero() || fix.Latitude.Ptr() == nil || fix.Longitude.Ptr() == nil {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: r.VIN.String(),
		Position: drover.Position{
			Time:           at.Record(),
			Latitude:       *fix.Latitude.Ptr(),
			Longitude:      *fix.Longitude.Ptr(),
			Heading:        fix.Heading.Ptr(),
			SpeedKPH:       r.speed(),
			DriverID:       r.Driver.id(),
			Ignition:       r.ignition(),
			Auxiliary:      r.auxiliary(),
			OdometerMetres: r.Distance.Ptr(),
		},
		Readings: provider.Readings(r, readings),
	}, true
}

// merged returns the positions of reports, one for each vehicle and time: what
// either job tells of it.
func merged(reports []report) []provider.Position {
	type key struct {
		vin string
		at  int64
	}
	place := map[key]int{}
	var records []provider.Position
	for _, r := range reports {
		p, ok := r.record()
		if !ok {
			continue
		}
		k := key{p.SystemDeviceID, p.Time.UnixMilli()}
		if i, listed := place[k]; listed {
			complete(&records[i], p)
			continue
		}
		place[k] = len(records)
		records = append(records, p)
	}
	return records
}

// complete adds to p what only q tells.
func complete(p *provider.Position, q provider.Position) {
	p.Heading = cmp.Or(p.Heading, q.Heading)
	p.SpeedKPH = cmp.Or(p.SpeedKPH, q.SpeedKPH)
	p.DriverID = cmp.Or(p.DriverID, q.DriverID)
	p.Ignition = cmp.Or(p.Ignition, q.Ignition)
	p.Auxiliary = cmp.Or(p.Auxiliary, q.Auxiliary)
	p.OdometerMetres = cmp.Or(p.OdometerMetres, q.OdometerMetres)
	p.Readings = append(p.Readings, q.Readings...)
}

// within returns the positions in the window of q.
func within(records []provider.Position, q provider.Query) []provider.Position {
	return slices.DeleteFunc(records, func(p provider.Position) bool {
		return p.Time.Before(q.From) || !p.Time.Before(q.To)
	})
}
