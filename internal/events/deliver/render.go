package deliver

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/drover-fleet/drover"
)

// Bounds of the bodies that are kept: the webhooks of a tenant hear of an event at about
// the same time.
const (
	keptBodies  = 32
	keptBodyMax = 256 << 10
)

// bodies renders deliveries, those of one event with the same options once, also where they
// are sent at the same moment.
type bodies struct {
	render func(d drover.Delivery, data json.RawMessage) ([]byte, error)
	seed   maphash.Seed
	recent *lru.Cache[bodyKey, *rendering]
}

// rendering is a body that is being made, or is made once done is closed.
type rendering struct {
	done chan struct{}
	text []byte
	err  error
}

// bodyKey is all that a body is made from. Who may read less of an event has other data.
type bodyKey struct {
	event    string
	sequence int64
	options  drover.WebhookOptions
	devices  string
	kinds    string
	data     uint64
}

// errNotRendered is the answer to those who waited for a body whose rendering did not return.
var errNotRendered = errors.New("the body was not rendered")

func newBodies() bodies {
	recent, err := lru.New[bodyKey, *rendering](keptBodies)
	if err != nil {
		panic(err) // the size is a constant
	}
	return bodies{render, maphash.MakeSeed(), recent}
}

// of is the body of a delivery.
func (b bodies) of(d drover.Delivery, data json.RawMessage) ([]byte, error) {
	key := bodyKey{d.EventID, d.Sequence, d.Options, strings.Join(d.Devices, " "), fmt.Sprint(d.Kinds), maphash.Bytes(b.seed, data)}
	r := &rendering{done: make(chan struct{}), err: errNotRendered}
	if other, ok, _ := b.recent.PeekOrAdd(key, r); ok {
		b.recent.Get(key) // it is in use
		<-other.done
		return other.text, other.err
	}
	defer close(r.done)
	r.text, r.err = b.render(d, data)
	if r.err != nil || len(r.text) > keptBodyMax {
		b.recent.Remove(key)
	}
	return r.text, r.err
}

// body is what a receiver gets. Sequence is null for a test.
type body struct {
	Type      drover.EventType `json:"type"`
	Timestamp drover.Time      `json:"timestamp"`
	Sequence  *int64           `json:"sequence"`
	Data      json.RawMessage  `json:"data"`
}

// render makes the body of a delivery from the event's data. The same delivery
// always has the same body.
func render(d drover.Delivery, data json.RawMessage) ([]byte, error) {
	b := body{Type: d.Type, Timestamp: d.Timestamp, Data: data}
	if d.Sequence > 0 {
		b.Sequence = &d.Sequence
	}
	var err error
	switch d.Type { //nolint:exhaustive // others hold no position
	case drover.EventPositionUpdated:
		b.Data, err = narrow(d, data)
	case drover.EventReadingUpdated:
		b.Data, err = drover.SentReadings(data, d.Devices, d.Kinds)
	case drover.EventSafetyRecorded, drover.EventSafetyUpdated:
		b.Data, err = withoutDriver(d.Options, data)
	case drover.EventMilestoneStarted, drover.EventMilestoneEntered, drover.EventMilestoneEnded, drover.EventMilestoneTimedOut:
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

// narrow leaves the positions of the target's devices, with what it asks for.
func narrow(d drover.Delivery, data json.RawMessage) (json.RawMessage, error) {
	batch, err := drover.ReadPositions(data)
	if err != nil {
		return nil, fmt.Errorf("read positions: %w", err)
	}
	if d.Devices != nil {
		wanted := make(map[string]bool, len(d.Devices))
		for _, id := range d.Devices {
			wanted[id] = true
		}
		batch = batch.Narrow(func(id string) bool { return wanted[id] })
	}
	return json.Marshal(batch.Sent(d.Options))
}

// withoutDriver leaves of a safety event what the target asks for.
func withoutDriver(o drover.WebhookOptions, data json.RawMessage) (json.RawMessage, error) {
	var e drover.SafetyEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("read safety event: %w", err)
	}
	return json.Marshal(e.Sent(o))
}

// trim leaves of a milestone's position what the target asks for.
func trim(o drover.WebhookOptions, data json.RawMessage) (json.RawMessage, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("read milestone: %w", err)
	}
	var p *drover.CurrentPosition
	if text := keys["position"]; text != nil {
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, fmt.Errorf("read position: %w", err)
		}
	}
	if p == nil {
		return data, nil
	}
	var err error
	if keys["position"], err = json.Marshal(p.Sent(o)); err != nil {
		return nil, fmt.Errorf("write position: %w", err)
	}
	return json.Marshal(keys)
}
