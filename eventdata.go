package drover

import (
	"encoding/json"
	"slices"
)

// EventData is the data of an event: a type of this file, or a record. Its JSON is stored,
// streamed and delivered, so keys are never renamed.
//
//	device.created, updated               Device
//	device.state_changed                  StateChange
//	position.updated                      PositionBatch
//	reading.updated                       ReadingBatch
//	fault.opened, closed                  Fault
//	safety_event.recorded, updated        SafetyEvent
//	trip.*                                TripData, which is a Trip
//	driver.created, updated               DriverNotice
//	milestone.created, updated, deleted   Milestone
//	milestone.started, ended, timed_out   MilestoneStep
//	milestone.late, on_time_again         MilestoneLateness
//	connection.created, updated, deleted  Connection
//	connection.failing, recovered         ConnectionFailure
//	connection.doubtful, trusted          ConnectionDoubt
//	connection.coverage_lost              CoverageLoss
//	webhook.disabled                      WebhookDisabled
type EventData interface {
	// describe sets the subjects of the event.
	describe(e *Event)
}

// public is the data for all readers of the tenant's feed: the address of a webhook has no
// query.
func public(data EventData) EventData {
	reader := Principal{Role: RoleViewer}
	switch d := data.(type) {
	case Milestone:
		return d.SeenBy(reader)
	case MilestoneStep:
		d.Milestone = d.SeenBy(reader)
		return d
	case MilestoneLateness:
		d.Milestone = d.SeenBy(reader)
		return d
	case WebhookDisabled:
		if d.Webhook != nil {
			d.Webhook = new(d.Webhook.SeenBy(reader))
		}
		if d.Milestone != nil {
			d.Milestone = new(d.Milestone.SeenBy(reader))
		}
		return d
	}
	return data
}

func (d Device) describe(e *Event) {
	e.ConnectionID, e.DeviceID = &d.ConnectionID, &d.ID
	e.Subjects = []Subject{{ConnectionID: d.ConnectionID, DeviceID: d.ID, SystemDeviceID: d.SystemDeviceID, Tags: d.Tags}}
}

// StateChange is the data of device.state_changed.
type StateChange struct {
	DeviceID     string `json:"device_id"`
	ConnectionID string `json:"connection_id"`
	DeviceStatus
	// Previous is null where none was known before.
	Previous *DeviceState `json:"previous_state"`
}

func (c StateChange) describe(e *Event) {
	e.ConnectionID, e.DeviceID = &c.ConnectionID, &c.DeviceID
	e.Subjects = []Subject{{ConnectionID: c.ConnectionID, DeviceID: c.DeviceID}}
}

// PositionBatch is the data of position.updated: new positions of one connection.
type PositionBatch struct {
	ConnectionID string           `json:"connection_id"`
	Positions    []DevicePosition `json:"positions"`
}

// DevicePosition is one position of a batch.
type DevicePosition struct {
	DeviceID       string `json:"device_id"`
	SystemDeviceID string `json:"system_device_id"`
	CurrentPosition
}

// ReadPositions reads the data of a stored event about positions.
func ReadPositions(data json.RawMessage) (b PositionBatch, err error) {
	return b, json.Unmarshal(data, &b)
}

// Subjects lists the devices of the batch, each once, in the order of the batch.
func (b PositionBatch) Subjects() []Subject {
	seen := make(map[string]bool, len(b.Positions))
	var out []Subject
	for i := range b.Positions {
		p := &b.Positions[i]
		if !seen[p.DeviceID] {
			seen[p.DeviceID] = true
			out = append(out, Subject{ConnectionID: b.ConnectionID, DeviceID: p.DeviceID, SystemDeviceID: p.SystemDeviceID})
		}
	}
	return out
}

// Narrow returns the batch with the positions of the devices for which keep returns true.
func (b PositionBatch) Narrow(keep func(deviceID string) bool) PositionBatch {
	kept := PositionBatch{ConnectionID: b.ConnectionID}
	for i := range b.Positions {
		if keep(b.Positions[i].DeviceID) {
			kept.Positions = append(kept.Positions, b.Positions[i])
		}
	}
	return kept
}

// SentBatch is a batch as a webhook receives it.
type SentBatch struct {
	ConnectionID string               `json:"connection_id"`
	Positions    []SentDevicePosition `json:"positions"`
}

// SentDevicePosition is one position of a batch that is sent.
type SentDevicePosition struct {
	DeviceID       string `json:"device_id"`
	SystemDeviceID string `json:"system_device_id"`
	SentPosition
}

// SentPosition is a position as a webhook receives it, with speed and driver only if its
// options include them.
type SentPosition struct {
	Timestamp Time               `json:"timestamp"`
	Longitude float64            `json:"longitude"`
	Latitude  float64            `json:"latitude"`
	Heading   *float64           `json:"heading"`
	Speed     Optional[Speed]    `json:"speed,omitzero"`
	DriverID  Optional[DriverID] `json:"driver_id,omitzero"`
}

// Sent returns the batch with the fields of a webhook's options.
func (b PositionBatch) Sent(o WebhookOptions) SentBatch {
	out := SentBatch{ConnectionID: b.ConnectionID, Positions: make([]SentDevicePosition, len(b.Positions))}
	for i, p := range b.Positions {
		out.Positions[i] = SentDevicePosition{p.DeviceID, p.SystemDeviceID, p.Sent(o)}
	}
	return out
}

// Sent returns the position with the fields of a webhook's options.
func (p CurrentPosition) Sent(o WebhookOptions) SentPosition {
	return SentPosition{
		Timestamp: p.Timestamp, Longitude: p.Longitude, Latitude: p.Latitude, Heading: p.Heading,
		Speed:    Optional[Speed]{o.IncludeSpeed, keep(p.Speed, o.IncludeSpeed)},
		DriverID: Optional[DriverID]{o.IncludeDriverID, keep(p.DriverID, o.IncludeDriverID)},
	}
}

func keep[T any](v *T, ask bool) *T {
	if ask {
		return v
	}
	return nil
}

func (b PositionBatch) describe(e *Event) {
	e.ConnectionID, e.Subjects = &b.ConnectionID, b.Subjects()
}

// ReadingBatch is the data of reading.updated: what devices of one connection show.
type ReadingBatch struct {
	ConnectionID string          `json:"connection_id"`
	Readings     []NewestReading `json:"readings" doc:"What the devices show now, of the kinds that webhooks ask for."`
}

// Subjects lists the devices of the batch with the kinds of their readings, each once, in the
// order of the batch.
func (b ReadingBatch) Subjects() []Subject {
	at := make(map[string]int, len(b.Readings))
	var out []Subject
	for i := range b.Readings {
		r := &b.Readings[i]
		n, seen := at[r.DeviceID]
		if !seen {
			n, at[r.DeviceID] = len(out), len(out)
			out = append(out, Subject{ConnectionID: b.ConnectionID, DeviceID: r.DeviceID})
		}
		if !slices.Contains(out[n].Kinds, r.Kind) {
			out[n].Kinds = append(out[n].Kinds, r.Kind)
		}
	}
	return out
}

func (b ReadingBatch) describe(e *Event) {
	e.ConnectionID, e.Subjects = &b.ConnectionID, b.Subjects()
}

// DevicesOf lists the devices of the data of an event that is about several: each once, and none
// where it is about one at most.
func DevicesOf(typ EventType, data json.RawMessage) (ids []string, err error) {
	var subjects []Subject
	switch typ { //nolint:exhaustive // others are about one
	case EventPositionUpdated:
		var b PositionBatch
		err = json.Unmarshal(data, &b)
		subjects = b.Subjects()
	case EventReadingUpdated:
		var b ReadingBatch
		err = json.Unmarshal(data, &b)
		subjects = b.Subjects()
	}
	for _, s := range subjects {
		ids = append(ids, s.DeviceID)
	}
	return ids, err
}

// NarrowBatch returns the data of an event about several devices with those for which keep
// returns true, nil where that is none of them.
func NarrowBatch(typ EventType, data json.RawMessage, keep func(deviceID string) bool) (json.RawMessage, error) {
	if typ == EventReadingUpdated {
		return narrowReadings(data, func(r *NewestReading) bool { return keep(r.DeviceID) })
	}
	batch, err := ReadPositions(data)
	if err != nil {
		return nil, err
	}
	if batch = batch.Narrow(keep); len(batch.Positions) == 0 {
		return nil, nil
	}
	return json.Marshal(batch)
}

// SentReadings returns the data of reading.updated with the devices and kinds that a webhook
// receives; nil is all.
func SentReadings(data json.RawMessage, devices []string, kinds []ReadingKind) (json.RawMessage, error) {
	return narrowReadings(data, func(r *NewestReading) bool {
		return (devices == nil || slices.Contains(devices, r.DeviceID)) && (kinds == nil || slices.Contains(kinds, r.Kind))
	})
}

func narrowReadings(data json.RawMessage, keep func(r *NewestReading) bool) (json.RawMessage, error) {
	var b ReadingBatch
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	b.Readings = slices.DeleteFunc(b.Readings, func(r NewestReading) bool { return !keep(&r) })
	if len(b.Readings) == 0 {
		return nil, nil
	}
	return json.Marshal(b)
}

// TripData is the data of events about trips. A trip itself does not have its connection.
type TripData struct {
	Trip
	ConnectionID string `json:"-"`
}

func (t TripData) describe(e *Event) {
	e.ConnectionID, e.DeviceID = &t.ConnectionID, &t.DeviceID
	e.Subjects = []Subject{{ConnectionID: t.ConnectionID, DeviceID: t.DeviceID}}
}

func (m Milestone) describe(e *Event) {
	e.MilestoneID, e.DeviceID = &m.ID, &m.DeviceID
	e.Subjects = []Subject{{DeviceID: m.DeviceID}}
	if m.WebhookEnabled {
		e.OwnURL = m.WebhookURL
	}
}

// MilestoneStep is the data of events about a milestone whose status has changed, or whose
// device is silent.
type MilestoneStep struct {
	Milestone
	// OccurredAt is the time of the position, or of the deadline, that caused it.
	OccurredAt Time             `json:"occurred_at"`
	Position   *CurrentPosition `json:"position"`
}

// MilestoneLateness is the data of milestone.late and milestone.on_time_again: the
// milestone, whose end_time is the deadline, and the arrival against it.
type MilestoneLateness struct {
	Milestone
	ETA           *Time    `json:"eta" doc:"When the device is expected to arrive, or did. Null where nothing can be predicted: the deadline has passed."`
	ETAP10        *Time    `json:"eta_p10" doc:"One arrival in ten is before this time. Null where nothing is predicted, and after the arrival."`
	ETAP90        *Time    `json:"eta_p90" doc:"One arrival in ten is after this time. Null where nothing is predicted, and after the arrival."`
	LateBySeconds *float64 `json:"late_by_seconds" doc:"By how much eta is later than end_time, or the present where nothing is predicted; below zero where it is earlier. Null once the share of the device's positions has ended."`
}

func (c Connection) describe(e *Event) {
	e.ConnectionID = &c.ID
	e.Subjects = []Subject{{ConnectionID: c.ID}}
}

// ConnectionFailure is the data of events about a connection that fails or has recovered,
// with the newest error.
type ConnectionFailure struct {
	Connection
	Reason *string `json:"reason"`
}

// WebhookDisabled is the data of webhook.disabled: one of the two records, and the reason.
type WebhookDisabled struct {
	Webhook   *Webhook   `json:"webhook"`
	Milestone *Milestone `json:"milestone"`
	Reason    string     `json:"reason"`
}

// describe sets no device: filters by device do not match the event, and a disabled target
// must not receive it.
func (w WebhookDisabled) describe(e *Event) {
	if w.Milestone != nil {
		e.MilestoneID = &w.Milestone.ID
	}
}

// MilestoneTest is the data of a test delivery to a milestone's own webhook.
type MilestoneTest struct {
	MilestoneID string `json:"milestone_id"`
	Message     string `json:"message"`
}

// WebhookTest is the data of a test delivery, which is not an event.
type WebhookTest struct {
	Message   string `json:"message"`
	WebhookID string `json:"webhook_id"`
}
