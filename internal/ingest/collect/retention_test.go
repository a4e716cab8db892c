package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// sparsely is how often the vehicle reports. Each page goes through all that is later, so that more would take long.
const sparsely = 6 * time.Hour

// sparse is a parked vehicle that reports.
func sparse(r *rig) func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
	return func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page := provider.Page[provider.Position]{Cursor: "x"}
		to := q.To
		if q.Live() {
			to = r.clock.Now()
		}
		for t := q.From.Truncate(sparsely); t.Before(to); t = t.Add(sparsely) {
			page.Records = append(page.Records, at("a", t, -37, 145))
		}
		return page, nil
	}
}

// retain makes the collector again with a policy.
func (r *rig) retain(p account.RetentionPolicy) {
	r.options.Retention = p
	r.collector = collect.New(r.options)
}

// TestRetention holds that no position is taken that its tenant does not keep,
// and that the past is asked for no further back.
func TestRetention(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operator time.Duration
		days     *int
		kept     int
	}{
		"ForEver":       {0, nil, 20},
		"Operator":      {10 * account.Day, nil, 10},
		"Tenant":        {10 * account.Day, new(8), 8},
		"TenantForEver": {10 * account.Day, new(0), 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				r.retain(account.RetentionPolicy{Positions: test.operator})
				r.update(func(ctx context.Context, tx *store.Tx) error {
					return tx.Accounts.SetRetention(ctx, account.Retention{TenantID: r.principal.TenantID, PositionDays: test.days})
				})
				s, conn := r.stub("retention", noon.AddDate(0, 0, -20), []string{"a"})
				s.positions = sparse(r)
				r.run()
				first := noon.AddDate(0, 0, -test.kept)
				var want []time.Time
				for at := first; at.Before(noon); at = at.Add(sparsely) {
					want = append(want, at)
				}
				if diff := cmp.Diff(want, r.times(r.devices(conn)["a"].ID)); diff != "" {
					t.Errorf("the positions (-want +got):\n%s", diff)
				}
				for _, q := range s.queries() {
					if q.From.Before(first) {
						t.Errorf("asked for positions from %s on, which are not kept", q.From)
					}
				}
			})
		})
	}
}

// TestOldLiveRecords holds that the live job brings in nothing old either.
func TestOldLiveRecords(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("live", noon.AddDate(0, 0, -20), []string{"a"})
		r.retain(account.RetentionPolicy{Positions: 10 * account.Day})
		young := noon.AddDate(0, 0, -9)
		s.next(at("a", noon.AddDate(0, 0, -11), -37, 145), at("a", young, -37, 145))
		r.run()
		if diff := cmp.Diff([]time.Time{young}, r.times(r.devices(conn)["a"].ID)); diff != "" {
			t.Errorf("the positions (-want +got):\n%s", diff)
		}
	})
}
