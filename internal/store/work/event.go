package work

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

var eventColumns = []database.Column{
	database.ID("tenant_id"),
	database.Number("sequence"),
	database.ID("id"),
	database.Text("type"),
	database.Number("time"),
	database.ID("connection_id"),
	database.ID("device_id"),
	database.ID("milestone_id"),
	database.Text("data"),
	database.Bytes("packed"),
}

// AddEvents adds events to a tenant's feed and counts them. Their ids, where they
// have none, and their sequence numbers are set. The tenant's counter stays locked
// until the transaction ends, so no reader can see a number before all smaller ones
// are visible. It returns the version of the tenant's receivers, which no one can
// change as long: Receivers asks for it.
//
// Package journal calls it, and adds the deliveries.
func (tx FeedTx) AddEvents(ctx context.Context, tenantID string, events []drover.Event) (version string, err error) {
	var last int64
	err = tx.tx.Write("event_sequence").QueryRowContext(ctx,
		`UPDATE event_sequence SET last = last + $2 WHERE tenant_id = $1 RETURNING last, receivers`, tenantID, len(events)).Scan(&last, &version)
	if err != nil {
		return "", fmt.Errorf("number events: %w", err)
	}
	tx.grown = append(tx.grown, tenantID)
	rows := make([][]any, len(events))
	for i := range events {
		e := &events[i]
		e.Sequence = last - int64(len(events)) + int64(i) + 1
		if e.ID == "" {
			e.ID = database.NewID()
		}
		text, packed := eventData(e.Type, e.Data)
		rows[i] = []any{
			tenantID, e.Sequence, e.ID, string(e.Type), e.Timestamp.UnixMilli(), e.ConnectionID, e.DeviceID, e.MilestoneID, text,
			packed,
		}
	}
	if err := tx.tx.InsertRows(ctx, "event", eventColumns, rows, ""); err != nil {
		return "", fmt.Errorf("append events: %w", err)
	}
	return version, tx.countEvents(ctx, tenantID, events)
}

// countEvents keeps the sums by day and type that the summaries read.
func (tx *Tx) countEvents(ctx context.Context, tenantID string, events []drover.Event) error {
	type dayType struct {
		day int64
		typ drover.EventType
	}
	counts := map[dayType]int64{}
	for i := range events {
		counts[dayType{events[i].Timestamp.Day(), events[i].Type}]++
	}
	keys := slices.Collect(maps.Keys(counts))
	order.By(keys, func(a, b dayType) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.typ, b.typ))
	})
	rows := make([][]any, len(keys))
	for i, k := range keys {
		rows[i] = []any{tenantID, k.day, string(k.typ), counts[k]}
	}
	err := tx.tx.InsertRows(ctx, "event_day", []database.Column{
		database.ID("tenant_id"), database.Number("day"), database.Text("type"),
		database.Number("events"),
	}, rows,
		`ON CONFLICT (tenant_id, day, type) DO UPDATE SET events = event_day.events + excluded.events`)
	if err != nil {
		return fmt.Errorf("count events: %w", err)
	}
	return nil
}
