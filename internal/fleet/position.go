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
	latest, err := s.store.LatestPosition(ctx, d.TenantID, d.ID)
	if err != nil {
		return nil, orNotFound(err, noPosition, deviceID)
	}
	return latest.View(), nil
}

// Positions reads a device's positions, oldest first, after the place given.
func (s *Service) Positions(ctx context.Context, p drover.Principal, deviceID string, f drover.PositionFilter, after drover.PositionCursor, limit int) ([]drover.HistoricPosition, error) {
	r := store.PositionRange{From: f.From, To: s.now(), Limit: limit, WithSuspect: f.IncludeSuspect}
	if f.To != nil {
		r.To = *f.To
	}
	if r.To.Before(r.From.Time) {
		return nil, drover.InvalidValue("to must not be before from", "query", "to")
	}
	if after.Valid() {
		r.From = drover.Milli(after.After.UnixMilli() + 1)
	}
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	r.TenantID, r.DeviceID = d.TenantID, d.ID
	stored, err := s.store.Positions(ctx, r)
	positions := make([]drover.HistoricPosition, len(stored))
	for i, p := range stored {
		positions[i] = p.History(p.Suspect)
	}
	return positions, err
}
