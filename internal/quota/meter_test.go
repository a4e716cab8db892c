package quota_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/quota"
)

// TestMeter counts at once what several do, by tenant and day, and takes back what could
// not be written down.
func TestMeter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 29, 23, 59, 0, 0, time.UTC)
	m := quota.NewMeter(func() time.Time { return now })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				m.Add("b", quota.Counts{Requests: 1})
				m.Add("a", quota.Counts{Positions: 2, Deliveries: 1})
			}
		})
	}
	all.Wait()
	m.Add("c", quota.Counts{})
	day := quota.Day(now)
	want := []quota.Metered{
		{Tenant: "a", Day: day, Counts: quota.Counts{Positions: 16000, Deliveries: 8000}},
		{Tenant: "b", Day: day, Counts: quota.Counts{Requests: 8000}},
	}
	got := m.Take()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	now = now.Add(time.Minute)
	m.Add("b", quota.Counts{Requests: 1})
	m.Return(got)
	want = append(want, quota.Metered{Tenant: "b", Day: day + 1, Counts: quota.Counts{Requests: 1}})
	if diff := cmp.Diff(want, m.Take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rest := m.Take(); len(rest) > 0 {
		t.Errorf("%v is counted twice", rest)
	}
	(*quota.Meter)(nil).Add("a", quota.Counts{Requests: 1})
}

// BenchmarkMeter is what counting a request costs, with as many callers as processors.
func BenchmarkMeter(b *testing.B) {
	m := quota.NewMeter(time.Now)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Add("01932f6e-7c1b-7a52-9d4e-3f1f6a6b8c01", quota.Counts{Requests: 1})
		}
	})
}
