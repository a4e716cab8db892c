package retain

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// Storage is what the history of all tenants takes.
type Storage struct {
	Tenants []TenantStorage `json:"tenants"`
	// GrowthBytesPerDay counts the tenants of whom a day was packed.
	GrowthBytesPerDay int64 `json:"growth_bytes_per_day"`
}

// TenantStorage is what the history of one takes.
type TenantStorage struct {
	ID     string `json:"-"`
	Tenant string `json:"tenant"`
	drover.Storage
}

// Bytes is all that the history takes.
func (t TenantStorage) Bytes() int64 {
	return t.Positions.RowBytes + t.Positions.PackedBytes + t.Events.Bytes
}

// StorageOf looks at what the history takes. It counts rows, so it is not for every
// minute. Where a place does not answer, which is an error, there is what the others have.
func StorageOf(ctx context.Context, s *store.Store, now time.Time) (all Storage, err error) {
	tenants, err := s.Accounts.Tenants(ctx)
	if err != nil {
		return all, err
	}
	failed := map[string]error{} // by place
	for _, t := range tenants {
		place := s.PlaceOf(t.ID)
		if failed[place] != nil {
			continue
		}
		used, err := s.TenantStorage(ctx, t.ID, drover.At(now))
		if err != nil {
			failed[place] = err
			continue
		}
		all.Tenants = append(all.Tenants, TenantStorage{t.ID, t.Name, used})
		if used.GrowthBytesPerDay != nil {
			all.GrowthBytesPerDay += *used.GrowthBytesPerDay
		}
	}
	return all, errors.Join(slices.Collect(maps.Values(failed))...)
}

// DaysUntil is how long free bytes last, nil where that is not known.
func (s Storage) DaysUntil(free int64) *float64 {
	if s.GrowthBytesPerDay <= 0 {
		return nil
	}
	return new(float64(free) / float64(s.GrowthBytesPerDay))
}

// measureEvery is how often the figures of the metrics are taken.
const measureEvery = 6 * time.Hour

// noteUsage writes down what each tenant's history takes, for the day's usage.
func (k *Keeper) noteUsage(ctx context.Context, all Storage, now time.Time) error {
	rows := make([]account.UsageDay, len(all.Tenants))
	for i, t := range all.Tenants {
		rows[i] = account.UsageDay{TenantID: t.ID, Day: quota.Day(now), Bytes: new(t.Bytes())}
	}
	order.By(rows, func(a, b account.UsageDay) int { return strings.Compare(a.TenantID, b.TenantID) })
	return store.ByPlace(k.Store, rows, func(u account.UsageDay) string { return u.TenantID }, func(rows []account.UsageDay) error {
		return k.Store.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUsage(ctx, rows) })
	})
}

// measured is the newest figures, for the metrics; nil before the first.
type measured struct{ atomic.Pointer[Storage] }

var (
	positionsDesc = prometheus.NewDesc("drover_storage_positions", "Positions that are kept, as rows and in packed days.", []string{"form"},
		nil)
	bytesDesc  = prometheus.NewDesc("drover_storage_bytes", "What the history takes: rows, packed days, events.", []string{"kind"}, nil)
	growthDesc = prometheus.NewDesc("drover_storage_growth_bytes_per_day", "By how much the history grows in a day.", nil, nil)
)

// Describe names the metrics.
func (m *measured) Describe(to chan<- *prometheus.Desc) {
	to <- positionsDesc
	to <- bytesDesc
	to <- growthDesc
}

// Collect gives the newest figures.
func (m *measured) Collect(to chan<- prometheus.Metric) {
	all := m.Load()
	if all == nil {
		return
	}
	var sum drover.Storage
	for _, t := range all.Tenants {
		sum.Positions.Rows += t.Positions.Rows
		sum.Positions.RowBytes += t.Positions.RowBytes
		sum.Positions.Packed += t.Positions.Packed
		sum.Positions.PackedBytes += t.Positions.PackedBytes
		sum.Events.Bytes += t.Events.Bytes
	}
	gauge := func(desc *prometheus.Desc, value int64, label ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), label...)
	}
	gauge(positionsDesc, sum.Positions.Rows, "row")
	gauge(positionsDesc, sum.Positions.Packed, "packed")
	gauge(bytesDesc, sum.Positions.RowBytes, "rows")
	gauge(bytesDesc, sum.Positions.PackedBytes, "packed")
	gauge(bytesDesc, sum.Events.Bytes, "events")
	gauge(growthDesc, all.GrowthBytesPerDay)
}
