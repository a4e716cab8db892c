package database

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// traced is a database whose statements are traced.
type traced struct {
	DB
	trace func(Statement)
	count atomic.Int64
}

func (d *traced) Reader() Reader { return tracedReader{d.DB.Reader(), d.trace} }

func (d *traced) Update(ctx context.Context, urgency Urgency, f func(*Tx) error) error {
	return d.DB.Update(ctx, urgency, func(tx *Tx) error {
		n := d.count.Add(1)
		tx.trace = func(table, query string, args []any) {
			d.trace(Statement{Tx: n, Table: table, Query: query, Args: args})
		}
		return f(tx)
	})
}

type tracedReader struct {
	Reader
	trace func(Statement)
}

func (r tracedReader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.trace(Statement{Query: query, Args: args})
	return r.Reader.QueryContext(ctx, query, args...)
}

func (r tracedReader) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	r.trace(Statement{Query: query, Args: args})
	return r.Reader.QueryRowContext(ctx, query, args...)
}
