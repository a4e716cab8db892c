package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const tenantColumns = `t.id, t.name, t.suspended, t.erase_at IS NOT NULL, t.created_at`

func scanTenant(row database.Scanner) (drover.Tenant, error) {
	var t drover.Tenant
	return t, row.Scan(&t.ID, &t.Name, &t.Suspended, &t.Erasing, &t.CreatedAt)
}

// Tenant reads a tenant by its id.
func (q Reader) Tenant(ctx context.Context, id string) (drover.Tenant, error) {
	if !drover.IsID(id) {
		return drover.Tenant{}, database.ErrNotFound
	}
	t, err := scanTenant(q.db.QueryRowContext(ctx, `SELECT `+tenantColumns+` FROM tenant t WHERE t.id = $1`, id))
	return t, database.Found(err, "read tenant")
}

// TenantByName reads a tenant by its name.
func (q Reader) TenantByName(ctx context.Context, name string) (drover.Tenant, error) {
	t, err := scanTenant(q.db.QueryRowContext(ctx, `SELECT `+tenantColumns+` FROM tenant t WHERE t.name = $1`, name))
	return t, database.Found(err, "read tenant")
}

// Tenants lists all tenants by name.
func (q Reader) Tenants(ctx context.Context) ([]drover.Tenant, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+tenantColumns+` FROM tenant t ORDER BY t.name`)
	return database.ReadAll(rows, err, "list tenants", scanTenant)
}

// TenantsPage lists tenants by id, after the id given.
func (q Reader) TenantsPage(ctx context.Context, after string, limit int) ([]drover.Tenant, error) {
	w := database.Where{Parts: []string{"TRUE"}}
	w.ID("t.id >", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+tenantColumns+` FROM tenant t`+w.SQL()+w.Limit("t.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list tenants", scanTenant)
}

// TenantForUpdate reads a tenant and keeps others from changing it.
func (tx Editor) TenantForUpdate(ctx context.Context, id string) (drover.Tenant, error) {
	if !drover.IsID(id) {
		return drover.Tenant{}, database.ErrNotFound
	}
	t, err := scanTenant(tx.db.QueryRowContext(ctx, `SELECT `+tenantColumns+` FROM tenant t WHERE t.id = $1`+tx.words.ForUpdate(), id))
	return t, database.Found(err, "read tenant")
}

// AddTenant stores a new tenant. A name that is taken is ErrExists.
func (tx Editor) AddTenant(ctx context.Context, t drover.Tenant) error {
	_, err := tx.tx.Write("tenant").ExecContext(ctx, `INSERT INTO tenant (id, name, suspended, created_at) VALUES ($1, $2, $3, $4)`,
		t.ID, t.Name, t.Suspended, t.CreatedAt)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("add tenant: %w", err)
	}
	_, err = tx.tx.Write("event_sequence").ExecContext(ctx, `INSERT INTO event_sequence (tenant_id, last) VALUES ($1, 0)`, t.ID)
	if err != nil {
		return fmt.Errorf("add tenant: %w", err)
	}
	return nil
}

// RenameTenant gives a tenant another name. One that is taken is ErrExists.
func (tx Editor) RenameTenant(ctx context.Context, id, name string) error {
	_, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET name = $2 WHERE id = $1`, id, name)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("rename tenant: %w", err)
	}
	return nil
}

// EraseTenant suspends a tenant for good, and has it erased from a time on.
func (tx Editor) EraseTenant(ctx context.Context, id string, at drover.Time) error {
	_, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET suspended = TRUE, erase_at = $2 WHERE id = $1 AND erase_at IS NULL`, id, at)
	if err != nil {
		return fmt.Errorf("erase tenant: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// SuspendTenant suspends a tenant, or resumes it.
func (tx Editor) SuspendTenant(ctx context.Context, id string, suspended bool) error {
	_, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET suspended = $2 WHERE id = $1`, id, suspended)
	if err != nil {
		return fmt.Errorf("suspend tenant: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}
