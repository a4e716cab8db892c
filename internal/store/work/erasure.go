package work

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// keptTables outlive their tenant: what it is billed by.
var keptTables = []string{"usage_day"}

// ClaimErasure takes the tenant that has waited longest for being erased. It is due again
// at until, so that no one else takes it meanwhile. Without one it is ErrNotFound.
func (q Jobs) ClaimErasure(ctx context.Context, now, until drover.Time) (tenantID string, err error) {
	const look = `SELECT t.id, t.id FROM tenant t WHERE t.erase_at <= $1`
	err = q.claimFirst(ctx, look, "t.id", "t.erase_at", now, func(tx *Tx, id, _ string) error {
		tenantID = id
		return database.Changed(tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET erase_at = $3 WHERE id = $1 AND erase_at <= $2`, id, now, until))
	})
	return tenantID, err
}

// RenewErasure keeps a tenant that is being erased for longer, and has no one collect for
// it: those who do lose their leases.
func (tx JobsTx) RenewErasure(ctx context.Context, tenantID string, until drover.Time) error {
	if _, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET erase_at = $2 WHERE id = $1`, tenantID, until); err != nil {
		return fmt.Errorf("renew erasure: %w", err)
	}
	if _, err := tx.tx.Write("collection").ExecContext(ctx, `DELETE FROM collection WHERE tenant_id = $1`, tenantID); err != nil {
		return fmt.Errorf("stop collection: %w", err)
	}
	return nil
}

// Recipients are the tenants that have taken over events of another.
func (q JobsReader) Recipients(ctx context.Context, tenantID string) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT i.tenant_id FROM inbox i WHERE i.owner_id = $1 ORDER BY i.tenant_id`, tenantID)
	return database.ReadAll(rows, err, "list recipients", scanID)
}

func scanID(row database.Scanner) (id string, err error) { return id, row.Scan(&id) }

// EraseBetween erases what other tenants keep about being shared with one.
func (tx JobsTx) EraseBetween(ctx context.Context, tenantID string) error {
	rows, err := tx.db.QueryContext(ctx, `SELECT i.owner_id FROM inbox i WHERE i.tenant_id = $1
		UNION SELECT cs.tenant_id FROM connection_share cs WHERE cs.shared_with = $1`, tenantID)
	owners, err := database.ReadAll(rows, err, "list owners", scanID)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		for _, table := range []string{"outbox", "message"} {
			if _, err := tx.tx.Write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND recipient_id = $2`, owner,
				tenantID); err != nil {
				return fmt.Errorf("erase from %s: %w", table, err)
			}
		}
	}
	if _, err := tx.tx.Write("inbox").ExecContext(ctx, `DELETE FROM inbox WHERE owner_id = $1`, tenantID); err != nil {
		return fmt.Errorf("erase from inbox: %w", err)
	}
	if _, err := tx.tx.Write("directory").ExecContext(ctx, `DELETE FROM directory WHERE recipient_id = $1`, tenantID); err != nil {
		return fmt.Errorf("erase shares from the directory: %w", err)
	}
	if _, err := tx.tx.Write("connection_share").ExecContext(ctx, `DELETE FROM connection_share WHERE shared_with = $1`, tenantID); err != nil {
		return fmt.Errorf("erase shares: %w", err)
	}
	return nil
}

// EraseRest erases some of what is left of a tenant, at most EraseRows, from every table that
// the database lists with a tenant, and reports whether there is more. A table that is new
// cannot be forgotten.
func (tx JobsTx) EraseRest(ctx context.Context, tenantID string) (more bool, err error) {
	tables, err := tx.on.tenantTables(ctx, tx.tx)
	if err != nil {
		return false, err
	}
	left := int64(EraseRows)
	for _, t := range tables {
		if slices.Contains(keptTables, t.name) {
			continue
		}
		res, err := tx.tx.Write(t.name).ExecContext(ctx, `DELETE FROM `+t.name+` WHERE tenant_id = $1 AND (`+t.row+`) IN (
			SELECT `+t.row+` FROM `+t.name+` WHERE tenant_id = $1 LIMIT $2)`, tenantID, left)
		if err != nil {
			return false, fmt.Errorf("erase from %s: %w", t.name, err)
		}
		n, err := res.RowsAffected()
		if left -= n; err != nil || left <= 0 {
			return true, err
		}
	}
	return false, nil
}

// DropTenant forgets a tenant of which nothing is left.
func (tx JobsTx) DropTenant(ctx context.Context, tenantID string) error {
	if _, err := tx.tx.Write("tenant").ExecContext(ctx, `DELETE FROM tenant WHERE id = $1 AND erase_at IS NOT NULL`, tenantID); err != nil {
		return fmt.Errorf("drop tenant: %w", err)
	}
	return nil
}

// tenantTable is a table with a column tenant_id, and what names a row of it: a name that the
// database has for it, or the columns of its key.
type tenantTable struct{ name, row string }

func scanTenantTable(row database.Scanner) (t tenantTable, err error) {
	return t, row.Scan(&t.name, &t.row)
}

// Deletions are noted in deleted_record, which therefore comes last.
func (onSQLite) tenantTables(ctx context.Context, tx *database.Tx) ([]tenantTable, error) {
	rows, err := tx.QueryContext(ctx, `SELECT m.name, CASE WHEN m.sql LIKE '%WITHOUT ROWID%'
		THEN (SELECT GROUP_CONCAT(k.name, ', ') FROM pragma_table_info(m.name) k WHERE k.pk > 0) ELSE 'rowid' END
		FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'tenant_id' WHERE m.type = 'table'
		ORDER BY m.name = 'deleted_record', m.name`)
	return database.ReadAll(rows, err, "list tables", scanTenantTable)
}

func (onPostgres) tenantTables(ctx context.Context, tx *database.Tx) ([]tenantTable, error) {
	rows, err := tx.QueryContext(ctx, `SELECT c.relname::text, 'ctid' FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname = 'deleted_record', c.relname`)
	return database.ReadAll(rows, err, "list tables", scanTenantTable)
}
