package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	readingPairs   = 6   // of slices with and without readings
	readingsKept   = 0.8 // of the rate without
	readingDevices = 200 // whose day is read
	readingSeries  = 8   // of each device
	readingStep    = 5 * time.Minute
	readingPage    = 1000
	// A day of readings is to take no longer than one of positions.
	readingDayTarget    = 0.003
	readingNewestTarget = 0.150 // of all devices
)

// readings measures positions that have a reading each beside the same without, a day of one kind of
// readings of a device, and the newest ones of all devices.
func (b *bench) readings(ctx context.Context) error {
	for _, database := range b.databases() {
		if err := b.readingsIn(ctx, database); err != nil {
			return fmt.Errorf("readings, %s: %w", database, err)
		}
	}
	return nil
}

func (b *bench) readingsIn(ctx context.Context, database string) (err error) {
	few := held{rows: fewPositions}
	bare, remove, err := b.newIntakeAt(ctx, database, few)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	full, removeFull, err := b.newIntakeAt(ctx, database, few)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeFull()) }()
	for _, f := range full.feeds {
		f.says = true
	}
	with, without, err := inTurn(readingPairs,
		func() (slice, error) { return full.slice(ctx) },
		func() (slice, error) { return bare.slice(ctx) })
	if err != nil {
		return err
	}
	name := "positions with a reading each, " + database
	b.table.Paired(name, median(with.rates), "without, in turn", median(without.rates), ratio(with.rates, without.rates), 0)
	b.table.Paired(name+", of a core", median(with.ofCore), "without, in turn", median(without.ofCore), ratio(with.ofCore, without.ofCore),
		readingsKept)
	return b.readReadings(ctx, full, database)
}

// readReadings gives all devices newest readings and some a day of them, and reads both.
func (b *bench) readReadings(ctx context.Context, i *intake, database string) error {
	p := drover.Principal{TenantID: i.tenant, UserID: store.NewID(), Role: drover.RoleAdmin}
	devices, err := i.store.Fleet.Devices(ctx, i.tenant, drover.DeviceFilter{}, "", ingestConnections*ingestVehicles)
	if err != nil {
		return err
	}
	begin := i.present.AddDate(0, 0, -2)
	for n, d := range devices {
		if err := i.addReadings(ctx, d, begin, n < readingDevices); err != nil {
			return err
		}
	}
	f := drover.ReadingHistoryFilter{
		Kinds: []drover.ReadingKind{drover.ReadingFuelPercent}, From: drover.At(begin), To: new(drover.At(begin.AddDate(0, 0, 1))),
	}
	day, err := timed(readingDevices, func(n int) (int, error) {
		found, err := i.fleet.Vehicles.Readings(ctx, p, devices[n].ID, f, drover.ReadingTimeCursor{}, readingPage)
		return len(found), err
	})
	if err != nil {
		return err
	}
	newest, err := timed(readingPairs, func(int) (all int, err error) {
		for after := (drover.ReadingCursor{}); ; {
			found, err := i.fleet.Vehicles.NewestReadings(ctx, p, drover.ReadingFilter{}, after, readingPage)
			if all += len(found); err != nil || len(found) < readingPage {
				return all, err
			}
			after = fleet.PlaceOf(found[len(found)-1].Reading)
		}
	})
	if err != nil {
		return err
	}
	b.table.AtMost("a day of one kind of readings, "+database, day, readingDayTarget, inMilliseconds)
	b.table.AtMost(table.Thousands(float64(len(devices)*readingSeries))+" newest readings, "+database, newest, readingNewestTarget, inMilliseconds)
	return nil
}

// timed is the median time in seconds of some reads, each of which finds something.
func timed(reads int, read func(n int) (found int, err error)) (float64, error) {
	took := make([]float64, reads)
	for n := range took {
		begun := time.Now()
		found, err := read(n)
		took[n] = time.Since(begun).Seconds()
		if err == nil && found == 0 {
			err = errors.New("nothing was read")
		}
		if err != nil {
			return 0, err
		}
	}
	return median(took), nil
}

// addReadings gives a device newest readings of several series and, if asked, the day of them.
func (i *intake) addReadings(ctx context.Context, d drover.Device, begin time.Time, day bool) error {
	end := begin.AddDate(0, 0, 1)
	var series []store.ReadingSeries
	var rows []store.ReadingRow
	for n := range int64(readingSeries) {
		of := drover.ReadingSeries{Kind: drover.ReadingProbe, Channel: fmt.Sprint(n), NativeName: "probe"}
		if n == 0 {
			of = drover.ReadingSeries{Kind: drover.ReadingFuelPercent, NativeName: "fuel"}
		}
		number := n + 1 // instead of the odometer
		for at := begin; day && at.Before(end); at = at.Add(readingStep) {
			rows = append(rows, store.ReadingRow{DeviceID: d.ID, ReadingRow: drover.ReadingRow{
				Series: number, ReadingValue: drover.ReadingValue{At: at.UnixMilli(), Value: float64(at.Unix() / 300 % 90)},
			}})
		}
		series = append(series, store.ReadingSeries{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Number: number, ReadingSeries: of,
			Shown: drover.ReadingValue{At: end.UnixMilli(), Value: float64(n)},
		})
	}
	return i.store.Update(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.Vehicles.SetReadingSeries(ctx, i.tenant, series), tx.Vehicles.AddReadings(ctx, i.tenant, rows))
	})
}
