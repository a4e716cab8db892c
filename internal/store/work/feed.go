package work

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// EventRange is a stretch of a tenant's feed: the events with a sequence in
// (After, To].
type EventRange struct {
	After, To int64
	Limit     int
}

// Events reads a stretch of a tenant's feed in the order of its sequence, or from
// its end where the filter says so.
func (q FeedReader) Events(ctx context.Context, tenantID string, f drover.EventFilter, r EventRange) ([]drover.Event, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"tenant_id = $1"}}
	w.Add("sequence > $%d", r.After)
	w.Add("sequence <= $%d", r.To)
	if len(f.Types) > 0 {
		names := make([]string, len(f.Types))
		for i, typ := range f.Types {
			names[i] = string(typ)
		}
		w.Args = append(w.Args, q.words.List(names))
		w.Parts = append(w.Parts, "type "+q.words.InList(len(w.Args)))
	}
	w.ID("milestone_id =", f.MilestoneID)
	w.ID("device_id =", f.DeviceID)
	w.ID("connection_id =", f.ConnectionID)
	if f.From != nil && !f.From.Now {
		w.Add("time >= $%d", f.From.At)
	}
	if f.To != nil {
		w.Add("time < $%d", *f.To)
	}
	order := "sequence"
	if f.Order == drover.NewestFirst {
		order = "sequence DESC"
	}
	query := selectEvent + w.SQL() + w.Limit(order, r.Limit)
	var events []drover.Event
	err := q.withBlocks(ctx, tenantID, func() (blocks []inBlock, err error) {
		rows, err := q.db.QueryContext(ctx, query, w.Args...)
		var in []*int64
		events, err = database.ReadAll(rows, err, "read events", func(row database.Scanner) (drover.Event, error) {
			e, block, err := scanEvent(row)
			in = append(in, block)
			return e, err
		})
		for i, block := range in {
			if err == nil && block != nil {
				blocks = append(blocks, inBlock{events[i].Sequence, *block, &events[i].Data})
			}
		}
		return blocks, err
	})
	return events, err
}

const selectEvent = `SELECT sequence, id, type, time, connection_id, device_id, milestone_id, data, packed, block FROM event`

// scanEvent reads an event. Where a block has its data, it returns which.
func scanEvent(row database.Scanner) (e drover.Event, block *int64, err error) {
	var s storedData
	if err := row.Scan(&e.Sequence, &e.ID, &e.Type, &e.Timestamp, &e.ConnectionID, &e.DeviceID, &e.MilestoneID, &s.text, &s.packed,
		&s.block); err != nil {
		return e, nil, err
	}
	if e.Data, err = s.read(); err != nil {
		return e, nil, fmt.Errorf("event %d: %w", e.Sequence, err)
	}
	return e, s.block, nil
}

// LastEvent is the sequence of a tenant's newest event, zero before the first.
// Anyone who reads it first and then the events up to it misses none: a number is
// visible only together with all that are smaller.
func (q FeedReader) LastEvent(ctx context.Context, tenantID string) (int64, error) {
	var last int64
	err := q.db.QueryRowContext(ctx, `SELECT last FROM event_sequence WHERE tenant_id = $1`, tenantID).Scan(&last)
	return last, database.Found(err, "read the end of the feed")
}

// EventsBefore is the sequence up to which a tenant's events are of times before t,
// in a few steps whatever the length of the feed. Times follow the sequence but for
// the moments that transactions take.
func (q FeedReader) EventsBefore(ctx context.Context, tenantID string, last int64, t drover.Time) (int64, error) {
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
func (q FeedReader) LastEvents(ctx context.Context, tenantIDs []string) (map[string]int64, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT tenant_id, last FROM event_sequence WHERE tenant_id `+q.words.InList(1),
		q.words.List(tenantIDs))
	last := make(map[string]int64, len(tenantIDs))
	_, err = database.ReadAll(rows, err, "read the ends of feeds", func(row database.Scanner) (struct{}, error) {
		var tenant string
		var sequence int64
		err := row.Scan(&tenant, &sequence)
		last[tenant] = sequence
		return struct{}{}, err
	})
	return last, err
}
