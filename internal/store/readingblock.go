package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/pack"
)

const (
	// readingRows bounds the readings that one transaction deletes.
	readingRows = 5000
	// readingBlocks is how many blocks are read at once.
	readingBlocks = 40
)

// errCrowded is a day with more readings than a block holds: it stays as it is.
var errCrowded = errors.New("too many readings of one day")

// dayOf is the day of an instant in UTC, counted from 1970.
func dayOf(at int64) int64 {
	day := at / dayMillis
	if at%dayMillis < 0 {
		day--
	}
	return day
}

// Readings reads values of a device in the order of time and series. Those that are not packed
// are read first: what is packed meanwhile is in both, and taken once.
func (q VehiclesReader) Readings(ctx context.Context, r ReadingRange) ([]drover.ReadingRow, error) {
	loose, err := q.looseReadings(ctx, r)
	if err != nil {
		return nil, err
	}
	first, last := dayOf(r.From.UnixMilli()), dayOf(r.To.UnixMilli()-1)
	if r.After != nil {
		if at := dayOf(r.After.Time.UnixMilli()); r.NewestFirst {
			last = min(last, at)
		} else {
			first = max(first, at)
		}
	}
	var packed []drover.ReadingRow
	for n := readingBlocks; n == readingBlocks && len(packed) < r.Limit; {
		blocks, err := q.readingBlocks(ctx, r, first, last)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			if len(packed) >= r.Limit {
				break
			}
			rows, err := pack.DecodeReadings(b.data)
			if err != nil {
				return nil, fmt.Errorf("readings of device %s: %w", r.DeviceID, err)
			}
			packed = append(packed, r.of(rows)...)
			if first = b.day + 1; r.NewestFirst {
				first, last = dayOf(r.From.UnixMilli()), b.day-1
			}
		}
		n = len(blocks)
	}
	if len(packed) == 0 {
		return loose, nil
	}
	rows := append(packed, loose...) // of two of one time the first is taken, which is packed
	slices.SortStableFunc(rows, r.compare)
	rows = slices.CompactFunc(rows, func(a, b drover.ReadingRow) bool { return r.compare(a, b) == 0 })
	return rows[:min(len(rows), r.Limit)], nil
}

func (r *ReadingRange) compare(a, b drover.ReadingRow) int {
	c := cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Series, b.Series))
	if r.NewestFirst {
		return -c
	}
	return c
}

// of are those rows of a block that are asked for, in the order asked for.
func (r *ReadingRange) of(rows []drover.ReadingRow) []drover.ReadingRow {
	var after drover.ReadingRow
	if r.After != nil {
		after = drover.ReadingRow{Series: r.After.Series, ReadingValue: drover.ReadingValue{At: r.After.Time.UnixMilli()}}
	}
	rows = slices.DeleteFunc(rows, func(v drover.ReadingRow) bool {
		return v.At < r.From.UnixMilli() || v.At >= r.To.UnixMilli() || len(r.Series) > 0 && !slices.Contains(r.Series, v.Series) ||
			r.After != nil && r.compare(v, after) <= 0
	})
	slices.SortStableFunc(rows, r.compare)
	return rows
}

type readingBlock struct {
	day  int64
	data []byte
}

func (q VehiclesReader) readingBlocks(ctx context.Context, r ReadingRange, first, last int64) ([]readingBlock, error) {
	order := `day`
	if r.NewestFirst {
		order = `day DESC`
	}
	rows, err := q.db.QueryContext(ctx, `SELECT day, data FROM reading_block
		WHERE tenant_id = $1 AND device_id = $2 AND day >= $3 AND day <= $4 ORDER BY `+order+` LIMIT $5`, r.TenantID, r.DeviceID, first, last,
		readingBlocks)
	return database.ReadAll(rows, err, "read packed readings", func(row database.Scanner) (b readingBlock, err error) {
		err = row.Scan(&b.day, &b.data)
		return b, err
	})
}

// devicesWithReadings are the devices of a tenant with a reading before a time that is not packed
// or, where asked for, with a whole packed day before it.
func (s *Store) devicesWithReadings(ctx context.Context, tenantID string, before drover.Time, packed bool) ([]string, error) {
	query := `SELECT d.id FROM device d WHERE d.tenant_id = $1
		AND (EXISTS (SELECT 1 FROM reading r WHERE r.tenant_id = $1 AND r.device_id = d.id AND r.time < $2)`
	args := []any{tenantID, before}
	if packed {
		query += ` OR EXISTS (SELECT 1 FROM reading_block b WHERE b.tenant_id = $1 AND b.device_id = d.id AND b.day < $3)`
		args = append(args, dayOf(before.UnixMilli()))
	}
	rows, err := s.db.QueryContext(ctx, query+`)`, args...)
	return database.ReadAll(rows, err, "find old readings", func(row database.Scanner) (id string, err error) {
		err = row.Scan(&id)
		return id, err
	})
}

// PackReadings packs a tenant's readings of the days that end before a time, and returns how many.
func (s *Store) PackReadings(ctx context.Context, tenantID string, before drover.Time, rest background.Rest) (packed int, err error) {
	before = drover.Milli(dayOf(before.UnixMilli()) * dayMillis)
	devices, err := s.devicesWithReadings(ctx, tenantID, before, false)
	if err != nil {
		return 0, err
	}
	pace := rest.Begin()
	for _, id := range devices {
		from := drover.Milli(-1 << 62)
		for last := drover.Milli(from.UnixMilli() - 1); from.After(last.Time); {
			n := 0
			last = from
			err := s.UpdateBulk(ctx, func(tx *Tx) (err error) {
				n, from, err = tx.Vehicles.packReadings(ctx, tenantID, id, last, before)
				return err
			})
			if errors.Is(err, errCrowded) {
				n, err = 0, nil
			}
			if err == nil {
				err = pace.Pause(ctx)
			}
			if err != nil {
				return packed, err
			}
			packed += n
		}
	}
	return packed, nil
}

// packReadings puts the readings of the first day in [from, before) that has some into its block.
// It returns how many, and where the next day begins: from after the last one.
func (tx VehiclesTx) packReadings(ctx context.Context, tenantID, deviceID string, from, before drover.Time) (int, drover.Time, error) {
	// No other process packs the device meanwhile.
	if _, err := tx.ReadingSeriesOf(ctx, tenantID, []string{deviceID}); err != nil {
		return 0, from, err
	}
	of := ReadingRange{TenantID: tenantID, DeviceID: deviceID, From: from, To: before, Limit: 1}
	oldest, err := tx.looseReadings(ctx, of)
	if err != nil || len(oldest) == 0 {
		return 0, from, err
	}
	day := dayOf(oldest[0].At)
	of.From, of.To = drover.Milli(day*dayMillis), drover.Milli((day+1)*dayMillis)
	blocks, err := tx.readingBlocks(ctx, of, day, day)
	if err != nil {
		return 0, from, err
	}
	var rows []drover.ReadingRow
	for _, b := range blocks {
		if rows, err = pack.DecodeReadings(b.data); err != nil {
			return 0, from, fmt.Errorf("readings of device %s: %w", deviceID, err)
		}
	}
	// What is taken out is what is packed, also where readings come meanwhile.
	taken, err := tx.write("reading").QueryContext(ctx, `DELETE FROM reading WHERE tenant_id = $1 AND device_id = $2 AND time >= $3 AND time < $4
		RETURNING time, series, value`, tenantID, deviceID, of.From, of.To)
	loose, err := database.ReadAll(taken, err, "take readings out", func(row database.Scanner) (v drover.ReadingRow, err error) {
		err = row.Scan(&v.At, &v.Series, &v.Value)
		return v, err
	})
	if err != nil {
		return 0, from, err
	}
	rows = append(rows, loose...)
	slices.SortStableFunc(rows, of.compare)
	rows = slices.CompactFunc(rows, func(a, b drover.ReadingRow) bool { return of.compare(a, b) == 0 })
	if len(rows) > pack.MaxReadings {
		return 0, of.To, errCrowded
	}
	data, err := pack.EncodeReadings(rows)
	if err != nil {
		return 0, from, fmt.Errorf("readings of device %s: %w", deviceID, err)
	}
	_, err = tx.write("reading_block").ExecContext(ctx, `INSERT INTO reading_block (tenant_id, device_id, day, readings, data) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, device_id, day) DO UPDATE SET readings = excluded.readings, data = excluded.data`, tenantID, deviceID, day, len(rows),
		data)
	if err != nil {
		return 0, from, fmt.Errorf("pack readings: %w", err)
	}
	return len(loose), of.To, nil
}

// ForgetReadings forgets the readings before each tenant's cut, in many small transactions; packed
// ones by whole days. The newest of each series stays with the series.
func (s *Store) ForgetReadings(ctx context.Context, cuts []history.Cut) (forgotten int64, err error) {
	for _, c := range cuts {
		if c.Before == nil {
			continue
		}
		ids, err := s.devicesWithReadings(ctx, c.TenantID, *c.Before, true)
		if err != nil {
			return forgotten, err
		}
		for _, id := range ids {
			for n := int64(readingRows); n >= readingRows; forgotten += n {
				err := s.UpdateBulk(ctx, func(tx *Tx) (err error) {
					n, err = tx.Vehicles.dropReadings(ctx, c.TenantID, id, *c.Before)
					return err
				})
				if err != nil {
					return forgotten, err
				}
			}
		}
	}
	return forgotten, nil
}

// dropReadings deletes some of a device's oldest readings before a time, all of an instant or of
// a packed day at once, and returns how many. Fewer than readingRows were the last.
func (tx VehiclesTx) dropReadings(ctx context.Context, tenantID, deviceID string, before drover.Time) (int64, error) {
	res, err := tx.write("reading").ExecContext(ctx, `DELETE FROM reading WHERE tenant_id = $1 AND device_id = $2 AND time < $3 AND time <= COALESCE(
		(SELECT time FROM reading WHERE tenant_id = $1 AND device_id = $2 AND time < $3 ORDER BY time LIMIT 1 OFFSET $4), $3)`, tenantID,
		deviceID, before, readingRows-1)
	if err != nil {
		return 0, fmt.Errorf("drop readings: %w", err)
	}
	dropped, err := res.RowsAffected()
	if err != nil || dropped >= readingRows {
		return dropped, err
	}
	rows, err := tx.write("reading_block").QueryContext(ctx, `DELETE FROM reading_block WHERE tenant_id = $1 AND device_id = $2 AND day < $3
		AND day IN (SELECT day FROM reading_block WHERE tenant_id = $1 AND device_id = $2 ORDER BY day LIMIT $4) RETURNING readings`, tenantID,
		deviceID, dayOf(before.UnixMilli()), readingBlocks)
	blocks, err := database.ReadAll(rows, err, "drop packed readings", func(row database.Scanner) (n int64, err error) {
		err = row.Scan(&n)
		return n, err
	})
	for _, n := range blocks {
		dropped += n
	}
	if len(blocks) == readingBlocks {
		dropped = max(dropped, readingRows) // there may be more
	}
	return dropped, err
}

// EraseReadings erases readings of a device, some at a time, and reports whether there are
// more. The series go with the device.
func (tx VehiclesTx) EraseReadings(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	n, err := tx.dropReadings(ctx, tenantID, deviceID, drover.Milli(1<<62))
	return n >= readingRows, err
}
