package work

import (
	"cmp"
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// RecomputeKind says what a job does.
type RecomputeKind string

// The kinds of jobs. A tenant asks for those of trips; those of days follow from a
// change of time zone.
const (
	RecomputeTrips RecomputeKind = "trips"
	RecomputeDays  RecomputeKind = "days"
)

// Recompute is a stored job that derives trips again, and how far it is.
type Recompute struct {
	drover.Recompute
	TenantID string
	Kind     RecomputeKind
	// DeviceAfter is the device that it is at, empty before the first: all that have
	// a smaller id are done. Reached is up to where that one is done, nil before it has
	// begun.
	DeviceAfter *string
	Reached     *drover.Time
	Attempts    int
	DueAt       *drover.Time
}

const recomputeColumns = `r.tenant_id, r.id, r.kind, r.state, r.window_from, r.window_to, r.connection_id, r.device_id, r.notify, r.devices_total, r.devices_done,
	r.device_after, r.reached, r.trips_added, r.trips_changed, r.trips_removed, r.attempts, r.error, r.due_at, r.created_at, r.started_at, r.finished_at`

func scanRecompute(row database.Scanner) (Recompute, error) {
	var r Recompute
	return r, row.Scan(&r.TenantID, &r.ID, &r.Kind, &r.State, &r.From, &r.To, &r.ConnectionID, &r.DeviceID, &r.Notify, &r.DevicesTotal,
		&r.DevicesDone,
		&r.DeviceAfter, &r.Reached, &r.TripsAdded, &r.TripsChanged, &r.TripsRemoved, &r.Attempts, &r.Error, &r.DueAt, &r.CreatedAt,
		&r.StartedAt, &r.FinishedAt)
}

// Recompute reads a job of a tenant.
func (q JobsReader) Recompute(ctx context.Context, tenantID, id string) (Recompute, error) {
	if !drover.IsID(id) {
		return Recompute{}, database.ErrNotFound
	}
	r, err := scanRecompute(q.db.QueryRowContext(ctx, `SELECT `+recomputeColumns+` FROM recompute r WHERE r.tenant_id = $1 AND r.id = $2`,
		tenantID, id))
	return r, database.Found(err, "read recompute")
}

// RecomputeForUpdate reads a job and keeps others from changing it.
func (tx JobsTx) RecomputeForUpdate(ctx context.Context, tenantID, id string) (Recompute, error) {
	if !drover.IsID(id) {
		return Recompute{}, database.ErrNotFound
	}
	r, err := scanRecompute(tx.db.QueryRowContext(ctx,
		`SELECT `+recomputeColumns+` FROM recompute r WHERE r.tenant_id = $1 AND r.id = $2`+tx.words.ForUpdate(), tenantID, id))
	return r, database.Found(err, "read recompute")
}

// RecomputeOwner tells whose a job is; it is for telling another tenant's from none.
func (q JobsReader) RecomputeOwner(ctx context.Context, asker, id string) (string, error) {
	if !drover.IsID(id) || q.words.Distributed() {
		return "", database.ErrNotFound
	}
	var owner string
	err := q.db.QueryRowContext(ctx, `SELECT tenant_id FROM recompute WHERE tenant_id <> $1 AND id = $2`, asker, id).Scan(&owner)
	return owner, database.Found(err, "read recompute")
}

// Recomputes lists the jobs of trips of a tenant, oldest first, after the id given.
func (q JobsReader) Recomputes(ctx context.Context, tenantID, after string, limit int) ([]Recompute, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"r.tenant_id = $1", "r.kind = 'trips'"}}
	w.ID("r.id >", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+recomputeColumns+` FROM recompute r`+w.SQL()+w.Limit("r.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list recomputes", scanRecompute)
}

// OpenRecomputes counts the jobs of a tenant that are not over.
func (q JobsReader) OpenRecomputes(ctx context.Context, tenantID string) (int, error) {
	var n int
	err := q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM recompute WHERE tenant_id = $1 AND kind = 'trips' AND due_at IS NOT NULL`,
		tenantID).Scan(&n)
	return n, database.Found(err, "count recomputes")
}

// AddRecompute stores a new job.
func (tx JobsTx) AddRecompute(ctx context.Context, r Recompute) error {
	_, err := tx.tx.Write("recompute").ExecContext(ctx,
		`INSERT INTO recompute (tenant_id, id, kind, state, window_from, window_to, connection_id, device_id, notify,
		devices_total, devices_done, trips_added, trips_changed, trips_removed, attempts, due_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0, 0, 0, $11, $12)`,
		r.TenantID, r.ID, cmp.Or(r.Kind, RecomputeTrips), r.State, r.From, r.To, r.ConnectionID, r.DeviceID, r.Notify, r.DevicesTotal, r.DueAt,
		r.CreatedAt)
	if err != nil {
		return fmt.Errorf("add recompute: %w", err)
	}
	return nil
}

// SetRecompute stores how far a job is.
func (tx JobsTx) SetRecompute(ctx context.Context, r Recompute) error {
	_, err := tx.tx.Write("recompute").ExecContext(ctx,
		`UPDATE recompute SET state = $3, devices_total = $4, devices_done = $5, device_after = $6, reached = $7,
		trips_added = $8, trips_changed = $9, trips_removed = $10, attempts = $11, error = $12, due_at = $13, started_at = $14, finished_at = $15
		WHERE tenant_id = $1 AND id = $2`,
		r.TenantID, r.ID, r.State, r.DevicesTotal, r.DevicesDone, r.DeviceAfter, r.Reached, r.TripsAdded, r.TripsChanged, r.TripsRemoved,
		r.Attempts, r.Error, r.DueAt, r.StartedAt, r.FinishedAt)
	if err != nil {
		return fmt.Errorf("set recompute: %w", err)
	}
	return nil
}

// ClaimRecompute takes the job that has waited longest. It is due again at until, so
// that no one else takes it meanwhile, and it is not forgotten where that process
// dies. Without one it is ErrNotFound.
func (q Jobs) ClaimRecompute(ctx context.Context, now, until drover.Time) (r Recompute, err error) {
	const look = `SELECT r.tenant_id, r.id FROM recompute r WHERE r.due_at <= $1
		AND NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = r.tenant_id AND t.suspended = TRUE)`
	err = q.claimFirst(ctx, look, "r.tenant_id", "r.due_at", now, func(tx *Tx, tenantID, id string) error {
		r.TenantID, r.ID = tenantID, id
		return database.Changed(tx.tx.Write("recompute").ExecContext(ctx,
			`UPDATE recompute SET due_at = $4 WHERE tenant_id = $1 AND id = $2 AND due_at <= $3`, tenantID, id, now, until))
	})
	if err != nil {
		return Recompute{}, err
	}
	return q.Recompute(ctx, r.TenantID, r.ID)
}
