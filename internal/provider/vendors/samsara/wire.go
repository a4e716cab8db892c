package samsara

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	rules "github.com/drover-fleet/drover/internal/rules/assignment"
)

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// list is the envelope of every answer but those of v1.
type list[T any] struct {
	Data       []T        `json:"data" required:"true"`
	Pagination pagination `json:"pagination"`
}

type pagination struct {
	EndCursor   string `json:"endCursor"`
	HasNextPage bool   `json:"hasNextPage"`
}

// next returns the cursor to go on with and whether to do so at once. The last
// page of a list has none, and a page that leads to itself has no next.
func (p pagination) next(cursor string) (string, bool) {
	if p.EndCursor == "" || p.EndCursor == cursor {
		return cursor, false
	}
	return p.EndCursor, p.HasNextPage
}

type vehicle struct {
	ID           wire.Text   `json:"id"`
	Name         wire.Text   `json:"name"`
	Make         wire.Text   `json:"make"`
	Model        wire.Text   `json:"model"`
	Year         wire.Number `json:"year"` // as text
	LicensePlate wire.Text   `json:"licensePlate"`
	Gateway      *struct{}   `json:"gateway"`
}

// record returns the vehicle. There is no flag for one that is laid up; one
// without gateway reports nothing.
func (v vehicle) record() provider.Device {
	return provider.Device{
		SystemDeviceID: v.ID.String(),
		Description:    v.Name.Ptr(),
		Registration:   v.LicensePlate.Ptr(),
		Make:           v.Make.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         v.Gateway != nil,
	}
}

type stats struct {
	ID  wire.Text `json:"id"`
	GPS []gps     `json:"gps"`
}

type gps struct {
	Time        wire.Time   `json:"time"`
	Latitude    float64     `json:"latitude"`
	Longitude   float64     `json:"longitude"`
	Heading     wire.Number `json:"headingDegrees"`
	Speed       wire.Number `json:"speedMilesPerHour"`
	Decorations struct {
		EngineStates struct {
			Value string `json:"value"`
		} `json:"engineStates"`
		Odometer struct {
			Value wire.Number `json:"value"`
		} `json:"obdOdometerMeters"`
	} `json:"decorations"`
}

func (s stats) records() []provider.Position {
	var records []provider.Position
	for _, g := range s.GPS {
		if g.Time.IsZero() {
			continue
		}
		records = append(records, provider.Position{
			SystemDeviceID: s.ID.String(),
			Position: drover.Position{
				Time:           g.Time.Record(),
				Latitude:       g.Latitude,
				Longitude:      g.Longitude,
				Heading:        g.Heading.Ptr(),
				SpeedKPH:       wire.Map(g.Speed.Ptr(), wire.KPHFromMPH),
				Ignition:       ignition(g.Decorations.EngineStates.Value),
				OdometerMetres: g.Decorations.Odometer.Value.Ptr(),
			},
			Readings: provider.Readings(g, decorated),
		})
	}
	return records
}

func ignition(engineState string) *bool {
	switch engineState {
	case "On", "Idle":
		return new(true)
	case "Off":
		return new(false)
	default:
		return nil
	}
}

type assignment struct {
	Start     wire.Time `json:"startTime"`
	End       wire.Time `json:"endTime"` // none while it lasts
	Passenger bool      `json:"isPassenger"`
	Type      wire.Text `json:"assignmentType"`
	Driver    struct {
		ID wire.Text `json:"id"`
	} `json:"driver"`
	Vehicle struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
}

func byVehicle(rows []assignment) map[string][]assignment {
	vehicles := map[string][]assignment{}
	for _, row := range rows {
		if !row.Passenger {
			id := row.Vehicle.ID.String()
			vehicles[id] = append(vehicles[id], row)
		}
	}
	return vehicles
}

// methods are the types of assignments. Others are unknown.
var methods = map[string]drover.AssignmentMethod{
	"tachograph": drover.ByTachograph, "idCard": drover.ByCard, "RFID": drover.ByCard, "driverApp": drover.ByApp, "qrCode": drover.ByApp,
	"HOS": drover.ByHOS, "faceId": drover.ByCamera, "static": drover.ByStatic, "safetyManual": drover.ByManual,
}

// method is how it is known who drove.
func (a assignment) method() drover.AssignmentMethod {
	method, ok := methods[a.Type.String()]
	if !ok {
		return drover.ByUnknown
	}
	return method
}

// belief is how far an assignment is believed: a standing one less than all that says who drove.
func (a assignment) belief() int { return rules.Belief(a.method()) }

// driverAt returns who drove a vehicle at an instant: of assignments that
// overlap, the one that is believed most counts, of those that are believed alike
// the one that began last.
func driverAt(rows []assignment, at time.Time) *string {
	var found *assignment
	for i, row := range rows {
		covers := !at.Before(row.Start.Time) && (row.End.IsZero() || !at.After(row.End.Time))
		if covers && (found == nil || cmp.Or(cmp.Compare(row.belief(), found.belief()), row.Start.Compare(found.Start.Time)) > 0) {
			found = &rows[i]
		}
	}
	if found == nil {
		return nil
	}
	return found.Driver.ID.Ptr()
}

// trip is one of v1: it names neither its vehicle nor itself.
type trip struct {
	StartMs  int64       `json:"startMs"`
	EndMs    int64       `json:"endMs"`
	Distance wire.Number `json:"distanceMeters"`
	DriverID wire.Text   `json:"driverId"` // 0 for no one
	Start    *coordinate `json:"startCoordinates"`
	End      *coordinate `json:"endCoordinates"`
}

type coordinate struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

func (c coordinate) record() drover.Coordinate {
	return drover.Coordinate{Latitude: c.Latitude, Longitude: c.Longitude}
}

// latestEnd is the year 5138. A trip that is under way ends with the largest
// number there is.
const latestEnd = 1e14

func (t trip) over() bool { return t.EndMs > t.StartMs && t.EndMs < latestEnd }

func (t trip) record(device string) provider.Trip {
	return provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   fmt.Sprintf("%s-%d", device, t.StartMs),
		Start:          wire.Map(t.Start, coordinate.record),
		End:            wire.Map(t.End, coordinate.record),
		StartTime:      drover.Milli(t.StartMs),
		EndTime:        drover.Milli(t.EndMs),
		DistanceMetres: t.Distance.Ptr(),
		DriverID:       t.DriverID.ID(),
	}
}

type idling struct {
	ID       wire.Text   `json:"eventUuid"`
	Start    wire.Time   `json:"startTime"`
	Duration wire.Number `json:"durationMilliseconds"`
	PTO      string      `json:"ptoState"`
}

// setIdling sums up the events that begin during the trip, of its own vehicle.
func setIdling(t *provider.Trip, events []idling) {
	var idle, auxiliary time.Duration
	counted := map[wire.Text]bool{}
	for _, e := range events {
		if e.Start.Before(t.StartTime.Time) || !e.Start.Before(t.EndTime.Time) || counted[e.ID] {
			continue
		}
		counted[e.ID] = e.ID != ""
		length := min(time.Duration(e.Duration.Or(0))*time.Millisecond, t.EndTime.Sub(e.Start.Time))
		if e.PTO == "active" {
			auxiliary += length
		} else {
			idle += length
		}
	}
	driving := max(t.EndTime.Sub(t.StartTime.Time)-idle-auxiliary, 0)
	t.IdlingSeconds, t.AuxiliarySeconds = new(idle.Seconds()), new(auxiliary.Seconds())
	t.DrivingSeconds = new(driving.Seconds())
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// activeDriver is the status of a driver who is not deactivated.
const activeDriver = "active"

type driver struct {
	ID         wire.Text `json:"id"`
	Name       wire.Text `json:"name"`
	Phone      wire.Text `json:"phone"`
	Licence    wire.Text `json:"licenseNumber"`
	Region     wire.Text `json:"licenseState"`
	Tachograph wire.Text `json:"tachographCardNumber"`
	Card       wire.Text `json:"currentIdCardCode"`
	Status     wire.Text `json:"driverActivationStatus"`
}

func (d driver) record() provider.Driver {
	return provider.Driver{
		SystemDriverID: d.ID.String(), Name: d.Name.Ptr(), Phone: d.Phone.Ptr(), LicenceNumber: d.Licence.Ptr(),
		LicenceRegion: d.Region.Ptr(), Active: d.Status == activeDriver,
		Keys: append(provider.Key(drover.KeyTachograph, d.Tachograph.Ptr()), provider.Key(drover.KeyRFID, d.Card.Ptr())...),
	}
}
