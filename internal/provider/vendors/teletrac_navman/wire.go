package teletracnavman

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// word is a text, or an object with a code or a name. The form of a vehicle's
// status is not documented, and its type is such an object.
type word string

// UnmarshalJSON reads either form.
func (w *word) UnmarshalJSON(b []byte) error {
	text, err := wire.TextIn(b, "code", "name")
	*w = word(text)
	return err
}

type vehicle struct {
	ID           wire.Text `json:"id"`
	Name         wire.Text `json:"name"`
	Registration wire.Text `json:"registration"`
	Make         wire.Text `json:"make"`
	Model        wire.Text `json:"model"`
	Year         wire.Text `json:"year"` // not documented
	Status       word      `json:"status"`
}

func (v vehicle) record() provider.Device {
	return provider.Device{
		SystemDeviceID: v.ID.String(),
		Description:    v.Name.Ptr(),
		Registration:   v.Registration.Ptr(),
		Make:           v.Make.Ptr(),
		Model:          v.Model.Ptr(),
		Year:           v.Year.Int(),
		Active:         v.active(),
	}
}

// active takes every word that may mean it: the values are not documented, but a
// filter of the API has E for enabled.
func (v vehicle) active() bool {
	status := strings.ToUpper(strings.TrimSpace(string(v.Status)))
	return status == "" || status == "ACTIVE" || strings.HasPrefix(status, "E")
}

// stat says that a vehicle was updated.
type stat struct {
	VehicleID wire.Text `json:"vehicleId"`
	UpdatedAt wire.Time `json:"updatedAt"`
	Vehicle   struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
	GPS *fix `json:"GPS"`
}

func (s stat) heard() (vehicle string, u window.Update) {
	u.Heard = s.UpdatedAt.Time
	if s.GPS != nil {
		u.Newest = s.GPS.At.Time
	}
	return cmp.Or(s.VehicleID, s.Vehicle.ID).String(), u
}

// fix is a position, alone or within an event.
type fix struct {
	At    wire.Time   `json:"At"`
	Valid wire.Bool   `json:"valid"`
	Lat   wire.Number `json:"Lat"`
	Lng   wire.Number `json:"Lng"`
	Spd   wire.Number `json:"Spd"` // km/h by all appearances; no text of the vendor says so
	Dir   wire.Number `json:"Dir"`
}

// point returns the place, nil where the tracker had none.
func (f *fix) point() *drover.Coordinate {
	if f == nil || !f.Valid.Or(true) {
		return nil
	}
	return wire.Coordinate(f.Lat.Ptr(), f.Lng.Ptr())
}

// record returns the position; false where it has no time or no place.
func (f fix) record(device string) (provider.Position, bool) {
	p, ok := wire.Fix(device, f.At, f.Lat.Ptr(), f.Lng.Ptr())
	p.Heading, p.SpeedKPH = f.Dir.Ptr(), f.Spd.Ptr()
	return p, ok && f.Valid.Or(true)
}

// event is the ignition of a vehicle going on or off, or what its camera saw.
type event struct {
	ID        wire.Text   `json:"id"`
	VehicleID wire.Text   `json:"vehicleId"`
	TripID    wire.Text   `json:"tripId"`
	Type      wire.Text   `json:"type"`
	Action    wire.Text   `json:"action"`
	TimeAt    wire.Time   `json:"timeAt"`
	Odometer  wire.Number `json:"odometer"` // kilometres, as its size shows, or miles
	GPS       *fix        `json:"GPS"`
}

func (e event) is(action string) bool { return strings.EqualFold(e.Action.String(), action) }

// tripsOf puts events together: a trip is from the ignition's going on to its
// going off. Events with the same trip id are one trip, from the first on to the
// last off. A trip whose start or end is not among the events is left out.
func tripsOf(events []event, miles bool) []provider.Trip {
	events = slices.DeleteFunc(events, func(e event) bool {
		return e.TimeAt.IsZero() || e.VehicleID == "" || !strings.EqualFold(e.Type.String(), "ignition")
	})
	order.By(events, func(a, b event) int { return a.TimeAt.Compare(b.TimeAt.Time) })
	type key struct{ vehicle, trip wire.Text }
	starts := map[key]event{}
	places := map[key]int{}
	var trips []provider.Trip
	for _, e := range events {
		k := key{e.VehicleID, e.TripID}
		start, begun := starts[k]
		switch {
		case e.is("ON") && (!begun || e.TripID == ""): // a second on means that an off was lost
			starts[k] = e
		case e.is("OFF") && begun && e.TripID == "":
			trips = append(trips, trip(start, e, miles))
			delete(starts, k)
		case e.is("OFF") && begun:
			if i, listed := places[k]; listed {
				trips[i] = trip(start, e, miles)
				continue
			}
			places[k] = len(trips)
			trips = append(trips, trip(start, e, miles))
		}
	}
	return trips
}

func trip(on, off event, miles bool) provider.Trip {
	metres := wire.MetresFromKM
	if miles {
		metres = wire.MetresFromMiles
	}
	id := on.TripID.String()
	if id == "" {
		id = fmt.Sprintf("%s-%d", on.VehicleID, on.TimeAt.UnixMilli())
	}
	return provider.Trip{
		SystemDeviceID: on.VehicleID.String(),
		SystemTripID:   id,
		Start:          on.GPS.point(),
		End:            off.GPS.point(),
		StartTime:      on.TimeAt.Record(),
		EndTime:        off.TimeAt.Record(),
		DistanceMetres: wire.Map(wire.Difference(on.Odometer.Ptr(), off.Odometer.Ptr()), metres),
	}
}
