package work

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Export is a stored export with its owner.
type Export struct {
	drover.Export
	TenantID string
	// Attempts is how often it was begun, and File the attempt whose file is whole.
	Attempts int
	File     string
	// Claim is the attempt that holds it.
	Claim string
	// Shares are those by which the file holds records of other tenants.
	Shares []string
}

// shares are those of the file as they are stored.
func (e Export) shares() (string, error) {
	if e.Shares == nil {
		return "[]", nil
	}
	text, err := json.Marshal(e.Shares)
	if err != nil {
		return "", fmt.Errorf("write the shares of an export: %w", err)
	}
	return string(text), nil
}

const exportColumns = `id, kind, format, filters, state, progress, records, bytes, error, created_at, started_at, finished_at,
	expires_at, tenant_id, attempts, file, leased_by, shares`

func scanExport(row database.Scanner) (Export, error) {
	var e Export
	var filters, shares string
	err := row.Scan(&e.ID, &e.Kind, &e.Format, &filters, &e.State, &e.ProgressPercent, &e.Records, &e.Bytes, &e.Error, &e.CreatedAt,
		&e.StartedAt, &e.FinishedAt,
		&e.ExpiresAt, &e.TenantID, &e.Attempts, &e.File, &e.Claim, &shares)
	if err != nil {
		return e, err
	}
	e.Filters = json.RawMessage(filters)
	return e, json.Unmarshal([]byte(shares), &e.Shares)
}

// Export reads an export, whichever tenant's it is. The asker's own is looked for
// under its own key first.
func (q JobsReader) Export(ctx context.Context, asker, id string) (Export, error) {
	if !drover.IsID(id) {
		return Export{}, database.ErrNotFound
	}
	e, err := scanExport(q.db.QueryRowContext(ctx, `SELECT `+exportColumns+` FROM export e WHERE e.tenant_id = $1 AND e.id = $2`, asker, id))
	if errors.Is(err, sql.ErrNoRows) && !q.words.Distributed() {
		e, err = scanExport(q.db.QueryRowContext(ctx, `SELECT `+exportColumns+` FROM export e WHERE e.tenant_id <> $1 AND e.id = $2`, asker, id))
	}
	return e, database.Found(err, "read export")
}

// Exports lists a tenant's exports, newest first, before the id given.
func (q JobsReader) Exports(ctx context.Context, tenantID, before string, limit int) ([]drover.Export, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"e.tenant_id = $1"}}
	w.ID("e.id <", before)
	rows, err := q.db.QueryContext(ctx, `SELECT `+exportColumns+` FROM export e`+w.SQL()+w.Limit("e.id DESC", limit), w.Args...)
	return database.ReadAll(rows, err, "list exports", func(row database.Scanner) (drover.Export, error) {
		e, err := scanExport(row)
		return e.Export, err
	})
}

// AddExport stores a new export.
func (tx JobsTx) AddExport(ctx context.Context, e Export) error {
	shares, err := e.shares()
	if err != nil {
		return err
	}
	_, err = tx.tx.Write("export").ExecContext(ctx, `INSERT INTO export (tenant_id, id, kind, format, filters, state, progress, records, bytes, created_at, shares)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, $7, $8)`, e.TenantID, e.ID, string(e.Kind), string(e.Format), string(e.Filters),
		string(e.State), e.CreatedAt, shares)
	if err != nil {
		return fmt.Errorf("add export: %w", err)
	}
	return nil
}

// ExportTenants are those who have an export that waits, the one that waits for longest
// first.
func (q JobsReader) ExportTenants(ctx context.Context, now drover.Time) ([]string, error) {
	here, args := database.Here(ctx, q.words, "w.tenant_id", []any{now})
	rows, err := q.db.QueryContext(ctx, `SELECT w.tenant_id FROM export w WHERE w.state IN ('queued', 'running') AND w.leased_until <= $1`+here+`
		GROUP BY w.tenant_id ORDER BY MIN(w.created_at)`, args...)
	return database.ReadAll(rows, err, "list tenants with exports",
		func(row database.Scanner) (id string, err error) { return id, row.Scan(&id) })
}

// ClaimExport takes the export of a tenant that waits for longest, unless one is
// running, under a lease until the time given. Claim must be new with each call. It
// is ErrNotFound where nothing waits.
func (q Jobs) ClaimExport(ctx context.Context, tenantID, claim string, now, until drover.Time) (e Export, err error) {
	err = q.update(ctx, func(tx *Tx) error {
		row := tx.tx.Write("export").QueryRowContext(ctx, `UPDATE export SET state = 'running', started_at = $1, progress = 0, records = 0, bytes = 0,
			attempts = attempts + 1, leased_by = $3, leased_until = $2 WHERE tenant_id = $4 AND id = (
			SELECT w.id FROM export w WHERE w.tenant_id = $4 AND w.state IN ('queued', 'running') AND w.leased_until <= $1
			AND NOT EXISTS (SELECT 1 FROM export r WHERE r.tenant_id = w.tenant_id AND r.state = 'running' AND r.leased_until > $1)
			ORDER BY w.created_at LIMIT 1`+tx.reader.words.SkipLocked()+`) RETURNING `+exportColumns, now, until, claim, tenantID)
		e, err = scanExport(row)
		return database.Found(err, "claim export")
	})
	return e, err
}

// RenewExport notes how far an attempt has come and prolongs its lease. It is
// ErrNotFound where the attempt no longer holds the export: it was cancelled, or
// another process has taken it.
func (q Jobs) RenewExport(ctx context.Context, e Export, until drover.Time) error {
	return q.update(ctx, func(tx *Tx) error {
		return database.Changed(tx.tx.Write("export").ExecContext(ctx,
			`UPDATE export SET progress = $4, records = $5, bytes = $6, leased_until = $7
			WHERE tenant_id = $1 AND id = $2 AND state = 'running' AND leased_by = $3`,
			e.TenantID, e.ID, e.Claim, e.ProgressPercent, e.Records, e.Bytes, until))
	})
}

// EndExport gives an export that an attempt holds the state, the file and the times
// that it ended with. Queued, it waits for another attempt.
func (q Jobs) EndExport(ctx context.Context, e Export) error {
	shares, err := e.shares()
	if err != nil {
		return err
	}
	return q.update(ctx, func(tx *Tx) error {
		return database.Changed(tx.tx.Write("export").ExecContext(ctx,
			`UPDATE export SET state = $4, progress = $5, records = $6, bytes = $7, error = $8, finished_at = $9,
			expires_at = $10, file = $11, shares = $12, attempts = $13, leased_by = '', leased_until = 0
			WHERE tenant_id = $1 AND id = $2 AND state = 'running' AND leased_by = $3`,
			e.TenantID, e.ID, e.Claim, string(e.State), e.ProgressPercent, e.Records, e.Bytes, e.Error, e.FinishedAt, e.ExpiresAt, e.File, shares,
			e.Attempts))
	})
}

// CancelExport ends an export that waits or runs. It is ErrNotFound where there is
// none that does.
func (tx JobsTx) CancelExport(ctx context.Context, tenantID, id string, at, expires drover.Time) error {
	return database.Changed(tx.tx.Write("export").ExecContext(ctx,
		`UPDATE export SET state = 'cancelled', finished_at = $3, expires_at = $4, leased_by = '', leased_until = 0
		WHERE tenant_id = $1 AND id = $2 AND state IN ('queued', 'running')`, tenantID, id, at, expires))
}

// DropExport forgets an export.
func (tx JobsTx) DropExport(ctx context.Context, tenantID, id string) error {
	if err := tx.dropChunks(ctx, tenantID, id); err != nil {
		return err
	}
	return database.Changed(tx.tx.Write("export").ExecContext(ctx, `DELETE FROM export WHERE tenant_id = $1 AND id = $2`, tenantID, id))
}

// ExpiredExports reads the exports that are to be forgotten.
func (q JobsReader) ExpiredExports(ctx context.Context, now drover.Time) ([]Export, error) {
	here, args := database.Here(ctx, q.words, "e.tenant_id", []any{now})
	rows, err := q.db.QueryContext(ctx, `SELECT `+exportColumns+` FROM export e WHERE e.expires_at <= $1`+here+` ORDER BY e.expires_at LIMIT 1000`,
		args...)
	return database.ReadAll(rows, err, "read expired exports", scanExport)
}

// ExportFiles lists the attempts whose files are served or being written.
func (q JobsReader) ExportFiles(ctx context.Context) (map[string]bool, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT CASE WHEN e.file <> '' THEN e.file ELSE e.leased_by END FROM export e WHERE e.file <> '' OR e.leased_by <> ''`)
	names, err := database.ReadAll(rows, err, "list export files",
		func(row database.Scanner) (name string, err error) { return name, row.Scan(&name) })
	used := make(map[string]bool, len(names))
	for _, name := range names {
		used[name] = true
	}
	return used, err
}

// FreeExports takes back all leases: an embedded database has one process, so
// anyone who held one is gone.
func (q Jobs) FreeExports(ctx context.Context) error {
	return q.update(ctx, func(tx *Tx) error {
		_, err := tx.tx.Write("export").ExecContext(ctx, `UPDATE export SET state = 'queued', leased_by = '', leased_until = 0 WHERE leased_by <> ''`)
		if err != nil {
			return fmt.Errorf("free exports: %w", err)
		}
		return nil
	})
}
