package drover

import (
	"strings"
	"unicode/utf8"
)

// The filters below narrow a list; empty fields do not. Their tags are how a
// query names them, and what the document says of them.

// DeviceFilter narrows a list of devices.
type DeviceFilter struct {
	ConnectionID string `query:"connection_id" doc:"Only devices of this connection."`
	Tag          string `query:"tag" maxLength:"255" doc:"Only devices with this tag."`
	Active       *bool  `query:"active" doc:"Only active or only inactive devices."`
	Text         string `query:"q" maxLength:"255" doc:"Only devices whose id is this, or whose description, registration or provider's id contains it, whatever the case."`
	// IDs are the devices of a state, which is not stored with them.
	IDs []string
}

// DeviceSort is what a list of devices is ordered by.
type DeviceSort string

// What devices are ordered by. Those that have no such value come last, either way.
const (
	DevicesByID           DeviceSort = "id"
	DevicesByDescription  DeviceSort = "description"
	DevicesByRegistration DeviceSort = "registration"
	DevicesByPositionTime DeviceSort = "position_time"
	DevicesByUpdatedAt    DeviceSort = "updated_at"
)

// DeviceOrder is the order of a list of devices.
type DeviceOrder struct {
	Sort  DeviceSort `query:"sort" enum:"id,description,registration,position_time,updated_at" default:"id" doc:"What the list is ordered by: id is the order in which devices were found, position_time the time of the newest position, updated_at that of a copy. Texts are compared whatever their case; devices without the value come last."`
	Order EventOrder `query:"order" enum:"asc,desc" default:"asc" doc:"desc is the other way round."`
}

// Name is what a cursor calls the order.
func (o DeviceOrder) Name() string { return string(o.Sort) + " " + string(o.Order) }

// Numbers reports whether it is an order by numbers.
func (o DeviceOrder) Numbers() bool { return o.Sort == DevicesByPositionTime }

// TripFilter narrows a list of trips by their start.
type TripFilter struct {
	DeviceID     string `query:"device_id" doc:"Only trips of this device."`
	ConnectionID string `query:"connection_id" doc:"Only trips of this connection."`
	From         *Time  `query:"from" doc:"Only trips that start at or after this time."`
	To           *Time  `query:"to" doc:"Only trips that start before this time."`
	Valid        *bool  `query:"is_valid" doc:"Only valid or only invalid trips."`

	Tag      string     `query:"tag" maxLength:"255" doc:"Only trips of devices with this tag."`
	DriverID string     `query:"driver_id" maxLength:"255" doc:"Only trips of this driver: the value of a driver_id."`
	Order    EventOrder `query:"order" enum:"asc,desc" default:"asc" doc:"desc is newest first."`
}

// StopFilter narrows a list of stops by their start.
type StopFilter struct {
	DeviceID     string `query:"device_id" doc:"Only stops of this device."`
	ConnectionID string `query:"connection_id" doc:"Only stops of this connection's devices."`
	From         *Time  `query:"from" doc:"Only stops that start at or after this time."`
	To           *Time  `query:"to" doc:"Only stops that start before this time."`
	EngineOn     *bool  `query:"engine_on" doc:"Only stops with, or only those without, time with the engine on. It is not known of one that goes on."`
	Open         *bool  `query:"open" doc:"Only stops that go on, or only those that are over."`
	IDs          []string
}

// MilestoneFilter narrows a list of milestones.
type MilestoneFilter struct {
	Status       MilestoneStatus `query:"status" doc:"Only milestones of this status."`
	DeviceID     string          `query:"device_id" doc:"Only milestones of this device."`
	ConnectionID string          `query:"connection_id" doc:"Only milestones of this connection's devices."`
	From         *Time           `query:"from" doc:"Only milestones that start at or after this time."`
	To           *Time           `query:"to" doc:"Only milestones that start before this time."`
	Reference    string          `query:"reference" maxLength:"255" doc:"Only milestones with this reference."`
	Metadata     []Pair          `query:"metadata" maxItems:"16" doc:"Only milestones whose metadata has this entry, as key=value; all of them where there are several."`
	IDs          []string
}

// Pair is a key and its value, which a query writes with an equals sign between them.
type Pair struct{ Key, Value string }

// UnmarshalText reads key=value.
func (p *Pair) UnmarshalText(text []byte) error {
	key, value, found := strings.Cut(string(text), "=")
	if !found || !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
		return InvalidValue("an entry is written as key=value")
	}
	p.Key, p.Value = key, value
	return nil
}

// MilestoneSort is what a list of milestones is ordered by.
type MilestoneSort string

// What milestones are ordered by. Those that have no end_time come last, either way.
const (
	MilestonesByID        MilestoneSort = "id"
	MilestonesByStartTime MilestoneSort = "start_time"
	MilestonesByEndTime   MilestoneSort = "end_time"
	MilestonesByUpdatedAt MilestoneSort = "updated_at"
)

// MilestoneOrder is the order of a list of milestones.
type MilestoneOrder struct {
	Sort  MilestoneSort `query:"sort" enum:"id,start_time,end_time,updated_at" default:"id" doc:"What the list is ordered by: id is the order in which they were made. Milestones without end_time come last in an order by it."`
	Order EventOrder    `query:"order" enum:"asc,desc" default:"asc" doc:"desc is the other way round."`
}

// Name is what a cursor calls the order.
func (o MilestoneOrder) Name() string { return string(o.Sort) + " " + string(o.Order) }

// NewestFilter narrows the newest positions of devices. Within a list one match
// is enough; all lists that are given must match.
type NewestFilter struct {
	ConnectionIDs []string      `query:"connection_id" maxItems:"1000" doc:"Only devices of these connections."`
	Tags          []string      `query:"tag" maxItems:"100" doc:"Only devices with one of these tags, their own or their connection's."`
	DeviceIDs     []string      `query:"device_id" maxItems:"1000" doc:"Only these devices."`
	Box           *Box          `query:"bbox" doc:"Only devices in this box: west, south, east and north in degrees, separated by commas. West is greater than east where it crosses the 180th meridian."`
	States        []DeviceState `query:"state" doc:"Only devices in one of these states."`
	UpdatedSince  *Time         `query:"updated_since" doc:"Only devices whose newest position is of this time or later."`
}

// EventFilter narrows a reading of a feed.
type EventFilter struct {
	Types        []EventType `query:"type" doc:"Only events of these types."`
	DeviceID     string      `query:"device_id" doc:"Only events about this device; batches of positions are about many."`
	ConnectionID string      `query:"connection_id" doc:"Only events about this connection or its devices."`
	From         *EventStart `query:"from" doc:"Only events of this time or later; now begins at the end of the feed where there is no cursor."`
	To           *Time       `query:"to" doc:"Only events before this time."`
	Order        EventOrder  `query:"order" enum:"asc,desc" default:"asc" doc:"desc is newest first."`
	MilestoneID  string
}

// EventOrder is the direction in which a feed is read.
type EventOrder string

// NewestFirst reads a feed from its end.
const NewestFirst EventOrder = "desc"

// EventStart is where a reading of a feed begins: at a time, or at its end.
type EventStart struct {
	Now bool
	At  Time
}

// UnmarshalText reads now, or a time.
func (s *EventStart) UnmarshalText(text []byte) (err error) {
	if s.Now = string(text) == "now"; !s.Now {
		s.At, err = ParseTime(string(text))
	}
	return err
}

// PositionFilter chooses positions of a device's history: those of [From, To),
// to now without To.
type PositionFilter struct {
	From           Time  `query:"from" required:"true" doc:"Positions at or after this time."`
	To             *Time `query:"to" doc:"Positions before this time; now otherwise."`
	IncludeSuspect bool  `query:"include_suspect" doc:"Also those that are not believed."`
}
