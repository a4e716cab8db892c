// Package journal adds events to the feeds of tenants, together with their deliveries, in the
// transaction that caused them.
package journal

import (
	"context"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/match"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Append adds events to a tenant's feed and enqueues their deliveries. Their ids
// and sequence numbers are set. The number of statements hardly depends on the
// number of events: the tenant's counter is locked meanwhile.
func Append(ctx context.Context, tx *store.Tx, tenantID string, events []drover.Event) error {
	return AppendOf(ctx, tx, tenantID, tenantID, events)
}

// AppendOf is Append of events about devices of another tenant, the owner, which it shares
// with the one whose feed it is.
func AppendOf(ctx context.Context, tx *store.Tx, tenantID, owner string, events []drover.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := addConnections(ctx, tx.Feed, owner, events); err != nil {
		return err
	}
	version, err := tx.Feed.AddEvents(ctx, tenantID, events)
	if err != nil {
		return err
	}
	r := match.Receivers{TenantID: tenantID}
	if r.Webhooks, err = tx.Feed.Receivers(ctx, tenantID, version); err != nil {
		return err
	}
	if r.Milestones, err = ownReceivers(ctx, tx.Feed, tenantID, events); err != nil {
		return err
	}
	if err := complete(ctx, tx, owner, r.Webhooks, events); err != nil {
		return err
	}
	deliveries := r.Deliveries(events)
	if len(r.Webhooks)+len(deliveries) == 0 {
		return nil
	}
	return tx.Feed.AddDeliveries(ctx, work.Added{
		TenantID: tenantID, First: events[0].Sequence, Last: events[len(events)-1].Sequence, Deliveries: deliveries,
	})
}

// addConnections names the connections of events about milestones, which know their
// device alone.
func addConnections(ctx context.Context, tx work.FeedTx, owner string, events []drover.Event) error {
	devices := map[string]bool{}
	for i := range events {
		if lacksConnection(events[i]) {
			devices[*events[i].DeviceID] = true
		}
	}
	if len(devices) == 0 {
		return nil
	}
	known, err := tx.DeviceSubjects(ctx, owner, slices.Sorted(maps.Keys(devices)))
	if err != nil {
		return err
	}
	for i := range events {
		if !lacksConnection(events[i]) {
			continue
		}
		if s, ok := known[*events[i].DeviceID]; ok {
			events[i].ConnectionID, events[i].Subjects = &s.ConnectionID, []drover.Subject{s}
		}
	}
	return nil
}

func lacksConnection(e drover.Event) bool {
	return e.MilestoneID != nil && e.DeviceID != nil && e.ConnectionID == nil
}

// ownReceivers finds the milestones that receive the positions among the events.
func ownReceivers(ctx context.Context, tx work.FeedTx, tenantID string, events []drover.Event) ([]drover.OwnReceiver, error) {
	devices := map[string]bool{}
	for i := range events {
		if events[i].Type == drover.EventPositionUpdated {
			for _, s := range events[i].Subjects {
				devices[s.DeviceID] = true
			}
		}
	}
	if len(devices) == 0 {
		return nil, nil
	}
	return tx.OwnReceivers(ctx, tenantID, slices.Sorted(maps.Keys(devices)))
}
