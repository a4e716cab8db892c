package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// SafetyEvent reads one safety event, without what is not shared of it.
func (s Vehicles) SafetyEvent(ctx context.Context, p drover.Principal, id string) (drover.SafetyEvent, error) {
	e, err := s.store.Vehicles.SafetyEvent(ctx, p.TenantID, id)
	if err != nil {
		return drover.SafetyEvent{}, guard.OrNotFound(err, guard.UnknownSafetyEvent, id)
	}
	if err := guard.MayReadSafety(p, e.Access); err != nil {
		return drover.SafetyEvent{}, err
	}
	return e.SeenWith(guard.GrantOf(p, e.Access)), nil
}

// SafetyEvents lists safety events by id, after the one given.
func (s Vehicles) SafetyEvents(
	ctx context.Context,
	p drover.Principal,
	f drover.SafetyFilter,
	after drover.IDCursor,
	limit int,
) ([]drover.SafetyEvent, error) {
	f.Tags = drover.FoldTags(f.Tags)
	if err := guard.InOrder(f.From, f.To); err != nil {
		return nil, err
	}
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.SafetyEvent, error) {
		return from.Vehicles.SafetyEvents(ctx, p.TenantID, f, string(after), limit)
	})
}
