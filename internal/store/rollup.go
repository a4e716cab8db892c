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
// it out again with sign -1.
func (tx TripsTx) countTrip(ctx context.Context, t Trip, sign int64) error {
	s := sumsOf(t, sign)
	if err := tx.addToDay(ctx, t, s); err != nil {
		return err
	}
	return tx.addToTotal(ctx, t, s)
}

// recountTrip counts a trip of a connection that has changed. Most changes, of its driver
// or its account, change no sum.
func (tx TripsTx) recountTrip(ctx context.Context, before, after Trip) error {
	change, out := sumsOf(after, 1), sumsOf(before, -1)
	if before.StartTime.Day() == after.StartTime.Day() {
		change.add(out)
		if change == (tripSums{}) {
			return nil
		}
		if err := tx.addToDay(ctx, after, change); err != nil {
			return err
		}
		return tx.addToTotal(ctx, after, change)
	}
	if err := tx.addToDay(ctx, before, out); err != nil {
		return err
	}
	if err := tx.addToDay(ctx, after, change); err != nil {
		return err
	}
	change.add(out)
	return tx.addToTotal(ctx, after, change)
}

// sumsOf is what a trip adds to the roll-ups. Only a valid trip's numbers are summed up:
// an invalid one is counted, but its distance cannot be believed.
func sumsOf(t Trip, sign int64) tripSums {
	if !t.IsValid {
		return tripSums{trips: sign}
	}
	return tripSums{
		trips: sign, valid: sign, distance: sumOf(t.DistanceMetres, sign),
		driving: sumOf(t.DrivingSeconds, sign), idling: sumOf(t.IdlingSeconds, sign), auxiliary: sumOf(t.AuxiliarySeconds, sign),
	}
}

const addSums = ` DO UPDATE SET trips = r.trips + excluded.trips, valid_trips = r.valid_trips + excluded.valid_trips,
	distance_mm = r.distance_mm + excluded.distance_mm, driving_ms = r.driving_ms + excluded.driving_ms,
	idling_ms = r.idling_ms + excluded.idling_ms, auxiliary_ms = r.auxiliary_ms + excluded.auxiliary_ms,
	distance_known = r.distance_known + excluded.distance_known, driving_known = r.driving_known + excluded.driving_known,
	idling_known = r.idling_known + excluded.idling_known, auxiliary_known = r.auxiliary_known + excluded.auxiliary_known`

// addToDay adds to the sums of a trip's connection on the day on which it started.
func (tx TripsTx) addToDay(ctx context.Context, t Trip, s tripSums) error {
	_, err := tx.write("trip_day").ExecContext(ctx, `INSERT INTO trip_day AS r (tenant_id, day, connection_id, `+sumColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (tenant_id, day, connection_id)`+addSums,
		append([]any{t.TenantID, t.StartTime.Day(), t.ConnectionID}, s.values()...)...)
	if err != nil {
		return fmt.Errorf("count trip by day: %w", err)
	}
	return nil
}

// addToTotal adds to the sums of a trip's connection.
func (tx TripsTx) addToTotal(ctx context.Context, t Trip, s tripSums) error {
	_, err := tx.write("trip_total").ExecContext(ctx, `INSERT INTO trip_total AS r (tenant_id, connection_id, `+sumColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (tenant_id, connection_id)`+addSums,
		append([]any{t.TenantID, t.ConnectionID}, s.values()...)...)
	if err != nil {
		return fmt.Errorf("count trip: %w", err)
	}
	return nil
}

// sum is a sum of thousandths, and how many have added to it: of none, nothing is
// known.
type sum struct{ total, known int64 }

// sumOf counts one value, or takes it out again with sign -1.
func sumOf(v *float64, sign int64) sum {
	if v == nil {
		return sum{}
	}
	return sum{total: sign * milli(v), known: sign}
}

func (s *sum) add(o sum) {
	s.total += o.total
	s.known += o.known
}

// view is nil where there are values and nothing is known of them. What was counted
// by a version that did not count the known ones is shown.
func (s sum) view(values int64) *float64 {
	if values > 0 && s.known == 0 && s.total == 0 {
		return nil
	}
	return new(float64(s.total) / 1000)
}

// tripSums are the columns of a roll-up.
type tripSums struct {
	trips, valid                         int64
	distance, driving, idling, auxiliary sum
}

// sumColumns are read into sums with targets.
const sumColumns = `trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms, distance_known, driving_known, idling_known, auxiliary_known`

func (s *tripSums) targets() []any {
	return []any{
		&s.trips, &s.valid, &s.distance.total, &s.driving.total, &s.idling.total, &s.auxiliary.total,
		&s.distance.known, &s.driving.known, &s.idling.known, &s.auxiliary.known,
	}
}

func (s *tripSums) values() []any {
	return []any{
		s.trips, s.valid, s.distance.total, s.driving.total, s.idling.total, s.auxiliary.total,
		s.distance.known, s.driving.known, s.idling.known, s.auxiliary.known,
	}
}

func (s *tripSums) add(o tripSums) {
	s.trips += o.trips
	s.valid += o.valid
	s.distance.add(o.distance)
	s.driving.add(o.driving)
	s.idling.add(o.idling)
	s.auxiliary.add(o.auxiliary)
}

func (s *tripSums) view() drover.TripSums {
	return drover.TripSums{Trips: s.trips, ValidTrips: s.valid, TripSizes: drover.TripSizes{
		DistanceMetres: s.distance.view(s.valid), DrivingSeconds: s.driving.view(s.valid),
		IdlingSeconds: s.idling.view(s.valid), AuxiliarySeconds: s.auxiliary.view(s.valid),
	}}
}
