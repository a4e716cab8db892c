package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

func scanTag(row database.Scanner) (drover.Tag, error) {
	var t drover.Tag
	return t, row.Scan(&t.ID, &t.Name)
}

// Tags lists a tenant's connection tags by name.
func (q Reader) Tags(ctx context.Context, tenantID string) ([]drover.Tag, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT id, name FROM tag WHERE tenant_id = $1 ORDER BY name`+q.words.ByBytes(), tenantID)
	return database.ReadAll(rows, err, "list tags", scanTag)
}

// ConnectionTags lists the tags of a connection by name.
func (q Reader) ConnectionTags(ctx context.Context, tenantID, connectionID string) ([]drover.Tag, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT t.id, t.name FROM connection_tag ct
		JOIN tag t ON t.tenant_id = ct.tenant_id AND t.id = ct.tag_id
		WHERE ct.tenant_id = $1 AND ct.connection_id = $2 ORDER BY t.name`+q.words.ByBytes(), tenantID, connectionID)
	return database.ReadAll(rows, err, "list connection tags", scanTag)
}

// UntagConnection takes all tags off a connection.
func (tx Editor) UntagConnection(ctx context.Context, tenantID, connectionID string) error {
	if _, err := tx.tx.Write("connection_tag").ExecContext(ctx, `DELETE FROM connection_tag WHERE tenant_id = $1 AND connection_id = $2`,
		tenantID, connectionID); err != nil {
		return fmt.Errorf("untag connection: %w", err)
	}
	return nil
}

// TagConnection attaches tags to a connection and makes those that are missing.
func (tx Editor) TagConnection(ctx context.Context, tenantID, connectionID string, names []string) error {
	for _, name := range names {
		_, err := tx.tx.Write("tag").ExecContext(ctx, `INSERT INTO tag (tenant_id, id, name) VALUES ($1, $2, $3) ON CONFLICT (tenant_id, name) DO NOTHING`, tenantID, database.NewID(), name)
		if err != nil {
			return fmt.Errorf("add tag: %w", err)
		}
		_, err = tx.tx.Write("connection_tag").ExecContext(ctx, `INSERT INTO connection_tag (tenant_id, connection_id, tag_id)
			SELECT tenant_id, $2, id FROM tag WHERE tenant_id = $1 AND name = $3
			ON CONFLICT (tenant_id, connection_id, tag_id) DO NOTHING`, tenantID, connectionID, name)
		if err != nil {
			return fmt.Errorf("tag connection: %w", err)
		}
	}
	return nil
}
