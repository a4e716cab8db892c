package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/drover-fleet/drover"
)

// dayText is the date of a numbered day.
func dayText(day int64) string {
	return time.Unix(day*86400, 0).UTC().Format(time.DateOnly)
}

// milli turns a number into a whole number of thousandths; nil counts nothing.
func milli(v *float64) int64 {
	if v == nil {
		return 0
	}
	return int64(math.Round(*v * 1000))
}

// countTrip adds a trip to the roll-ups of the day on which it started, or takes
// it out again with sign -1. Only a valid trip's numbers are summed up: an
// invalid one is counted, but its distance cannot be believed.
func (tx *Tx) countTrip(ctx context.Context, t Trip, sign int64) error {
	s := tripSums{trips: sign}
	if t.IsValid {
		s = tripSums{
			trips: sign, valid: sign, distance: sign * milli(t.DistanceMetres),
			driving: sign * milli(t.DrivingSeconds), idling: sign * milli(t.IdlingSeconds), auxiliary: sign * milli(t.AuxiliarySeconds),
		}
	}
	const conflict = ` DO UPDATE SET trips = r.trips + excluded.trips, valid_trips = r.valid_trips + excluded.valid_trips,
		distance_mm = r.distance_mm + excluded.distance_mm, driving_ms = r.driving_ms + excluded.driving_ms,
		idling_ms = r.idling_ms + excluded.idling_ms, auxiliary_ms = r.auxiliary_ms + excluded.auxiliary_ms`
	_, err := tx.write("trip_day").ExecContext(ctx, `INSERT INTO trip_day AS r (tenant_id, day, connection_id, `+sumColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, day, connection_id)`+conflict,
		append([]any{t.TenantID, t.StartTime.Day(), t.ConnectionID}, s.values()...)...)
	if err != nil {
		return fmt.Errorf("count trip by day: %w", err)
	}
	_, err = tx.write("trip_total").ExecContext(ctx, `INSERT INTO trip_total AS r (tenant_id, connection_id, `+sumColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, connection_id)`+conflict,
		append([]any{t.TenantID, t.ConnectionID}, s.values()...)...)
	if err != nil {
		return fmt.Errorf("count trip: %w", err)
	}
	return nil
}

// tripSums are the columns of a roll-up.
type tripSums struct {
	trips, valid, distance, driving, idling, auxiliary int64
}

// sumColumns are read into sums with targets.
const sumColumns = `trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms`

func (s *tripSums) targets() []any {
	return []any{&s.trips, &s.valid, &s.distance, &s.driving, &s.idling, &s.auxiliary}
}

func (s *tripSums) values() []any {
	return []any{s.trips, s.valid, s.distance, s.driving, s.idling, s.auxiliary}
}

func (s *tripSums) add(o tripSums) {
	s.trips += o.trips
	s.valid += o.valid
	s.distance += o.distance
	s.driving += o.driving
	s.idling += o.idling
	s.auxiliary += o.auxiliary
}

func (s *tripSums) view() drover.TripSums {
	return drover.TripSums{
		Trips: s.trips, ValidTrips: s.valid, DistanceMetres: float64(s.distance) / 1000,
		DrivingSeconds: float64(s.driving) / 1000, IdlingSeconds: float64(s.idling) / 1000, AuxiliarySeconds: float64(s.auxiliary) / 1000,
	}
}
