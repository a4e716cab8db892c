package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Run is one reading of a job.
type Run struct {
	Job     Job
	At      drover.Time
	Failed  bool
	Records int
}

// AddRun counts a run in its hour.
func (tx FleetTx) AddRun(ctx context.Context, r Run) error {
	failures := 0
	if r.Failed {
		failures = 1
	}
	_, err := tx.write("job_hour").ExecContext(ctx, `INSERT INTO job_hour AS h (tenant_id, connection_id, kind, hour, runs, failures, records)
		VALUES ($1, $2, $3, $4, 1, $5, $6) ON CONFLICT (tenant_id, connection_id, kind, hour)
		DO UPDATE SET runs = h.runs + 1, failures = h.failures + excluded.failures, records = h.records + excluded.records`,
		r.Job.TenantID, r.Job.ConnectionID, r.Job.Kind, hourOf(r.At), failures, r.Records)
	if err != nil {
		return fmt.Errorf("count a run: %w", err)
	}
	return nil
}

// Runs reads how a connection's jobs went by the hour, from the time given on,
// oldest first.
func (q FleetReader) Runs(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]drover.JobHour, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT kind, hour, runs, failures, records FROM job_hour
		WHERE tenant_id = $1 AND connection_id = $2 AND hour >= $3 ORDER BY hour, kind`, tenantID, connectionID, hourOf(since))
	return database.ReadAll(rows, err, "read runs", func(row database.Scanner) (drover.JobHour, error) {
		var h drover.JobHour
		var hour int64
		err := row.Scan(&h.Kind, &hour, &h.Runs, &h.Failures, &h.Records)
		h.Hour = drover.Milli(hour * hourMillis)
		return h, err
	})
}

// DropRuns forgets the hours before t.
func (tx FleetTx) DropRuns(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.d, "job_hour", "hour <", hourOf(t))
}
