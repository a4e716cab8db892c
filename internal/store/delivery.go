package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
)

// Target names a receiver of events: a webhook, or a milestone with a webhook of
// its own.
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
	Type     drover.EventType
	State    drover.DeliveryState
	// ConnectionID and DeviceID are what the event is about, empty where it is
	// about none. They decide what has to be sent one after the other.
	ConnectionID string
	DeviceID     string
	// Devices are those that a batch of positions is narrowed to; nil is all.
	Devices []string
	Options drover.WebhookOptions
	// URL is where a milestone's events go once the milestone is gone.
	URL       *string
	CreatedAt drover.Time
	DueAt     drover.Time
	// Attempts counts all that were made, Tries those since the last replay.
	Attempts int
	Tries    int
	// Timestamp and Data are those of the event. Data is nil where it is large:
	// DeliveryData reads it.
	Timestamp drover.Time
	Data      json.RawMessage
}

const deliveryColumns = `tenant_id, target_id, event_id, kind, sequence, type, state, connection_id, device_id, devices, speed, driver, url, body, created_at, due_at`

const deliveryWidth = 16

// addDeliveries stores new deliveries, each with its body where it is not an
// event's.
func (tx *Tx) addDeliveries(ctx context.Context, list []Delivery) error {
	for start := 0; start < len(list); start += sqliteRows {
		chunk := list[start:min(start+sqliteRows, len(list))]
		args := make([]any, 0, len(chunk)*deliveryWidth)
		for _, d := range chunk {
			var devices *string
			if d.Devices != nil {
				text := storeStrings(d.Devices)
				devices = &text
			}
			var body *string
			if d.Sequence == 0 {
				text := string(d.Data)
				body = &text
			}
			args = append(args, d.TenantID, d.ID, d.EventID, d.Kind, d.Sequence, d.Type, d.State, nullable(d.ConnectionID), nullable(d.DeviceID),
				devices, d.Options.IncludeSpeed, d.Options.IncludeDriverID, d.URL, body, d.CreatedAt, d.DueAt)
		}
		_, err := tx.write("delivery").ExecContext(ctx, `INSERT INTO delivery (`+deliveryColumns+`) VALUES `+tx.d.Tuples(len(chunk), deliveryWidth), args...)
		if err != nil {
			return fmt.Errorf("add deliveries: %w", err)
		}
	}
	return nil
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// smallData bounds the data of an event that is read together with its delivery:
// many deliveries wait in memory, but only those under way need all of it.
const smallData = 2048

// DueDeliveries reads a target's deliveries that are due, the longest due first,
// but for those with the event ids given, which the caller has already.
func (q queries) DueDeliveries(ctx context.Context, t Target, now drover.Time, known []string, limit int) ([]Delivery, error) {
	if known == nil {
		known = []string{} // a list that is null compares with nothing
	}
	rows, err := q.db.QueryContext(ctx, fmt.Sprintf(`SELECT d.tenant_id, d.target_id, d.event_id, d.kind, d.sequence, d.type, d.state,
		COALESCE(CAST(d.connection_id AS TEXT), ''), COALESCE(CAST(d.device_id AS TEXT), ''), d.devices, d.speed, d.driver, d.url, d.created_at, d.due_at, d.attempts, d.tries,
		COALESCE(e.time, d.created_at), CASE WHEN octet_length(e.data) <= %d THEN e.data ELSE d.body END
		FROM delivery d LEFT JOIN event e ON e.tenant_id = d.tenant_id AND e.sequence = d.sequence
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.state = 'pending' AND d.due_at <= $3 AND NOT d.event_id `+q.d.InList(4)+`
		ORDER BY d.due_at, d.sequence LIMIT $5`, smallData), t.TenantID, t.ID, now, q.d.List(known), limit)
	return collect(rows, err, "read deliveries", scanDelivery)
}

func scanDelivery(row scanner) (Delivery, error) {
	var d Delivery
	var devices, data *string
	err := row.Scan(&d.TenantID, &d.ID, &d.EventID, &d.Kind, &d.Sequence, &d.Type, &d.State, &d.ConnectionID, &d.DeviceID, &devices,
		&d.Options.IncludeSpeed, &d.Options.IncludeDriverID, &d.URL, &d.CreatedAt, &d.DueAt, &d.Attempts, &d.Tries, &d.Timestamp, &data)
	if err != nil {
		return d, err
	}
	if data != nil {
		d.Data = json.RawMessage(*data)
	}
	if devices != nil {
		d.Devices, err = scanStrings(*devices)
	}
	return d, err
}

// EventData reads the data of one event.
func (q queries) EventData(ctx context.Context, tenantID string, sequence int64) (json.RawMessage, error) {
	var data string
	err := q.db.QueryRowContext(ctx, `SELECT data FROM event WHERE tenant_id = $1 AND sequence = $2`, tenantID, sequence).Scan(&data)
	return json.RawMessage(data), found(err, "read event")
}

// AddTest adds a delivery that is no event's.
func (tx *Tx) AddTest(ctx context.Context, t Target, data json.RawMessage, now drover.Time) (Delivery, error) {
	d := Delivery{
		Target: t, Kind: TargetWebhook, EventID: NewID(), Type: drover.EventWebhookTest, State: drover.DeliveryPending,
		CreatedAt: now, DueAt: now, Timestamp: now, Data: data,
	}
	tx.wake(t)
	return d, tx.addDeliveries(ctx, []Delivery{d})
}

// wake notes a target that there is something to send to.
func (tx *Tx) wake(t Target) {
	if n := len(tx.woken); n == 0 || tx.woken[n-1] != t {
		tx.woken = append(tx.woken, t)
	}
}

// Added is what a transaction has added to a tenant's feed, and the deliveries of
// it that are to be sent. Whoever has heard of every sequence before First knows
// all that comes before these deliveries.
type Added struct {
	TenantID    string
	First, Last int64
	Deliveries  []Delivery
}

// OnDeliveries makes f hear, once a transaction of this process is committed, of
// what it has added for tenants with targets, and of targets that it has made
// other deliveries due for. F is called while the writer waits: it must not block.
// Only one listener is kept.
func (s *Store) OnDeliveries(f func(added []Added, targets []Target)) { s.woken.Store(&f) }

func (s *Store) tellDeliveries(added []Added, targets []Target) {
	if f := s.woken.Load(); f != nil && len(added)+len(targets) > 0 {
		(*f)(added, targets)
	}
}
