package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
)

// UpdateTrip keeps what a person says of a trip: whether it is valid, and why.
func (s Trips) UpdateTrip(ctx context.Context, p drover.Principal, id string, u drover.TripUpdate) (drover.Trip, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Trip{}, err
	}
	seen, err := s.store.Trips.Trip(ctx, p.TenantID, id)
	if err != nil {
		return drover.Trip{}, guard.OrNotFound(err, guard.UnknownTrip, id)
	}
	if err := guard.Owned(p, seen.TenantID); err != nil {
		return drover.Trip{}, err
	}
	if u.Comment.Value != nil && !u.IsValid.Set && seen.Valid == nil {
		return drover.Trip{}, drover.Invalid("missing", "Field required", "body", "is_valid")
	}
	if !u.IsValid.Set && !u.Comment.Set {
		return seen.Trip, guard.Unchanged(ctx, seen.Trip)
	}
	word := func(before drover.Trip, j store.Judgement) (store.Judgement, error) {
		u.IsValid.Apply(&j.Valid)
		u.Comment.Apply(&j.Comment)
		if j.Valid == nil {
			j = store.Judgement{}
		}
		return j, guard.Unchanged(ctx, before)
	}
	var changed store.Trip
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		var events []drover.Event
		c, err := tx.Fleet.Connection(ctx, p.TenantID, seen.ConnectionID)
		if err != nil {
			return err
		}
		source := track.Source{TenantID: p.TenantID, ConnectionID: c.ID, TripRules: c.Configuration.TripRules, TimeZone: c.Configuration.TimeZone}
		changed, events, err = s.tracker.Overrule(ctx, tx, source, seen.DeviceID, id, word)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownTrip, id)
		}
		return journal.Publish(ctx, tx, p.TenantID, seen.ConnectionID, events)
	})
	return changed.Trip, err
}
