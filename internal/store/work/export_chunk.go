package work

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

// AddExportChunk stores a piece of a file that an attempt writes.
func (q Jobs) AddExportChunk(ctx context.Context, e Export, file string, number int64, content []byte) error {
	return q.updateBulk(ctx, func(tx *Tx) error {
		_, err := tx.tx.Write("export_chunk").ExecContext(ctx,
			`INSERT INTO export_chunk (tenant_id, export_id, file, number, content) VALUES ($1, $2, $3, $4, $5)`,
			e.TenantID, e.ID, file, number, content)
		if err != nil {
			return fmt.Errorf("add export chunk: %w", err)
		}
		return nil
	})
}

// ExportChunk reads a piece of a file.
func (q JobsReader) ExportChunk(ctx context.Context, e Export, file string, number int64) (content []byte, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT content FROM export_chunk WHERE tenant_id = $1 AND export_id = $2 AND file = $3 AND number = $4`,
		e.TenantID, e.ID, file, number).Scan(&content)
	return content, database.Found(err, "read export chunk")
}

func (tx *Tx) dropChunks(ctx context.Context, tenantID, id string) error {
	if _, err := tx.tx.Write("export_chunk").ExecContext(ctx, `DELETE FROM export_chunk WHERE tenant_id = $1 AND export_id = $2`, tenantID,
		id); err != nil {
		return fmt.Errorf("drop export chunks: %w", err)
	}
	return nil
}

// DropExportFile forgets what an attempt has written.
func (q Jobs) DropExportFile(ctx context.Context, e Export, file string) error {
	return q.updateBulk(ctx, func(tx *Tx) error {
		_, err := tx.tx.Write("export_chunk").ExecContext(ctx, `DELETE FROM export_chunk WHERE tenant_id = $1 AND export_id = $2 AND file = $3`,
			e.TenantID, e.ID, file)
		if err != nil {
			return fmt.Errorf("drop export file: %w", err)
		}
		return nil
	})
}

// DropStrayChunks forgets what attempts left behind that no one serves or goes on
// with.
func (q Jobs) DropStrayChunks(ctx context.Context) error {
	here, args := database.Here(ctx, q.words, "c.tenant_id", nil)
	return q.updateBulk(ctx, func(tx *Tx) error {
		_, err := tx.tx.Write("export_chunk").ExecContext(ctx, `DELETE FROM export_chunk AS c WHERE NOT EXISTS (
			SELECT 1 FROM export e WHERE e.tenant_id = c.tenant_id AND e.id = c.export_id AND (e.file = c.file OR e.leased_by = c.file))`+here, args...)
		if err != nil {
			return fmt.Errorf("drop stray export chunks: %w", err)
		}
		return nil
	})
}
