package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
)

// DeviceState is what is kept of a device between two batches of positions.
type DeviceState struct {
	DeviceID string
	// Latest is the newest position that is not suspect; nil before the first.
	Latest *drover.Position
	// TripState is the fold of the device's trips, where they are derived, and
	// TripDue when silence ends the trip under way.
	TripState []byte
	TripDue   *drover.Time
	Profile   json.RawMessage
}

const stateColumns = `position_time, position, trip_state, trip_due, profile`

// DeviceStates reads the states of devices by device id and keeps other
// transactions from changing them. Devices without one are left out.
func (tx *Tx) DeviceStates(ctx context.Context, tenantID string, deviceIDs []string) (map[string]*DeviceState, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT device_id, position, trip_state, trip_due, profile FROM device_latest
		WHERE tenant_id = $1 AND device_id `+tx.d.inList(2)+` ORDER BY device_id`+tx.d.forUpdate(), tenantID, tx.d.list(deviceIDs))
	states := make(map[string]*DeviceState, len(deviceIDs))
	_, err = collect(rows, err, "read device states", func(row scanner) (struct{}, error) {
		s, err := scanState(row)
		states[s.DeviceID] = s
		return struct{}{}, err
	})
	return states, err
}

func scanState(row scanner) (*DeviceState, error) {
	var s DeviceState
	var position string
	var profile *string
	if err := row.Scan(&s.DeviceID, &position, &s.TripState, &s.TripDue, &profile); err != nil {
		return &s, err
	}
	if profile != nil {
		s.Profile = json.RawMessage(*profile)
	}
	if position == "" {
		return &s, nil
	}
	s.Latest = new(drover.Position)
	if err := json.Unmarshal([]byte(position), s.Latest); err != nil {
		return &s, fmt.Errorf("read latest position: %w", err)
	}
	return &s, nil
}

// DueTrips lists the states of a connection's devices whose trip under way is
// ended by silence at the time given.
func (tx *Tx) DueTrips(ctx context.Context, tenantID, connectionID string, now drover.Time, limit int) ([]*DeviceState, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT l.device_id, l.position, l.trip_state, l.trip_due, l.profile
		FROM device_latest l JOIN device d ON d.tenant_id = l.tenant_id AND d.id = l.device_id
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND l.trip_due <= $3 ORDER BY l.device_id LIMIT $4`+tx.d.forUpdateOf("l"), tenantID, connectionID, now, limit)
	return collect(rows, err, "look for trips that have ended", scanState)
}

// SetDeviceStates stores the states of a tenant's devices.
func (tx *Tx) SetDeviceStates(ctx context.Context, tenantID string, states []*DeviceState) error {
	if len(states) == 0 {
		return nil
	}
	rows := make([]stateRow, len(states))
	for i, s := range states {
		row, err := s.row()
		if err != nil {
			return err
		}
		rows[i] = row
	}
	if err := tx.d.setStates(ctx, tx.db, tenantID, rows); err != nil {
		return fmt.Errorf("set device states: %w", err)
	}
	return nil
}

// stateRow is a state in the form of its columns.
type stateRow struct {
	deviceID     string
	positionTime int64
	position     string
	tripState    []byte
	tripDue      *int64
	profile      *string
}

func (s *DeviceState) row() (stateRow, error) {
	r := stateRow{deviceID: s.DeviceID, tripState: s.TripState}
	if s.Latest != nil {
		text, err := json.Marshal(s.Latest)
		if err != nil {
			return r, fmt.Errorf("write latest position: %w", err)
		}
		r.position, r.positionTime = string(text), s.Latest.Time.UnixMilli()
	}
	if s.TripDue != nil {
		due := s.TripDue.UnixMilli()
		r.tripDue = &due
	}
	if s.Profile != nil {
		text := string(s.Profile)
		r.profile = &text
	}
	return r, nil
}

const setState = ` ON CONFLICT (tenant_id, device_id) DO UPDATE SET position_time = excluded.position_time, position = excluded.position,
	trip_state = excluded.trip_state, trip_due = excluded.trip_due, profile = excluded.profile`

func (d *sqliteDB) setStates(ctx context.Context, q querier, tenantID string, rows []stateRow) error {
	for start := 0; start < len(rows); start += sqliteRows {
		chunk := rows[start:min(start+sqliteRows, len(rows))]
		args := make([]any, 0, len(chunk)*7)
		for _, r := range chunk {
			args = append(args, tenantID, r.deviceID, r.positionTime, r.position, r.tripState, r.tripDue, r.profile)
		}
		_, err := q.ExecContext(ctx, `INSERT INTO device_latest (tenant_id, device_id, `+stateColumns+`) VALUES `+d.tuples(len(chunk), 7)+setState, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *postgresDB) setStates(ctx context.Context, q querier, tenantID string, rows []stateRow) error {
	var device, position []string
	var positionTime []int64
	var tripState [][]byte
	var tripDue []*int64
	var profile []*string
	for _, r := range rows {
		device, positionTime, position = append(device, r.deviceID), append(positionTime, r.positionTime), append(position, r.position)
		tripState, tripDue, profile = append(tripState, r.tripState), append(tripDue, r.tripDue), append(profile, r.profile)
	}
	_, err := q.ExecContext(ctx, `INSERT INTO device_latest (tenant_id, device_id, `+stateColumns+`)
		SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::bytea[], $6::bigint[], $7::text[])`+setState,
		tenantID, device, positionTime, position, tripState, tripDue, profile)
	return err
}
