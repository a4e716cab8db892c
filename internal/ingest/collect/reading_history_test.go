package collect_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestReadingHistory reads a level that has a value each minute beside one that has two a day, at most
// one of each a day: it is the first, also where hundreds of the other lie between them. A counter that
// seldom has a value is judged by those of a month alone, and not by the whole history.
func TestReadingHistory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		_, conn := r.stub("history", noon.AddDate(-1, 0, 0), []string{"a"})
		r.run()
		device := r.devices(conn)["a"].ID
		charge := drover.ReadingSeries{Kind: drover.ReadingCharge, NativeName: "charge"}
		midnight := noon.Truncate(24 * time.Hour)
		var series []store.ReadingSeries
		var rows []store.ReadingRow
		for i, s := range []drover.ReadingSeries{fuel, charge, odometer} {
			series = append(series, store.ReadingSeries{
				ID: store.NewID(), DeviceID: device, ConnectionID: conn.ID, Number: int64(i + 1), ReadingSeries: s,
			})
		}
		add := func(number int64, at time.Time, v float64) {
			rows = append(rows, store.ReadingRow{DeviceID: device, ReadingRow: drover.ReadingRow{
				Series: number, ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: v},
			}})
		}
		for minute := range 24 * 60 {
			add(1, midnight.Add(time.Duration(minute)*time.Minute), 50)
		}
		add(2, midnight.Add(10*time.Minute), 71)
		add(2, midnight.Add(13*time.Hour), 72)
		add(3, midnight.AddDate(0, 0, -100), 900_000)
		add(3, midnight.AddDate(0, 0, -20), 100_000)
		add(3, midnight, 100)
		err := r.store.Update(t.Context(), func(tx *store.Tx) error {
			if err := tx.Vehicles.SetReadingSeries(t.Context(), r.principal.TenantID, series); err != nil {
				return err
			}
			return tx.Vehicles.AddReadings(t.Context(), r.principal.TenantID, rows)
		})
		if err != nil {
			t.Fatal(err)
		}
		read := func(f drover.ReadingHistoryFilter) []float64 {
			t.Helper()
			f.To, f.Suspect = new(drover.At(midnight.AddDate(0, 0, 1))), true
			found, err := r.fleet.Vehicles.Readings(t.Context(), r.principal, device, f, drover.ReadingTimeCursor{}, 100)
			if err != nil {
				t.Fatal(err)
			}
			values := []float64{}
			for _, p := range found {
				if f.Every > 0 || p.Suspect == nil {
					values = append(values, p.Value)
				}
			}
			return values
		}
		for _, order := range []drover.EventOrder{"asc", drover.NewestFirst} {
			thin := drover.ReadingHistoryFilter{
				From: drover.At(midnight), Every: 86_400, Order: order, Kinds: []drover.ReadingKind{drover.ReadingFuelPercent, drover.ReadingCharge},
			}
			want := []float64{50, 71}
			if order == drover.NewestFirst {
				slices.Reverse(want)
			}
			if diff := cmp.Diff(want, read(thin)); diff != "" {
				t.Errorf("%s, one a day (-want +got):\n%s", order, diff)
			}
		}
		seldom := drover.ReadingHistoryFilter{Kinds: []drover.ReadingKind{drover.ReadingOdometer}}
		for days, want := range map[int][]float64{-20: {100_000}, 0: {}} {
			seldom.From = drover.At(midnight.AddDate(0, 0, days))
			if diff := cmp.Diff(want, read(seldom)); diff != "" {
				t.Errorf("%d days ago (-want +got):\n%s", days, diff)
			}
		}
	})
}
