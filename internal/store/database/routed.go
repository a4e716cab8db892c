package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// routed reads each tenant's rows at its place.
type routed struct{ *postgresDB }

func (r routed) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	to := r.places.to(ctx, query, args)
	if to == nil {
		return r.db.QueryContext(ctx, query, args...)
	}
	told, err := to.ask(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := to.db.QueryContext(ctx, query, args...)
	if broken(err) {
		rows, err = to.db.QueryContext(ctx, query, args...)
	}
	return rows, told(err)
}

func (r routed) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	to := r.places.to(ctx, query, args)
	if to == nil {
		return r.db.QueryRowContext(ctx, query, args...)
	}
	told, err := to.ask(ctx)
	if err != nil {
		return r.db.QueryRowContext(ended{ctx, err}, query, args...)
	}
	row := to.db.QueryRowContext(ctx, query, args...)
	if broken(row.Err()) {
		row = to.db.QueryRowContext(ctx, query, args...)
	}
	if err := told(row.Err()); errors.Is(err, ErrPlace) {
		return r.db.QueryRowContext(ended{ctx, err}, query, args...)
	}
	return row
}

// ended is a context that has ended by an error: a row without an answer is made with it.
type ended struct {
	context.Context //nolint:containedctx // it is one
	err             error
}

func (e ended) Err() error { return e.err }

func (e ended) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// broken reports whether a connection was of a server that has started again since, or has ended:
// another one is tried once.
func broken(err error) bool {
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// later is a transaction that begins with its first statement, at the place of that one.
type later struct {
	d    *postgresDB
	from context.Context //nolint:containedctx // the caller's, who may look at a place
	ctx  context.Context //nolint:containedctx // the transaction's
	o    *sql.TxOptions
	tx   *sql.Tx
	at   *pool // nil for the database itself
	err  error
}

func (l *later) begin(query string, args []any) (*sql.Tx, error) {
	if l.tx != nil || l.err != nil {
		return l.tx, l.err
	}
	db, told := l.d.db, func(err error) error { return err }
	if to := l.d.places.to(l.from, query, args); to != nil {
		if told, l.err = to.ask(l.from); l.err != nil {
			return nil, l.err
		}
		db, l.at = to.db, to
	}
	if l.tx, l.err = db.BeginTx(l.ctx, l.o); broken(l.err) {
		l.tx, l.err = db.BeginTx(l.ctx, l.o)
	}
	if l.err = told(l.err); l.err != nil {
		l.err = fmt.Errorf("%w: %w", errBegin, l.err)
	}
	return l.tx, l.err
}

func (l *later) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	tx, err := l.begin(query, args)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, query, planned(query, args)...)
	l.at.heard(err)
	return rows, err
}

func (l *later) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	tx, err := l.begin(query, args)
	if err != nil {
		return l.d.db.QueryRowContext(ended{ctx, err}, query, args...)
	}
	row := tx.QueryRowContext(ctx, query, planned(query, args)...)
	l.at.heard(row.Err())
	return row
}

func (l *later) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	tx, err := l.begin(query, args)
	if err != nil {
		return nil, err
	}
	res, err := tx.ExecContext(ctx, query, planned(query, args)...)
	l.at.heard(err)
	return res, err
}

// planned has a change that looks at more than one table planned each time, with its parameters. Of
// such a one PostgreSQL may keep a plan without them: a Citus does not know the tenant then, and
// takes it to all parts of the table, on all servers. What is on one table alone it plans once.
func planned(query string, args []any) []any {
	text := strings.TrimSpace(query)
	update, remove := strings.HasPrefix(text, "UPDATE"), strings.HasPrefix(text, "DELETE")
	if (update || remove) && strings.Contains(text, "SELECT") ||
		update && strings.Contains(text, "FROM") || remove && strings.Contains(text, "USING") {
		return append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	}
	return args
}

func (l *later) rollback() {
	if l.tx != nil {
		_ = l.tx.Rollback() // after a commit it has nothing to do
	}
}

// onceAt is once where tenants lie at several places.
func (d *postgresDB) onceAt(from context.Context, f func(*Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(from), postgresWrite)
	defer cancel()
	l := &later{d: d, from: from, ctx: ctx}
	defer l.rollback()
	if err := f(&Tx{db: l, ctx: ctx, words: d}); err != nil || l.tx == nil {
		return err
	}
	if err := l.tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// viewAt is View there.
func (d *postgresDB) viewAt(ctx context.Context, o *sql.TxOptions, f func(Reader) error) error {
	l := &later{d: d, from: ctx, ctx: ctx, o: o}
	defer l.rollback()
	return f(l)
}
