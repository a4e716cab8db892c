package app

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// today is a noon.
var today = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// apart is a store with a tenant at each of two places.
type apart struct {
	*store.Store
	t         *testing.T
	places    *storetest.Places
	near, far string
}

func openApart(t *testing.T) apart {
	t.Helper()
	s, places := storetest.OpenApart(t)
	a := apart{Store: s, t: t, places: places}
	a.near, a.far, _ = storetest.TwoTenants(t, s, drover.At(today))
	places.Put(s, a.near, storetest.Near)
	places.Put(s, a.far, storetest.Far)
	return a
}

// requests is how many a tenant has made, by what is written down, and on how many days.
func (a apart) requests(tenant string) (n int64, days int) {
	a.t.Helper()
	rows, err := a.Accounts.Usage(a.t.Context(), tenant, 0, quota.Day(today), account.UsageDay{}, 10)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, row := range rows {
		n += row.Requests
	}
	return n, len(rows)
}

// audits is how much is written down of what was done at a tenant.
func (a apart) audits(tenant string) int {
	a.t.Helper()
	list, err := a.Accounts.Audit(a.t.Context(), tenant, drover.AuditFilter{}, "", 10)
	if err != nil {
		a.t.Fatal(err)
	}
	return len(list)
}

func (a apart) answers(tenant string) func() bool {
	return func() bool { _, err := a.Feed.LastEvent(a.t.Context(), tenant); return err == nil }
}

// TestUsageApart has a place stop while what tenants use is written down: that of the others is there,
// and its own is kept and written down once.
func TestUsageApart(t *testing.T) {
	t.Parallel()
	a := openApart(t)
	meter := quota.NewMeter(func() time.Time { return today })
	meter.Add(a.near, quota.Counts{Requests: 3})
	meter.Add(a.far, quota.Counts{Requests: 5})
	a.places.Stop(storetest.Far)
	for range 2 {
		if err := writeUsage(t.Context(), a.Store, meter); !store.Unavailable(err) {
			t.Errorf("with a place down, writing says %v", err)
		}
		if n, _ := a.requests(a.near); n != 3 {
			t.Errorf("of the other place %d requests are written down, want 3", n)
		}
	}
	a.places.Resume(storetest.Far)
	storetest.Until(t, "it is there again", a.answers(a.far))
	for range 2 {
		if err := writeUsage(t.Context(), a.Store, meter); err != nil {
			t.Error(err)
		}
		near, _ := a.requests(a.near)
		if far, _ := a.requests(a.far); near != 3 || far != 5 {
			t.Errorf("%d and %d requests are written down, want 3 and 5", near, far)
		}
	}
}

// TestSweepApart has a place stop while it is forgotten what has run out: what the others and the operator
// have is gone, and its own follows.
func TestSweepApart(t *testing.T) {
	t.Parallel()
	a := openApart(t)
	ctx := t.Context()
	for _, tenant := range []string{a.near, a.far, drover.OperatorTenant} {
		for _, at := range []time.Time{today.Add(-2 * guard.AuditLifetime), today} {
			done := drover.Audit{ID: store.NewID(), Time: drover.At(at), ActorType: "user", Action: "test", Outcome: drover.AuditDone}
			if err := a.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddAudit(ctx, tenant, done, "") }); err != nil {
				t.Fatal(err)
			}
		}
	}
	erased := store.NewID() // what it has used outlives it
	for _, tenant := range []string{a.near, a.far, drover.OperatorTenant, erased} {
		rows := []account.UsageDay{{TenantID: tenant, Day: 1, Requests: 1}, {TenantID: tenant, Day: quota.Day(today), Requests: 1}}
		if err := a.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUsage(ctx, rows) }); err != nil {
			t.Fatal(err)
		}
	}
	// gone reports whether all is gone that a tenant has and that has run out, and nothing else.
	gone := func(tenant string) bool {
		t.Helper()
		n, days := a.requests(tenant)
		return n == 1 && days == 1 && (tenant == erased || a.audits(tenant) == 1)
	}
	j := janitor{a.Store, func() time.Time { return today }, slog.New(slog.DiscardHandler)}
	sweep := func(ctx context.Context) {
		j.sweepNoPlace(ctx)
		for _, place := range a.Places() {
			j.sweep(store.At(ctx, place))
		}
	}
	a.places.Stop(storetest.Far)
	sweep(ctx)
	for _, tenant := range []string{a.near, drover.OperatorTenant} {
		if !gone(tenant) {
			t.Errorf("with a place down, what %s has and has run out is not gone, or more is", tenant)
		}
	}
	a.places.Resume(storetest.Far)
	storetest.Until(t, "it is there again", a.answers(a.far))
	if n := a.audits(a.far); n != 2 {
		t.Errorf("of the place that was down %d entries are left, want 2", n)
	}
	sweep(ctx)
	for _, tenant := range []string{a.far, erased} {
		if !gone(tenant) {
			t.Errorf("what %s has and has run out is not gone after all places are back, or more is", tenant)
		}
	}
}
