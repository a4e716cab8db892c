package database

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// The values that may be null, as ReadEach fills them on PostgreSQL.
type (
	// NullFloat is a number or null.
	NullFloat = pgtype.Float8
	// NullFlag is a truth or null. SQLite has numbers instead.
	NullFlag = pgtype.Bool
	// NullText is a text or null.
	NullText = pgtype.Text
)

// ReadEach asks the driver itself: database/sql makes a value on the heap of each column,
// which costs more than reading it.
func (d *postgresDB) ReadEach(ctx context.Context, query string, args []any, scan func(Scanner) error) error {
	plain, err := plainArgs(args)
	if err != nil {
		return err
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		rows, err := raw.(*stdlib.Conn).Conn().Query(ctx, query, plain...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// plainArgs makes what a driver takes of arguments, as database/sql does.
func plainArgs(args []any) ([]any, error) {
	plain := make([]any, len(args))
	for i, arg := range args {
		plain[i] = arg
		if v, ok := arg.(driver.Valuer); ok {
			var err error
			if plain[i], err = v.Value(); err != nil {
				return nil, fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
	}
	return plain, nil
}

// ReadEach of an embedded database has no faster way.
func (d *sqliteDB) ReadEach(ctx context.Context, query string, args []any, scan func(Scanner) error) error {
	rows, err := d.Reader().QueryContext(ctx, query, args...)
	_, err = ReadAll(rows, err, "read", func(row Scanner) (struct{}, error) { return struct{}{}, scan(row) })
	return err
}
