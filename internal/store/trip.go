package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
)

// Trip is a stored trip with its owner.
type Trip struct {
	drover.Trip
	Access
	ConnectionID string
}

const tripColumns = `t.id, t.device_id, t.system_trip_id, t.start_latitude, t.start_longitude, t.end_latitude, t.end_longitude,
	t.start_time, t.end_time, t.distance_metres, t.duration_seconds, t.driving_seconds, t.idling_seconds, t.auxiliary_seconds,
	t.is_valid, t.validation_comments, t.tenant_id, t.connection_id`

func scanTrip(row scanner) (Trip, error) {
	var t Trip
	return t, row.Scan(&t.ID, &t.DeviceID, &t.SystemTripID, &t.StartLatitude, &t.StartLongitude, &t.EndLatitude, &t.EndLongitude,
		&t.StartTime, &t.EndTime, &t.DistanceMetres, &t.DurationSeconds, &t.DrivingSeconds, &t.IdlingSeconds, &t.AuxiliarySeconds,
		&t.IsValid, &t.ValidationComments, &t.TenantID, &t.ConnectionID, &t.Shared)
}

func selectTrip() string {
	return `SELECT ` + tripColumns + `, ` + sharedColumn("t.tenant_id", "t.connection_id") + ` FROM trip t`
}

// Trip reads a trip as asker sees it.
func (q queries) Trip(ctx context.Context, asker, id string) (Trip, error) {
	return one(ctx, q, selectTrip(), "t", asker, id, "read trip", scanTrip)
}

// TripFilter narrows a list of trips by their start. Empty fields do not.
type TripFilter struct {
	DeviceID     string
	ConnectionID string
	From, To     *drover.Time
	Valid        *bool
}

// TripCursor is a place in the list of trips, which is ordered by start time.
type TripCursor struct {
	StartTime drover.Time `json:"t"`
	ID        string      `json:"i"`
}

// Trips lists the trips that asker may see by start time, after the place given.
func (q queries) Trips(ctx context.Context, asker string, f TripFilter, after *TripCursor, limit int) ([]drover.Trip, error) {
	w := where{args: []any{asker}, parts: []string{visible("t", "connection_id")}}
	w.ids("t.device_id =", f.DeviceID)
	w.ids("t.connection_id =", f.ConnectionID)
	if f.From != nil {
		w.add("t.start_time >= $%d", *f.From)
	}
	if f.To != nil {
		w.add("t.start_time < $%d", *f.To)
	}
	if f.Valid != nil {
		w.add("t.is_valid = $%d", *f.Valid)
	}
	if after != nil {
		w.args = append(w.args, after.StartTime, after.ID)
		w.parts = append(w.parts, fmt.Sprintf("(t.start_time, t.id) > ($%d, $%d)", len(w.args)-1, len(w.args)))
	}
	rows, err := q.db.QueryContext(ctx, selectTrip()+w.sql()+w.limit("t.start_time, t.id", limit), w.args...)
	return collect(rows, err, "list trips", func(row scanner) (drover.Trip, error) {
		t, err := scanTrip(row)
		return t.Trip, err
	})
}

// AddTrip stores a new trip and counts it in the roll-ups.
func (tx *Tx) AddTrip(ctx context.Context, t Trip) error {
	_, err := tx.db.ExecContext(ctx, `INSERT INTO trip
		(tenant_id, id, connection_id, device_id, system_trip_id, start_latitude, start_longitude, end_latitude, end_longitude,
		start_time, end_time, distance_metres, duration_seconds, driving_seconds, idling_seconds, auxiliary_seconds, is_valid, validation_comments)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		t.TenantID, t.ID, t.ConnectionID, t.DeviceID, t.SystemTripID, t.StartLatitude, t.StartLongitude, t.EndLatitude, t.EndLongitude,
		t.StartTime, t.EndTime, t.DistanceMetres, t.DurationSeconds, t.DrivingSeconds, t.IdlingSeconds, t.AuxiliarySeconds, t.IsValid, t.ValidationComments)
	if err != nil {
		return fmt.Errorf("add trip: %w", err)
	}
	return tx.countTrip(ctx, t, 1)
}
