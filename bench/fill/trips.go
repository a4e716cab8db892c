package fill

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// TripID is the id of the bench's nth trip.
func TripID(n int) string { return fmt.Sprintf("01900000-0000-7000-8000-%012x", n) }

// TripDays is over how many days the trips are spread, whatever their number.
const TripDays = 365

// Trips stores the trips of a world from, up to and without to, and sums them up again.
func Trips(ctx context.Context, o store.Options, w *world.World, from, to int) (err error) {
	b, err := Open(o.Path, o.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	insert := strings.NewReplacer(tripParts(b.Postgres, w, from, to)...).Replace(insertTrips)
	if err := b.withoutIndexes(ctx, "trip", func() error { return b.Run(ctx, insert) }); err != nil {
		return err
	}
	if err := b.Run(ctx, `DELETE FROM trip_day`, `DELETE FROM trip_total`, sumDays, sumTotals); err != nil {
		return err
	}
	return b.Settle(ctx)
}

// tripParts are the {parts} of insertTrips.
func tripParts(postgres bool, w *world.World, from, to int) []string {
	number := `printf('%012d', n)`
	if postgres {
		number = `lpad(n::text, 12, '0')`
	}
	devices, connections := make([]string, len(w.Devices)), make([]string, len(w.Devices))
	for i, d := range w.Devices {
		devices[i], connections[i] = d.ID, d.ConnectionID
	}
	return []string{
		"{tenant}", IDText(postgres, w.Owner.ID), "{id}", NumberedID(postgres),
		"{connection}", seldomLast(postgres, connections), "{device}", seldomLast(postgres, devices), "{number}", number,
		"{ago}", fmt.Sprintf(`((n %% %d) * 86400000 + (n / %d) %% 1000 * 40000)`, TripDays, TripDays),
		"{now}", fmt.Sprint(w.Owner.CreatedAt.UnixMilli()), "{numbers}", Numbers(postgres, from, to),
	}
}

// seldom is of how many trips the last device has one: a list by its tag finds few among
// many.
const seldom = 200

// seldomLast is the expression that goes round ids with the number n, but for the last
// one, which is seldom.
func seldomLast(postgres bool, ids []string) string {
	last := len(ids) - 1
	return fmt.Sprintf(`CASE WHEN n %% %d = %d THEN %s ELSE %s END`, seldom, seldom-1, IDText(postgres, ids[last]),
		oneOf(postgres, ids[:last]))
}

// The statements are the same for both databases but for their {parts}. The trips
// are half an hour long, at all times of half a day. Every seventh is invalid, and each
// of a hundred drivers drove one in turn.
const (
	insertTrips = `INSERT INTO trip (tenant_id, id, connection_id, device_id, system_trip_id, start_latitude, start_longitude,
		end_latitude, end_longitude, start_time, end_time, distance_metres, duration_seconds, driving_seconds, idling_seconds,
		auxiliary_seconds, is_valid, validation_comments, driver_id)
		SELECT {tenant}, {id}, {connection}, {device}, {number}, 48.1, 11.5, 48.2, 11.6,
			{now} - {ago} - 3600000, {now} - {ago} - 1800000,
			15000.0 + n % 1000, 1800.0, 1700.0, 100.0, NULL, n % 7 <> 0, CASE WHEN n % 7 = 0 THEN 'The distance is too short.' END,
			'driver ' || (n % 100)
		FROM ({numbers}) numbered`

	sumDays = `INSERT INTO trip_day (tenant_id, day, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms,
		distance_known, driving_known, idling_known, auxiliary_known)
		SELECT tenant_id, start_time / 86400000, connection_id, COUNT(*), SUM(CASE WHEN is_valid THEN 1 ELSE 0 END),
			CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(distance_metres, 0) ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(driving_seconds, 0) ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(idling_seconds, 0) ELSE 0 END) AS BIGINT),
			CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(auxiliary_seconds, 0) ELSE 0 END) AS BIGINT),
			COUNT(CASE WHEN is_valid THEN distance_metres END), COUNT(CASE WHEN is_valid THEN driving_seconds END),
			COUNT(CASE WHEN is_valid THEN idling_seconds END), COUNT(CASE WHEN is_valid THEN auxiliary_seconds END)
		FROM trip GROUP BY tenant_id, start_time / 86400000, connection_id`

	sumTotals = `INSERT INTO trip_total (tenant_id, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms,
		distance_known, driving_known, idling_known, auxiliary_known)
		SELECT tenant_id, connection_id, SUM(trips), SUM(valid_trips), SUM(distance_mm), SUM(driving_ms), SUM(idling_ms), SUM(auxiliary_ms),
			SUM(distance_known), SUM(driving_known), SUM(idling_known), SUM(auxiliary_known)
		FROM trip_day GROUP BY tenant_id, connection_id`
)
