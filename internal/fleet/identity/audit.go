package identity

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Audit lists who did what in the caller's tenant, newest first.
func (s *Directory) Audit(
	ctx context.Context,
	p drover.Principal,
	f drover.AuditFilter,
	before drover.IDCursor,
	limit int,
) ([]drover.Audit, error) {
	if err := guard.MayAdminister(p); err != nil {
		return nil, err
	}
	return s.store.Accounts.Audit(ctx, p.TenantID, f, string(before), limit)
}

// AuditRefusal writes down that a caller was refused what it asked for.
func (s *Directory) AuditRefusal(ctx context.Context, p drover.Principal) error {
	return s.store.Update(ctx, func(tx *store.Tx) error { return s.guard.Audit(ctx, tx, p, "", drover.AuditRefused) })
}
