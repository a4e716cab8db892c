package database

import (
	"context"
	"database/sql"

	"github.com/drover-fleet/drover/internal/trace"
)

// Tx is a transaction. It reads by itself, and writes through Write.
//
// Its statements run in the transaction's own context, also where the caller has
// gone meanwhile. SQLite rolls the whole transaction back when a statement of it
// is interrupted, and others share the transaction; PostgreSQL loses the
// connection, which others wait for.
type Tx struct {
	db    Writer
	ctx   context.Context //nolint:containedctx // it is what this type is for
	words Dialect
	wrote func(table string)
	trace func(table, query string, args []any) // nil where no one listens
	count int
	rows  int64
}

// Statements is the number of statements that the transaction has run. Tests hold
// by it that work on many records takes few.
func (tx *Tx) Statements() int { return tx.count }

// Changed reports whether the transaction has added, changed or deleted a row so far.
func (tx *Tx) Changed() bool { return tx.rows > 0 }

// Write declares that a table is about to be changed, and changes it. Anyone who
// keeps records of the table forgets them when the transaction is committed.
func (tx *Tx) Write(table string) Writer {
	if tx.wrote != nil {
		tx.wrote(table)
	}
	return writing{tx, table}
}

// QueryContext reads rows.
func (tx *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer tx.tell(ctx, "", query, args).End()
	return tx.db.QueryContext(tx.ctx, query, args...)
}

// QueryRowContext reads a row.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	defer tx.tell(ctx, "", query, args).End()
	return tx.db.QueryRowContext(tx.ctx, query, args...)
}

// tell counts a statement, tells anyone who listens, and begins its part of the caller's trace.
func (tx *Tx) tell(ctx context.Context, table, query string, args []any) *trace.Span {
	tx.count++
	if tx.trace != nil {
		tx.trace(table, query, args)
	}
	return trace.Statement(ctx, tx.words.Name(), query)
}

// writing is a transaction whose next statement has declared its table.
type writing struct {
	tx    *Tx
	table string
}

func (w writing) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	span := w.tx.tell(ctx, w.table, query, args)
	defer span.End()
	res, err := w.tx.db.ExecContext(w.tx.ctx, query, args...)
	span.FailOn(err)
	if err == nil {
		n, _ := res.RowsAffected() // both drivers know it
		w.tx.rows += n
	}
	return res, err
}

func (w writing) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer w.tx.tell(ctx, w.table, query, args).End()
	w.tx.rows++ // what it returns is what it has changed, and who asks for it wants a change
	return w.tx.db.QueryContext(w.tx.ctx, query, args...)
}

func (w writing) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	defer w.tx.tell(ctx, w.table, query, args).End()
	w.tx.rows++
	return w.tx.db.QueryRowContext(w.tx.ctx, query, args...)
}
