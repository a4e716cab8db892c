package store_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// readInPages reads a device's readings of four days, three at a time.
func (f fixture) readInPages(d drover.Device, newestFirst bool) (rows []drover.ReadingRow) {
	r := store.ReadingRange{
		TenantID: f.own, DeviceID: d.ID, From: drover.At(noon.AddDate(0, 0, -2)), To: drover.At(noon.AddDate(0, 0, 2)),
		Limit: 3, NewestFirst: newestFirst,
	}
	for n := r.Limit; n == r.Limit; {
		page := must[[]drover.ReadingRow](f.t)(f.Vehicles.Readings(f.t.Context(), r))
		rows = append(rows, page...)
		if n = len(page); n > 0 {
			r.After = &drover.ReadingTimeCursor{Time: drover.Milli(page[n-1].At), Series: page[n-1].Series}
		}
	}
	return rows
}

// TestPackReadings packs the days that are over: what is read stays the same, from any place and in
// both orders, with what comes late, what is packed again, and what is left of days that are forgotten.
func TestPackReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice(), f.addDevice()
		add := func(rows ...store.ReadingRow) {
			f.update(func(tx *store.Tx) error { return tx.Vehicles.AddReadings(ctx, f.own, rows) })
		}
		var rows []store.ReadingRow
		var want []drover.ReadingRow
		for hour := -47; hour < 48; hour += 5 {
			for number := int64(1); number <= 2; number++ {
				row := reading1(d, number, drover.At(noon.Add(time.Duration(hour)*time.Hour)), float64(100*hour)+float64(number)/4)
				rows, want = append(rows, row), append(want, row.ReadingRow)
			}
		}
		add(append(rows, reading1(e, 1, after(-24*60), 99))...)
		midnight := drover.At(noon.Truncate(24 * time.Hour))
		packs := func(before time.Time, n int) {
			f.t.Helper()
			check(f.t, must[int](f.t)(f.PackReadings(ctx, f.own, drover.At(before), 0)), n)
			check(f.t, f.readInPages(d, false), want)
			back := f.readInPages(d, true)
			for i := range back {
				check(f.t, back[i], want[len(want)-1-i])
			}
			check(f.t, len(back), len(want))
		}
		check(f.t, f.readInPages(d, false), want)
		packs(midnight.Add(time.Hour), len(before(want, midnight))+1) // the day under way is not over
		packs(midnight.Add(time.Hour), 0)
		check(f.t, must[int](f.t)(f.PackReadings(ctx, f.other, midnight, 0)), 0)

		// A value that comes late, and one that is there already with another value.
		late := reading1(d, 2, after(-30*60+1), 7)
		known := rows[4]
		known.Value = -1
		add(late, known)
		for i := range want {
			if want[i].At > late.At {
				want = append(want[:i:i], append([]drover.ReadingRow{late.ReadingRow}, want[i:]...)...)
				break
			}
		}
		packs(midnight.Time, 2)
		packs(noon.AddDate(0, 0, 4), len(want)-len(before(want, midnight)))

		one := must[[]drover.ReadingRow](f.t)(f.Vehicles.Readings(ctx, store.ReadingRange{
			TenantID: f.own, DeviceID: d.ID, From: drover.Milli(want[3].At), To: drover.Milli(want[9].At), Series: []int64{want[3].Series}, Limit: 2,
		}))
		check(f.t, one, []drover.ReadingRow{want[3], want[5]})

		// Whole days are forgotten, and the day that has the cut stays.
		forgotten := must[int64](f.t)(f.ForgetReadings(ctx, []history.Cut{{TenantID: f.own, Before: new(drover.At(midnight.Add(time.Hour)))}}))
		check(f.t, int(forgotten), len(before(want, midnight))+1)
		want = want[len(before(want, midnight)):]
		check(f.t, f.readInPages(d, false), want)
		f.update(func(tx *store.Tx) error {
			_, err := tx.Vehicles.EraseReadings(ctx, f.own, d.ID)
			return err
		})
		check(f.t, len(f.readInPages(d, false)), 0)
	})
}

// before are the rows before a time.
func before(rows []drover.ReadingRow, at drover.Time) []drover.ReadingRow {
	for i := range rows {
		if rows[i].At >= at.UnixMilli() {
			return rows[:i]
		}
	}
	return rows
}
