package store

import (
	"context"
	"database/sql"
)

// steady runs each statement to its end, also where its caller has gone. SQLite
// rolls the whole transaction back when a statement of it is interrupted, and
// here others share the transaction.
type steady struct{ querier }

func (s steady) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return s.querier.ExecContext(context.WithoutCancel(ctx), query, args...)
}

func (s steady) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.querier.QueryContext(context.WithoutCancel(ctx), query, args...)
}

func (s steady) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.querier.QueryRowContext(context.WithoutCancel(ctx), query, args...)
}
