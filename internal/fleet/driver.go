package fleet

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// maxDriverID bounds the id of a driver, in bytes.
	maxDriverID = 255
	// maxErasures is how many a tenant may have waiting: each goes through all that it has.
	maxErasures = 100
)

// EraseDriver has a driver replaced by a pseudonym wherever the tenant's data name it. It is
// written down under the pseudonym: the audit would keep the id otherwise. Where that is
// under way already, it goes on.
func (s *Service) EraseDriver(ctx context.Context, p drover.Principal, driverID string) (drover.DriverErasure, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.DriverErasure{}, err
	}
	if driverID == "" || len(driverID) > maxDriverID || strings.ContainsRune(driverID, 0) {
		return drover.DriverErasure{}, drover.InvalidValue("the id of a driver has 1 to 255 bytes", "path", "driver_id")
	}
	e := work.DriverErasure{TenantID: p.TenantID, DriverID: driverID, DriverErasure: drover.DriverErasure{
		ID: store.NewID(), Pseudonym: "erased-" + strings.ToLower(rand.Text()[:16]), State: drover.JobQueued, RequestedAt: s.now(),
	}}
	waits := drover.DriverErasure{}
	err := s.guard.Update(guard.About(ctx, "driver", e.Pseudonym), p, func(tx *store.Tx) error {
		waiting, err := tx.Jobs.WaitingDriverErasures(ctx, p.TenantID)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(waiting, func(w work.DriverErasure) bool { return w.DriverID == driverID }); i >= 0 {
			waits = waiting[i].DriverErasure
			return nil
		}
		if len(waiting) >= maxErasures {
			return drover.Errorf(drover.KindForbidden, "Limit of %d erasures under way reached", maxErasures)
		}
		waits = e.DriverErasure
		return tx.Jobs.AddDriverErasure(ctx, e)
	})
	return waits, err
}

// DriverErasure says how far the erasure of a driver is.
func (s *Service) DriverErasure(ctx context.Context, p drover.Principal, id string) (drover.DriverErasure, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.DriverErasure{}, err
	}
	other, err := s.store.Jobs.OtherDriverErasure(ctx, p.TenantID, id)
	if err != nil {
		return drover.DriverErasure{}, err
	}
	if other {
		return drover.DriverErasure{}, drover.Forbidden()
	}
	e, err := s.store.Jobs.DriverErasure(ctx, p.TenantID, id)
	return e.DriverErasure, guard.OrNotFound(err, guard.UnknownErasure, id)
}
