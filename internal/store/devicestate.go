package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
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
	// State is what the device does, as it was last reported, since StateSince;
	// empty where that is not known. SilentDue is when to look whether it has
	// fallen silent.
	State      drover.DeviceState
	StateSince *drover.Time
	SilentDue  *drover.Time
	// found is what the indexes hold of it; nil where it was not read.
	found *stateIndex
}

// stateIndex is what devices are looked for by. It changes seldom, so that storing
// a state leaves the indexes alone but for now and then.
type stateIndex struct {
	hour int64 // of the newest position, since 1970
	due  int64 // of TripDue; 0 where there is none
	// silent is SilentDue; 0 where there is none
	silent int64
}

func (s *DeviceState) index() stateIndex {
	var i stateIndex
	if s.Latest != nil {
		i.hour = hourOf(s.Latest.Time)
	}
	if s.TripDue != nil {
		i.due = s.TripDue.UnixMilli()
	}
	if s.SilentDue != nil {
		i.silent = s.SilentDue.UnixMilli()
	}
	return i
}

const hourMillis = int64(time.Hour / time.Millisecond)

func hourOf(t drover.Time) int64 { return t.UnixMilli() / hourMillis }

// DeviceStates reads the states of devices by device id and keeps other
// transactions from changing them. Devices without one are left out.
func (tx FleetTx) DeviceStates(ctx context.Context, tenantID string, deviceIDs []string) (map[string]*DeviceState, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+stateFields+` FROM device_latest l
		WHERE l.tenant_id = $1 AND l.device_id `+tx.d.InList(2)+` ORDER BY l.device_id`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs))
	states := make(map[string]*DeviceState, len(deviceIDs))
	_, err = database.ReadAll(rows, err, "read device states", func(row database.Scanner) (struct{}, error) {
		s, err := scanState(row)
		states[s.DeviceID] = s
		return struct{}{}, err
	})
	return states, err
}

const stateFields = `l.device_id, l.position, l.trip_state, l.trip_due, l.profile, l.state, l.state_since, l.silent_due`

func scanState(row database.Scanner) (*DeviceState, error) {
	var s DeviceState
	var position []byte
	var profile, state *string
	if err := row.Scan(&s.DeviceID, &position, &s.TripState, &s.TripDue, &profile, &state, &s.StateSince, &s.SilentDue); err != nil {
		return &s, err
	}
	if state != nil {
		s.State = drover.DeviceState(*state)
	}
	if profile != nil {
		s.Profile = json.RawMessage(*profile)
	}
	if len(position) > 0 { // trips alone may be known of it
		latest, err := pack.ReadPosition(position)
		if err != nil {
			return &s, fmt.Errorf("read latest position: %w", err)
		}
		s.Latest = &latest
	}
	s.found = new(s.index())
	return &s, nil
}

// DueTrips lists the states of a connection's devices whose trip under way is
// ended by silence at the time given, those that have waited longest first: in any other
// order PostgreSQL would read all devices of the tenant to find that there is none.
func (tx FleetTx) DueTrips(ctx context.Context, tenantID, connectionID string, now drover.Time, limit int) ([]*DeviceState, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+stateFields+`
		FROM device_latest l JOIN device d ON d.tenant_id = l.tenant_id AND d.id = l.device_id
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND l.trip_due <= $3 ORDER BY l.trip_due LIMIT $4`+tx.d.ForUpdate("l"), tenantID,
		connectionID, now, limit)
	return database.ReadAll(rows, err, "look for trips that have ended", scanState)
}

// SetDeviceStates stores the states of a tenant's devices.
func (tx FleetTx) SetDeviceStates(ctx context.Context, tenantID string, states []*DeviceState) error {
	if len(states) == 0 {
		return nil
	}
	rows := make([]stateRow, len(states))
	for i, s := range states {
		rows[i] = s.row()
	}
	if err := tx.on.setStates(ctx, tx.tx, tenantID, rows); err != nil {
		return fmt.Errorf("set device states: %w", err)
	}
	return nil
}

// stateRow is a state in the form of its columns.
type stateRow struct {
	deviceID     string
	positionTime int64
	position     []byte // empty before the first
	tripState    []byte
	profile      *string
	reportedHour int64
	state        *string
	stateSince   *int64
	tripDue      *int64
	silentDue    *int64
	// settled says that the indexed columns, the last three, are stored already.
	settled bool
}

func (s *DeviceState) row() stateRow {
	index := s.index()
	r := stateRow{
		deviceID: s.DeviceID, position: []byte{}, tripState: s.TripState, reportedHour: index.hour,
		settled: s.found != nil && *s.found == index,
	}
	if s.Latest != nil {
		r.position, r.positionTime = pack.AppendPosition(r.position, s.Latest), s.Latest.Time.UnixMilli()
	}
	if s.TripDue != nil {
		r.tripDue = &index.due
	}
	if s.SilentDue != nil {
		r.silentDue = &index.silent
	}
	if s.State != "" {
		r.state, r.stateSince = new(string(s.State)), new(s.StateSince.UnixMilli())
	}
	if s.Profile != nil {
		text := string(s.Profile)
		r.profile = &text
	}
	return r
}

const (
	stateColumns = `tenant_id, device_id, position_time, position, trip_state, profile, state, state_since, reported_hour, trip_due, silent_due`
	setState     = ` ON CONFLICT (tenant_id, device_id) DO UPDATE SET position_time = excluded.position_time, position = excluded.position,
	trip_state = excluded.trip_state, profile = excluded.profile, state = excluded.state, state_since = excluded.state_since,
	reported_hour = excluded.reported_hour, trip_due = excluded.trip_due, silent_due = excluded.silent_due`
)

// setStates names the indexed columns only where they change: SQLite writes the
// entries of an index again also where the value stays.
func (d *onSQLite) setStates(ctx context.Context, tx *database.Tx, tenantID string, rows []stateRow) error {
	for _, r := range rows {
		var err error
		if r.settled {
			_, err = tx.Write("device_latest").ExecContext(ctx,
				`UPDATE device_latest SET position_time = $3, position = $4, trip_state = $5, profile = $6, state = $7, state_since = $8
				WHERE tenant_id = $1 AND device_id = $2`, tenantID, r.deviceID, r.positionTime, r.position, r.tripState, r.profile, r.state,
				r.stateSince)
		} else {
			_, err = tx.Write("device_latest").ExecContext(ctx,
				`INSERT INTO device_latest (`+stateColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`+setState,
				tenantID, r.deviceID, r.positionTime, r.position, r.tripState, r.profile, r.state, r.stateSince, r.reportedHour, r.tripDue, r.silentDue)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *onPostgres) setStates(ctx context.Context, tx *database.Tx, tenantID string, rows []stateRow) error {
	var device []string
	var positionTime, reportedHour []int64
	var position, tripState [][]byte
	var stateSince, tripDue, silentDue []*int64
	var profile, state []*string
	for _, r := range rows {
		device, positionTime, position = append(device, r.deviceID), append(positionTime, r.positionTime), append(position, r.position)
		tripState, profile = append(tripState, r.tripState), append(profile, r.profile)
		state, stateSince = append(state, r.state), append(stateSince, r.stateSince)
		reportedHour, tripDue, silentDue = append(reportedHour, r.reportedHour), append(tripDue, r.tripDue), append(silentDue, r.silentDue)
	}
	_, err := tx.Write("device_latest").ExecContext(ctx, `INSERT INTO device_latest (`+stateColumns+`)
		SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::bytea[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])`+setState,
		tenantID, device, positionTime, position, tripState, profile, state, stateSince, reportedHour, tripDue, silentDue)
	return err
}

// LatestState reads what is kept of a device, without keeping others from
// changing it.
func (q FleetReader) LatestState(ctx context.Context, tenantID, deviceID string) (*DeviceState, error) {
	s, err := scanState(q.db.QueryRowContext(ctx, `SELECT `+stateFields+` FROM device_latest l
		WHERE l.tenant_id = $1 AND l.device_id = $2`, tenantID, deviceID))
	return s, database.Found(err, "read device state")
}
