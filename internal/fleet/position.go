package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

const noPosition = "Device with ID %s has no position"

// Position reads the newest position of a device.
func (s *Service) Position(ctx context.Context, p drover.Principal, deviceID string) (*drover.CurrentPosition, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	latest, err := s.Store.LatestPosition(ctx, d.TenantID, d.ID)
	if err != nil {
		return nil, orNotFound(err, noPosition, deviceID)
	}
	return latest.View(), nil
}

// Positions reads a device's positions of [from, to), oldest first.
func (s *Service) Positions(ctx context.Context, p drover.Principal, deviceID string, from, to drover.Time, limit int, suspect bool) ([]store.Position, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	return s.Store.Positions(ctx, store.PositionRange{TenantID: d.TenantID, DeviceID: d.ID, From: from, To: to, Limit: limit, WithSuspect: suspect})
}
