package retain_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

// TestRetainApart has a place stop, or hang: of the tenants of the other one old positions are forgotten and
// settled ones packed as ever, and its own follow when it is back.
func TestRetainApart(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(p *storetest.Places){
		"stopped": func(p *storetest.Places) { p.Stop(storetest.Far) }, "hung": func(p *storetest.Places) { p.Hang(storetest.Far) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, places := storetest.OpenApart(t)
			const days = 60
			near, far := account.Retention{TenantID: store.NewID()}, account.Retention{TenantID: store.NewID()}
			keeper := account.Retention{TenantID: store.NewID(), PositionDays: new(0)} // so that no week is dropped
			for _, r := range []account.Retention{near, far, keeper} {
				fill(t, s, r, days)
			}
			places.Put(s, near.TenantID, storetest.Near)
			places.Put(s, far.TenantID, storetest.Far)
			places.Put(s, keeper.TenantID, storetest.Near)
			present := now
			k := retain.New(retain.Options{
				Store: s, Now: func() time.Time { return present }, Logger: slog.New(slog.DiscardHandler),
				Policy: account.RetentionPolicy{Positions: 30 * account.Day, Events: 40 * account.Day, Pack: account.Day},
			})
			kept := func(tenant string) drover.Storage {
				t.Helper()
				used, err := s.TenantStorage(t.Context(), tenant, drover.At(present))
				if err != nil {
					t.Fatal(err)
				}
				return used
			}
			isKept := func(tenant string) bool {
				p := kept(tenant).Positions
				return p.Packed >= 30 && p.Packed < 40 && p.Rows < 3
			}
			fail(places)
			k.Round(t.Context()) // decides what may be packed
			present = present.Add(10 * time.Minute)
			k.Round(t.Context())
			if !isKept(near.TenantID) {
				t.Errorf("beside a place that has %s, what is kept is %+v", name, kept(near.TenantID).Positions)
			}
			used, err := s.Accounts.Usage(t.Context(), near.TenantID, 0, quota.Day(present), account.UsageDay{}, 10)
			if err != nil || len(used) != 1 || used[0].Bytes == nil {
				t.Errorf("beside a place that has %s, what its history takes is %+v: %v", name, used, err)
			}
			places.Resume(storetest.Far)
			storetest.Until(t, "it is there again", func() bool { _, err := s.Feed.LastEvent(t.Context(), far.TenantID); return err == nil })
			if p := kept(far.TenantID).Positions; p.Rows != days {
				t.Errorf("of the place that was down there are %+v", p)
			}
			k.Round(t.Context())
			if !isKept(far.TenantID) {
				t.Errorf("after it is back, what is kept is %+v", kept(far.TenantID).Positions)
			}
		})
	}
}
