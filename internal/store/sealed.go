package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

// SealedTable is a table with a column that is sealed.
type SealedTable struct {
	Name   string
	column string
}

// The sealed columns.
var (
	sealedCredentials = SealedTable{Name: "connection", column: "credentials"}
	sealedSecrets     = SealedTable{Name: "webhook", column: "secrets"}
	sealedAccount     = SealedTable{Name: "webhook_secret", column: "secrets"}
	sealedAnswers     = SealedTable{Name: "idempotency", column: "answer"}
	sealedSignOn      = SealedTable{Name: "single_sign_on", column: "secret"}
	sealedTOTP        = SealedTable{Name: "totp", column: "secret"}
)

// SealedTables are all of them: what a change of keys goes through.
var SealedTables = []SealedTable{sealedCredentials, sealedSecrets, sealedAccount, sealedAnswers, sealedSignOn, sealedTOTP}

// Sealed is the sealed column of one record.
type Sealed struct {
	TenantID string
	ID       string
	Sealed   []byte
}

// Bind names what the sealed value belongs to. A value that was copied to
// another row does not open there.
func (s Sealed) Bind() []string { return []string{s.TenantID, s.ID} }

// SealedAfter lists the sealed values of all tenants by id, a page after the id
// given.
func (tx FleetTx) SealedAfter(ctx context.Context, table SealedTable, after string, limit int) ([]Sealed, error) {
	if after == "" {
		after = "00000000-0000-0000-0000-000000000000"
	}
	rows, err := tx.db.QueryContext(ctx, `SELECT tenant_id, id, `+table.column+` FROM `+table.Name+` WHERE id > $1 ORDER BY id LIMIT $2`,
		after, limit)
	return database.ReadAll(rows, err, "list sealed values", func(row database.Scanner) (Sealed, error) {
		var s Sealed
		return s, row.Scan(&s.TenantID, &s.ID, &s.Sealed)
	})
}

// setSealed replaces a sealed value.
func (w writer) setSealed(ctx context.Context, table SealedTable, s Sealed) error {
	_, err := w.write(table.Name).ExecContext(ctx, `UPDATE `+table.Name+` SET `+table.column+` = $3 WHERE tenant_id = $1 AND id = $2`,
		s.TenantID, s.ID, s.Sealed)
	if err != nil {
		return fmt.Errorf("set sealed value: %w", err)
	}
	return nil
}

// ReplaceSealed replaces a sealed value by itself under another key. Where it was changed
// meanwhile, the transaction runs again.
func (tx FleetTx) ReplaceSealed(ctx context.Context, table SealedTable, s Sealed, before []byte) error {
	err := database.Changed(tx.write(table.Name).ExecContext(ctx, `UPDATE `+table.Name+` SET `+table.column+` = $3
		WHERE tenant_id = $1 AND id = $2 AND `+table.column+` = $4`, s.TenantID, s.ID, s.Sealed, before))
	if errors.Is(err, database.ErrNotFound) {
		return database.ErrAgain
	}
	return err
}

// SetCredentials replaces the sealed credentials of a connection.
func (tx FleetTx) SetCredentials(ctx context.Context, s Sealed) error {
	return tx.setSealed(ctx, sealedCredentials, s)
}
