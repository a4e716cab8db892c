package johndeere

import (
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// list is a page of a list of the Operations Center.
type list[T any] struct {
	Links wire.List[struct {
		Rel string `json:"rel"`
		URI string `json:"uri"`
	}] `json:"links"`
	Values wire.List[T] `json:"values" required:"true"`
}

// next returns the path and query of the next page.
func (l list[T]) next() (string, bool) {
	for _, link := range l.Links {
		if u, err := url.Parse(link.URI); link.Rel == "nextPage" && err == nil && strings.HasPrefix(u.Path, "/") {
			return u.RequestURI(), true
		}
	}
	return "", false
}

// idOf returns the id of a machine: its PIN is unique, and some have only a serial
// number.
func idOf(h iso15143.Header) string {
	if pin := h.PIN.Ptr(); pin != nil {
		return *pin
	}
	return strings.TrimSpace(h.SerialNumber.String())
}

// machine is a machine as the Operations Center knows it.
type machine struct {
	ID           wire.Text `json:"id"`
	PrincipalID  wire.Text `json:"principalId"`
	SerialNumber wire.Text `json:"serialNumber"`
	ModelYear    wire.Text `json:"modelYear"`
	Archived     bool      `json:"archived"`
}

// principal returns the id by which tracks are read, empty where there is none.
func (m machine) principal() string {
	if m.PrincipalID != "" {
		return m.PrincipalID.String()
	}
	return m.ID.String()
}

// device returns the device; false where nothing identifies it. Users write "PIN:"
// before an equipment id that is none of their own.
func device(e iso15143.Equipment, machines map[string]machine) (provider.Device, bool) {
	id := idOf(e.Header)
	if id == "" {
		return provider.Device{}, false
	}
	m := machines[id]
	name := wire.Text(strings.TrimPrefix(strings.TrimSpace(e.Header.EquipmentID.String()), "PIN:"))
	return provider.Device{
		SystemDeviceID: id,
		Description:    name.Ptr(),
		Make:           e.Header.Make.Ptr(),
		Model:          e.Header.Model.Ptr(),
		Year:           m.ModelYear.Int(),
		Active:         !m.Archived,
	}, true
}

// breadcrumb is a point of a track.
type breadcrumb struct {
	Time  wire.Time `json:"eventTimestamp"`
	Point struct {
		Latitude  wire.Number `json:"lat"`
		Longitude wire.Number `json:"lon"`
	} `json:"point"`
	Speed struct {
		Value wire.Number `json:"valueAsDouble"`
		Unit  wire.Text   `json:"unit"`
	} `json:"speed"`
	Heading struct {
		Value wire.Number `json:"valueAsInteger"` // degrees, we assume
	} `json:"heading"`
}

func (c breadcrumb) valid() bool {
	return !c.Time.IsZero() && c.Point.Latitude.Ptr() != nil && c.Point.Longitude.Ptr() != nil
}

// kph returns the speed, nil in any other unit than the one that is documented.
func (c breadcrumb) kph() *float64 {
	if c.Speed.Unit != "km1hr-1" {
		return nil
	}
	return c.Speed.Value.Ptr()
}

func (c breadcrumb) place() drover.Coordinate {
	return drover.Coordinate{Latitude: c.Point.Latitude.Or(0), Longitude: c.Point.Longitude.Or(0)}
}

// record returns the position. The state of the machine, such as Idle or Working,
// is not taken for its ignition: that is a guess.
func (c breadcrumb) record(device string) provider.Position {
	at := c.place()
	return provider.Position{
		SystemDeviceID: device,
		Position: drover.Position{
			Time: c.Time.Record(), Latitude: at.Latitude, Longitude: at.Longitude,
			Heading: c.Heading.Value.Ptr(), SpeedKPH: c.kph(),
		},
	}
}

// interval is a stretch of time in which the engine, or a part of the machine, was
// in one state.
type interval struct {
	Start wire.Time `json:"startDate"`
	End   wire.Time `json:"endDate"`
	State wire.Text `json:"engineState"` // 1 on, 0 off
}

// on reports whether something ran. An interval that was asked for by its state
// may lack the engine's.
func (i interval) on() bool { return i.State != "0" && i.End.After(i.Start.Time) }

// whole returns the intervals in which the engine ran from start to end. Whether
// one that crosses an edge of the query is cut there is not documented; one that
// touches an edge is left to another window. The last one is over where another
// follows, or nothing was added for long.
func whole(hours []interval, w window.Window) []interval {
	var ran []interval
	for n, i := range hours {
		followed := n+1 < len(hours) && hours[n+1].Start.After(i.Start.Time)
		over := followed || !i.End.After(w.To.Add(-tripSettle))
		inside := i.Start.After(w.From) && i.End.Before(w.To) && !i.End.Before(w.From.Add(tripMargin))
		if i.on() && over && inside {
			ran = append(ran, i)
		}
	}
	return ran
}

// trip returns the trip of an interval in which the engine ran. What it did
// meanwhile is seen in its track: it drove from each point with a speed to the
// next.
func (i interval) trip(device, principal string, crumbs []breadcrumb, takeOff []interval) provider.Trip {
	t := provider.Trip{
		SystemDeviceID: device,
		SystemTripID:   principal + ":" + i.Start.UTC().Format("20060102T150405Z"),
		StartTime:      i.Start.Record(),
		EndTime:        i.End.Record(),
	}
	auxiliary := 0.0
	for _, p := range takeOff {
		if p.on() {
			auxiliary += i.common(p).Seconds()
		}
	}
	t.AuxiliarySeconds = &auxiliary
	track := i.track(crumbs)
	if len(track) == 0 {
		return t
	}
	places := make([]drover.Coordinate, len(track))
	for n, c := range track {
		places[n] = c.place()
	}
	t.Start, t.End = &places[0], &places[len(places)-1]
	t.DistanceMetres = new(math.Round(geo.LengthMetres(places)))
	if driving, ok := i.driving(track); ok {
		t.DrivingSeconds = &driving
		t.IdlingSeconds = new(max(i.End.Sub(i.Start.Time).Seconds()-driving-auxiliary, 0))
	}
	return t
}

// common returns how long both intervals last together.
func (i interval) common(o interval) time.Duration {
	start, end := i.Start.Time, i.End.Time
	if o.Start.After(start) {
		start = o.Start.Time
	}
	if o.End.Before(end) {
		end = o.End.Time
	}
	return max(end.Sub(start), 0)
}

func (i interval) track(crumbs []breadcrumb) []breadcrumb {
	var track []breadcrumb
	for _, c := range crumbs {
		if !c.Time.Before(i.Start.Time) && !c.Time.After(i.End.Time) {
			track = append(track, c)
		}
	}
	return track
}

// driving returns the seconds of motion; false where no point has a speed.
func (i interval) driving(track []breadcrumb) (seconds float64, ok bool) {
	for n, c := range track {
		kph := c.kph()
		if kph == nil {
			continue
		}
		ok = true
		next := i.End.Time
		if n+1 < len(track) {
			next = track[n+1].Time.Time
		}
		if *kph > 0 {
			seconds += next.Sub(c.Time.Time).Seconds()
		}
	}
	return seconds, ok
}
