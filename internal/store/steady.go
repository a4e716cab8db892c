package store

import (
	"context"
	"database/sql"
)

// steady runs the statements of a write in the write's own context, also where
// the caller has gone meanwhile. SQLite rolls the whole transaction back when a
// statement of it is interrupted, and others share the transaction; PostgreSQL
// loses the connection, which others wait for.
type steady struct {
	querier
	ctx context.Context //nolint:containedctx // it is what this type is for
}

func (s steady) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	return s.querier.ExecContext(s.ctx, query, args...)
}

func (s steady) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.querier.QueryContext(s.ctx, query, args...)
}

func (s steady) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	return s.querier.QueryRowContext(s.ctx, query, args...)
}
