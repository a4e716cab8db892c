package account

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Settings reads what a tenant and some of its devices have set for themselves, by
// their ids. Those that have set nothing are left out.
func (q Reader) Settings(ctx context.Context, tenantID string, deviceIDs ...string) (map[string]drover.Settings, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT subject_id, settings FROM setting WHERE tenant_id = $1 AND subject_id `+q.words.InList(2),
		tenantID, q.words.List(append([]string{tenantID}, deviceIDs...)))
	settings := map[string]drover.Settings{}
	_, err = database.ReadAll(rows, err, "read settings", func(row database.Scanner) (struct{}, error) {
		var id, text string
		if err := row.Scan(&id, &text); err != nil {
			return struct{}{}, err
		}
		var s drover.Settings
		err := json.Unmarshal([]byte(text), &s)
		settings[id] = s
		return struct{}{}, err
	})
	return settings, err
}

// SetSettings stores what a tenant, or one of its devices, has set for itself.
func (tx Editor) SetSettings(ctx context.Context, tenantID, subjectID string, s drover.Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("set settings: %w", err)
	}
	_, err = tx.tx.Write("setting").ExecContext(ctx, `INSERT INTO setting (tenant_id, subject_id, settings) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, subject_id) DO UPDATE SET settings = excluded.settings`, tenantID, subjectID, string(text))
	if err != nil {
		return fmt.Errorf("set settings: %w", err)
	}
	return nil
}
