// Package guard is the only place that authorises: what a role may do, who owns a record, how much
// a tenant may have. It runs a change in a transaction together with its audit entry and, for a
// request with an idempotency key, its answer.
package guard

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
)

// Guard is what changes run through. It is safe for concurrent use.
type Guard struct {
	store *store.Store
	vault *vault.Vault
	clock func() time.Time
}

// New makes a Guard.
func New(s *store.Store, v *vault.Vault, clock func() time.Time) *Guard {
	return &Guard{store: s, vault: v, clock: clock}
}

func (g *Guard) now() drover.Time { return drover.At(g.clock()) }

// Milestone reads a milestone of the caller's own. Unknown are the words for its
// absence, of which the interface has two.
func (g *Guard) Milestone(ctx context.Context, p drover.Principal, id, unknown string) (store.Milestone, error) {
	m, err := g.store.Trips.Milestone(ctx, p.TenantID, id)
	if err != nil {
		return m, OrNotFound(err, unknown, id)
	}
	return m, Owned(p, m.TenantID)
}
