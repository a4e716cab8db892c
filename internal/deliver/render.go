package deliver

import (
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// body is what a receiver gets. Sequence is null for a test.
type body struct {
	Type      drover.EventType `json:"type"`
	Timestamp drover.Time      `json:"timestamp"`
	Sequence  *int64           `json:"sequence"`
	Data      json.RawMessage  `json:"data"`
}

// render makes the body of a delivery from the event's data. The same delivery
// always has the same body.
func render(d store.Delivery, data json.RawMessage) ([]byte, error) {
	b := body{Type: d.Type, Timestamp: d.Timestamp, Data: data}
	if d.Sequence > 0 {
		b.Sequence = &d.Sequence
	}
	var err error
	switch d.Type { //nolint:exhaustive // others hold no position
	case drover.EventPositionUpdated:
		b.Data, err = narrow(d, data)
	case drover.EventMilestoneStarted, drover.EventMilestoneEnded, drover.EventMilestoneTimedOut:
		b.Data, err = trim(d.Options, data)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("write delivery: %w", err)
	}
	return text, nil
}

// moved is the data of an event about positions, as far as it is sent.
type moved struct {
	ConnectionID string  `json:"connection_id"`
	Positions    []point `json:"positions"`
}

type point struct {
	DeviceID       string `json:"device_id"`
	SystemDeviceID string `json:"system_device_id"`
	position
}

// position has the last two keys only where they are asked for.
type position struct {
	Timestamp json.RawMessage `json:"timestamp"`
	Longitude json.RawMessage `json:"longitude"`
	Latitude  json.RawMessage `json:"latitude"`
	Heading   json.RawMessage `json:"heading"`
	Speed     json.RawMessage `json:"speed,omitempty"`
	DriverID  json.RawMessage `json:"driver_id,omitempty"`
}

func (p *position) trim(o drover.WebhookOptions) {
	if !o.IncludeSpeed {
		p.Speed = nil
	}
	if !o.IncludeDriverID {
		p.DriverID = nil
	}
}

// narrow leaves the positions of the target's devices, with what it asks for.
func narrow(d store.Delivery, data json.RawMessage) (json.RawMessage, error) {
	var m moved
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read positions: %w", err)
	}
	wanted := make(map[string]bool, len(d.Devices))
	for _, id := range d.Devices {
		wanted[id] = true
	}
	kept := m.Positions[:0]
	for _, p := range m.Positions {
		if d.Devices == nil || wanted[p.DeviceID] {
			p.trim(d.Options)
			kept = append(kept, p)
		}
	}
	m.Positions = kept
	return json.Marshal(m)
}

// trim leaves of a milestone's position what the target asks for.
func trim(o drover.WebhookOptions, data json.RawMessage) (json.RawMessage, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("read milestone: %w", err)
	}
	if text := keys["position"]; text == nil || string(text) == "null" {
		return data, nil
	}
	var p position
	if err := json.Unmarshal(keys["position"], &p); err != nil {
		return nil, fmt.Errorf("read position: %w", err)
	}
	p.trim(o)
	var err error
	if keys["position"], err = json.Marshal(p); err != nil {
		return nil, fmt.Errorf("write position: %w", err)
	}
	return json.Marshal(keys)
}
