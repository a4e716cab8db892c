package iso15143

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Fleet is a page of a fleet's newest state.
type Fleet struct {
	Links     Links                `json:"links"`
	Equipment wire.List[Equipment] `json:"equipment"`

	Version      wire.Text `json:"version"`
	SnapshotTime wire.Text `json:"snapshotTime"`
}

// plausible tells an empty fleet from an answer that is about something else,
// which must not be taken for one: its machines would be gone.
func (f Fleet) plausible() bool {
	return f.Links != nil || f.Equipment != nil || f.Version != "" || f.SnapshotTime != ""
}

// Has reports whether the page has a link of a kind.
func (f Fleet) Has(rel string) bool {
	_, ok := f.Links.of(rel)
	return ok
}

// Equipment is a machine. What it did not send is the zero value. Names are
// matched without regard to case, as encoding/json does it.
type Equipment struct {
	Header   Header   `json:"EquipmentHeader"`
	Metadata Metadata `json:"Metadata"`
	Location Location `json:"Location"`
	Distance Distance `json:"Distance"`
	Engine   Engine   `json:"EngineStatus"`
	instruments
}

// together is how far apart the times of two elements may be that are reported of one
// instant.
const together = 5 * time.Minute

// Position returns where the machine is, with what else holds at that time; false
// where it has no place. Each element has a time of its own: the engine's is that
// of its last change, which counts where it came before.
func (e Equipment) Position(device string) (provider.Position, bool) {
	p, ok := e.Location.Position(device)
	if !ok {
		return p, false
	}
	if !e.Engine.Time.After(e.Location.Time.Time) {
		p.Ignition = e.Engine.Running.Ptr()
	}
	if e.Distance.Time.IsZero() || e.Distance.Time.Sub(e.Location.Time.Time).Abs() <= together {
		p.OdometerMetres = e.Distance.metres()
	}
	p.Readings = e.Readings()
	return p, true
}

// Engine says whether the engine runs.
type Engine struct {
	Time    wire.Time `json:"datetime"`
	Running wire.Bool `json:"Running"`
}

// Header names a machine.
type Header struct {
	Make         wire.Text `json:"OEMName"`
	Model        wire.Text `json:"Model"`
	EquipmentID  wire.Text `json:"EquipmentID"` // given by the user
	SerialNumber wire.Text `json:"SerialNumber"`
	PIN          wire.Text `json:"PIN"`
}

// Metadata are ids beyond the standard, by the names of either form.
type Metadata struct {
	AssetID   wire.Text `json:"assetId"`
	MachineID wire.Text `json:"MachineId"`
}

// Asset returns the id of the machine outside of the standard, empty where it is
// not known.
func (m Metadata) Asset() string {
	if m.AssetID != "" {
		return m.AssetID.String()
	}
	return m.MachineID.String()
}

// Location is where a machine was.
type Location struct {
	Time      wire.Time   `json:"datetime"`
	Latitude  wire.Number `json:"Latitude"`
	Longitude wire.Number `json:"Longitude"`
}

// Position returns the location as a record; false where there is none.
func (l Location) Position(device string) (provider.Position, bool) {
	if l.Time.IsZero() || l.Latitude.Ptr() == nil || l.Longitude.Ptr() == nil {
		return provider.Position{}, false
	}
	return provider.Position{
		SystemDeviceID: device,
		Position: drover.Position{
			Time: l.Time.Record(), Latitude: *l.Latitude.Ptr(), Longitude: *l.Longitude.Ptr(),
		},
	}, true
}

// Distance is how far a machine went in its life.
type Distance struct {
	Time     wire.Time   `json:"datetime"`
	Units    wire.Text   `json:"OdometerUnits"`
	Odometer wire.Number `json:"Odometer"`
}

// metres returns the distance, nil where it or its unit is not known. The unit of
// the standard is the kilometre.
func (d Distance) metres() *float64 {
	switch strings.ToLower(strings.TrimSpace(d.Units.String())) {
	case "", "kilometre", "kilometres", "kilometer", "kilometers", "km":
		return wire.Map(d.Odometer.Ptr(), wire.MetresFromKM)
	case "mile", "miles", "mi":
		return wire.Map(d.Odometer.Ptr(), wire.MetresFromMiles)
	default:
		return nil
	}
}

// Link leads to another page.
type Link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// Links are those of a page: a list, one alone, or either within an element Link, as
// some producers nest them.
type Links []Link

// UnmarshalJSON reads any of the forms.
func (l *Links) UnmarshalJSON(b []byte) error {
	var list wire.List[struct {
		Link
		Nested wire.List[Link] `json:"link"`
	}]
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*l = Links{}
	for _, item := range list {
		*l = append(append(*l, item.Link), item.Nested...)
	}
	return nil
}

// more reports whether there is a page after this one. The next page of some producers'
// last one is that page itself.
func (l Links) more() bool {
	next, ok := l.of("next")
	if !ok {
		return false
	}
	self, _ := l.of("self")
	return next.Href == "" || next.Href != self.Href
}

func (l Links) of(rel string) (Link, bool) {
	for _, link := range l {
		if strings.EqualFold(link.Rel, rel) {
			return link, true
		}
	}
	return Link{}, false
}

// series is a page of locations. The JSON form names the list after the series,
// and producers do not agree how: it is the member whose items have places.
type series struct {
	Links     Links
	Locations wire.List[Location]
}

// UnmarshalJSON reads a page. One without links, a version and any list is about
// something else.
func (s *series) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	known := false
	for name, member := range members {
		var err error
		switch {
		case strings.EqualFold(name, "links"):
			known, err = true, json.Unmarshal(member, &s.Links)
		case hasPlaces(member):
			known, err = true, json.Unmarshal(member, &s.Locations)
		case strings.EqualFold(name, "version"), bytes.HasPrefix(bytes.TrimSpace(member), []byte("[")):
			known = true
		}
		if err != nil {
			return err
		}
	}
	if !known {
		return outbound.FormError("it is no series of locations")
	}
	return nil
}

func hasPlaces(member json.RawMessage) bool {
	var items wire.List[struct{ Latitude json.RawMessage }]
	err := json.Unmarshal(member, &items)
	return err == nil && len(items) > 0 && items[0].Latitude != nil
}
