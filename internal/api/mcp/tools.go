package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/drover-fleet/drover"
)

type findInput struct {
	Text  string `json:"text" jsonschema:"A plate, a name, a provider's id, or the id of a record; the beginning is enough."`
	Limit int    `json:"limit,omitempty" jsonschema:"Findings at the most, 1 to 100; 20 without it."`
}

type deviceInput struct {
	Text         string `json:"text,omitempty" jsonschema:"Only devices whose description, plate or provider's id contains this."`
	Tag          string `json:"tag,omitempty" jsonschema:"Only devices with this tag."`
	ConnectionID string `json:"connection_id,omitempty" jsonschema:"Only devices of this connection."`
	State        string `json:"state,omitempty" jsonschema:"Only devices that are driving, idling, stopped or silent."`
	paging
}

type newestInput struct {
	DeviceIDs     []string `json:"device_ids,omitempty" jsonschema:"Only these devices, 100 at the most."`
	ConnectionIDs []string `json:"connection_ids,omitempty" jsonschema:"Only devices of these connections."`
	Tags          []string `json:"tags,omitempty" jsonschema:"Only devices with one of these tags."`
	States        []string `json:"states,omitempty" jsonschema:"Only devices that are driving, idling, stopped or silent."`
	Limit         int      `json:"limit,omitempty" jsonschema:"Devices at the most, 1 to 100; 20 without it."`
}

type positionInput struct {
	DeviceID string `json:"device_id" jsonschema:"Id of the device."`
	From     string `json:"from" jsonschema:"Positions at or after this time."`
	To       string `json:"to,omitempty" jsonschema:"Positions before this time; now without it."`
	Limit    int    `json:"limit,omitempty" jsonschema:"Positions at the most, 1 to 100; 20 without it. To go on, ask from the time of the last one."`
}

func (t tools) addDevices(s *mcp.Server) {
	add(t, s, "find", "Find records", "Finds devices, connections, trips and milestones by plate, name, provider's id or id.", t.find)
	add(t, s, "list_devices", "List devices", "Lists devices (vehicles and equipment) with their plate, make, model and tags.", t.listDevices)
	add(t, s, "newest_positions", "Newest positions", "Where devices are now, what they do (driving, idling, stopped, silent) and since when.", t.newestPositions)
	add(t, s, "list_positions", "Positions of a device", "Where a device was, oldest first, with speed, ignition and odometer where the provider has them.", t.listPositions)
}

func (t tools) find(ctx context.Context, p drover.Principal, in findInput) (any, error) {
	limit := size(in.Limit)
	found, err := t.Fleet.Search(ctx, p, in.Text, limit)
	if err != nil {
		return nil, err
	}
	return bounded(found, limit, nil)
}

func (t tools) listDevices(ctx context.Context, p drover.Principal, in deviceInput) (any, error) {
	after, err := in.cursor()
	if err != nil {
		return nil, err
	}
	states, err := deviceStates(in.State)
	if err != nil {
		return nil, err
	}
	f, limit := drover.DeviceFilter{ConnectionID: in.ConnectionID, Tag: in.Tag, Text: in.Text}, size(in.Limit)
	devices, err := t.Fleet.DevicesIn(ctx, p, states[0], f, drover.DeviceOrder{}, drover.SortCursor{ID: string(after)}, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(drover.Records(devices), limit, func(d drover.Device) string { return d.ID })
}

// deviceStates reads the names of states.
func deviceStates(names ...string) ([]drover.DeviceState, error) {
	out := make([]drover.DeviceState, len(names))
	for i, name := range names {
		if err := oneOf("state", name, drover.DeviceStates); err != nil {
			return nil, err
		}
		out[i] = drover.DeviceState(name)
	}
	return out, nil
}

func (t tools) newestPositions(ctx context.Context, p drover.Principal, in newestInput) (any, error) {
	states, err := deviceStates(in.States...)
	if err != nil {
		return nil, err
	}
	f := drover.NewestFilter{ConnectionIDs: in.ConnectionIDs, Tags: in.Tags, DeviceIDs: in.DeviceIDs, States: states}
	if len(f.ConnectionIDs) > maxLimit || len(f.Tags) > maxLimit || len(f.DeviceIDs) > maxLimit {
		return nil, drover.InvalidValue("a list of ids or tags has at most 100", "device_ids")
	}
	found, _, err := t.Fleet.NewestPositions(ctx, p, f)
	if err != nil {
		return nil, err
	}
	return bounded(found, size(in.Limit), nil)
}

func (t tools) listPositions(ctx context.Context, p drover.Principal, in positionInput) (any, error) {
	from, to, err := window(in.From, in.To)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return nil, drover.InvalidValue("from is no time such as 2024-05-02T10:15:30Z", "from")
	}
	limit := size(in.Limit)
	positions, err := t.Fleet.Positions(ctx, p, in.DeviceID, drover.PositionFilter{From: *from, To: to}, drover.PositionCursor{}, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(positions, limit, nil)
}

type tripInput struct {
	DeviceID     string `json:"device_id,omitempty" jsonschema:"Only trips of this device."`
	ConnectionID string `json:"connection_id,omitempty" jsonschema:"Only trips of this connection."`
	DriverID     string `json:"driver_id,omitempty" jsonschema:"Only trips of this driver: the value of a driver_id."`
	From         string `json:"from,omitempty" jsonschema:"Only trips that start at or after this time."`
	To           string `json:"to,omitempty" jsonschema:"Only trips that start before this time. To go on, give the start_time of the last one."`
	Valid        *bool  `json:"is_valid,omitempty" jsonschema:"Only valid or only invalid trips."`
	Limit        int    `json:"limit,omitempty" jsonschema:"Trips at the most, 1 to 100; 20 without it."`
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
	add(t, s, "list_trips", "List trips", "Lists trips, newest first, with their drivers, distance and with driving, idling and auxiliary time; validation_comments says why one is not valid.", t.listTrips)
	add(t, s, "explain_trip", "Explain a trip", "One trip, and why it began and ended as it did, with the parts of it that nobody saw.", t.explainTrip)
}

func (t tools) listTrips(ctx context.Context, p drover.Principal, in tripInput) (any, error) {
	from, to, err := window(in.From, in.To)
	if err != nil {
		return nil, err
	}
	f := drover.TripFilter{DeviceID: in.DeviceID, ConnectionID: in.ConnectionID, DriverID: in.DriverID, From: from, To: to, Valid: in.Valid, Order: drover.NewestFirst}
	limit := size(in.Limit)
	trips, err := t.Fleet.Trips(ctx, p, f, drover.TripCursor{}, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(trips, limit, nil)
}

func (t tools) explainTrip(ctx context.Context, p drover.Principal, in tripIDInput) (any, error) {
	trip, err := t.Fleet.Trip(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	why, err := t.Fleet.TripExplanation(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	return explainedTrip{trip, why}, nil
}

type milestoneInput struct {
	Status       string `json:"status,omitempty" jsonschema:"Only milestones that are trip_not_started, trip_in_progress or trip_ended."`
	DeviceID     string `json:"device_id,omitempty" jsonschema:"Only milestones of this device."`
	ConnectionID string `json:"connection_id,omitempty" jsonschema:"Only milestones of this connection's devices."`
	paging
}

type milestoneIDInput struct {
	ID string `json:"milestone_id" jsonschema:"Id of the milestone."`
}

// followedMilestone is a milestone with how far its journey is.
type followedMilestone struct {
	Milestone drover.Milestone         `json:"milestone"`
	Update    drover.MilestoneProgress `json:"update"`
}

func (t tools) addMilestones(s *mcp.Server) {
	add(t, s, "list_milestones", "List milestones", "Lists milestones: journeys of a device from one point to another, with their status.", t.listMilestones)
	add(t, s, "get_milestone", "Follow a milestone", "One milestone, where its device is, how far it has to go and when it arrives.", t.getMilestone)
}

func (t tools) listMilestones(ctx context.Context, p drover.Principal, in milestoneInput) (any, error) {
	after, err := in.cursor()
	if err != nil {
		return nil, err
	}
	if err := oneOf("status", in.Status, drover.MilestoneStatuses); err != nil {
		return nil, err
	}
	f := drover.MilestoneFilter{Status: drover.MilestoneStatus(in.Status), DeviceID: in.DeviceID, ConnectionID: in.ConnectionID}
	limit := size(in.Limit)
	milestones, err := t.Fleet.Milestones(ctx, p, f, drover.MilestoneOrder{}, drover.SortCursor{ID: string(after)}, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(drover.Records(milestones), limit, func(m drover.Milestone) string { return m.ID })
}

func (t tools) getMilestone(ctx context.Context, p drover.Principal, in milestoneIDInput) (any, error) {
	m, err := t.Fleet.Milestone(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	progress, err := t.Fleet.MilestoneProgress(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	return followedMilestone{m, progress}, nil
}

type connectionInput struct {
	Provider string `json:"provider,omitempty" jsonschema:"Only connections with this provider, such as traccar."`
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
	add(t, s, "get_connection", "Diagnose a connection", "One connection, what is wrong with it and who must act, how the last day's runs went, and what its data say of themselves.", t.getConnection)
}

func (t tools) listConnections(ctx context.Context, p drover.Principal, in connectionInput) (any, error) {
	after, err := in.cursor()
	if err != nil {
		return nil, err
	}
	if err := oneOf("provider", in.Provider, drover.ProviderNames); err != nil {
		return nil, err
	}
	limit := size(in.Limit)
	connections, err := t.Fleet.ConnectionsWithHealth(ctx, p, drover.ProviderName(in.Provider), after, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(connections, limit, func(c drover.ConnectionView) string { return c.ID })
}

func (t tools) getConnection(ctx context.Context, p drover.Principal, in connectionIDInput) (any, error) {
	c, err := t.Fleet.Connection(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	health, err := t.Fleet.ConnectionHealth(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	return diagnosedConnection{c, health}, nil
}

type deliveryInput struct {
	WebhookID   string `json:"webhook_id,omitempty" jsonschema:"Only deliveries to this webhook."`
	MilestoneID string `json:"milestone_id,omitempty" jsonschema:"Only deliveries to this milestone's own webhook."`
	State       string `json:"state,omitempty" jsonschema:"Only deliveries in this state: pending, delivered, failed, skipped or superseded."`
	From        string `json:"from,omitempty" jsonschema:"Only deliveries that were made at or after this time."`
	To          string `json:"to,omitempty" jsonschema:"Only deliveries that were made before this time. To go on, give the created_at of the last one."`
	Limit       int    `json:"limit,omitempty" jsonschema:"Deliveries at the most, 1 to 100; 20 without it."`
}

type deliveryIDInput struct {
	ID string `json:"delivery_id" jsonschema:"Id of the delivery."`
}

func (t tools) addDeliveries(s *mcp.Server) {
	add(t, s, "list_deliveries", "List deliveries", "Lists what was sent to webhooks, newest first, with the last answer and its error.", t.listDeliveries)
	add(t, s, "get_delivery", "One delivery", "One delivery with all its attempts. The body that was sent is left out: the event has it.", t.getDelivery)
}

func (t tools) listDeliveries(ctx context.Context, p drover.Principal, in deliveryInput) (any, error) {
	from, to, err := window(in.From, in.To)
	if err != nil {
		return nil, err
	}
	if err := oneOf("state", in.State, drover.DeliveryStates); err != nil {
		return nil, err
	}
	f := drover.DeliveryFilter{WebhookID: in.WebhookID, MilestoneID: in.MilestoneID, State: drover.DeliveryState(in.State), From: from, To: to}
	limit := size(in.Limit)
	deliveries, err := t.Fleet.Deliveries(ctx, p, f, drover.DeliveryCursor{}, limit+1)
	if err != nil {
		return nil, err
	}
	return bounded(deliveries, limit, nil)
}

func (t tools) getDelivery(ctx context.Context, p drover.Principal, in deliveryIDInput) (any, error) {
	d, err := t.Fleet.Delivery(ctx, p, in.ID)
	if err != nil {
		return nil, err
	}
	if d.Request != nil {
		d.Request.Body = nil
	}
	d.Log = d.Log[:min(len(d.Log), maxLimit)]
	return d, nil
}

// oneOf refuses a text that is none of a closed set; an empty one is no text.
func oneOf[T ~string](name, text string, set []T) error {
	if text == "" {
		return nil
	}
	var words strings.Builder
	for _, v := range set {
		if string(v) == text {
			return nil
		}
		words.WriteString(" " + string(v))
	}
	return drover.InvalidValue(name+" is one of"+words.String(), name)
}
