package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/drover-fleet/drover"
)

type findInput struct {
	Text  string `json:"text" jsonschema:"A plate, a name, a fault's code, a provider's id, or the id of a record; the beginning is enough."`
	Limit int    `json:"limit,omitempty" jsonschema:"Findings at the most."`
}

type deviceInput struct {
	Text         string             `json:"text,omitempty" jsonschema:"Only devices whose description, plate or provider's id contains this."`
	Tag          string             `json:"tag,omitempty" jsonschema:"Only devices with this tag."`
	ConnectionID string             `json:"connection_id,omitempty" jsonschema:"Only devices of this connection."`
	State        drover.DeviceState `json:"state,omitempty" jsonschema:"Only devices that do this."`
	paging
}

type newestInput struct {
	ofDevices
	States []drover.DeviceState `json:"states,omitempty" jsonschema:"Only devices that do one of these."`
	paging
}

type positionInput struct {
	DeviceID string `json:"device_id" jsonschema:"Id of the device."`
	From     string `json:"from" jsonschema:"Positions at or after this time."`
	To       string `json:"to,omitempty" jsonschema:"Positions before this time; now without it."`
	paging
}

func (t tools) addDevices(s *mcp.Server) {
	add(t, s, "find", "Find records", "Finds devices, connections, trips, milestones, drivers, faults and safety events by plate, name, code, provider's id or id.", t.find)
	add(t, s, "list_devices", "List devices", "Lists devices (vehicles and equipment) with their plate, make, model and tags.", t.listDevices)
	add(t, s, "newest_positions", "Newest positions", "Where devices are now, what they do (driving, idling, stopped, silent) and since when.", t.newestPositions)
	add(t, s, "list_positions", "Positions of a device",
		"Where a device was, oldest first, with speed, ignition and odometer where the provider has them.", t.listPositions)
}

func (t tools) find(ctx context.Context, p drover.Principal, in findInput) (out part[drover.Finding], err error) {
	limit := size(in.Limit)
	found, err := t.Fleet.Account.Search(ctx, p, in.Text, limit+1)
	if err != nil {
		return out, err
	}
	out.Data, out.More, err = fitting(found, limit)
	return out, err
}

func (t tools) listDevices(ctx context.Context, p drover.Principal, in deviceInput) (out list[drover.Device], err error) {
	after, err := placeAfter[drover.IDCursor](in.After)
	if err != nil {
		return out, err
	}
	if err := oneOf("state", in.State, drover.DeviceStates); err != nil {
		return out, err
	}
	f, limit := drover.DeviceFilter{ConnectionID: in.ConnectionID, Tag: in.Tag, Text: in.Text}, size(in.Limit)
	devices, err := t.Fleet.Devices.DevicesIn(ctx, p, in.State, f, drover.DeviceOrder{}, drover.SortCursor{ID: string(after)}, limit+1)
	if err != nil {
		return out, err
	}
	return bounded(drover.Records(devices), limit, func(d drover.Device) cursor { return drover.IDCursor(d.ID) })
}

func (t tools) newestPositions(ctx context.Context, p drover.Principal, in newestInput) (out list[drover.NewestPosition], err error) {
	if err := allOf("states", in.States, drover.DeviceStates); err != nil {
		return out, err
	}
	after, err := placeAfter[drover.IDCursor](in.After)
	if err != nil {
		return out, err
	}
	if err := in.check(); err != nil {
		return out, err
	}
	f := drover.NewestFilter{ConnectionIDs: in.ConnectionIDs, Tags: in.Tags, DeviceIDs: in.DeviceIDs, States: in.States}
	found, _, err := t.Fleet.Devices.NewestPositions(ctx, p, f)
	if err != nil {
		return out, err
	}
	total := len(found)
	// They come in the order of their devices' ids.
	found = slices.DeleteFunc(found, func(n drover.NewestPosition) bool { return n.DeviceID <= string(after) })
	out, err = bounded(found, size(in.Limit), func(n drover.NewestPosition) cursor { return drover.IDCursor(n.DeviceID) })
	out.Total = &total
	return out, err
}

func (t tools) listPositions(ctx context.Context, p drover.Principal, in positionInput) (out list[drover.HistoricPosition], err error) {
	from, to, err := begun(in.From, in.To)
	if err != nil {
		return out, err
	}
	after, err := placeAfter[drover.PositionCursor](in.After)
	if err != nil {
		return out, err
	}
	limit := size(in.Limit)
	positions, err := t.Fleet.Devices.Positions(ctx, p, in.DeviceID, drover.PositionFilter{From: from, To: to}, after, limit+1)
	if err != nil {
		return out, err
	}
	return bounded(positions, limit, func(h drover.HistoricPosition) cursor { return drover.PositionCursor{After: h.Timestamp} })
}

// plate is how people name a device: ids mean nothing to them.
type plate struct {
	Registration *string `json:"registration" jsonschema:"Number plate of the device; null where it has none."`
	Description  *string `json:"description" jsonschema:"What the device is called; null where it has no name."`
}

// plates reads how the devices of records are called.
func plates[T any](ctx context.Context, t tools, p drover.Principal, records []T, device func(T) string) (map[string]plate, error) {
	out := map[string]plate{}
	if len(records) == 0 {
		return out, nil
	}
	var f drover.NewestFilter
	for _, r := range records {
		f.DeviceIDs = append(f.DeviceIDs, device(r))
	}
	slices.Sort(f.DeviceIDs)
	f.DeviceIDs = slices.Compact(f.DeviceIDs)
	found, _, err := t.Fleet.Devices.NewestPositions(ctx, p, f)
	for _, n := range found {
		out[n.DeviceID] = plate{n.Registration, n.Description}
	}
	return out, err
}

// tripFilter are the parameters that choose trips.
type tripFilter struct {
	DeviceID     string `json:"device_id,omitempty" jsonschema:"Only trips of this device."`
	ConnectionID string `json:"connection_id,omitempty" jsonschema:"Only trips of this connection."`
	DriverID     string `json:"driver_id,omitempty" jsonschema:"Only trips of this driver: the value of a driver_id."`
	From         string `json:"from,omitempty" jsonschema:"Only trips that start at or after this time."`
	To           string `json:"to,omitempty" jsonschema:"Only trips that start before this time."`
	Valid        *bool  `json:"is_valid,omitempty" jsonschema:"Only valid or only invalid trips."`
}

func (f tripFilter) filter() (drover.TripFilter, error) {
	from, to, err := window(f.From, f.To)
	return drover.TripFilter{
		DeviceID: f.DeviceID, ConnectionID: f.ConnectionID, DriverID: f.DriverID, From: from, To: to, Valid: f.Valid, Order: drover.NewestFirst,
	}, err
}

type tripInput struct {
	tripFilter
	paging
}

// tripRow is a trip of a list.
type tripRow struct {
	drover.TripView
	plate
}

type tripIDInput struct {
	ID string `json:"trip_id" jsonschema:"Id of the trip."`
}

// explainedTrip is a trip with why it is as it is.
type explainedTrip struct {
	Trip        drover.Trip            `json:"trip"`
	Explanation drover.TripExplanation `json:"explanation"`
}

func (t tools) addTrips(s *mcp.Server) {
	add(t, s, "list_trips", "List trips", "Lists trips, newest first, with plates, drivers, distance and with driving, idling and auxiliary time; validation_comments says why one is not valid.", t.listTrips)
	add(t, s, "sum_trips", "Sum up trips", "How many trips there are, how many are valid, and the distance and the driving, idling and auxiliary time of the valid ones.", t.sumTrips)
	add(t, s, "explain_trip", "Explain a trip", "One trip, and why it began and ended as it did, with the parts of it that no position shows.", t.explainTrip)
}

func (t tools) listTrips(ctx context.Context, p drover.Principal, in tripInput) (out list[tripRow], err error) {
	f, err := in.filter()
	if err != nil {
		return out, err
	}
	after, err := placeAfter[drover.TripCursor](in.After)
	if err != nil {
		return out, err
	}
	limit := size(in.Limit)
	trips, err := t.Fleet.Trips.Trips(ctx, p, f, after, limit+1)
	if err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, trips, func(v drover.TripView) string { return v.DeviceID })
	if err != nil {
		return out, err
	}
	rows := make([]tripRow, len(trips))
	for i, trip := range trips {
		rows[i] = tripRow{trip, names[trip.DeviceID]}
	}
	return bounded(rows, limit, func(r tripRow) cursor { return drover.TripCursor{StartTime: r.StartTime, ID: r.ID} })
}

func (t tools) sumTrips(ctx context.Context, p drover.Principal, in tripFilter) (drover.TripSums, error) {
	f, err := in.filter()
	if err != nil {
		return drover.TripSums{}, err
	}
	return t.Fleet.Trips.TripSums(ctx, p, f)
}

func (t tools) explainTrip(ctx context.Context, p drover.Principal, in tripIDInput) (out explainedTrip, err error) {
	trip, err := t.Fleet.Trips.Trip(ctx, p, in.ID)
	if err != nil {
		return out, err
	}
	why, err := t.Fleet.Trips.TripExplanation(ctx, p, in.ID)
	if err != nil {
		return out, err
	}
	return explainedTrip{trip, why}, nil
}

type milestoneInput struct {
	Status       drover.MilestoneStatus `json:"status,omitempty" jsonschema:"Only milestones whose journey has come so far."`
	DeviceID     string                 `json:"device_id,omitempty" jsonschema:"Only milestones of this device."`
	ConnectionID string                 `json:"connection_id,omitempty" jsonschema:"Only milestones of this connection's devices."`
	Reference    string                 `json:"reference,omitempty" jsonschema:"Only milestones with this reference."`
	paging
}

// milestoneRow is a milestone of a list.
type milestoneRow struct {
	drover.Milestone
	plate
	ETA           *drover.Time `json:"eta" jsonschema:"When the device is expected to arrive; null where that cannot be known."`
	LateBySeconds *float64     `json:"late_by_seconds" jsonschema:"By how much the arrival is later than end_time; below zero where it is earlier; null where that cannot be known."`
}

type milestoneIDInput struct {
	ID string `json:"milestone_id" jsonschema:"Id of the milestone."`
}

// followedMilestone is a milestone with how far its journey is.
type followedMilestone struct {
	Milestone drover.Milestone            `json:"milestone"`
	Update    drover.MilestoneUpdateEntry `json:"update"`
	plate
}

func (t tools) addMilestones(s *mcp.Server) {
	add(t, s, "list_milestones", "List milestones", "Lists milestones: journeys of a device from one point to another, with their status.",
		t.listMilestones)
	add(t, s, "get_milestone", "Follow a milestone", "One milestone, where its device is, how far it has to go and when it arrives.",
		t.getMilestone)
}

func (t tools) listMilestones(ctx context.Context, p drover.Principal, in milestoneInput) (out list[milestoneRow], err error) {
	after, err := placeAfter[drover.IDCursor](in.After)
	if err != nil {
		return out, err
	}
	if err := oneOf("status", in.Status, drover.MilestoneStatuses); err != nil {
		return out, err
	}
	f := drover.MilestoneFilter{Status: in.Status, DeviceID: in.DeviceID, ConnectionID: in.ConnectionID, Reference: in.Reference}
	limit, place := size(in.Limit), drover.SortCursor{ID: string(after)}
	found, err := t.Fleet.Milestones.Milestones(ctx, p, f, drover.MilestoneOrder{}, place, limit+1)
	if err != nil {
		return out, err
	}
	milestones := drover.Records(found)
	updates, err := t.Fleet.Milestones.MilestoneUpdates(ctx, p, f, drover.MilestoneOrder{}, place, limit+1)
	if err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, milestones, func(m drover.Milestone) string { return m.DeviceID })
	if err != nil {
		return out, err
	}
	// A milestone may have been made or forgotten between the two lists.
	entries := map[string]*drover.MilestoneUpdateEntry{}
	for _, u := range updates {
		if u.Record != nil {
			entries[u.Record.MilestoneID] = u.Record
		}
	}
	rows := make([]milestoneRow, len(milestones))
	for i, m := range milestones {
		rows[i] = milestoneRow{Milestone: m, plate: names[m.DeviceID]}
		if e := entries[m.ID]; e != nil {
			rows[i].ETA, rows[i].LateBySeconds = e.ETA, e.LateBySeconds
		}
	}
	return bounded(rows, limit, func(r milestoneRow) cursor { return drover.IDCursor(r.ID) })
}

func (t tools) getMilestone(ctx context.Context, p drover.Principal, in milestoneIDInput) (out followedMilestone, err error) {
	if out.Milestone, err = t.Fleet.Milestones.Milestone(ctx, p, in.ID); err != nil {
		return out, err
	}
	if out.Update, err = t.Fleet.Milestones.MilestoneEntry(ctx, p, in.ID); err != nil {
		return out, err
	}
	names, err := plates(ctx, t, p, []string{out.Milestone.DeviceID}, func(id string) string { return id })
	out.plate = names[out.Milestone.DeviceID]
	return out, err
}

type connectionInput struct {
	Provider drover.ProviderName `json:"provider,omitempty" jsonschema:"Only connections with this provider, such as traccar."`
	paging
}

type connectionIDInput struct {
	ID string `json:"connection_id" jsonschema:"Id of the connection."`
}

// diagnosedConnection is a connection with what is wrong with it.
type diagnosedConnection struct {
	Connection drover.ConnectionDetail    `json:"connection"`
	Health     drover.ConnectionDiagnosis `json:"health"`
}

func (t tools) addConnections(s *mcp.Server) {
	add(t, s, "list_connections", "List connections", "Lists connections to providers with their health: state, what is wrong in words (message) and who must act (acts).", t.listConnections)
	add(t, s, "get_connection", "Diagnose a connection",
		"One connection, what is wrong with it and who must act, how the last day's runs went, and what its data say of themselves.",
		t.getConnection)
}

func (t tools) listConnections(ctx context.Context, p drover.Principal, in connectionInput) (out list[drover.ConnectionView], err error) {
	after, err := placeAfter[drover.IDCursor](in.After)
	if err != nil {
		return out, err
	}
	if err := oneOf("provider", in.Provider, t.Fleet.Connections.ProviderNames()); err != nil {
		return out, err
	}
	limit := size(in.Limit)
	connections, err := t.Fleet.Connections.ConnectionsWithHealth(ctx, p, in.Provider, after, limit+1)
	if err != nil {
		return out, err
	}
	return bounded(connections, limit, func(c drover.ConnectionView) cursor { return drover.IDCursor(c.ID) })
}

func (t tools) getConnection(ctx context.Context, p drover.Principal, in connectionIDInput) (out diagnosedConnection, err error) {
	c, err := t.Fleet.Connections.Connection(ctx, p, in.ID)
	if err != nil {
		return out, err
	}
	health, err := t.Fleet.Connections.ConnectionHealth(ctx, p, in.ID)
	if err != nil {
		return out, err
	}
	return diagnosedConnection{c, health}, nil
}

type deliveryInput struct {
	WebhookID   string               `json:"webhook_id,omitempty" jsonschema:"Only deliveries to this webhook."`
	MilestoneID string               `json:"milestone_id,omitempty" jsonschema:"Only deliveries to this milestone's own webhook."`
	State       drover.DeliveryState `json:"state,omitempty" jsonschema:"Only deliveries in this state."`
	From        string               `json:"from,omitempty" jsonschema:"Only deliveries that were made at or after this time."`
	To          string               `json:"to,omitempty" jsonschema:"Only deliveries that were made before this time."`
	paging
}

type deliveryIDInput struct {
	ID string `json:"delivery_id" jsonschema:"Id of the delivery."`
}

func (t tools) addDeliveries(s *mcp.Server) {
	add(t, s, "list_deliveries", "List deliveries", "Lists what was sent to webhooks, newest first, with the last answer and its error.",
		t.listDeliveries)
	add(t, s, "get_delivery", "One delivery", "One delivery with all its attempts. The body that was sent is left out: the event has it.",
		t.getDelivery)
}

func (t tools) listDeliveries(ctx context.Context, p drover.Principal, in deliveryInput) (out list[drover.DeliverySummary], err error) {
	from, to, err := window(in.From, in.To)
	if err != nil {
		return out, err
	}
	if err := oneOf("state", in.State, drover.DeliveryStates); err != nil {
		return out, err
	}
	after, err := placeAfter[drover.DeliveryCursor](in.After)
	if err != nil {
		return out, err
	}
	f := drover.DeliveryFilter{WebhookID: in.WebhookID, MilestoneID: in.MilestoneID, State: in.State, From: from, To: to}
	limit := size(in.Limit)
	deliveries, err := t.Fleet.Notify.Deliveries(ctx, p, f, after, limit+1)
	if err != nil {
		return out, err
	}
	return bounded(deliveries, limit, func(d drover.DeliverySummary) cursor {
		target, event, _ := drover.ParseDeliveryID(d.ID)
		return drover.DeliveryCursor{EventID: event, TargetID: target}
	})
}

func (t tools) getDelivery(ctx context.Context, p drover.Principal, in deliveryIDInput) (out drover.DeliveryDetail, err error) {
	d, err := t.Fleet.Notify.Delivery(ctx, p, in.ID)
	if err != nil {
		return out, err
	}
	if d.Request != nil {
		d.Request.Body = nil
	}
	d.Log = d.Log[:min(len(d.Log), maxLimit)]
	return d, nil
}

// oneOf refuses a text that is none of a closed set; an empty one is no text.
func oneOf[T ~string](name string, text T, set []T) error {
	if text == "" || slices.Contains(set, text) {
		return nil
	}
	words := make([]string, len(set))
	for i, v := range set {
		words[i] = string(v)
	}
	return drover.InvalidValue(name+" is one of "+strings.Join(words, ", "), name)
}
