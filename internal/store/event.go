package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
)

// NewEvent makes an event about data.
func NewEvent(typ drover.EventType, at drover.Time, data any) (drover.Event, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return drover.Event{}, fmt.Errorf("write event: %w", err)
	}
	return drover.Event{ID: NewID(), Type: typ, Timestamp: at, Data: text}, nil
}

// AppendEvents adds events to a tenant's feed, counts them, and enqueues their
// delivery to whoever is to hear of them. Their sequence numbers are set. The
// tenant's counter stays locked until the transaction ends, so no reader can see
// a number before all smaller ones are visible.
func (tx *Tx) AppendEvents(ctx context.Context, tenantID string, events []drover.Event) error {
	if len(events) == 0 {
		return nil
	}
	var last int64
	err := tx.write("event_sequence").QueryRowContext(ctx, `UPDATE event_sequence SET last = last + $2 WHERE tenant_id = $1 RETURNING last`, tenantID, len(events)).Scan(&last)
	if err != nil {
		return fmt.Errorf("number events: %w", err)
	}
	tx.told = append(tx.told, tenantID)
	counts := map[drover.EventType]map[int64]int64{}
	for i := range events {
		e := &events[i]
		e.Sequence = last - int64(len(events)) + int64(i) + 1
		_, err := tx.write("event").ExecContext(ctx, `INSERT INTO event (tenant_id, sequence, id, type, time, connection_id, device_id, milestone_id, data)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			tenantID, e.Sequence, e.ID, e.Type, e.Timestamp, e.ConnectionID, e.DeviceID, e.MilestoneID, string(e.Data))
		if err != nil {
			return fmt.Errorf("append event: %w", err)
		}
		if counts[e.Type] == nil {
			counts[e.Type] = map[int64]int64{}
		}
		counts[e.Type][dayOf(e.Timestamp)]++
	}
	for typ, days := range counts {
		for day, n := range days {
			_, err := tx.write("event_day").ExecContext(ctx, `INSERT INTO event_day AS r (tenant_id, day, type, events) VALUES ($1, $2, $3, $4)
				ON CONFLICT (tenant_id, day, type) DO UPDATE SET events = r.events + excluded.events`, tenantID, day, typ, n)
			if err != nil {
				return fmt.Errorf("count events: %w", err)
			}
		}
	}
	return tx.enqueue(ctx, tenantID, events)
}
