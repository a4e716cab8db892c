package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const dayMillis = 86_400_000

// TripSums sums up the trips that asker may see. Whole days in UTC of all devices
// are read from the roll-ups, so that it costs the same whatever the number of trips.
func (q TripsReader) TripSums(ctx context.Context, asker string, f drover.TripFilter) (drover.TripSums, error) {
	if wholeDays(f) {
		return q.sumDays(ctx, asker, f)
	}
	const columns = `is_valid, distance_metres, driving_seconds, idling_seconds, auxiliary_seconds`
	sums := []string{"COUNT(*)", "COUNT(CASE WHEN t.is_valid THEN 1 END)"}
	for _, format := range []string{
		"CAST(COALESCE(SUM(CASE WHEN t.is_valid THEN ROUND(1000 * t.%s) END), 0) AS BIGINT)", "COUNT(CASE WHEN t.is_valid THEN t.%s END)",
	} {
		for _, column := range []string{"distance_metres", "driving_seconds", "idling_seconds", "auxiliary_seconds"} {
			sums = append(sums, fmt.Sprintf(format, column))
		}
	}
	var total tripSums
	err := q.eachPart(ctx, asker, func(ctx context.Context, p part) error {
		w := whichTrips(p, f)
		all := p.eachOwner(w.Where, "t", "connection_id", w.shares(),
			func(where string) string { return `SELECT ` + columns + ` FROM trip t` + where })
		var s tripSums
		err := q.db.QueryRowContext(ctx, `SELECT `+strings.Join(sums, ", ")+` FROM (`+all+`) AS t`, w.Args...).Scan(s.targets()...)
		total.add(s)
		return database.Found(err, "sum up trips")
	})
	return total.view(), err
}

// wholeDays reports whether the roll-ups can answer.
func wholeDays(f drover.TripFilter) bool {
	whole := func(t *drover.Time) bool { return t == nil || t.UnixMilli()%dayMillis == 0 }
	return f.DeviceID == "" && f.Tag == "" && f.DriverID == "" && whole(f.From) && whole(f.To)
}

func (q queries) sumDays(ctx context.Context, asker string, f drover.TripFilter) (drover.TripSums, error) {
	var total tripSums
	err := q.eachPart(ctx, asker, func(ctx context.Context, p part) error {
		w := p.where()
		w.ID("r.connection_id =", f.ConnectionID)
		if f.From != nil {
			w.Add("r.day >= $%d", f.From.Day())
		}
		if f.To != nil {
			w.Add("r.day < $%d", f.To.Day())
		}
		each := p.eachOwner(w, "r", "connection_id", shares(),
			func(where string) string { return `SELECT ` + sumColumns + ` FROM trip_day r` + where })
		rows, err := q.db.QueryContext(ctx, each, w.Args...)
		_, err = database.ReadAll(rows, err, "sum up days", func(row database.Scanner) (struct{}, error) {
			var s tripSums
			err := row.Scan(s.targets()...)
			total.add(s)
			return struct{}{}, err
		})
		return err
	})
	switch {
	case f.Valid == nil:
	case *f.Valid:
		total.trips = total.valid
	default:
		total = tripSums{trips: total.trips - total.valid}
	}
	return total.view(), err
}
