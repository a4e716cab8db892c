package automile

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

type vehicle struct {
	ID        wire.Text   `json:"VehicleId"`
	Nickname  wire.Text   `json:"Nickname"`
	Plate     wire.Text   `json:"NumberPlate"`
	Make      wire.Text   `json:"Make"`
	Model     wire.Text   `json:"Model"`
	Year      wire.Number `json:"ModelYear"`
	Odometer  wire.Number `json:"CurrentOdometerInKilometers"`
	CheckedIn wire.Text   `json:"CheckedInContactId"`
}

// record returns the device. The vendor has no flag for one that is laid up.
func (v vehicle) record() provider.Device {
	model := wire.Text(string(v.Make) + " " + string(v.Model))
	return provider.Device{
		SystemDeviceID: v.ID.String(),
		Description:    wire.First(v.Nickname.Ptr(), model.Ptr()),
		Registration:   v.Plate.Ptr(),
		Make:           v.Make.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         true,
	}
}

type status struct {
	VehicleID wire.Text   `json:"VehicleId"`
	Time      wire.Time   `json:"LastPositionUtc"`
	Latitude  wire.Number `json:"LastKnownLatitude"`
	Longitude wire.Number `json:"LastKnownLongitude"`
	Heading   wire.Number `json:"Heading"`
	Driving   wire.Bool   `json:"IsDriving"`
}

// record returns the newest position of v; false where there is none.
func (s status) record(v vehicle) (provider.Position, bool) {
	p, ok := wire.Fix(s.VehicleID.String(), s.Time, s.Latitude.Ptr(), s.Longitude.Ptr())
	p.Heading, p.Ignition = s.Heading.Ptr(), s.Driving.Ptr()
	p.DriverID, p.OdometerMetres = v.CheckedIn.ID(), wire.Map(v.Odometer.Ptr(), wire.MetresFromKM)
	p.Readings = provider.Readings(v, readings)
	return p, ok
}

// tripRow is a trip in the list. Its times have no zone; they are taken for UTC.
type tripRow struct {
	ID       wire.Text   `json:"TripId"`
	Start    wire.Time   `json:"TripStartDateTime"`
	End      wire.Time   `json:"TripEndDateTime"` // none while under way
	Distance wire.Number `json:"DistanceKilometers"`
	Driver   wire.Text   `json:"DriverContactId"`
}

// trip is a tripRow as a value that can be compared: details that were read for
// one are good as long as it stays the same.
type trip struct {
	ID         wire.Text
	Start, End time.Time
	KM         float64
	HasKM      bool
	Driver     wire.Text
}

func (r tripRow) trip() trip {
	return trip{
		ID: r.ID, Start: r.Start.Time, End: r.End.Time,
		KM: r.Distance.Or(0), HasKM: r.Distance.Ptr() != nil, Driver: r.Driver,
	}
}

func (t trip) over() bool { return !t.End.IsZero() }

// distinct returns the trips of a list, each once.
func distinct(rows []tripRow) []trip {
	var trips []trip
	seen := map[wire.Text]bool{}
	for _, r := range rows {
		if !r.Start.IsZero() && !seen[r.ID] {
			seen[r.ID] = true
			trips = append(trips, r.trip())
		}
	}
	return trips
}

// detail is what a trip's own calls tell of it.
type detail struct {
	Idle wire.Number `json:"IdleTimeInSecondsAllTrip"`
	Ends ends        `json:"-"`
}

type ends struct {
	StartLatitude  wire.Number
	StartLongitude wire.Number
	EndLatitude    wire.Number
	EndLongitude   wire.Number
}

func (t trip) record(device string, d detail) provider.Trip {
	record := provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   t.ID.String(),
		Start:          coordinate(d.Ends.StartLatitude, d.Ends.StartLongitude),
		End:            coordinate(d.Ends.EndLatitude, d.Ends.EndLongitude),
		StartTime:      drover.At(t.Start),
		EndTime:        drover.At(t.End),
		IdlingSeconds:  d.Idle.Ptr(),
		DrivingSeconds: wire.Without(d.Idle.Ptr(), t.End.Sub(t.Start).Seconds()),
		DriverID:       t.Driver.ID(),
	}
	if t.HasKM {
		record.DistanceMetres = new(wire.MetresFromKM(t.KM))
	}
	return record
}

// coordinate returns a point; nil where it is withheld, which also reads as 0, 0.
func coordinate(latitude, longitude wire.Number) *drover.Coordinate {
	c := drover.Coordinate{Latitude: latitude.Or(0), Longitude: longitude.Or(0)}
	return wire.NonZero(c)
}

type point struct {
	Time      wire.Time   `json:"RecordTimeStamp"`
	Latitude  float64     `json:"Latitude"`
	Longitude float64     `json:"Longitude"`
	Heading   wire.Number `json:"HeadingDegrees"`
}

type speed struct {
	Time wire.Time   `json:"RecordTimeStamp"`
	KPH  wire.Number `json:"SpeedKmPerHour"`
}

// track returns the positions of a trip. Speeds have times of their own.
func track(device string, t trip, points []point, speeds []speed) []provider.Position {
	order.By(speeds, func(a, b speed) int { return a.Time.Compare(b.Time.Time) })
	var records []provider.Position
	for _, p := range points {
		if p.Time.IsZero() {
			continue
		}
		records = append(records, provider.Position{
			SystemDeviceID: device,
			Position: drover.Position{
				Time:      p.Time.Record(),
				Latitude:  p.Latitude,
				Longitude: p.Longitude,
				Heading:   p.Heading.Ptr(),
				SpeedKPH:  nearest(speeds, p.Time.Time),
				DriverID:  t.Driver.ID(),
				Ignition:  new(true),
			},
		})
	}
	return records
}

// speedReach is how far from a position's time its speed may have been measured.
const speedReach = 10 * time.Second

// nearest returns the speed measured closest to an instant; nil where none is
// close.
func nearest(speeds []speed, at time.Time) *float64 {
	i, _ := slices.BinarySearchFunc(speeds, at, func(s speed, t time.Time) int { return s.Time.Compare(t) })
	var best *float64
	reach := speedReach
	for _, s := range speeds[max(i-1, 0):min(i+1, len(speeds))] {
		if off := s.Time.Sub(at).Abs(); off <= reach {
			best, reach = s.KPH.Ptr(), off
		}
	}
	return best
}

type contact struct {
	ID        wire.Text `json:"ContactId"`
	FirstName wire.Text `json:"FirstName"`
	LastName  wire.Text `json:"LastName"`
	Email     wire.Text `json:"EmailAddress"`
	Phone     wire.Text `json:"MobilePhoneNumber"`
}

func (c contact) record() provider.Driver {
	return provider.Driver{
		SystemDriverID: c.ID.String(), FirstName: c.FirstName.Ptr(), LastName: c.LastName.Ptr(), Email: c.Email.Ptr(), Phone: c.Phone.Ptr(),
		Active: true,
	}
}
