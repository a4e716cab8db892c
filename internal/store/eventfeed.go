package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
)

// EventRange is a stretch of a tenant's feed: the events with a sequence in
// (After, To].
type EventRange struct {
	After, To int64
	Limit     int
}

// Events reads a stretch of a tenant's feed in the order of its sequence, or from
// its end where the filter says so.
func (q queries) Events(ctx context.Context, tenantID string, f drover.EventFilter, r EventRange) ([]drover.Event, error) {
	w := where{args: []any{tenantID}, parts: []string{"tenant_id = $1"}}
	w.add("sequence > $%d", r.After)
	w.add("sequence <= $%d", r.To)
	if len(f.Types) > 0 {
		names := make([]string, len(f.Types))
		for i, typ := range f.Types {
			names[i] = string(typ)
		}
		w.args = append(w.args, q.d.List(names))
		w.parts = append(w.parts, "type "+q.d.InList(len(w.args)))
	}
	w.ids("milestone_id =", f.MilestoneID)
	w.ids("device_id =", f.DeviceID)
	w.ids("connection_id =", f.ConnectionID)
	if f.From != nil && !f.From.Now {
		w.add("time >= $%d", f.From.At)
	}
	if f.To != nil {
		w.add("time < $%d", *f.To)
	}
	order := "sequence"
	if f.Order == drover.NewestFirst {
		order = "sequence DESC"
	}
	query := `SELECT sequence, id, type, time, connection_id, device_id, milestone_id, data FROM event` +
		w.sql() + w.limit(order, r.Limit)
	rows, err := q.db.QueryContext(ctx, query, w.args...)
	return collect(rows, err, "read events", scanEvent)
}

func scanEvent(row scanner) (drover.Event, error) {
	var e drover.Event
	var data string
	err := row.Scan(&e.Sequence, &e.ID, &e.Type, &e.Timestamp, &e.ConnectionID, &e.DeviceID, &e.MilestoneID, &data)
	e.Data = []byte(data)
	return e, err
}

// LastEvent is the sequence of a tenant's newest event, zero before the first.
// Whoever reads it first and then the events up to it misses none: a number is
// visible only together with all that are smaller.
func (q queries) LastEvent(ctx context.Context, tenantID string) (int64, error) {
	var last int64
	err := q.db.QueryRowContext(ctx, `SELECT last FROM event_sequence WHERE tenant_id = $1`, tenantID).Scan(&last)
	return last, found(err, "read the end of the feed")
}

// EventsBefore is the sequence up to which a tenant's events are of times before t,
// in a few steps whatever the length of the feed. Times follow the sequence but for
// the moments that transactions take.
func (q queries) EventsBefore(ctx context.Context, tenantID string, last int64, t drover.Time) (int64, error) {
	low, high := int64(0), last
	for low < high {
		middle := (low + high + 1) / 2
		var at drover.Time
		err := q.db.QueryRowContext(ctx, `SELECT time FROM event WHERE tenant_id = $1 AND sequence >= $2 AND sequence <= $3 ORDER BY sequence LIMIT 1`, tenantID, middle, high).Scan(&at)
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && !at.Before(t.Time):
			high = middle - 1
		case err != nil:
			return 0, fmt.Errorf("find a time in the feed: %w", err)
		default:
			low = middle
		}
	}
	return low, nil
}

// LastEvents is LastEvent of several tenants, by tenant.
func (q queries) LastEvents(ctx context.Context, tenantIDs []string) (map[string]int64, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT tenant_id, last FROM event_sequence WHERE tenant_id `+q.d.InList(1), q.d.List(tenantIDs))
	last := make(map[string]int64, len(tenantIDs))
	_, err = collect(rows, err, "read the ends of feeds", func(row scanner) (struct{}, error) {
		var tenant string
		var sequence int64
		err := row.Scan(&tenant, &sequence)
		last[tenant] = sequence
		return struct{}{}, err
	})
	return last, err
}

// DeviceLabel is what filters ask of a device: its connection, and its own tags
// together with those of its connection.
type DeviceLabel struct {
	ConnectionID string
	Tags         []string
}

// DeviceLabels reads the labels of devices that asker may see, by device id.
func (q queries) DeviceLabels(ctx context.Context, asker string, deviceIDs []string) (map[string]DeviceLabel, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.tags, t.name FROM device d
		LEFT JOIN connection_tag ct ON ct.tenant_id = d.tenant_id AND ct.connection_id = d.connection_id
		LEFT JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id
		WHERE d.id `+q.d.InList(3)+` AND `+visible("d", "connection_id"), asker, q.present(), q.d.List(deviceIDs))
	labels := make(map[string]DeviceLabel, len(deviceIDs))
	_, err = collect(rows, err, "read labels of devices", func(row scanner) (struct{}, error) {
		var id, connection, tags string
		var shared *string
		if err := row.Scan(&id, &connection, &tags, &shared); err != nil {
			return struct{}{}, err
		}
		label, known := labels[id]
		if !known {
			own, err := scanStrings(tags)
			if err != nil {
				return struct{}{}, fmt.Errorf("device %s: %w", id, err)
			}
			label = DeviceLabel{ConnectionID: connection, Tags: own}
		}
		if shared != nil {
			label.Tags = append(label.Tags, *shared)
		}
		labels[id] = label
		return struct{}{}, nil
	})
	return labels, err
}

// ConnectionTagNames reads the names of the tags of a connection that asker may
// see.
func (q queries) ConnectionTagNames(ctx context.Context, asker, connectionID string) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT t.name FROM connection c
		JOIN connection_tag ct ON ct.tenant_id = c.tenant_id AND ct.connection_id = c.id
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id
		WHERE c.id = $3 AND `+visible("c", "id")+` ORDER BY t.name`, asker, q.present(), connectionID)
	return collect(rows, err, "read tags of a connection", func(row scanner) (string, error) {
		var name string
		return name, row.Scan(&name)
	})
}
