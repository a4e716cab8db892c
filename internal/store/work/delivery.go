package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

var deliveryColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("target_id"),
	database.ID("event_id"),
	database.Text("kind"),
	database.Number("sequence"),
	database.Text("type"),
	database.Text("state"),
	database.ID("connection_id"),
	database.ID("device_id"),
	database.Text("devices"),
	database.Text("kinds"),
	database.Flag("speed"),
	database.Flag("driver"),
	database.Text("url"),
	database.Text("body"),
	database.Number("created_at"),
	database.Number("due_at"),
}

// Added is what a transaction has added to a tenant's feed, and the deliveries of
// it that are to be sent. Anyone who has heard of every sequence before First knows
// all that comes before these deliveries.
type Added struct {
	TenantID    string
	First, Last int64
	Deliveries  []drover.Delivery
}

// AddDeliveries stores the deliveries of events that this transaction has added,
// and tells of those that are to be sent once it is committed.
func (tx FeedTx) AddDeliveries(ctx context.Context, a Added) error {
	if err := tx.insertDeliveries(ctx, a.Deliveries); err != nil {
		return err
	}
	pending := make([]drover.Delivery, 0, len(a.Deliveries))
	for _, d := range a.Deliveries {
		if d.State != drover.DeliveryPending {
			continue
		}
		if len(d.Data) > smallData {
			d.Data = nil
		}
		pending = append(pending, d)
	}
	a.Deliveries = pending
	tx.added = append(tx.added, a)
	return tx.waitFor(ctx, pending)
}

// waitFor notes for what targets of a tenant new deliveries wait.
func (tx *Tx) waitFor(ctx context.Context, pending []drover.Delivery) error {
	if len(pending) == 0 {
		return nil
	}
	due, targets := pending[0].DueAt, make([]string, len(pending))
	for i, d := range pending {
		targets[i] = d.ID
		if d.DueAt.Before(due.Time) {
			due = d.DueAt
		}
	}
	slices.Sort(targets)
	return tx.dueBy(ctx, pending[0].TenantID, slices.Compact(targets), due)
}

// insertDeliveries stores new deliveries, each with its body where it is not an
// event's.
func (tx *Tx) insertDeliveries(ctx context.Context, list []drover.Delivery) error {
	rows := make([][]any, len(list))
	for i, d := range list {
		var devices, kinds, body *string
		if d.Devices != nil {
			devices = new(database.FormatStrings(d.Devices))
		}
		if d.Kinds != nil {
			text, _ := json.Marshal(d.Kinds) // texts always marshal
			kinds = new(string(text))
		}
		if d.Sequence == 0 {
			body = new(string(d.Data))
		}
		rows[i] = []any{
			d.TenantID, d.ID, d.EventID, string(d.Kind), d.Sequence, string(d.Type), string(d.State), nullable(d.ConnectionID), nullable(d.DeviceID),
			devices, kinds, d.Options.IncludeSpeed, d.Options.IncludeDriverID, d.URL, body, d.CreatedAt.UnixMilli(), d.DueAt.UnixMilli(),
		}
	}
	if err := tx.tx.InsertRows(ctx, "delivery", deliveryColumns, rows, ""); err != nil {
		return fmt.Errorf("add deliveries: %w", err)
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
const (
	smallData   = 2048
	smallPacked = smallData / 8
)

// DueDeliveries reads a target's deliveries that are due, the longest due first,
// but for those with the event ids given, which the caller has already.
func (q FeedReader) DueDeliveries(
	ctx context.Context,
	t drover.Target,
	now drover.Time,
	known []string,
	limit int,
) ([]drover.Delivery, error) {
	if known == nil {
		known = []string{} // a list that is null compares with nothing
	}
	rows, err := q.db.QueryContext(ctx, fmt.Sprintf(`SELECT d.tenant_id, d.target_id, d.event_id, d.kind, d.sequence, d.type, d.state,
		COALESCE(CAST(d.connection_id AS TEXT), ''), COALESCE(CAST(d.device_id AS TEXT), ''), d.devices, d.kinds, d.speed, d.driver, d.url,
		d.created_at, d.due_at, d.attempts, d.tries,
		COALESCE(e.time, d.created_at),
		CASE WHEN e.packed IS NOT NULL OR e.block IS NOT NULL THEN NULL WHEN octet_length(e.data) <= %d THEN e.data ELSE d.body END,
		CASE WHEN octet_length(e.packed) <= %d THEN e.packed END, NULL
		FROM delivery d LEFT JOIN event e ON e.tenant_id = d.tenant_id AND e.sequence = d.sequence
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.state = 'pending' AND d.due_at <= $3 AND NOT d.event_id `+q.words.InList(4)+`
		ORDER BY d.due_at, d.sequence LIMIT $5`, smallData, smallPacked), t.TenantID, t.ID, now, q.words.List(known), limit)
	return database.ReadAll(rows, err, "read deliveries", func(row database.Scanner) (drover.Delivery, error) {
		d, _, err := scanDelivery(row)
		return d, err
	})
}

// scanDelivery reads a delivery. Where a block has the data of its event, it returns which.
func scanDelivery(row database.Scanner) (d drover.Delivery, block *int64, err error) {
	var devices, kinds *string
	var s storedData
	err = row.Scan(&d.TenantID, &d.ID, &d.EventID, &d.Kind, &d.Sequence, &d.Type, &d.State, &d.ConnectionID, &d.DeviceID, &devices, &kinds,
		&d.Options.IncludeSpeed, &d.Options.IncludeDriverID, &d.URL, &d.CreatedAt, &d.DueAt, &d.Attempts, &d.Tries, &d.Timestamp, &s.text,
		&s.packed, &s.block)
	if err != nil {
		return d, nil, err
	}
	if d.Data, err = s.read(); err != nil {
		return d, nil, err
	}
	if devices != nil {
		d.Devices, err = database.ParseStrings(*devices)
	}
	if err == nil && kinds != nil {
		err = json.Unmarshal([]byte(*kinds), &d.Kinds)
	}
	return d, s.block, err
}

// EventData reads the data of one event.
func (q FeedReader) EventData(ctx context.Context, tenantID string, sequence int64) (json.RawMessage, error) {
	var data json.RawMessage
	err := q.withBlocks(ctx, tenantID, func() ([]inBlock, error) {
		var s storedData
		err := q.db.QueryRowContext(ctx, `SELECT data, packed, block FROM event WHERE tenant_id = $1 AND sequence = $2`, tenantID,
			sequence).Scan(&s.text, &s.packed, &s.block)
		if err != nil {
			return nil, database.Found(err, "read event")
		}
		data, err = s.read()
		if s.block != nil {
			return []inBlock{{sequence, *s.block, &data}}, err
		}
		return nil, err
	})
	return data, err
}

// AddTest adds a delivery that is no event's.
func (tx FeedTx) AddTest(
	ctx context.Context,
	t drover.Target,
	kind drover.TargetKind,
	data json.RawMessage,
	now drover.Time,
) (drover.Delivery, error) {
	d := drover.Delivery{
		Target: t, Kind: kind, EventID: database.NewID(), Type: drover.EventWebhookTest, State: drover.DeliveryPending,
		CreatedAt: now, DueAt: now, Timestamp: now, Data: data,
	}
	tx.Wake(t)
	list := []drover.Delivery{d}
	if err := errors.Join(tx.lockFeed(ctx, t.TenantID), tx.insertDeliveries(ctx, list)); err != nil {
		return d, err
	}
	return d, tx.waitFor(ctx, list)
}

// Wake notes a target that there is something to send to.
func (tx FeedTx) Wake(t drover.Target) {
	if n := len(tx.woken); n == 0 || tx.woken[n-1] != t {
		tx.woken = append(tx.woken, t)
	}
}

// OnDeliveries makes f hear, once a transaction of this process is committed, of
// what it has added for tenants with targets, and of targets that it has made
// other deliveries due for. F is called while the writer waits: it must not block.
// Only one listener is kept.
func (q Feed) OnDeliveries(f func(added []Added, targets []drover.Target)) { q.listener.Store(&f) }
