// Package fill writes many rows into a database directly, without the service.
package fill

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
)

// Bulk fills a database behind the back of the service, with statements that make
// their rows inside the database: through the service, millions would take an
// hour. Nothing else may have the database open.
type Bulk struct {
	DB       *sql.DB
	Postgres bool
}

// Open opens the PostgreSQL of url, or the SQLite file at path where url is
// empty. A SQLite file that is filled without a journal is lost with the machine,
// and then so is the run.
func Open(path, url string) (*Bulk, error) {
	driver, source := "pgx", url
	if url == "" {
		driver = "sqlite"
		source = "file:" + path + "?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=cache_size(-1000000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return nil, fmt.Errorf("open the database to fill it: %w", err)
	}
	db.SetMaxOpenConns(1)
	return &Bulk{DB: db, Postgres: url != ""}, nil
}

// Run executes statements in turn.
func (b *Bulk) Run(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := b.DB.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("fill the database: %w", err)
		}
	}
	return nil
}

// Settle leaves a filled PostgreSQL as autovacuum would in time. The service's
// SQLite has no statistics, and gets none here.
func (b *Bulk) Settle(ctx context.Context) error {
	if !b.Postgres {
		return nil
	}
	return b.Run(ctx, `VACUUM ANALYZE`, `CHECKPOINT`)
}

// Close closes the database.
func (b *Bulk) Close() error { return b.DB.Close() }

// withoutIndexes takes the indexes of a table away while fill runs: to sort an
// index once costs a fraction of keeping it sorted. In SQLite those of constraints
// stay.
func (b *Bulk) withoutIndexes(ctx context.Context, table string, fill func() error) error {
	drop, create, err := b.indexes(ctx, table)
	if err != nil {
		return err
	}
	if err := b.Run(ctx, drop...); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	return b.Run(ctx, create...)
}

// The queries list the statements that drop a table's indexes and make them again.
const (
	sqliteIndexes = `SELECT 'DROP INDEX ' || name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = $1 AND sql IS NOT NULL`

	postgresIndexes = `SELECT 'DROP INDEX ' || indexname, indexdef FROM pg_indexes
			WHERE schemaname = 'public' AND tablename = $1::text AND indexname NOT IN (SELECT conname FROM pg_constraint)
		UNION ALL
		SELECT format('ALTER TABLE %s DROP CONSTRAINT %s', $1::text, conname),
			format('ALTER TABLE %s ADD CONSTRAINT %s %s', $1::text, conname, pg_get_constraintdef(oid))
			FROM pg_constraint WHERE conrelid = to_regclass($1::text) AND contype IN ('p', 'u')`
)

func (b *Bulk) indexes(ctx context.Context, table string) (drop, create []string, err error) {
	query := sqliteIndexes
	if b.Postgres {
		query = postgresIndexes
	}
	rows, err := b.DB.QueryContext(ctx, query, table)
	if err != nil {
		return nil, nil, fmt.Errorf("list the indexes: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var without, with string
		if err := rows.Scan(&without, &with); err != nil {
			return nil, nil, fmt.Errorf("list the indexes: %w", err)
		}
		drop, create = append(drop, without), append(create, with)
	}
	return drop, create, rows.Err()
}

// Numbers is a query of the whole numbers n from from up to, and without, to.
func Numbers(postgres bool, from, to int) string {
	if postgres {
		return fmt.Sprintf(`SELECT n FROM generate_series(%d::bigint, %d) n`, from, to-1)
	}
	return fmt.Sprintf(`WITH RECURSIVE numbers(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM numbers WHERE n < %d) SELECT n FROM numbers`,
		from, to-1)
}

// NumberedID is the expression of the id with the number n: a UUIDv7, as the
// service makes them.
func NumberedID(postgres bool) string {
	if postgres {
		return `('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
	}
	return `printf('01900000-0000-7000-8000-%012x', n)`
}

// IDText is the literal of an id.
func IDText(postgres bool, id string) string {
	if postgres {
		return `'` + id + `'::uuid`
	}
	return `'` + id + `'`
}

// oneOf is the expression that goes round ids with the number n.
func oneOf(postgres bool, ids []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `CASE n %% %d`, len(ids))
	for i, id := range ids {
		fmt.Fprintf(&b, ` WHEN %d THEN %s`, i, IDText(postgres, id))
	}
	b.WriteString(` END`)
	return b.String()
}
