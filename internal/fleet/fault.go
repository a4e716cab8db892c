package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Fault reads one fault. It is among what a device's instruments say.
func (s Vehicles) Fault(ctx context.Context, p drover.Principal, id string) (drover.Fault, error) {
	f, err := s.store.Vehicles.Fault(ctx, p.TenantID, id)
	if err != nil {
		return drover.Fault{}, guard.OrNotFound(err, guard.UnknownFault, id)
	}
	if _, err := guard.MayReadReadings(p, f.Access, f.DeviceID); err != nil {
		return drover.Fault{}, err
	}
	return f.Fault, nil
}

// Faults lists faults by id, after the one given.
func (s Vehicles) Faults(
	ctx context.Context,
	p drover.Principal,
	f drover.FaultFilter,
	after drover.IDCursor,
	limit int,
) ([]drover.Fault, error) {
	f.Tags = drover.FoldTags(f.Tags)
	if err := guard.InOrder(f.From, f.To); err != nil {
		return nil, err
	}
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.Fault, error) {
		return from.Vehicles.Faults(ctx, p.TenantID, f, string(after), limit)
	})
}
