package store_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// series is one of a device's with a newest value.
func series(d drover.Device, number int64, kind drover.ReadingKind, at drover.Time, value float64) store.ReadingSeries {
	id := sha256.Sum256([]byte(d.ID + string(kind))) // of what is shown
	return store.ReadingSeries{
		ID: fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16]), DeviceID: d.ID, ConnectionID: d.ConnectionID, Number: number,
		ReadingSeries: drover.ReadingSeries{Kind: kind, Source: drover.SourceVehicle, NativeName: "native"},
		Shown:         drover.ReadingValue{At: at.UnixMilli(), Value: value}, State: `{"n":1}`,
	}
}

func reading1(d drover.Device, series int64, at drover.Time, value float64) store.ReadingRow {
	return store.ReadingRow{DeviceID: d.ID, ReadingRow: drover.ReadingRow{
		Series:       series,
		ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: value},
	}}
}

func after(minutes int) drover.Time { return drover.At(noon.Add(time.Duration(minutes) * time.Minute)) }

func TestReadingSeries(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice("cold"), f.addDevice()
		odometer, fuel := series(d, 1, drover.ReadingOdometer, noon, 1000), series(d, 2, drover.ReadingFuelPercent, noon, 250)
		fuel.Suspect, fuel.Channel = "range", "2"
		volts := series(e, 1, drover.ReadingSupply, noon, 12.5)
		set := func(list ...store.ReadingSeries) {
			f.update(func(tx *store.Tx) error { return tx.Vehicles.SetReadingSeries(ctx, f.own, list) })
		}
		set(odometer, fuel, volts)
		f.update(func(tx *store.Tx) error {
			got, err := tx.Vehicles.ReadingSeriesOf(ctx, f.own, []string{d.ID})
			check(f.t, got, []store.ReadingSeries{odometer, fuel})
			return err
		})
		odometer.Shown, odometer.State = drover.ReadingValue{At: after(1).UnixMilli(), Value: 1500}, `{"n":2}`
		set(odometer, fuel)
		got := must[[]store.ReadingSeries](f.t)(f.Vehicles.DeviceReadings(ctx, f.own, d.ID))
		plain := []store.ReadingSeries{odometer, fuel}
		plain[0].State, plain[1].State = "", ""
		check(f.t, got, plain)
		newest := func(asker string, filter drover.ReadingFilter, from string, limit int) (kinds []drover.ReadingKind) {
			for _, s := range must[[]store.ReadingSeries](f.t)(f.Vehicles.NewestReadings(ctx, asker, filter, from, limit)) {
				kinds = append(kinds, s.Kind)
			}
			return kinds
		}
		all := []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingFuelPercent, drover.ReadingSupply}
		check(f.t, newest(f.own, drover.ReadingFilter{}, "", 10), all)
		check(f.t, newest(f.own, drover.ReadingFilter{}, "", 2), all[:2])
		check(f.t, newest(f.own, drover.ReadingFilter{}, e.ID, 10), all[2:])
		check(f.t, newest(f.own, drover.ReadingFilter{DeviceIDs: []string{d.ID}}, "", 10), all[:2])
		check(f.t, newest(f.own, drover.ReadingFilter{ConnectionIDs: []string{f.connection}}, "", 10), all)
		check(f.t, newest(f.own, drover.ReadingFilter{Tags: []string{"cold"}}, "", 10), all[:2])
		check(f.t, newest(f.own, drover.ReadingFilter{Kinds: all[1:]}, "", 10), all[1:])
		check(f.t, newest(f.other, drover.ReadingFilter{}, "", 10), nil)
		f.share()
		check(f.t, newest(f.other, drover.ReadingFilter{}, "", 10), all)
		check(f.t, newest(f.other, drover.ReadingFilter{Tags: []string{"cold"}}, "", 10), all[:2])
		f.update(func(tx *store.Tx) error { return tx.Fleet.EraseDevice(ctx, f.own, d.ID) })
		check(f.t, newest(f.own, drover.ReadingFilter{}, "", 10), all[2:])
	})
}

// TestReadingCoverage counts the devices that have said something since a time, by kind: one
// with two series counts once, and those of other connections and tenants do not count.
func TestReadingCoverage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice(), f.addDevice()
		second := series(d, 2, drover.ReadingOdometer, after(-60), 900)
		second.NativeName, second.Source = "other", ""
		f.update(func(tx *store.Tx) error {
			return tx.Vehicles.SetReadingSeries(ctx, f.own, []store.ReadingSeries{
				series(d, 1, drover.ReadingOdometer, noon, 1000), second,
				series(e, 1, drover.ReadingOdometer, after(-30), 2000), series(e, 2, drover.ReadingSupply, after(-30), 12),
			})
		})
		odometer := store.ReadingCoverage{
			Kind: drover.ReadingOdometer, Devices: 2, Newest: noon, Names: []string{"native", "other"},
			Sources: []drover.ReadingSource{drover.SourceVehicle},
		}
		supply := store.ReadingCoverage{
			Kind: drover.ReadingSupply, Devices: 1, Newest: after(-30), Names: []string{"native"}, Sources: []drover.ReadingSource{drover.SourceVehicle},
		}
		covered := func(tenant, connection string, since drover.Time) []store.ReadingCoverage {
			return must[[]store.ReadingCoverage](f.t)(f.Vehicles.ReadingCoverage(ctx, tenant, connection, since))
		}
		check(f.t, covered(f.own, f.connection, after(-90)), []store.ReadingCoverage{odometer, supply})
		odometer.Devices, supply.Devices = 1, 0
		check(f.t, covered(f.own, f.connection, after(-10)), []store.ReadingCoverage{odometer, supply})
		check(f.t, len(covered(f.other, f.connection, after(-90))), 0)
		check(f.t, len(covered(f.own, store.NewID(), after(-90))), 0)
	})
}

// TestShareWithoutReadings holds that a share without the scope shows none.
func TestShareWithoutReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d := f.t.Context(), f.addDevice()
		f.update(func(tx *store.Tx) error {
			s := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
			return errors.Join(tx.Vehicles.SetReadingSeries(ctx, f.own, []store.ReadingSeries{series(d, 1, drover.ReadingOdometer, noon, 1)}),
				tx.Shares.AddShare(ctx, s, drover.FullGrant&^drover.GrantReadings), tx.Shares.AcceptShare(ctx, s, noon))
		})
		check(f.t, len(must[[]store.ReadingSeries](f.t)(f.Vehicles.NewestReadings(ctx, f.other, drover.ReadingFilter{}, "", 10))), 0)
		shared := must[store.Device](f.t)(f.Fleet.Device(ctx, f.other, d.ID))
		check(f.t, shared.Shared, drover.FullGrant&^drover.GrantReadings)
	})
}

func TestReadings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice(), f.addDevice()
		add := func(rows ...store.ReadingRow) {
			f.update(func(tx *store.Tx) error { return tx.Vehicles.AddReadings(ctx, f.own, rows) })
		}
		add(reading1(d, 1, noon, 10), reading1(d, 2, noon, 50), reading1(d, 1, after(5), 11), reading1(e, 1, noon, 99))
		add(reading1(d, 1, after(5), 12), reading1(d, 1, after(10), 13)) // the first stays
		read := func(change func(*store.ReadingRange)) (values []float64) {
			r := store.ReadingRange{TenantID: f.own, DeviceID: d.ID, From: noon, To: after(60), Limit: 10}
			change(&r)
			for _, row := range must[[]drover.ReadingRow](f.t)(f.Vehicles.Readings(ctx, r)) {
				values = append(values, row.Value)
			}
			return values
		}
		check(f.t, read(func(*store.ReadingRange) {}), []float64{10, 50, 11, 13})
		check(f.t, read(func(r *store.ReadingRange) { r.NewestFirst = true }), []float64{13, 11, 50, 10})
		check(f.t, read(func(r *store.ReadingRange) { r.Series = []int64{1} }), []float64{10, 11, 13})
		check(f.t, read(func(r *store.ReadingRange) { r.From, r.To = after(5), after(10) }), []float64{11})
		check(f.t, read(func(r *store.ReadingRange) { r.Limit = 2 }), []float64{10, 50})
		check(f.t, read(func(r *store.ReadingRange) { r.After = &drover.ReadingTimeCursor{Time: noon, Series: 1} }), []float64{50, 11, 13})
		check(f.t, read(func(r *store.ReadingRange) {
			r.After, r.NewestFirst = &drover.ReadingTimeCursor{Time: after(5), Series: 1}, true
		}), []float64{50, 10})

		forgotten := must[int64](f.t)(f.ForgetReadings(ctx, []history.Cut{{TenantID: f.own, Before: new(after(5))}, {TenantID: f.other}}))
		check(f.t, forgotten, 3)
		check(f.t, read(func(*store.ReadingRange) {}), []float64{11, 13})
		f.update(func(tx *store.Tx) error {
			more, err := tx.Vehicles.EraseReadings(ctx, f.own, d.ID)
			check(f.t, more, false)
			return err
		})
		check(f.t, read(func(*store.ReadingRange) {}), nil)
	})
}

// TestReadingSeriesTexts stores what a provider may send as a name, and what no column can hold beside it.
func TestReadingSeriesTexts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, want := f.t.Context(), f.addDevice(), []store.ReadingSeries{}
		for i, text := range []string{"", `"`, `\`, "\x1f\n", "Öl, ° 温度", strings.Repeat("long ", 100)} {
			s := series(d, int64(i)*100+1, drover.ReadingKind("kind "+text), drover.Milli(int64(i-1)*1e12), -0.1*float64(i))
			s.Channel, s.NativeName, s.Suspect, s.State = text, text, text, text
			want = append(want, s)
		}
		f.update(func(tx *store.Tx) error { return tx.Vehicles.SetReadingSeries(ctx, f.own, want) })
		f.update(func(tx *store.Tx) error {
			got, err := tx.Vehicles.ReadingSeriesOf(ctx, f.own, []string{d.ID})
			check(f.t, got, want)
			return err
		})
	})
}

// TestNewestReadingsOfManyDevices reads devices with few series and with many, at every limit.
func TestNewestReadingsOfManyDevices(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, all := f.t.Context(), []store.ReadingSeries{}
		for n := range 30 {
			d := f.addDevice()
			for i := range 1 + n%3*10 {
				s := series(d, int64(i)+1, drover.ReadingProbe, noon, float64(i))
				s.State = ""
				all = append(all, s)
			}
		}
		f.update(func(tx *store.Tx) error { return tx.Vehicles.SetReadingSeries(ctx, f.own, all) })
		for limit := 1; limit <= len(all)+1; limit += 7 {
			got := must[[]store.ReadingSeries](f.t)(f.Vehicles.NewestReadings(ctx, f.own, drover.ReadingFilter{}, "", limit))
			check(f.t, got, all[:min(limit, len(all))])
		}
		first := drover.ReadingFilter{IDs: []string{all[len(all)-1].ID}}
		check(f.t, len(must[[]store.ReadingSeries](f.t)(f.Vehicles.NewestReadings(ctx, f.own, first, "", 5))), 5)
	})
}

// TestReadingSeriesBroken has a row of which something is missing: it is an error, and no reading that no one sent.
func TestReadingSeriesBroken(t *testing.T) {
	t.Parallel()
	onBothRaw(t, func(t *testing.T, s *store.Store, raw *sql.DB) {
		t.Helper()
		f := newFixture(t, s)
		d := f.addDevice()
		f.update(func(tx *store.Tx) error {
			return tx.Vehicles.SetReadingSeries(t.Context(), f.own, []store.ReadingSeries{series(d, 1, drover.ReadingOdometer, noon, 1000)})
		})
		var whole []byte
		if err := raw.QueryRowContext(t.Context(), `SELECT shown FROM reading_series`).Scan(&whole); err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) {
			if _, err := raw.ExecContext(t.Context(), `UPDATE reading_series SET shown = $1`, whole[:n]); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Vehicles.DeviceReadings(t.Context(), f.own, d.ID); err == nil {
				t.Fatalf("%d of %d bytes are read as %v", n, len(whole), got)
			}
		}
	})
}
