package drover

import "encoding/json"

// Target identifies a receiver of events: a webhook, or a milestone with its own webhook.
type Target struct {
	TenantID string
	ID       string
}

// TargetKind says which of the two a target is.
type TargetKind string

// The kinds of target.
const (
	TargetWebhook   TargetKind = "webhook"
	TargetMilestone TargetKind = "milestone"
)

// Delivery is one event on its way to one target.
type Delivery struct {
	Target
	Kind     TargetKind
	EventID  string // also what receivers know it by
	Sequence int64  // of the event; zero for a test
	Type     EventType
	State    DeliveryState
	// ConnectionID and DeviceID are the subject of the event; they may be empty. Deliveries
	// with the same subject are sent in order.
	ConnectionID string
	DeviceID     string
	// Devices are the devices of a batch that the target receives, and Kinds the kinds of
	// readings; nil is all.
	Devices []string
	Kinds   []ReadingKind
	Options WebhookOptions
	// URL is the receiver of a milestone's events after the milestone was deleted.
	URL       *string
	CreatedAt Time
	DueAt     Time
	// Attempts counts all attempts, Tries those since the last replay.
	Attempts int
	Tries    int
	// Timestamp and Data are those of the event. Data is nil where it is large and
	// was not read with the delivery.
	Timestamp Time
	Data      json.RawMessage
}

// Receiver is what matching needs of a webhook.
type Receiver struct {
	ID      string
	Enabled bool
	Filter  Filter
	Options WebhookOptions
}

// OwnReceiver is an open milestone whose own webhook receives the positions of its
// device.
type OwnReceiver struct {
	MilestoneID string
	DeviceID    string
	StartTime   Time
	URL         *string
}

// Subject is what an event is about, as filters need it. An event about a whole connection
// has no device. Unknown fields are empty. It is stored with events that are sent to another
// tenant's feed.
type Subject struct {
	ConnectionID   string   `json:"connection_id"`
	DeviceID       string   `json:"device_id,omitempty"`
	SystemDeviceID string   `json:"system_device_id,omitempty"`
	Tags           []string `json:"tags"` // of the device and of its connection
	// Kinds are those of a device's readings in a batch of them.
	Kinds []ReadingKind `json:"kinds,omitempty"`
}

// Filter is a compiled WebhookFilters: compiled once, and used for every event.
type Filter struct {
	connections, tags, devices map[string]bool
	named                      map[[2]string]bool // connection and the provider's id
	types                      map[EventType]bool // empty for all
	kinds                      []ReadingKind      // of readings; empty for none
}

// Compile prepares the filters for matching.
func (f WebhookFilters) Compile() Filter {
	c := Filter{
		connections: set(f.ConnectionIDs), tags: set(f.Tags), devices: set(f.DeviceIDs), named: map[[2]string]bool{},
		types: map[EventType]bool{}, kinds: f.ReadingKinds,
	}
	for _, typ := range f.EventTypes {
		c.types[typ] = true
	}
	for _, list := range f.ConnectionDevices {
		for _, id := range list.SystemDeviceIDs {
			c.named[[2]string{list.ConnectionID, id}] = true
		}
	}
	// A connection without devices is a filter that matches nothing.
	if len(f.ConnectionDevices) > 0 && len(c.named) == 0 {
		c.named[[2]string{}] = false
	}
	return c
}

func set(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, text := range list {
		out[text] = true
	}
	return out
}

// Takes reports whether the filter lets events of a type through.
func (f Filter) Takes(typ EventType) bool {
	return (len(f.types) == 0 || f.types[typ]) && (typ != EventReadingUpdated || len(f.kinds) > 0)
}

// ReadingKinds are the kinds of readings that the filter asks for. They must not be changed.
func (f Filter) ReadingKinds() []ReadingKind { return f.kinds }

// Empty reports whether the filter matches every device and connection.
func (f Filter) Empty() bool {
	return len(f.connections)+len(f.tags)+len(f.devices)+len(f.named) == 0
}

// AsksTags reports whether the filter needs the tags of a subject.
func (f Filter) AsksTags() bool { return len(f.tags) > 0 }

// AsksNames reports whether the filter needs the provider's id of a device.
func (f Filter) AsksNames() bool { return len(f.named) > 0 }

// Size is the number of entries that the filter holds in memory.
func (f Filter) Size() int {
	return len(f.connections) + len(f.tags) + len(f.devices) + len(f.named) + len(f.types) + len(f.kinds)
}

// Match reports whether any of the lists names the subject.
func (f Filter) Match(s Subject) bool {
	if f.Empty() || f.connections[s.ConnectionID] {
		return true
	}
	for _, tag := range s.Tags {
		if f.tags[tag] {
			return true
		}
	}
	return s.DeviceID != "" && (f.devices[s.DeviceID] || f.named[[2]string{s.ConnectionID, s.SystemDeviceID}])
}
