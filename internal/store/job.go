package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// JobKind says what a job reads.
type JobKind string

// The kinds of job, in the order in which they are read.
const (
	JobDevices   JobKind = "devices"
	JobPositions JobKind = "positions"
	JobTrips     JobKind = "trips"
	// JobTracks reads what lies between the polls of a vendor whose live job
	// has the newest position alone.
	JobTracks JobKind = "tracks"
	// JobFaults reads what vehicles report as broken.
	JobFaults JobKind = "faults"
	// JobDrivers reads the list of drivers.
	JobDrivers JobKind = "drivers"
	// JobSafety reads what vendors report as dangerous driving.
	JobSafety JobKind = "safety_events"
	// JobAssignments reads what vendors state of who drove.
	JobAssignments JobKind = "assignments"
)

// Besides reports whether a job reads something besides devices, positions and trips: an
// account that may not read it is no failure of the connection.
func (k JobKind) Besides() bool {
	return k == JobFaults || k == JobDrivers || k == JobSafety || k == JobAssignments
}

// JobState says whether a job goes on.
type JobState string

// The states of a job. Only a backfill job ends.
const (
	JobActive   JobState = "active"
	JobDone     JobState = "done"
	JobCanceled JobState = "canceled"
)

// Job is one thing that is read from a connection's provider, and how that
// goes.
type Job struct {
	TenantID     string
	ConnectionID string
	ID           string
	Kind         JobKind
	State        JobState
	// Backfill marks a job that reads [WindowFrom, WindowTo) from its newest end;
	// [WindowFrom, RemainingTo) is still to be read. A live job begins at
	// WindowFrom and has no end.
	Backfill    bool
	WindowFrom  drover.Time
	WindowTo    *drover.Time
	RemainingTo *drover.Time
	Cursor      string // the adapter's cursor
	DueAt       drover.Time
	Records     int64
	CreatedAt   drover.Time
	// Asked is set for a job that someone asked for; it is not read.
	Asked bool

	LastRunAt         *drover.Time
	LastSuccessAt     *drover.Time
	ConsecutiveErrors int
	LastError         *string
	LastErrorKind     *string
	LastErrorAt       *drover.Time
}

const jobColumns = `s.tenant_id, s.connection_id, s.id, s.kind, s.state, s.backfill, s.window_from, s.window_to, s.remaining_to, s.cursor, s.due_at,
	s.records, s.created_at, s.last_run_at, s.last_success_at, s.consecutive_errors, s.last_error, s.last_error_kind, s.last_error_at`

func scanJob(row database.Scanner) (Job, error) {
	var s Job
	return s, row.Scan(&s.TenantID, &s.ConnectionID, &s.ID, &s.Kind, &s.State, &s.Backfill, &s.WindowFrom, &s.WindowTo, &s.RemainingTo,
		&s.Cursor, &s.DueAt,
		&s.Records, &s.CreatedAt, &s.LastRunAt, &s.LastSuccessAt, &s.ConsecutiveErrors, &s.LastError, &s.LastErrorKind, &s.LastErrorAt)
}

// ConnectionJobs lists a connection's jobs, oldest first.
func (q FleetReader) ConnectionJobs(ctx context.Context, tenantID, connectionID string) ([]Job, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+jobColumns+` FROM job s WHERE s.tenant_id = $1 AND s.connection_id = $2 ORDER BY s.id`,
		tenantID, connectionID)
	return database.ReadAll(rows, err, "list jobs", scanJob)
}

// VisibleJobs lists the jobs of all connections that asker sees.
func (q FleetReader) VisibleJobs(ctx context.Context, asker string) ([]Job, error) {
	byID := func(a, b Job) int { return strings.Compare(a.ID, b.ID) }
	return readParts(ctx, q.queries, asker, 0, byID, func(ctx context.Context, p part) ([]Job, error) {
		w := p.where()
		each := p.eachOwner(w, "s", "connection_id", shares(),
			func(where string) string { return `SELECT ` + jobColumns + ` FROM job s` + where })
		rows, err := q.db.QueryContext(ctx, each+` ORDER BY id`, w.Args...)
		return database.ReadAll(rows, err, "list jobs", scanJob)
	})
}

// AddJob stores a new job.
func (tx FleetTx) AddJob(ctx context.Context, s Job) error {
	_, err := tx.write("job").ExecContext(ctx, `INSERT INTO job
		(tenant_id, connection_id, id, kind, state, backfill, window_from, window_to, remaining_to, cursor, due_at, created_at, requested)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		s.TenantID, s.ConnectionID, s.ID, s.Kind, s.State, s.Backfill, s.WindowFrom, s.WindowTo, s.RemainingTo, s.Cursor, s.DueAt, s.CreatedAt,
		s.Asked)
	if err != nil {
		return fmt.Errorf("add job: %w", err)
	}
	return nil
}

// SetJob stores how far a job has come and how it went. It returns the
// state that is stored: one that was canceled meanwhile stays so.
func (tx FleetTx) SetJob(ctx context.Context, s Job) (JobState, error) {
	var state JobState
	err := tx.write("job").QueryRowContext(ctx, `UPDATE job SET state = CASE WHEN state = 'canceled' THEN state ELSE $4 END, window_from = $5, remaining_to = $6, cursor = $7, due_at = $8, records = $9,
		last_run_at = $10, last_success_at = $11, consecutive_errors = $12, last_error = $13, last_error_kind = $14, last_error_at = $15
		WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 RETURNING state`,
		s.TenantID, s.ConnectionID, s.ID, s.State, s.WindowFrom, s.RemainingTo, s.Cursor, s.DueAt, s.Records,
		s.LastRunAt, s.LastSuccessAt, s.ConsecutiveErrors, s.LastError, s.LastErrorKind, s.LastErrorAt).Scan(&state)
	return state, database.Found(err, "set job")
}

// SetConnectionState stores the health of a connection, unless it was archived
// meanwhile.
func (tx FleetTx) SetConnectionState(ctx context.Context, tenantID, id string, state drover.ConnectionState, now drover.Time) error {
	_, err := tx.write("connection").ExecContext(ctx, `UPDATE connection SET state = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2 AND state <> 'archived'`, tenantID, id, state, now)
	if err != nil {
		return fmt.Errorf("set connection state: %w", err)
	}
	return nil
}

// RushJobs makes a connection's live jobs due, whatever held them up.
func (tx FleetTx) RushJobs(ctx context.Context, tenantID, connectionID string, now drover.Time) error {
	_, err := tx.write("job").ExecContext(ctx, `UPDATE job SET due_at = $3 WHERE tenant_id = $1 AND connection_id = $2 AND state = 'active' AND due_at > $3`, tenantID, connectionID, now)
	if err != nil {
		return fmt.Errorf("rush jobs: %w", err)
	}
	return nil
}

// CancelJob ends a backfill job that is under way.
func (tx FleetTx) CancelJob(ctx context.Context, tenantID, connectionID, id string) error {
	if !drover.IsID(id) {
		return ErrNotFound
	}
	res, err := tx.write("job").ExecContext(ctx, `UPDATE job SET state = 'canceled' WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 AND backfill = TRUE AND state = 'active'`, tenantID, connectionID, id)
	if err != nil {
		return fmt.Errorf("cancel job: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrNotFound, err)
	}
	return nil
}
