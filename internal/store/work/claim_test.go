package work_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestClaimShares has six connections of one tenant due before two of another.
func TestClaimShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		limit      int
		each       int
		held       int // by the tenant with six
		reserve    int
		own, other int
	}{
		{"no shares: by due time", 6, 0, 0, 0, 6, 0},
		{"a share leaves room for the other", 3, 2, 0, 0, 2, 1},
		{"at its share while another waits", 1, 2, 2, 0, 0, 1},
		{"past its share while another waits", 2, 2, 5, 0, 0, 2},
		{"below its share by one", 3, 2, 1, 0, 1, 2},
		{"what no one waits for is lent", 6, 2, 0, 0, 4, 2},
		{"all is lent that is free", 9, 2, 2, 0, 6, 2},
		{"the reserve is not lent", 6, 2, 0, 1, 3, 2},
		{"the reserve is for shares", 4, 2, 0, 4, 2, 2},
		{"nothing is free but the reserve", 4, 2, 2, 2, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(f fixture) {
				f.addCollections(f.own, 6, noon)
				f.addCollections(f.other, 2, drover.At(noon.Add(time.Second)))
				now := drover.At(noon.Add(time.Minute))
				shares := work.Shares{Each: c.each, Held: map[string]int{f.own: c.held}, Reserve: c.reserve}
				got := map[string]int{}
				for _, claim := range must[[]work.Claim](f.t)(f.Jobs.ClaimCollections(f.t.Context(), "a", now, drover.At(now.Add(time.Minute)),
					c.limit, shares)) {
					got[claim.TenantID]++
				}
				check(f.t, fmt.Sprint(got[f.own], " ", got[f.other]), fmt.Sprint(c.own, " ", c.other))
				check(f.t, shares.Held[f.own], c.held)
			})
		})
	}
}

// TestNextCollectionOfOthers leaves out a tenant that would get no worker.
func TestNextCollectionOfOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		later := drover.At(noon.Add(time.Minute))
		f.addCollections(f.own, 1, noon)
		f.addCollections(f.other, 1, later)
		check(f.t, must[drover.Time](f.t)(f.Jobs.NextCollection(f.t.Context())), noon)
		check(f.t, must[drover.Time](f.t)(f.Jobs.NextCollection(f.t.Context(), f.own)), later)
	})
}

func (f fixture) addCollections(tenantID string, n int, due drover.Time) {
	f.t.Helper()
	f.update(func(tx *store.Tx) error {
		for range n {
			if err := tx.Jobs.AddCollection(f.t.Context(), tenantID, store.NewID(), due); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestSuspendedTenantRests holds that nothing is collected or delivered for it.
func TestSuspendedTenantRests(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		target := f.addWebhook(nil)
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		f.update(func(tx *store.Tx) error { return tx.Jobs.AddCollection(ctx, f.own, f.connection, noon) })
		until := drover.At(noon.Add(time.Minute))
		claim := func(owner string, want int) []work.Claim {
			f.t.Helper()
			claims := must[[]work.Claim](f.t)(f.Jobs.ClaimCollections(ctx, owner, noon, until, 10, work.Shares{}))
			check(f.t, len(claims), want)
			check(f.t, len(must[[]work.DueTarget](f.t)(f.Feed.DueTargets(ctx, "", noon))), want)
			check(f.t, must[work.TargetSettings](f.t)(f.Feed.TargetSettings(ctx, target, noon)).Suspended, want == 0)
			return claims
		}
		suspend := func(yes bool) {
			f.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(ctx, f.own, yes) })
		}
		suspend(true)
		claim("a", 0)
		suspend(false)
		held := claim("b", 1)[0]
		suspend(true)
		err := f.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.HoldLease(ctx, held, until) })
		if !errors.Is(err, work.ErrLeaseLost) {
			f.t.Errorf("what was under way is committed: %v", err)
		}
	})
}
