package bouncie

import (
	"encoding/json"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

type vehicle struct {
	IMEI     wire.Text `json:"imei"`
	NickName wire.Text `json:"nickName"`
	Model    struct {
		Make wire.Text   `json:"make"`
		Name wire.Text   `json:"name"`
		Year wire.Number `json:"year"`
	} `json:"model"`
	Stats struct {
		LastUpdated wire.Time   `json:"lastUpdated"`
		Odometer    wire.Number `json:"odometer"`  // miles
		FuelLevel   wire.Gauge  `json:"fuelLevel"` // percent
		Speed       wire.Number `json:"speed"`     // taken for miles an hour
		IsRunning   wire.Bool   `json:"isRunning"`
		Location    place       `json:"location"`
		MIL         struct {
			Codes *[]struct {
				Code  wire.Text   `json:"code"`
				Names []wire.Text `json:"name"`
			} `json:"qualifiedDtcList"`
		} `json:"mil"`
	} `json:"stats"`
}

// place is where a vehicle is. Old records have an address instead, which is no
// position.
type place struct {
	Latitude  wire.Number `json:"lat"`
	Longitude wire.Number `json:"lon"`
	Heading   wire.Number `json:"heading"`
}

// UnmarshalJSON reads a place, or nothing from an address.
func (p *place) UnmarshalJSON(b []byte) error {
	*p = place{}
	if !wire.IsObject(b) {
		return nil
	}
	type plain place
	return json.Unmarshal(b, (*plain)(p))
}

// record returns the device. The vendor knows its VIN but no registration.
func (v vehicle) record() provider.Device {
	model := wire.Text(string(v.Model.Make) + " " + string(v.Model.Name))
	return provider.Device{
		SystemDeviceID: v.IMEI.String(),
		Description:    wire.First(v.NickName.Ptr(), model.Ptr()),
		Make:           v.Model.Make.Ptr(),
		Model:          v.Model.Name.Ptr(),
		Year:           v.Model.Year.Int(),
		Active:         true,
	}
}

// position returns the newest position; false where there is none.
func (v vehicle) position() (provider.Position, bool) {
	s := v.Stats
	p, ok := wire.Fix(v.IMEI.String(), s.LastUpdated, s.Location.Latitude.Ptr(), s.Location.Longitude.Ptr())
	p.Heading, p.Ignition = s.Location.Heading.Ptr(), s.IsRunning.Ptr()
	p.SpeedKPH, p.OdometerMetres = wire.Map(s.Speed.Ptr(), wire.KPHFromMPH), wire.Map(s.Odometer.Ptr(), wire.MetresFromMiles)
	p.Readings, p.Faults = provider.Readings(v, readings), v.faults()
	return p, ok
}

// faults is the list of the vehicle's codes; nil where there is none.
func (v vehicle) faults() *fault.Report {
	if v.Stats.MIL.Codes == nil {
		return nil
	}
	r := &fault.Report{Form: fault.Listed}
	for _, c := range *v.Stats.MIL.Codes {
		said := fault.Said{Protocol: drover.FaultOBD, Code: c.Code.String()}
		if len(c.Names) > 0 {
			said.Description = c.Names[0].Ptr()
		}
		r.Faults = append(r.Faults, said)
	}
	return r
}

// readings are those of the vehicle's stats, which have the time of the position. The
// battery is a word, and never volts.
var readings = []provider.Instrument[vehicle]{
	provider.Reads("odometer", drover.ReadingOdometer, "", 1, func(v vehicle) *float64 { return wire.Map(v.Stats.Odometer.Ptr(), wire.MetresFromMiles) }),
	provider.Reads("fuelLevel", drover.ReadingFuelPercent, drover.SourceVehicle, 1, func(v vehicle) *float64 { return v.Stats.FuelLevel.Ptr() }),
}

// distinct counts the vehicles of a page.
func distinct(page []vehicle) int {
	seen := map[wire.Text]bool{}
	for _, v := range page {
		seen[v.IMEI] = true
	}
	return len(seen)
}

type trip struct {
	ID       wire.Text   `json:"transactionId"`
	Start    wire.Time   `json:"startTime"`
	End      wire.Time   `json:"endTime"`
	Distance wire.Number `json:"distance"`          // miles
	Idle     wire.Number `json:"totalIdleDuration"` // seconds
	Route    route       `json:"gps"`
}

// route is the way driven, from first to last point; the points have no times.
type route []drover.Coordinate

// UnmarshalJSON reads a GeoJSON line, whose points have the longitude first.
// Anything else is no route.
func (r *route) UnmarshalJSON(b []byte) error {
	*r = nil
	var line struct {
		Coordinates [][]float64 `json:"coordinates"`
	}
	if err := json.Unmarshal(b, &line); err != nil {
		return nil //nolint:nilerr // a trip without its route is worth having
	}
	for _, point := range line.Coordinates {
		if len(point) >= 2 {
			*r = append(*r, drover.Coordinate{Latitude: point[1], Longitude: point[0]})
		}
	}
	return nil
}

// record returns the trip; false where it is under way.
func (t trip) record(device string) (provider.Trip, bool) {
	trip := provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   t.ID.String(),
		StartTime:      t.Start.Record(),
		EndTime:        t.End.Record(),
		DistanceMetres: wire.Map(t.Distance.Ptr(), wire.MetresFromMiles),
		IdlingSeconds:  t.Idle.Ptr(),
		DrivingSeconds: wire.Without(t.Idle.Ptr(), t.End.Sub(t.Start.Time).Seconds()),
	}
	if n := len(t.Route); n > 0 {
		trip.Start, trip.End = &t.Route[0], &t.Route[n-1]
	}
	return trip, !t.Start.IsZero() && !t.End.IsZero()
}
