package work_test

import (
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// addExport adds an export that waits.
func (f fixture) addExport(tenantID string, created drover.Time) work.Export {
	f.t.Helper()
	e := work.Export{TenantID: tenantID, Export: drover.Export{
		ID: store.NewID(), Kind: drover.ExportTrips, Format: drover.ExportCSV, Filters: []byte(`{}`), State: drover.ExportQueued,
		CreatedAt: created,
	}}
	f.update(func(tx *store.Tx) error { return tx.Jobs.AddExport(f.t.Context(), e) })
	return e
}

// TestClaimExport holds that exports are claimed in their order, one of each tenant at
// a time, and by another once a lease has run out, who alone may then end it.
func TestClaimExport(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		minute := func(n int) drover.Time { return drover.At(noon.Add(time.Duration(n) * time.Minute)) }
		first, second, other := f.addExport(f.own, minute(0)), f.addExport(f.own, minute(1)), f.addExport(f.other, minute(2))
		claim := func(name string, now drover.Time, want work.Export) work.Export {
			f.t.Helper()
			e := must[work.Export](f.t)(f.Jobs.ClaimExport(ctx, want.TenantID, name, now, drover.At(now.Add(time.Minute))))
			if e.ID != want.ID || e.Claim != name || e.State != drover.ExportRunning {
				f.t.Errorf("%s claims %s by %s in the state %s, want %s", name, e.ID, e.Claim, e.State, want.ID)
			}
			return e
		}
		lost := claim("a", minute(3), first)
		claim("b", minute(3), other)
		if _, err := f.Jobs.ClaimExport(ctx, f.own, "c", minute(3), minute(4)); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("a tenant has two exports that run: %v", err)
		}
		taken := claim("d", minute(5), first)
		check(f.t, taken.Attempts, 2)
		for name, err := range map[string]error{"renewed": f.Jobs.RenewExport(ctx, lost, minute(9)), "ended": f.Jobs.EndExport(ctx, lost)} {
			if !errors.Is(err, store.ErrNotFound) {
				f.t.Errorf("what another has taken is %s: %v", name, err)
			}
		}
		taken.State, taken.FinishedAt, taken.File = drover.ExportDone, new(minute(6)), "d"
		if err := f.Jobs.EndExport(ctx, taken); err != nil {
			f.t.Error(err)
		}
		claim("e", minute(7), second)
		check(f.t, must[work.Export](f.t)(f.Jobs.Export(ctx, f.own, first.ID)).State, drover.ExportDone)
	})
}

// TestExportOfAnother holds that an export is found for anyone who asks, with its owner,
// and that what cannot be an id is found for no one.
func TestExportOfAnother(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		e := f.addExport(f.own, noon)
		for _, asker := range []string{f.own, f.other} {
			check(f.t, must[work.Export](f.t)(f.Jobs.Export(f.t.Context(), asker, e.ID)).TenantID, f.own)
		}
		for _, id := range []string{store.NewID(), "", "no-uuid"} {
			if _, err := f.Jobs.Export(f.t.Context(), f.own, id); !errors.Is(err, store.ErrNotFound) {
				f.t.Errorf("export %q: %v, want ErrNotFound", id, err)
			}
		}
	})
}
