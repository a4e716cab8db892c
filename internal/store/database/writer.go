package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const (
	// sqliteBatch bounds the transactions that share one commit.
	sqliteBatch = 128
	// sqliteBulk bounds the statements of a transaction that more bulk joins: some
	// 50 ms of work.
	sqliteBulk = 500
)

// sqliteWrite is a transaction that waits for the writer.
type sqliteWrite struct {
	ctx  context.Context
	run  func(*Tx) error
	done chan error
}

// Update hands f to the writer. SQLite syncs the disk at each commit, so the
// writer lets transactions that arrive together share one.
func (d *sqliteDB) Update(ctx context.Context, urgency Urgency, f func(*Tx) error) error {
	if urgency == Bulk {
		return d.hand(ctx, d.bulk, f)
	}
	return d.hand(ctx, d.writes, f)
}

func (d *sqliteDB) hand(ctx context.Context, writes chan<- *sqliteWrite, f func(*Tx) error) error {
	if err := ctx.Err(); err != nil { // anyone who has gone is not written, also where the writer is free
		return err
	}
	d.enter()
	w := &sqliteWrite{ctx: ctx, run: f, done: make(chan error, 1)}
	select {
	case writes <- w:
		return explained(d.path, <-w.done)
	case <-ctx.Done():
		return ctx.Err()
	case <-d.stopped:
		return sql.ErrConnDone
	}
}

func (d *sqliteDB) writer(ctx context.Context) {
	defer close(d.stopped)
	for {
		if w := d.waiting(true); w != nil && ctx.Err() == nil { // a select alone would take bulk before others
			d.commit(ctx, w)
			continue
		}
		select {
		case w := <-d.writes:
			d.commit(ctx, w)
		case w := <-d.bulk:
			d.commit(ctx, w)
		case <-ctx.Done():
			return
		}
	}
}

// commit runs first and all that wait behind it in one transaction. No one gets a result
// of success before it is committed.
func (d *sqliteDB) commit(ctx context.Context, first *sqliteWrite) {
	// A statement that can be interrupted has goroutines that wait for it, which cost as
	// much as a small statement; and an end of the service must not undo what others share.
	g, begin := &sqliteGroup{d: d, ctx: context.WithoutCancel(ctx)}, d.changes
	g.err = g.exec(`BEGIN IMMEDIATE`)
	w := first
	for tried := 1; w != nil; tried++ { // also those that fail: anyone who tries for ever must not hold up the commit
		g.add(w)
		w = nil
		if g.err == nil && tried < sqliteBatch {
			w = d.waiting(d.changes-begin < sqliteBulk)
		}
	}
	g.commit()
}

// waiting is who waits to be written, bulk behind all others.
func (d *sqliteDB) waiting(bulk bool) *sqliteWrite {
	select {
	case w := <-d.writes:
		return w
	default:
	}
	if !bulk {
		return nil
	}
	select {
	case w := <-d.bulk:
		return w
	default:
		return nil
	}
}

// sqliteGroup is a transaction of SQLite that several share. The failure of one
// leaves the others whole.
type sqliteGroup struct {
	d      *sqliteDB
	ctx    context.Context //nolint:containedctx // the writer's own, which outlives its callers
	passed []*sqliteWrite
	// careful gives each a savepoint, from the first failure on. Without one SQLite
	// need not copy each page before it is written to.
	careful bool
	err     error // it cannot go on
}

func (g *sqliteGroup) exec(query string) error {
	if _, err := g.d.writing.ExecContext(g.ctx, query); err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// add runs w, or tells it that nothing can be run.
func (g *sqliteGroup) add(w *sqliteWrite) {
	err, before := g.err, g.d.changes
	if err == nil {
		err = g.try(w)
	}
	if err == nil {
		g.passed = append(g.passed, w)
		return
	}
	w.done <- err
	if wrote := g.d.changes > before; wrote && !g.careful && g.err == nil {
		g.rerun()
	}
}

// rerun undoes everything and runs those that had passed once more.
func (g *sqliteGroup) rerun() {
	passed := g.passed
	g.passed, g.careful = nil, true
	_ = g.exec(`ROLLBACK`) // SQLite may have done it itself
	g.err = g.exec(`BEGIN IMMEDIATE`)
	for _, w := range passed {
		g.add(w)
	}
}

func (g *sqliteGroup) try(w *sqliteWrite) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if !g.careful {
		return g.run(w)
	}
	if g.err = g.exec(`SAVEPOINT one`); g.err != nil {
		return g.err
	}
	err := g.run(w)
	if err != nil {
		g.err = g.exec(`ROLLBACK TO one`)
	}
	if g.err == nil {
		g.err = g.exec(`RELEASE one`)
	}
	if g.err != nil {
		return errors.Join(err, g.err)
	}
	return err
}

// wrote notes that the transaction under way writes to a table. Only the writer
// calls it.
func (d *sqliteDB) wrote(table string) {
	d.changes++
	d.tables.touch(table)
}

func (g *sqliteGroup) run(w *sqliteWrite) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("transaction panicked: %v", r)
		}
	}()
	return w.run(&Tx{db: g.d.writing, ctx: g.ctx, words: g.d, wrote: g.d.wrote})
}

// commit ends the transaction and tells those that passed.
func (g *sqliteGroup) commit() {
	err := g.d.tables.change(func() error {
		err := g.err
		if err == nil {
			err = g.exec(`COMMIT`)
		}
		if err != nil {
			_ = g.exec(`ROLLBACK`) // SQLite may have done it itself
		}
		return err
	})
	for _, w := range g.passed {
		w.done <- err
	}
}
