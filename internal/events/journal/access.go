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

// Publish adds events about a connection to the feed of its owner, and keeps them
// for everyone whom it is shared with now: a Relay appends them to their feeds, each
// in a transaction of its own.
func Publish(ctx context.Context, tx *store.Tx, owner, connectionID string, events []drover.Event) error {
	if len(events) == 0 {
		return nil
	}
	events = slices.Clone(events) // a transaction may be run again, with the same events
	subjects := make([][]drover.Subject, len(events))
	for i := range events { // before what only the owner's receivers ask for is added
		events[i].ID, subjects[i] = "", events[i].Subjects
	}
	if err := Append(ctx, tx, owner, events); err != nil {
		return err
	}
	grants, err := tx.Shares.Recipients(ctx, owner, connectionID)
	if err != nil {
		return err
	}
	for _, recipient := range slices.Sorted(maps.Keys(grants)) {
		err := tx.Feed.AddPublication(ctx, work.Publication{
			Route: work.Route{OwnerID: owner, RecipientID: recipient}, ConnectionID: connectionID,
			First: events[0].Sequence, Last: events[len(events)-1].Sequence, Subjects: subjects,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadingKinds lists the kinds of readings that webhooks ask for: the owner's, and those of the
// tenants whom the readings of its connection are shared with.
func ReadingKinds(ctx context.Context, tx *store.Tx, owner, connectionID string) ([]drover.ReadingKind, error) {
	kinds, err := tx.Feed.ReadingKinds(ctx, owner)
	if err != nil {
		return nil, err
	}
	grants, err := tx.Shares.Recipients(ctx, owner, connectionID)
	if err != nil {
		return nil, err
	}
	for recipient, grant := range grants {
		if !grant.Readings() {
			continue
		}
		more, err := tx.Feed.ReadingKinds(ctx, recipient)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, more...)
	}
	return kinds, nil
}

// reader is the store or a transaction.
type reader interface {
	ForeignGrants(ctx context.Context, asker string, connectionIDs, deviceIDs []string) (map[string]drover.Grant, error)
}

// Readable leaves of events of a tenant's feed what it may read now: a share may
// have ended since they were stored. It asks once for all of them.
func Readable(ctx context.Context, from reader, tenantID string, events []drover.Event) ([]drover.Event, error) {
	kept, _, err := Screen(ctx, from, tenantID, events)
	return kept, err
}

// Screen is Readable, and reports whether any of the events is about what is another
// tenant's: only then can it be otherwise later.
func Screen(ctx context.Context, from reader, tenantID string, events []drover.Event) (kept []drover.Event, foreign bool, err error) {
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
		return events, false, nil
	}
	grants, err := from.ForeignGrants(ctx, tenantID, slices.Sorted(maps.Keys(connections)), slices.Sorted(maps.Keys(devices)))
	if err != nil || len(grants) == 0 {
		return events, false, err
	}
	kept = make([]drover.Event, 0, len(events))
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
	return kept, true, nil
}
