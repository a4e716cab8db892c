package work

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Quality is what was measured of a connection's data.
type Quality struct {
	TenantID, ConnectionID string
	// Verdict is the one that was announced last.
	Verdict drover.Verdict
	Facts   json.RawMessage
}

// Quality reads what was measured of a connection's data. database.ErrNotFound says that
// nothing was.
func (q JobsReader) Quality(ctx context.Context, tenantID, connectionID string) (Quality, error) {
	return scanQuality(tenantID, connectionID, q.db.QueryRowContext(ctx, selectQuality, tenantID, connectionID))
}

// QualityForUpdate is Quality, and keeps others from changing it until the
// transaction ends.
func (tx JobsTx) QualityForUpdate(ctx context.Context, tenantID, connectionID string) (Quality, error) {
	return scanQuality(tenantID, connectionID, tx.db.QueryRowContext(ctx, selectQuality+tx.words.ForUpdate(), tenantID, connectionID))
}

const selectQuality = `SELECT verdict, facts FROM connection_quality WHERE tenant_id = $1 AND connection_id = $2`

func scanQuality(tenantID, connectionID string, row *sql.Row) (Quality, error) {
	quality := Quality{TenantID: tenantID, ConnectionID: connectionID}
	var facts string
	err := row.Scan(&quality.Verdict, &facts)
	quality.Facts = json.RawMessage(facts)
	return quality, database.Found(err, "read quality")
}

// SetQuality stores what was measured of a connection's data.
func (tx JobsTx) SetQuality(ctx context.Context, quality Quality, now drover.Time) error {
	_, err := tx.tx.Write("connection_quality").ExecContext(ctx,
		`INSERT INTO connection_quality (tenant_id, connection_id, verdict, facts, updated_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, connection_id)
		DO UPDATE SET verdict = excluded.verdict, facts = excluded.facts, updated_at = excluded.updated_at`,
		quality.TenantID, quality.ConnectionID, quality.Verdict, string(quality.Facts), now)
	if err != nil {
		return fmt.Errorf("set quality: %w", err)
	}
	return nil
}

// ForgetFacts begins the measurement of a connection's data again: they are read
// differently from now on.
func (tx JobsTx) ForgetFacts(ctx context.Context, tenantID, connectionID string, now drover.Time) error {
	_, err := tx.tx.Write("connection_quality").ExecContext(ctx, `UPDATE connection_quality SET facts = '{}', updated_at = $3
		WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID, now)
	if err != nil {
		return fmt.Errorf("forget facts: %w", err)
	}
	return nil
}
