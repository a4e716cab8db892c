package work

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// File is the file that describes the provider of a connection, as the connection is read.
type File struct {
	TenantID, ConnectionID string
	Version, Text          string
	// Since is when the version was found in the folder.
	Since drover.Time
	// Refused is a later version that failed, with when and why; nil where none has.
	Refused   *string
	RefusedAt *drover.Time
	Reason    *string
	// Used is what the last runs used of it.
	Used drover.FileUsed
}

// File reads the file of a connection. database.ErrNotFound says that it has none, or was
// never read.
func (q JobsReader) File(ctx context.Context, tenantID, connectionID string) (File, error) {
	f := File{TenantID: tenantID, ConnectionID: connectionID}
	var used string
	err := q.db.QueryRowContext(ctx, `SELECT version, text, since, refused, refused_at, reason, used FROM connection_file
		WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID).
		Scan(&f.Version, &f.Text, &f.Since, &f.Refused, &f.RefusedAt, &f.Reason, &used)
	if err != nil {
		return f, database.Found(err, "read the file of a connection")
	}
	if err := json.Unmarshal([]byte(used), &f.Used); err != nil {
		return f, fmt.Errorf("read the file of a connection: %w", err)
	}
	return f, nil
}

// SetFile stores which file a connection is read with.
func (tx JobsTx) SetFile(ctx context.Context, f File) error {
	used, err := json.Marshal(f.Used)
	if err != nil {
		return fmt.Errorf("set the file of a connection: %w", err)
	}
	_, err = tx.tx.Write("connection_file").ExecContext(ctx,
		`INSERT INTO connection_file (tenant_id, connection_id, version, text, since, refused, refused_at, reason, used)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, connection_id)
		DO UPDATE SET version = excluded.version, text = excluded.text, since = excluded.since, refused = excluded.refused,
			refused_at = excluded.refused_at, reason = excluded.reason, used = excluded.used`,
		f.TenantID, f.ConnectionID, f.Version, f.Text, f.Since, f.Refused, f.RefusedAt, f.Reason, string(used))
	if err != nil {
		return fmt.Errorf("set the file of a connection: %w", err)
	}
	return nil
}
