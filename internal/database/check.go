package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover/internal/database"
)

// CheckPages reads the whole database and tells of damage: SQLite's own check, and
// PostgreSQL's amcheck of every index where that is installed.
func (s *Store) CheckPages(ctx context.Context) error {
	findings, err := s.on.checkPages(ctx)
	if err != nil {
		return fmt.Errorf("check the pages: %w", err)
	}
	if len(findings) > 0 {
		return fmt.Errorf("the database is damaged: %s", strings.Join(findings, "; "))
	}
	return nil
}

// maxFindings bounds what is reported of a damaged database.
const maxFindings = 5

func (d *onSQLite) checkPages(ctx context.Context) ([]string, error) {
	rows, err := d.Reader().QueryContext(ctx, fmt.Sprintf(`PRAGMA quick_check(%d)`, maxFindings))
	findings, err := database.ReadAll(rows, err, "quick_check", database.ScanText)
	if err != nil || len(findings) == 1 && findings[0] == "ok" {
		return nil, err
	}
	return findings, nil
}

// checkPages has every index of ours compared with what it should be, which reads
// all of its pages. The extension is not made here: that changes the database.
func (d *onPostgres) checkPages(ctx context.Context) ([]string, error) {
	var installed bool
	if err := d.Reader().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'amcheck')`).Scan(&installed); err != nil {
		return nil, err
	}
	if !installed {
		return nil, nil
	}
	rows, err := d.Reader().QueryContext(ctx, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace AND c.relpersistence = 'p' ORDER BY 1`)
	indexes, err := database.ReadAll(rows, err, "list indexes", database.ScanText)
	var findings []string
	for _, index := range indexes {
		var none any
		err := d.Reader().QueryRowContext(ctx, `SELECT bt_index_check($1::regclass)::text`, index).Scan(&none)
		if err != nil && len(findings) < maxFindings {
			findings = append(findings, index+": "+err.Error())
		}
	}
	return findings, err
}
