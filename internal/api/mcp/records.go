package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// ofDevices are the parameters that choose records by their devices.
type ofDevices struct {
	DeviceIDs     []string `json:"device_ids,omitempty" jsonschema:"Only these devices, 100 at the most."`
	ConnectionIDs []string `json:"connection_ids,omitempty" jsonschema:"Only devices of these connections, 100 at the most."`
	Tags          []string `json:"tags,omitempty" jsonschema:"Only devices with one of these tags, 100 at the most."`
}

func (o ofDevices) check() error {
	if len(o.DeviceIDs) > maxLimit || len(o.ConnectionIDs) > maxLimit || len(o.Tags) > maxLimit {
		return drover.InvalidValue("a list of ids or tags has at most 100", "device_ids")
	}
	return nil
}

type newestReadingInput struct {
	ofDevices
	Kinds []drover.ReadingKind `json:"kinds,omitempty" jsonschema:"Only readings of these kinds."`
	paging
}

type readingInput struct {
	DeviceID string               `json:"device_id" jsonschema:"Id of the device."`
	Kinds    []drover.ReadingKind `json:"kinds,omitempty" jsonschema:"Only readings of these kinds."`
	From     string               `json:"from" jsonschema:"Readings at or after this time."`
	To       string               `json:"to,omitempty" jsonschema:"Readings before this time; now without it."`
	Every    int                  `json:"every,omitempty" jsonschema:"At most one reading of a kind in so many seconds: a day by the hour is 3600."`
	paging
}

type driverInput struct {
	Text         string `json:"text,omitempty" jsonschema:"Only drivers whose name, employee number or provider's id contains this."`
	Tag          string `json:"tag,omitempty" jsonschema:"Only drivers with this tag."`
	ConnectionID string `json:"connection_id,omitempty" jsonschema:"Only drivers of this connection."`
	Active       *bool  `json:"active,omitempty" jsonschema:"Only active or only inactive drivers."`
	paging
}

type assignmentInput struct {
	DeviceID string `json:"device_id,omitempty" jsonschema:"Who drove this device; it or driver_id is needed."`
	DriverID string `json:"driver_id,omitempty" jsonschema:"What this driver drove: the id of the driver's record."`
	From     string `json:"from" jsonschema:"From when on, 31 days at the most."`
	To       string `json:"to,omitempty" jsonschema:"Until when; now without it."`
	Limit    int    `json:"limit,omitempty" jsonschema:"Records at the most."`
}

type faultInput struct {
	ofDevices
	Statuses []drover.FaultStatus `json:"statuses,omitempty" jsonschema:"Only faults of these states: open ones are what is broken now."`
	Codes    []string             `json:"codes,omitempty" jsonschema:"Only faults with one of these codes, such as P0420."`
	From     string               `json:"from,omitempty" jsonschema:"Only faults that were there at or after this time."`
	To       string               `json:"to,omitempty" jsonschema:"Only faults that were seen first before this time."`
	paging
}

type safetyInput struct {
	ofDevices
	DriverIDs []string            `json:"driver_ids,omitempty" jsonschema:"Only events of these drivers: the values of driver_id."`
	Types     []drover.SafetyType `json:"types,omitempty" jsonschema:"Only events of these types."`
	From      string              `json:"from,omitempty" jsonschema:"Only events that began at or after this time."`
	To        string              `json:"to,omitempty" jsonschema:"Only events that began before this time."`
	paging
}

// The rows of these lists have the device's names beside them: a fault has a description too.
type (
	readingRow struct {
		drover.Reading
		Device plate `json:"device"`
	}
	faultRow struct {
		drover.Fault
		Device plate `json:"device"`
	}
	safetyRow struct {
		drover.SafetyEvent
		Device plate `json:"device"`
	}
)

func (t tools) addRecords(s *mcp.Server) {
	add(t, s, "newest_readings", "Newest readings",
		"What the instruments of devices say now: odometer, engine time, fuel, charge, voltage, temperatures, doors; one row of each kind and channel.",
		t.newestReadings)
	add(t, s, "list_readings", "Readings of a device", "What the instruments of a device said, oldest first.", t.listReadings)
	add(t, s, "list_drivers", "List drivers", "Lists the persons who drive, as the providers list them.", t.listDrivers)
	add(t, s, "list_driver_assignments", "Who drove what", "Who drove a device, or what a driver drove, by start.", t.listAssignments)
	add(t, s, "list_faults", "List faults", "Lists what vehicles report as broken, with its code, how bad it is, since when, and whether it is over.", t.listFaults)
	add(t, s, "list_safety_events", "List safety events",
		"Lists harsh driving, speeding, crashes and what cameras saw, with the driver, the place and how bad it was.", t.listSafetyEvents)
}

func (t tools) newestReadings(ctx context.Context, p drover.Principal, in newestReadingInput) (out list[readingRow], err error) {
	after, err := placeAfter[drover.ReadingCursor](in.After)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return out, err
	}
	if err := allOf("kinds", in.Kinds, drover.ReadingKinds); err != nil {
		return out, err
	}
	limit := size(in.Limit)
	f := drover.ReadingFilter{DeviceIDs: in.DeviceIDs, ConnectionIDs: in.ConnectionIDs, Tags: in.Tags, Kinds: in.Kinds}
	found, err := t.Fleet.Vehicles.NewestReadings(ctx, p, f, after, limit+1)
	if err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, found, func(r drover.NewestReading) string { return r.DeviceID })
	if err != nil {
		return out, err
	}
	rows := make([]readingRow, len(found))
	for i, r := range found {
		rows[i] = readingRow{r.Reading, names[r.DeviceID]}
	}
	return bounded(rows, limit, func(r readingRow) cursor { return fleet.PlaceOf(r.Reading) })
}

func (t tools) listReadings(ctx context.Context, p drover.Principal, in readingInput) (out list[drover.Reading], err error) {
	from, to, err := begun(in.From, in.To)
	if err != nil {
		return out, err
	}
	after, err := placeAfter[drover.ReadingTimeCursor](in.After)
	if err != nil {
		return out, err
	}
	if err := allOf("kinds", in.Kinds, drover.ReadingKinds); err != nil {
		return out, err
	}
	f := drover.ReadingHistoryFilter{Kinds: in.Kinds, From: from, To: to, Every: min(max(in.Every, 0), 86400)}
	limit := size(in.Limit)
	found, err := t.Fleet.Vehicles.Readings(ctx, p, in.DeviceID, f, after, limit+1)
	if err != nil {
		return out, err
	}
	placed, err := bounded(found, limit, func(r guard.PlacedReading) cursor { return r.Place })
	out = list[drover.Reading]{Data: make([]drover.Reading, len(placed.Data)), More: placed.More, After: placed.After}
	for i, r := range placed.Data {
		out.Data[i] = r.Reading
	}
	return out, err
}

func (t tools) listDrivers(ctx context.Context, p drover.Principal, in driverInput) (out list[drover.Driver], err error) {
	after, err := placeAfter[drover.IDCursor](in.After)
	if err != nil {
		return out, err
	}
	limit := size(in.Limit)
	f := drover.DriverFilter{ConnectionID: in.ConnectionID, Tag: in.Tag, Text: in.Text, Active: in.Active}
	found, err := t.Fleet.Drivers.Drivers(ctx, p, f, after, limit+1)
	if err != nil {
		return out, err
	}
	return bounded(found, limit, func(d drover.Driver) cursor { return drover.IDCursor(d.ID) })
}

func (t tools) listAssignments(ctx context.Context, p drover.Principal, in assignmentInput) (out part[drover.DriverAssignment], err error) {
	from, to, err := begun(in.From, in.To)
	if err != nil {
		return out, err
	}
	found, err := t.Fleet.Drivers.Assignments(ctx, p,
		drover.AssignmentFilter{DeviceID: in.DeviceID, DriverID: in.DriverID, From: from, To: to})
	if err != nil {
		return out, err
	}
	out.Data, out.More, err = fitting(found, size(in.Limit))
	return out, err
}

func (t tools) listFaults(ctx context.Context, p drover.Principal, in faultInput) (out list[faultRow], err error) {
	after, from, to, err := t.recordPlace(in.ofDevices, in.paging, in.From, in.To)
	if err != nil {
		return out, err
	}
	if err := allOf("statuses", in.Statuses, drover.FaultStatuses); err != nil {
		return out, err
	}
	limit := size(in.Limit)
	found, err := t.Fleet.Vehicles.Faults(ctx, p, drover.FaultFilter{
		DeviceIDs: in.DeviceIDs, ConnectionIDs: in.ConnectionIDs, Tags: in.Tags, Statuses: in.Statuses, Codes: in.Codes, From: from, To: to,
	}, after, limit+1)
	if err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, found, func(f drover.Fault) string { return f.DeviceID })
	if err != nil {
		return out, err
	}
	rows := make([]faultRow, len(found))
	for i, f := range found {
		rows[i] = faultRow{f, names[f.DeviceID]}
	}
	return bounded(rows, limit, func(r faultRow) cursor { return drover.IDCursor(r.ID) })
}

func (t tools) listSafetyEvents(ctx context.Context, p drover.Principal, in safetyInput) (out list[safetyRow], err error) {
	after, from, to, err := t.recordPlace(in.ofDevices, in.paging, in.From, in.To)
	if err != nil {
		return out, err
	}
	if err := allOf("types", in.Types, drover.SafetyTypes); err != nil {
		return out, err
	}
	limit := size(in.Limit)
	found, err := t.Fleet.Vehicles.SafetyEvents(ctx, p, drover.SafetyFilter{
		DeviceIDs: in.DeviceIDs, ConnectionIDs: in.ConnectionIDs, Tags: in.Tags, DriverIDs: in.DriverIDs, Types: in.Types, From: from, To: to,
	}, after, limit+1)
	if err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, found, func(e drover.SafetyEvent) string { return e.DeviceID })
	if err != nil {
		return out, err
	}
	rows := make([]safetyRow, len(found))
	for i, e := range found {
		rows[i] = safetyRow{e, names[e.DeviceID]}
	}
	return bounded(rows, limit, func(r safetyRow) cursor { return drover.IDCursor(r.ID) })
}

// recordPlace reads what lists of records of devices have in common.
func (t tools) recordPlace(of ofDevices, at paging, from, to string) (after drover.IDCursor, start, end *drover.Time, err error) {
	if err = of.check(); err != nil {
		return after, nil, nil, err
	}
	if after, err = placeAfter[drover.IDCursor](at.After); err != nil {
		return after, nil, nil, err
	}
	start, end, err = window(from, to)
	return after, start, end, err
}

// begun reads the two ends of a time whose beginning is needed.
func begun(from, to string) (start drover.Time, end *drover.Time, err error) {
	first, end, err := window(from, to)
	if err == nil && first == nil {
		err = drover.InvalidValue("from is not a time such as 2024-05-02T10:15:30Z", "from")
	}
	if err != nil {
		return start, nil, err
	}
	return *first, end, nil
}

// allOf refuses texts of which one is none of a closed set.
func allOf[T ~string](name string, texts, set []T) error {
	for _, text := range texts {
		if err := oneOf(name, text, set); err != nil {
			return err
		}
	}
	return nil
}
