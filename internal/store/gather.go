package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

const (
	// gatherMost bounds the records that one query reads.
	gatherMost = 32
	// gatherQueries bounds the queries that are under way at once. Another begins
	// only where enough wait to fill it: fewer and larger ones cost less.
	gatherQueries = 4
)

// gather reads records of one kind by their ids. Those that are asked for at the
// same time share a query, because most of what a small query costs it costs
// whatever the number of its rows. Nobody waits for others to come: a query takes
// whoever is there when it begins, and who comes later is in the next.
type gather[T any] struct {
	q     queries
	read  byID[T]
	texts [gatherMost + 1]string // the query for a number of records
	known remembered[T]

	mu      sync.Mutex
	waiting []*wanted[T]
	running int
}

// wanted is a record that somebody waits for.
type wanted[T any] struct {
	asker, id string
	value     T
	err       error
	done      chan struct{}
}

func newGather[T any](q queries, read byID[T]) *gather[T] {
	g := &gather[T]{q: q, read: read, known: remembered[T]{table: q.d.table(read.table)}}
	for n := 1; n <= gatherMost; n++ {
		if q.d.together(n) == n {
			g.texts[n] = q.d.wanted(read.kind, n)
		}
	}
	return g
}

// one reads a record as asker sees it.
func (g *gather[T]) one(ctx context.Context, asker, id string) (T, error) {
	var none T
	if !validID(id) || !validID(asker) { // one that is none would spoil the query of all
		return none, ErrNotFound
	}
	if v, ok := g.known.get(recordKey{asker, id}); ok {
		return v, nil
	}
	w := &wanted[T]{asker: asker, id: id, err: sql.ErrNoRows, done: make(chan struct{})}
	g.add(w)
	select {
	case <-w.done:
	case <-ctx.Done():
		return none, fmt.Errorf("%s: %w", g.read.doing, ctx.Err())
	}
	if errors.Is(w.err, sql.ErrNoRows) {
		return g.read.oneForeign(ctx, g.q, asker, id)
	}
	return w.value, found(w.err, g.read.doing)
}

func (g *gather[T]) add(w *wanted[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, w)
	if g.running == 0 || g.running < gatherQueries && len(g.waiting) >= gatherMost {
		g.running++
		go g.run()
	}
}

// run reads until nobody waits.
func (g *gather[T]) run() {
	for {
		runtime.Gosched() // whoever is about to ask may still join
		batch := g.take()
		if batch == nil {
			return
		}
		g.fill(batch)
	}
}

// take takes as many of those that wait as there is a query for. Where nobody
// waits it ends the run.
func (g *gather[T]) take() []*wanted[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.running--
		return nil
	}
	n := g.q.d.together(min(gatherMost, len(g.waiting)))
	batch := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	return batch
}

// fill reads a batch and tells those that wait for it.
func (g *gather[T]) fill(batch []*wanted[T]) {
	ctx, cancel := g.q.d.bounded(context.Background())
	defer cancel()
	err := g.query(ctx, batch)
	for _, w := range batch {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
}

func (g *gather[T]) query(ctx context.Context, batch []*wanted[T]) error {
	commits, steady := g.known.now()
	askers, ids := make([]string, len(batch)), make([]string, len(batch))
	for i, w := range batch {
		askers[i], ids[i] = w.asker, w.id
	}
	rows, err := g.q.db.QueryContext(ctx, g.texts[len(batch)], g.q.d.wantedArgs(askers, ids)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row := numbered{rows: rows, number: -1}
		v, err := g.read.scan(&row)
		if row.number < 0 {
			return err
		}
		w := batch[row.number]
		if w.value, w.err = v, err; steady && err == nil {
			g.known.put(recordKey{w.asker, w.id}, v, commits)
		}
	}
	return rows.Err()
}

// numbered is a row that begins with its number.
type numbered struct {
	rows   *sql.Rows
	number int
}

func (n *numbered) Scan(dest ...any) error {
	return n.rows.Scan(append([]any{&n.number}, dest...)...)
}
