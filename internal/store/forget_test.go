package store_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const week = 7 * 24 * time.Hour

// addPositions stores positions of a device at the times given.
func (f fixture) addPositions(tenant, device string, times ...time.Time) {
	f.t.Helper()
	rows := make([]history.Position, len(times))
	for i, at := range times {
		rows[i] = history.Of(device, drover.Position{Time: drover.At(at), Latitude: 1, Longitude: 2})
	}
	f.update(func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(f.t.Context(), tenant, rows)
		return err
	})
}

// kept are the times of a device's stored positions.
func (f fixture) kept(tenant, device string) []time.Time {
	f.t.Helper()
	rows := must[[]drover.StoredPosition](f.t)(f.History.Positions(f.t.Context(),
		history.Range{TenantID: tenant, DeviceID: device, From: drover.Milli(0), To: drover.At(noon.Add(week))}))
	times := []time.Time{}
	for _, r := range rows {
		times = append(times, r.Time.Time)
	}
	return times
}

// twoTenants gives both tenants a device with positions of each of five weeks,
// and one position in the middle of a week that time splits.
func twoTenants(f fixture) (own, other string, times []time.Time) {
	own = f.addDevice().ID
	other = store.NewID()
	f.update(func(tx *store.Tx) error {
		d := drover.Device{ID: other, ConnectionID: store.NewID(), SystemDeviceID: "x", Active: true, Tags: []string{}}
		return tx.Fleet.AddDevice(f.t.Context(), f.other, d, noon)
	})
	for back := 5; back > 0; back-- {
		times = append(times, noon.Add(-time.Duration(back)*week).Add(-time.Minute), noon.Add(-time.Duration(back)*week))
	}
	f.addPositions(f.own, own, times...)
	f.addPositions(f.other, other, times...)
	return own, other, times
}

func TestForgetPositions(t *testing.T) {
	t.Parallel()
	cut := drover.At(noon.Add(-3 * week))
	for name, test := range map[string]struct {
		own, other *drover.Time
		// the positions that remain, and how PostgreSQL forgets the others
		wantOwn, wantOther int
		postgres           history.Forgotten
	}{
		"NoOneForgets":        {nil, nil, 10, 10, history.Forgotten{}},
		"OneKeepsAll":         {&cut, nil, 6, 10, history.Forgotten{Rows: 4}},
		"BothForgetTheSame":   {&cut, &cut, 6, 6, history.Forgotten{Weeks: 2}},
		"OneForgetsMore":      {&cut, new(drover.At(noon.Add(-4 * week))), 6, 8, history.Forgotten{Weeks: 1, Rows: 2}},
		"OlderThanEverything": {new(drover.At(noon.Add(-9 * week))), nil, 10, 10, history.Forgotten{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(f fixture) {
				own, other, times := twoTenants(f)
				cuts := []history.Cut{{TenantID: f.own, Before: test.own}, {TenantID: f.other, Before: test.other}}
				got := must[history.Forgotten](f.t)(f.History.ForgetPositions(f.t.Context(), cuts))
				want := test.postgres
				if f.Database() == "sqlite" {
					want = history.Forgotten{Rows: int64(20 - test.wantOwn - test.wantOther)}
				}
				check(f.t, got, want)
				check(f.t, f.kept(f.own, own), times[10-test.wantOwn:])
				check(f.t, f.kept(f.other, other), times[10-test.wantOther:])
				again := must[history.Forgotten](f.t)(f.History.ForgetPositions(f.t.Context(), cuts))
				check(f.t, again, history.Forgotten{})
				f.addPositions(f.own, own, times...)
				check(f.t, f.kept(f.own, own), times)
			})
		})
	}
}

// TestForgetManyPositions needs several transactions.
func TestForgetManyPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		device := f.addDevice().ID
		const n = 12_001
		times := make([]time.Time, n)
		for i := range times {
			times[i] = noon.Add(-4 * week).Add(time.Duration(i) * time.Second)
		}
		f.addPositions(f.own, device, times...)
		keeper := store.NewID()
		f.addPositions(f.other, keeper, times[0])
		cut := drover.At(noon.Add(-2 * week))
		got := must[history.Forgotten](f.t)(f.History.ForgetPositions(f.t.Context(),
			[]history.Cut{{TenantID: f.own, Before: &cut}, {TenantID: f.other}}))
		check(f.t, got, history.Forgotten{Rows: n})
		check(f.t, f.kept(f.own, device), []time.Time{})
		check(f.t, f.kept(f.other, keeper), times[:1])
	})
}

// TestForgetBusyPositions leaves a partition alone that someone reads.
func TestForgetBusyPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		own, _, times := twoTenants(f)
		cut := drover.At(noon.Add(-3 * week))
		cuts := []history.Cut{{TenantID: f.own, Before: &cut}, {TenantID: f.other, Before: &cut}}
		if f.Database() == "postgres" {
			f.update(func(tx *store.Tx) error {
				r := history.Range{TenantID: f.own, DeviceID: own, From: drover.Milli(0), To: noon}
				if _, err := tx.History.Positions(f.t.Context(), r); err != nil {
					return err
				}
				got, err := f.History.ForgetPositions(f.t.Context(), cuts)
				check(f.t, got, history.Forgotten{})
				return err
			})
			check(f.t, f.kept(f.own, own), times)
		}
		must[history.Forgotten](f.t)(f.History.ForgetPositions(f.t.Context(), cuts))
		check(f.t, f.kept(f.own, own), times[4:])
	})
}
