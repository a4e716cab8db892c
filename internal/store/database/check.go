package database

import (
	"context"
	"fmt"
	"strings"
)

// CheckPages reads the whole database and tells of damage: SQLite's own check, and
// PostgreSQL's amcheck of every index where that is installed.
func CheckPages(ctx context.Context, db DB) error {
	check := checkFile
	if db.Name() == "postgres" {
		check = checkIndexes
	}
	findings, err := check(ctx, db.Reader())
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

func checkFile(ctx context.Context, r Reader) ([]string, error) {
	rows, err := r.QueryContext(ctx, fmt.Sprintf(`PRAGMA quick_check(%d)`, maxFindings))
	findings, err := ReadAll(rows, err, "quick_check", ScanText)
	if err != nil || len(findings) == 1 && findings[0] == "ok" {
		return nil, err
	}
	return findings, nil
}

// checkIndexes has every index of ours compared with what it should be, which reads
// all of its pages. The extension is not made here: that changes the database.
func checkIndexes(ctx context.Context, r Reader) ([]string, error) {
	var installed bool
	if err := r.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'amcheck')`).Scan(&installed); err != nil {
		return nil, err
	}
	if !installed {
		return nil, nil
	}
	rows, err := r.QueryContext(ctx, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace AND c.relpersistence = 'p' ORDER BY 1`)
	indexes, err := ReadAll(rows, err, "list indexes", ScanText)
	var findings []string
	for _, index := range indexes {
		var none any
		err := r.QueryRowContext(ctx, `SELECT bt_index_check($1::regclass)::text`, index).Scan(&none)
		if err != nil && len(findings) < maxFindings {
			findings = append(findings, index+": "+err.Error())
		}
	}
	return findings, err
}
