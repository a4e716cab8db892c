package collect

import (
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store/account"
)

// oldest is the time from which on the tenant keeps positions; zero where it keeps
// all. What is older is not taken: it would be forgotten again, and trips would be
// derived from what is left of it.
func (v *run) oldest(ctx context.Context, from account.Reader) (time.Time, error) {
	r, err := from.Retention(ctx, v.claim.TenantID)
	if err != nil {
		return time.Time{}, err
	}
	if oldest, some := v.c.opts.Retention.Oldest(r, v.c.opts.Now()); some {
		return oldest, nil
	}
	return time.Time{}, nil
}

// oldestOf is oldest for a page. Nothing is read where all of them are
// younger than anyone may forget.
func (v *run) oldestOf(ctx context.Context, tx account.Editor, p *positionPage) (time.Time, error) {
	edge := v.c.opts.Now().Add(-drover.MinPositionRetention)
	old := slices.ContainsFunc(p.records, func(r provider.Position) bool { return r.Time.Before(edge) }) ||
		slices.ContainsFunc(p.said, func(r provider.DeviceReading) bool { return r.Time.Before(edge) })
	if !old {
		return time.Time{}, nil
	}
	return v.oldest(ctx, tx.Reader)
}
