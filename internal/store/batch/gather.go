package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const (
	// gatherMost bounds the records that one query reads.
	gatherMost = 32
	// gatherQueries bounds the queries that are under way at once. Another begins
	// only where enough wait to fill it: fewer and larger ones cost less.
	gatherQueries = 4
	// gatherWait bounds a query that several wait for: a server that does not answer
	// must not hold it for ever. A file is at hand, and watching the time costs two
	// goroutines for each query.
	gatherWait = 10 * time.Second
	// gatherKept bounds the records in memory, at some 500 bytes each.
	gatherKept = 10_000
)

// Gather reads records of one kind by their ids. Those that are asked for at the
// same time share a query, because most of what a small query costs it costs
// whatever the number of its rows. No one waits for others to come: a query takes
// anyone who is there when it begins, and who comes later is in the next. Where tenants lie
// apart, each has queries of its own, which wait for no other tenant's server.
type Gather[T any] struct {
	from  Source
	read  Record[T]
	on    specific
	texts [gatherMost + 1]string // the query for a number of records
	cache database.Cache[T]
	wait  time.Duration // zero is no bound

	mu  sync.Mutex
	all queue[T]
	of  map[string]*queue[T] // by tenant, of those for whom there are queries
}

// queue are those that wait, and the number of queries under way for them.
type queue[T any] struct {
	tenant  string // whose records they ask for; empty where it may be any
	waiting []*lookup[T]
	running int
}

// lookup is a record that someone waits for.
type lookup[T any] struct {
	asker, id string
	value     T
	err       error
	done      chan struct{}
}

// NewGather has records of a kind read from a database, which remembers them. Now is
// the clock by which shares are judged.
func NewGather[T any](db database.DB, now func() time.Time, read Record[T]) *Gather[T] {
	g := &Gather[T]{
		from: Source{DB: db.Reader(), Now: now}, read: read, on: onSQLite{}, of: map[string]*queue[T]{},
		cache: database.NewCache[T](db, gatherKept, read.kind.Table),
	}
	if db.Name() == "postgres" {
		g.on, g.wait = onPostgres{}, gatherWait
	}
	for n := 1; n <= gatherMost; n++ {
		if g.on.together(n) == n {
			g.texts[n] = g.on.lookups(read.kind, n)
		}
	}
	return g
}

// one reads a record as asker sees it.
func (g *Gather[T]) one(ctx context.Context, from Source, asker, id string) (T, error) {
	var none T
	if !drover.IsID(id) || !drover.IsID(asker) { // one that is none would spoil the query of all
		return none, database.ErrNotFound
	}
	if v, ok := g.cache.Get(database.Key{Asker: asker, ID: id}); ok {
		return v, nil
	}
	w := &lookup[T]{asker: asker, id: id, err: sql.ErrNoRows, done: make(chan struct{})}
	tenant := ""
	if from.Owners != nil {
		tenant = asker
	}
	g.add(tenant, w)
	select {
	case <-w.done:
	case <-ctx.Done():
		return none, fmt.Errorf("%s: %w", g.read.kind.Doing, ctx.Err())
	}
	if errors.Is(w.err, sql.ErrNoRows) {
		return g.read.foreignOne(ctx, from, asker, id)
	}
	return w.value, database.Found(w.err, g.read.kind.Doing)
}

// add has someone wait for records of a tenant or, where that is empty, of any.
func (g *Gather[T]) add(tenant string, w *lookup[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := &g.all
	if tenant != "" {
		if q = g.of[tenant]; q == nil {
			q = &queue[T]{tenant: tenant}
			g.of[tenant] = q
		}
	}
	q.waiting = append(q.waiting, w)
	if q.running == 0 || q.running < gatherQueries && len(q.waiting) >= gatherMost {
		q.running++
		go g.run(q)
	}
}

// run reads until no one waits.
func (g *Gather[T]) run(q *queue[T]) {
	for {
		runtime.Gosched() // anyone who is about to ask may still join
		batch := g.take(q)
		if batch == nil {
			return
		}
		g.fill(q.tenant, batch)
	}
}

// take takes as many of those that wait as there is a query for. Where no one
// waits it ends the run.
func (g *Gather[T]) take(q *queue[T]) []*lookup[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(q.waiting) == 0 {
		if q.running--; q.running == 0 && q.tenant != "" {
			delete(g.of, q.tenant)
		}
		return nil
	}
	n := g.on.together(min(gatherMost, len(q.waiting)))
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// fill reads a batch and tells those that wait for it.
func (g *Gather[T]) fill(tenant string, batch []*lookup[T]) {
	ctx := context.Background()
	if g.wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.wait)
		defer cancel()
	}
	var err error
	if tenant == "" {
		err = g.query(ctx, batch)
	} else {
		err = g.queryOf(ctx, tenant, batch)
	}
	for _, w := range batch {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
}

func (g *Gather[T]) query(ctx context.Context, batch []*lookup[T]) error {
	begun := g.cache.Begin()
	askers, ids := make([]string, len(batch)), make([]string, len(batch))
	for i, w := range batch {
		askers[i], ids[i] = w.asker, w.id
	}
	rows, err := g.from.DB.QueryContext(ctx, g.texts[len(batch)], g.on.lookupArgs(askers, ids)...)
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
		if w.value, w.err = v, err; err == nil {
			g.cache.Put(database.Key{Asker: w.asker, ID: w.id}, v, begun)
		}
	}
	return rows.Err()
}

// queryOf reads records of one tenant, which a Citus takes as they are to its server.
func (g *Gather[T]) queryOf(ctx context.Context, tenant string, batch []*lookup[T]) error {
	ids := make([]string, len(batch))
	for i, w := range batch {
		ids[i] = w.id
	}
	rows, err := g.from.DB.QueryContext(ctx, g.read.ofTenant, tenant, "{"+strings.Join(ids, ",")+"}")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row := named{rows: rows}
		v, err := g.read.scan(&row)
		if row.id == "" {
			return err
		}
		for _, w := range batch {
			if w.id == row.id {
				w.value, w.err = v, err
			}
		}
	}
	return rows.Err()
}

// named is a row that begins with its id.
type named struct {
	rows *sql.Rows
	id   string
}

func (n *named) Scan(dest ...any) error { return n.rows.Scan(append([]any{&n.id}, dest...)...) }

// numbered is a row that begins with its number.
type numbered struct {
	rows   *sql.Rows
	number int
}

func (n *numbered) Scan(dest ...any) error {
	return n.rows.Scan(append([]any{&n.number}, dest...)...)
}

// specific is what is done in another way on each database.
type specific interface {
	// together is how many of n records one query reads at the most.
	together(n int) int
	// lookups reads n records of their owners: the place in the list of those that
	// are asked for, from 0, and the columns. lookupArgs are its parameters.
	lookups(k Kind, n int) string
	lookupArgs(askers, ids []string) []any
}

type (
	onSQLite   struct{}
	onPostgres struct{}
)

// together is a power of two: each number has a statement of its own, which is kept.
func (onSQLite) together(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

func (onSQLite) lookups(k Kind, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d,?,?)", i)
	}
	return `WITH wanted(number, asker, id) AS (VALUES ` + strings.Join(rows, ",") + `) SELECT wanted.number, ` + k.own() +
		` FROM wanted JOIN ` + k.Table + ` ` + k.Alias + ` ON ` + k.is("wanted.asker", "wanted.id")
}

func (onSQLite) lookupArgs(askers, ids []string) []any {
	args := make([]any, 0, 2*len(ids))
	for i, id := range ids {
		args = append(args, askers[i], id)
	}
	return args
}

func (onPostgres) together(n int) int { return n }

// lookups looks each record up by its key: a join would read all of a table that
// is small.
func (onPostgres) lookups(k Kind, _ int) string {
	return `SELECT wanted.number - 1, found.* FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted(asker, id, number)
		CROSS JOIN LATERAL (SELECT ` + k.own() + k.from() + ` WHERE ` + k.is("wanted.asker", "wanted.id") + ` LIMIT 1) found`
}

// lookupArgs are written as PostgreSQL's own text: the driver would try other ways
// first.
func (onPostgres) lookupArgs(askers, ids []string) []any {
	return []any{"{" + strings.Join(askers, ",") + "}", "{" + strings.Join(ids, ",") + "}"}
}
