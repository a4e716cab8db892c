package collect_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/quota"
)

// TestUsage counts a tenant's positions for its bill: those that were stored, once each.
func TestUsage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		meter := quota.NewMeter(r.clock.Now)
		r.collector = r.another("metered", func(o *collect.Options) { o.Usage = meter })
		s, _ := r.stub("billed", noon.Add(-time.Minute), []string{"a"})
		r.run()
		first, second, third := at("a", noon.Add(-30*time.Second), -37, 145), at("a", noon, -37.001, 145), at("a", noon.Add(time.Minute), -37.002, 145)
		for _, step := range []struct {
			page func()
			want int64
		}{
			{func() { s.next(first, second) }, 2},
			{func() { s.next(first, second) }, 0}, // repeated
			{func() { s.next(second, third) }, 1},
		} {
			step.page()
			r.pass(time.Minute)
			var got int64
			for _, m := range meter.Take() {
				if m.Tenant != r.principal.TenantID {
					t.Errorf("counted for %s", m.Tenant)
				}
				got += m.Positions
			}
			if got != step.want {
				t.Errorf("%d positions were counted, want %d", got, step.want)
			}
		}
	})
}
