package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Assignment is what a provider states of who drove one of its devices.
type Assignment struct {
	ID, ConnectionID, DeviceID string
	SystemID                   string  // what it is known by among those of the device
	DriverID                   *string // the provider's id; nil where it states that no one drove
	Method                     drover.AssignmentMethod
	From                       drover.Time
	To                         *drover.Time // nil while it goes on
}

// goesOn is when an assignment ends that goes on: one range finds what shares time with another.
const goesOn = 253_370_764_800_000 // the year 9999

const assignmentColumns = `a.id, a.connection_id, a.device_id, a.system_id, a.driver_id, a.method, a.start_time, a.end_time`

func scanAssignment(row database.Scanner) (a Assignment, err error) {
	var end drover.Time
	err = row.Scan(&a.ID, &a.ConnectionID, &a.DeviceID, &a.SystemID, &a.DriverID, &a.Method, &a.From, &end)
	if end.UnixMilli() != goesOn {
		a.To = &end
	}
	return a, err
}

// AssignmentsStated reads what was stated of who drove some devices of a tenant in [from, to),
// limit of them at most.
func (q DriversReader) AssignmentsStated(
	ctx context.Context,
	tenantID string,
	deviceIDs []string,
	from, to drover.Time,
	limit int,
) ([]Assignment, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+assignmentColumns+` FROM assignment a WHERE a.tenant_id = $1 AND a.device_id `+q.d.InList(2)+
		` AND a.end_time > $3 AND a.start_time < $4 AND a.driver_id IS NOT NULL ORDER BY a.device_id, a.start_time, a.id LIMIT $5`,
		tenantID, q.d.List(deviceIDs), from, to, limit)
	return database.ReadAll(rows, err, "read who is stated to have driven", scanAssignment)
}

// AssignmentsShared are those of some assignments in whose time someone else drove too, by trips
// and by other assignments that began before one time or not before another.
func (q DriversReader) AssignmentsShared(ctx context.Context, tenantID string, ids []string, before, after drover.Time) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const other = `EXISTS (SELECT 1 FROM %[1]s o WHERE o.tenant_id = $1 AND o.device_id = a.device_id AND o.start_time < a.end_time
		AND o.start_time >= a.start_time AND (o.start_time < $3 OR o.start_time >= $4) AND o.driver_id <> a.driver_id)`
	rows, err := q.db.QueryContext(ctx, `SELECT a.id FROM assignment a WHERE a.tenant_id = $1 AND a.id `+q.d.InList(2)+` AND (`+
		fmt.Sprintf(other, "trip")+` OR `+fmt.Sprintf(other, "assignment")+`)`, tenantID, q.d.List(ids), before, after)
	return database.ReadAll(rows, err, "look for other drivers", database.ScanText)
}

// DevicesStated lists the devices of a connection that a driver is stated to have driven in
// [from, to), limit of them at most.
func (q DriversReader) DevicesStated(
	ctx context.Context,
	tenantID, connectionID, systemDriverID string,
	from, to drover.Time,
	limit int,
) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT a.device_id FROM assignment a WHERE a.tenant_id = $1 AND a.driver_id = $2
		AND a.end_time > $3 AND a.start_time < $4 AND a.connection_id = $5 ORDER BY a.device_id LIMIT $6`, tenantID, systemDriverID, from, to,
		connectionID, limit)
	return database.ReadAll(rows, err, "list devices of a driver", database.ScanText)
}

// AssignmentCoverage reads whether a connection states who drove; it is empty where it never did.
func (q DriversReader) AssignmentCoverage(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]RecordCoverage, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT 'driver_assignment', COUNT(DISTINCT CASE WHEN a.end_time >= $3 THEN a.device_id END), MAX(a.start_time)
		FROM assignment a WHERE a.tenant_id = $1 AND a.connection_id = $2 AND a.driver_id IS NOT NULL HAVING COUNT(*) > 0`, tenantID,
		connectionID, since)
	return database.ReadAll(rows, err, "read the coverage of assignments", scanRecordCoverage)
}

// AssignmentsNamed reads the assignments of devices that are known by one of some names.
func (tx DriversTx) AssignmentsNamed(ctx context.Context, tenantID string, deviceIDs, systemIDs []string) ([]Assignment, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+assignmentColumns+` FROM assignment a WHERE a.tenant_id = $1 AND a.device_id `+tx.d.InList(2)+
		` AND a.system_id `+tx.d.InList(3)+` ORDER BY a.device_id, a.system_id`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs), tx.d.List(systemIDs))
	return database.ReadAll(rows, err, "read assignments", scanAssignment)
}

// AssignmentsAround reads the assignments of devices that begin from one time to another, both of
// which are in it, with those that go on at the first.
func (tx DriversTx) AssignmentsAround(
	ctx context.Context,
	tenantID string,
	deviceIDs []string,
	from, to drover.Time,
) ([]Assignment, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+assignmentColumns+` FROM assignment a WHERE a.tenant_id = $1 AND a.device_id `+tx.d.InList(2)+
		` AND a.end_time >= $3 AND a.start_time <= $4 ORDER BY a.id`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs), from, to)
	return database.ReadAll(rows, err, "read assignments", scanAssignment)
}

// NextAssignments finds when the first assignments of devices after a time begin.
func (tx DriversTx) NextAssignments(
	ctx context.Context,
	tenantID string,
	deviceIDs []string,
	after drover.Time,
) (map[string]drover.Time, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT a.device_id, MIN(a.start_time) FROM assignment a WHERE a.tenant_id = $1 AND a.device_id `+tx.d.InList(2)+
		` AND a.end_time >= $3 AND a.start_time > $3 GROUP BY a.device_id`, tenantID, tx.d.List(deviceIDs), after)
	next := map[string]drover.Time{}
	_, err = database.ReadAll(rows, err, "find the next assignments", func(row database.Scanner) (struct{}, error) {
		var device string
		var at drover.Time
		err := row.Scan(&device, &at)
		next[device] = at
		return struct{}{}, err
	})
	return next, err
}

// AssignmentsWithin reads the assignments of a connection that share time with [from, to).
func (tx DriversTx) AssignmentsWithin(ctx context.Context, tenantID, connectionID string, from, to drover.Time) ([]Assignment, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+assignmentColumns+` FROM assignment a WHERE a.tenant_id = $1 AND a.connection_id = $2
		AND a.end_time > $3 AND a.start_time < $4 ORDER BY a.id`, tenantID, connectionID, from, to)
	return database.ReadAll(rows, err, "read assignments", scanAssignment)
}

var assignmentRow = []database.Column{
	database.ID("tenant_id"),
	database.ID("id"),
	database.ID("connection_id"),
	database.ID("device_id"),
	database.Text("system_id"),
	database.Text("driver_id"),
	database.Text("method"),
	database.Number("start_time"),
	database.Number("end_time"),
}

// SetAssignments stores what is stated of who drove a tenant's devices.
func (tx DriversTx) SetAssignments(ctx context.Context, tenantID string, list []Assignment) error {
	rows := make([][]any, len(list))
	for i, a := range list {
		end := int64(goesOn)
		if a.To != nil {
			end = a.To.UnixMilli()
		}
		rows[i] = []any{tenantID, a.ID, a.ConnectionID, a.DeviceID, a.SystemID, a.DriverID, string(a.Method), a.From.UnixMilli(), end}
	}
	err := tx.tx.InsertRows(ctx, "assignment", assignmentRow, rows, `ON CONFLICT (tenant_id, device_id, system_id) DO UPDATE SET
		driver_id = excluded.driver_id, method = excluded.method, start_time = excluded.start_time, end_time = excluded.end_time`)
	if err != nil {
		return fmt.Errorf("store assignments: %w", err)
	}
	return nil
}

// DropAssignments removes assignments that are no longer stated.
func (tx DriversTx) DropAssignments(ctx context.Context, tenantID string, ids []string) error {
	for some := range slices.Chunk(ids, work.EraseRows) {
		if _, err := tx.write("assignment").ExecContext(ctx, `DELETE FROM assignment WHERE tenant_id = $1 AND id `+tx.d.InList(2), tenantID,
			tx.d.List(some)); err != nil {
			return fmt.Errorf("drop assignments: %w", err)
		}
	}
	return nil
}

// ForgetAssignments forgets the assignments that ended before each tenant's cut, in many small
// transactions.
func (s *Store) ForgetAssignments(ctx context.Context, cuts []history.Cut) (int64, error) {
	return s.forgetRecords(ctx, "assignment", "end_time", cuts)
}

// EraseAssignments erases assignments of a device, some at a time, and reports whether there
// are more.
func (tx VehiclesTx) EraseAssignments(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	return tx.eraseRecords(ctx, "assignment", tenantID, deviceID)
}

// RenameAssigned replaces a driver in some assignments of a tenant, and reports in how many.
func (tx DriversTx) RenameAssigned(ctx context.Context, tenantID string, r work.Rename) (int64, error) {
	res, err := tx.write("assignment").ExecContext(ctx, `UPDATE assignment SET driver_id = $3 WHERE tenant_id = $1 AND id IN (
		SELECT a.id FROM assignment a WHERE a.tenant_id = $1 AND a.driver_id = $2 LIMIT $4)`, tenantID, r.From, r.To, work.EraseRows)
	if err != nil {
		return 0, fmt.Errorf("rename a driver in assignments: %w", err)
	}
	return res.RowsAffected()
}
