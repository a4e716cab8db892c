package journal

import (
	"context"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/match"
	"github.com/drover-fleet/drover/internal/store"
)

// Publish adds events about a connection to the feed of its owner and of everybody
// whom it is shared with now: the share itself is asked, in the transaction. Each
// gets a copy with an id of its own, and no more than the share gives.
//
// It goes through the tenants in one order, whoever calls: their counters stay
// locked, and two transactions that took them in different orders would wait for
// each other.
func Publish(ctx context.Context, tx *store.Tx, owner, connectionID string, events []drover.Event) error {
	if len(events) == 0 {
		return nil
	}
	grants, err := tx.Recipients(ctx, owner, connectionID)
	if err != nil {
		return err
	}
	grants[owner] = drover.FullGrant
	for _, tenant := range slices.Sorted(maps.Keys(grants)) {
		own := make([]drover.Event, 0, len(events))
		for _, e := range events {
			e.ID = ""
			if e, ok := match.Readable(e, grants[tenant]); ok {
				own = append(own, e)
			}
		}
		if err := Append(ctx, tx, tenant, own); err != nil {
			return err
		}
	}
	return nil
}

// reader is the store or a transaction.
type reader interface {
	ForeignGrants(ctx context.Context, asker string, connectionIDs, deviceIDs []string) (map[string]drover.Grant, error)
}

// Readable leaves of events of a tenant's feed what it may read now: a share may
// have ended since they were stored. It asks once for all of them.
func Readable(ctx context.Context, from reader, tenantID string, events []drover.Event) ([]drover.Event, error) {
	connections, devices := map[string]bool{}, map[string]bool{}
	for i := range events {
		connection, device := match.About(events[i])
		if connection != "" {
			connections[connection] = true
		}
		if device != "" {
			devices[device] = true
		}
	}
	if len(connections)+len(devices) == 0 {
		return events, nil
	}
	grants, err := from.ForeignGrants(ctx, tenantID, slices.Sorted(maps.Keys(connections)), slices.Sorted(maps.Keys(devices)))
	if err != nil || len(grants) == 0 {
		return events, err
	}
	kept := make([]drover.Event, 0, len(events))
	for _, e := range events {
		connection, device := match.About(e)
		grant, foreign := grants[connection+device]
		if !foreign {
			grant = drover.FullGrant
		}
		if e, ok := match.Readable(e, grant); ok {
			kept = append(kept, e)
		}
	}
	return kept, nil
}
