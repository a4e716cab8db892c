package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// DeviceDay is what a device did on a local day, in thousandths of metres and seconds.
type DeviceDay struct {
	Day                                  int64
	Trips, ValidTrips                    int64
	Distance, Driving, Idling, Auxiliary int64
	Stops, Standing                      int64
	StopEngine, StopAuxiliary            int64
	Unseen                               int64
	FirstStart, LastEnd                  *drover.Time
}

const dayColumns = `day, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms, stops, stopped_ms, stop_engine_ms, stop_auxiliary_ms, unseen_mm, first_start, last_end`

// DeviceDays reads the days of a device from first to last on which something was,
// oldest first.
func (q TripsReader) DeviceDays(ctx context.Context, tenantID, deviceID string, first, last int64) ([]DeviceDay, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+dayColumns+` FROM device_day
		WHERE tenant_id = $1 AND device_id = $2 AND day BETWEEN $3 AND $4 ORDER BY day`, tenantID, deviceID, first, last)
	return database.ReadAll(rows, err, "read days", func(row database.Scanner) (DeviceDay, error) {
		var d DeviceDay
		return d, row.Scan(&d.Day, &d.Trips, &d.ValidTrips, &d.Distance, &d.Driving, &d.Idling, &d.Auxiliary,
			&d.Stops, &d.Standing, &d.StopEngine, &d.StopAuxiliary, &d.Unseen, &d.FirstStart, &d.LastEnd)
	})
}

// DaysOf are days of a device.
type DaysOf struct {
	DeviceID string
	Days     []DeviceDay
}

var dayRow = []database.Column{
	database.ID("tenant_id"), database.ID("device_id"), database.Number("day"), database.Number("trips"), database.Number("valid_trips"),
	database.Number("distance_mm"), database.Number("driving_ms"), database.Number("idling_ms"), database.Number("auxiliary_ms"),
	database.Number("stops"),
	database.Number("stopped_ms"), database.Number("stop_engine_ms"), database.Number("stop_auxiliary_ms"), database.Number("unseen_mm"),
	database.Number("first_start"), database.Number("last_end"),
}

// SetDeviceDays stores days of devices, each once; one on which nothing was is forgotten.
func (tx TripsTx) SetDeviceDays(ctx context.Context, tenantID string, of ...DaysOf) error {
	var rows [][]any
	for _, device := range of {
		for _, d := range device.Days {
			if d == (DeviceDay{Day: d.Day}) {
				_, err := tx.write("device_day").ExecContext(ctx, `DELETE FROM device_day WHERE tenant_id = $1 AND device_id = $2 AND day = $3`,
					tenantID, device.DeviceID, d.Day)
				if err != nil {
					return fmt.Errorf("forget day: %w", err)
				}
				continue
			}
			rows = append(rows, []any{
				tenantID, device.DeviceID, d.Day, d.Trips, d.ValidTrips, d.Distance, d.Driving, d.Idling, d.Auxiliary,
				d.Stops, d.Standing, d.StopEngine, d.StopAuxiliary, d.Unseen, milliOf(d.FirstStart), milliOf(d.LastEnd),
			})
		}
	}
	err := tx.tx.InsertRows(ctx, "device_day", dayRow, rows, `ON CONFLICT (tenant_id, device_id, day) DO UPDATE SET
		trips = excluded.trips, valid_trips = excluded.valid_trips, distance_mm = excluded.distance_mm, driving_ms = excluded.driving_ms,
		idling_ms = excluded.idling_ms, auxiliary_ms = excluded.auxiliary_ms, stops = excluded.stops, stopped_ms = excluded.stopped_ms,
		stop_engine_ms = excluded.stop_engine_ms, stop_auxiliary_ms = excluded.stop_auxiliary_ms, unseen_mm = excluded.unseen_mm,
		first_start = excluded.first_start, last_end = excluded.last_end`)
	if err != nil {
		return fmt.Errorf("set days: %w", err)
	}
	return nil
}

// milliOf is a time as it is stored, nil for none.
func milliOf(t *drover.Time) *int64 {
	if t == nil {
		return nil
	}
	return new(t.UnixMilli())
}

// ForgetDeviceDays forgets the days of a device, to be summed up again.
func (tx TripsTx) ForgetDeviceDays(ctx context.Context, tenantID, deviceID string) error {
	_, err := tx.write("device_day").ExecContext(ctx, `DELETE FROM device_day WHERE tenant_id = $1 AND device_id = $2`, tenantID, deviceID)
	if err != nil {
		return fmt.Errorf("forget days: %w", err)
	}
	return nil
}

// TripsTouching reads a device's trips that start in [from, to) or share time with it.
func (q TripsReader) TripsTouching(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]Trip, error) {
	return q.ownTrips(ctx, tenantID, deviceID, `t.start_time >= $5 AND t.start_time < $4 AND (t.start_time >= $3 OR t.end_time > $3)`, from,
		to, drover.Milli(from.UnixMilli()-longestTrip))
}

// SetTripParts stores how a trip is divided among its days.
func (tx TripsTx) SetTripParts(ctx context.Context, tenantID, id, parts string) error {
	if _, err := tx.write("trip").ExecContext(ctx, `UPDATE trip SET parts = $3 WHERE tenant_id = $1 AND id = $2`, tenantID, id,
		parts); err != nil {
		return fmt.Errorf("set the parts of a trip: %w", err)
	}
	return nil
}

// SetStopParts stores how a stop is divided among its days.
func (tx TripsTx) SetStopParts(ctx context.Context, tenantID, id, parts string) error {
	if _, err := tx.write("stop").ExecContext(ctx, `UPDATE stop SET parts = $3 WHERE tenant_id = $1 AND id = $2`, tenantID, id,
		parts); err != nil {
		return fmt.Errorf("set the parts of a stop: %w", err)
	}
	return nil
}

// StopsTouching reads a device's stops that share time with [from, to), with the ways after
// them, oldest first.
// They do not overlap, so no more than one of them starts before, and their start is
// order enough: by id too, SQLite would read the stops of all devices.
func (q TripsReader) StopsTouching(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]Stop, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+stopColumns+
		` FROM stop s WHERE s.tenant_id = $1 AND s.device_id = $2 AND COALESCE(s.unseen_until, s.end_time) > $3 AND s.start_time < $4
		AND s.start_time >= COALESCE((SELECT MAX(b.start_time) FROM stop b WHERE b.tenant_id = $1 AND b.device_id = $2
		AND b.start_time <= $3), $3)
		ORDER BY s.start_time`, tenantID, deviceID, from, to)
	return database.ReadAll(rows, err, "read stops", scanStop)
}

// SumsDays reports whether a tenant's days, or those of one of its connections, are
// being summed up again.
func (q TripsReader) SumsDays(ctx context.Context, tenantID string) (bool, error) {
	var sums bool
	err := q.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM recompute WHERE tenant_id = $1 AND kind = 'days' AND due_at IS NOT NULL)`,
		tenantID).Scan(&sums)
	return sums, database.Found(err, "look for jobs")
}

// FirstRecord is when the first trip or stop of a device began; ErrNotFound where it
// has none.
func (q TripsReader) FirstRecord(ctx context.Context, tenantID, deviceID string) (drover.Time, error) {
	var first *drover.Time
	err := q.db.QueryRowContext(ctx, `SELECT MIN(b.start_time) FROM (SELECT MIN(t.start_time) AS start_time FROM trip t WHERE t.tenant_id = $1 AND t.device_id = $2
		UNION ALL SELECT MIN(s.start_time) FROM stop s WHERE s.tenant_id = $1 AND s.device_id = $2) b`, tenantID, deviceID).Scan(&first)
	if err == nil && first == nil {
		return drover.Time{}, ErrNotFound
	}
	if err != nil {
		return drover.Time{}, database.Found(err, "find the first trip")
	}
	return *first, nil
}
