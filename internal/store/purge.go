package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
	"github.com/drover-fleet/drover/internal/store/work"
)

// MilestonesOf lists the milestones of all tenants that track a device.
func (q TripsReader) MilestonesOf(ctx context.Context, deviceTenantID, deviceID string, limit int) ([]Milestone, error) {
	rows, err := q.db.QueryContext(ctx, selectMilestone+` WHERE m.device_tenant_id = $1 AND m.device_id = $2 ORDER BY m.id LIMIT $3`,
		deviceTenantID, deviceID, limit)
	return database.ReadAll(rows, err, "list the milestones of a device", scanMilestone)
}

// EraseTrips erases trips or stops of a device, some at a time, and reports whether
// there are more. The roll-ups stay as they are: they go with the connection.
func (tx TripsTx) EraseTrips(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	for _, table := range []string{"trip", "stop"} {
		res, err := tx.write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND id IN (
			SELECT id FROM `+table+` WHERE tenant_id = $1 AND device_id = $2 LIMIT $3)`, tenantID, deviceID, work.EraseRows)
		if err != nil {
			return false, fmt.Errorf("erase from %s: %w", table, err)
		}
		if n, err := res.RowsAffected(); err != nil || n == work.EraseRows {
			return true, err
		}
	}
	return false, nil
}

// RenameDriver replaces a driver in some trips of a tenant, and reports in how many.
func (tx TripsTx) RenameDriver(ctx context.Context, tenantID string, r work.Rename) (int64, error) {
	res, err := tx.write("trip").ExecContext(ctx, `UPDATE trip SET driver_id = $3 WHERE tenant_id = $1 AND id IN (
		SELECT id FROM trip WHERE tenant_id = $1 AND driver_id = $2 LIMIT $4)`, tenantID, r.From, r.To, work.EraseRows)
	if err != nil {
		return 0, fmt.Errorf("rename a driver in trips: %w", err)
	}
	return res.RowsAffected()
}

// RenameNewestDriver replaces a driver in the newest position of a device.
func (tx FleetTx) RenameNewestDriver(ctx context.Context, tenantID, deviceID string, r work.Rename) error {
	states, err := tx.DeviceStates(ctx, tenantID, []string{deviceID})
	if err != nil {
		return err
	}
	s := states[deviceID]
	if s == nil || s.Latest == nil || s.Latest.DriverID == nil || *s.Latest.DriverID != r.From {
		return nil
	}
	s.Latest.DriverID = &r.To
	return tx.SetDeviceStates(ctx, tenantID, []*DeviceState{s})
}

// EraseDevice erases a device and what is little of it. Its positions, readings, faults,
// trips and stops have gone before.
func (tx FleetTx) EraseDevice(ctx context.Context, tenantID, deviceID string) error {
	for _, s := range [][2]string{
		{"device_day", "device_id"},
		{"open_stop", "device_id"},
		{"journey", "device_id"},
		{"recompute", "device_id"},
		{"setting", "subject_id"},
		{"reading_series", "device_id"},
		{"device_latest", "device_id"},
		{"device", "id"},
	} {
		if _, err := tx.write(s[0]).ExecContext(ctx, `DELETE FROM `+s[0]+` WHERE tenant_id = $1 AND `+s[1]+` = $2`, tenantID,
			deviceID); err != nil {
			return fmt.Errorf("erase from %s: %w", s[0], err)
		}
	}
	return nil
}

// EraseSums erases the roll-ups of a connection.
func (tx FleetTx) EraseSums(ctx context.Context, tenantID, connectionID string) error {
	return tx.eraseOf(ctx, tenantID, connectionID, "trip_day", "trip_total", "stop_day")
}

// EraseConnection erases a connection without devices, together with the note that it
// was to be. It reports whether it has none.
func (tx FleetTx) EraseConnection(ctx context.Context, p work.Purge) (erased bool, err error) {
	tenantID, connectionID := p.TenantID, p.ConnectionID
	if _, err := tx.ConnectionForUpdate(ctx, tenantID, connectionID); err != nil {
		return false, err
	}
	if n, err := tx.CountDevices(ctx, tenantID, &connectionID); err != nil || n > 0 {
		return false, err
	}
	last, err := tx.feed.LastEvent(ctx, tenantID)
	if err != nil {
		return false, err
	}
	if err := tx.jobs.EraseEvents(ctx, p, last); err != nil {
		return false, err
	}
	if err := tx.EraseSums(ctx, tenantID, connectionID); err != nil {
		return false, err
	}
	for _, kind := range []directory.Kind{directory.Inbound, directory.Share, directory.ConnectionLink} {
		if err := directory.Drop(ctx, tx.tx, kind, `tenant_id = $1 AND connection_id = $2`, tenantID, connectionID); err != nil {
			return false, err
		}
	}
	if err := tx.eraseOf(ctx, tenantID, connectionID, "collection", "job", "job_hour", "connection_quality", "connection_file", "connection_inbound",
		"connection_tag",
		"connection_share", "connection_link", "recompute", "road", "driver", "purge"); err != nil {
		return false, err
	}
	if _, err := tx.write("connection").ExecContext(ctx, `DELETE FROM connection WHERE tenant_id = $1 AND id = $2`, tenantID,
		connectionID); err != nil {
		return false, fmt.Errorf("erase connection: %w", err)
	}
	return true, nil
}

// eraseOf erases from tables all that is of a connection.
func (tx FleetTx) eraseOf(ctx context.Context, tenantID, connectionID string, tables ...string) error {
	for _, table := range tables {
		if _, err := tx.write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND connection_id = $2`, tenantID,
			connectionID); err != nil {
			return fmt.Errorf("erase from %s: %w", table, err)
		}
	}
	return nil
}
