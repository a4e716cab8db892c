package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/drover-fleet/drover/internal/background"
)

// sqliteDB is one SQLite file: one writer, many readers.
type sqliteDB struct {
	read    *sql.DB
	write   *sql.DB
	cached  *statements
	conn    *sql.Conn   // the writer's own
	writing *statements // prepared on it
	writes  chan *sqliteWrite
	bulk    chan *sqliteWrite // whose callers can wait
	stopped chan struct{}
	settled chan struct{} // upkeep has ended
	tables  tables
	seen    int64 // of the changes that others made; the writer's own
	stop    context.CancelFunc
	once    sync.Once
}

const (
	sqliteReaders = 8
	// sqliteReadCache and sqliteWriteCache bound the pages in memory, in KiB, of
	// each reader and of the writer. The writer's holds the newest positions of a
	// large fleet: each device's are on a page of their own.
	sqliteReadCache  = 16 << 10
	sqliteWriteCache = 128 << 10
	// sqliteUpkeep is how often the log is emptied, and sqliteLog the number of its
	// pages, 512 MiB, at which the writer does what is left of it, so that the log
	// can begin anew. It comes to that only where there is no pause: the larger the
	// log, the smaller that share.
	sqliteUpkeep = 2 * time.Second
	sqliteLog    = 128 << 10
)

func openSQLite(ctx context.Context, o Options) (*sqliteDB, error) {
	if o.Path == "" {
		return nil, errors.New("the SQLite file has no name")
	}
	if err := makeFile(o.Path); err != nil {
		return nil, err
	}
	// One connection is the writer's; migrations and checkpoints use the other.
	write, err := openSQLiteFile(ctx, o.Path, 2, fmt.Sprintf("&_txlock=immediate&_pragma=cache_size(-%d)&_pragma=wal_autocheckpoint(%d)", sqliteWriteCache, sqliteLog))
	if err != nil {
		return nil, err
	}
	read, err := openSQLiteFile(ctx, o.Path, sqliteReaders, fmt.Sprintf("&_pragma=query_only(1)&_pragma=cache_size(-%d)", sqliteReadCache))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	conn, err := write.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open SQLite: %w", err), write.Close(), read.Close())
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	known := newTables("device", "trip", "milestone")
	d := &sqliteDB{
		read: read, write: write, cached: newStatements(read, nil), conn: conn, writing: newStatements(conn, known), tables: known,
		writes: make(chan *sqliteWrite), bulk: make(chan *sqliteWrite), stopped: make(chan struct{}), settled: make(chan struct{}), stop: stop,
	}
	go d.writer(work)
	go d.upkeep(work)
	return d, nil
}

// upkeep moves what was committed from the log to its place in the file, beside
// the writer, who would have to do it otherwise and keep others waiting. And it
// looks for what other processes have written.
func (d *sqliteDB) upkeep(ctx context.Context) {
	defer close(d.settled)
	background.Every(ctx, sqliteUpkeep, func(ctx context.Context) {
		_, _ = d.write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`) // the writer does what is left undone
		_ = d.update(ctx, func(q querier) error { return d.lookForOthers(ctx, q) })
	})
}

// lookForOthers forgets what is remembered where another connection has written:
// a command that an operator runs beside the service, say.
func (d *sqliteDB) lookForOthers(ctx context.Context, q querier) error {
	var version int64
	if err := q.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil || version == d.seen {
		return err
	}
	d.seen = version
	for _, t := range d.tables {
		t.touched = true
	}
	return nil
}

func (d *sqliteDB) table(name string) *table { return d.tables[name] }

// makeFile creates the database file for its owner alone: it holds personal
// data, and SQLite would use the umask.
func makeFile(path string) error {
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the database file: %w", err)
	}
	return f.Close()
}

func openSQLiteFile(ctx context.Context, path string, conns int, extra string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)" +
		"&_pragma=foreign_keys(1)&_pragma=temp_store(memory)" + extra
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open SQLite: %w", err), db.Close())
	}
	return db, nil
}

func (d *sqliteDB) name() string              { return "sqlite" }
func (d *sqliteDB) reader() querier           { return d.cached }
func (d *sqliteDB) forUpdate() string         { return "" }
func (d *sqliteDB) byBytes() string           { return "" }
func (d *sqliteDB) forUpdateOf(string) string { return "" }
func (d *sqliteDB) skipLocked() string        { return "" }
func (d *sqliteDB) list(values []string) any  { return storeStrings(values) }
func (d *sqliteDB) inList(n int) string {
	return fmt.Sprintf("IN (SELECT value FROM json_each($%d))", n)
}
func (d *sqliteDB) stats() sql.DBStats { return d.read.Stats() }

// together is a power of two: each number has a statement of its own, which is kept.
func (d *sqliteDB) together(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

func (d *sqliteDB) wanted(k kind, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d,?,?)", i)
	}
	return `WITH wanted(number, asker, id) AS (VALUES ` + strings.Join(rows, ",") + `) SELECT wanted.number, ` + k.own() +
		` FROM wanted JOIN ` + k.table + ` ` + k.alias + ` ON ` + k.is("wanted.asker", "wanted.id")
}

func (d *sqliteDB) wantedArgs(askers, ids []string) []any {
	args := make([]any, 0, 2*len(ids))
	for i, id := range ids {
		args = append(args, askers[i], id)
	}
	return args
}

// bounded bounds nothing: the file is at hand, and watching costs two goroutines
// each time.
func (d *sqliteDB) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

func (d *sqliteDB) exists(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

func (d *sqliteDB) close() error {
	d.once.Do(func() {
		d.stop()
		<-d.stopped
		<-d.settled
	})
	return errors.Join(d.cached.close(), d.writing.close(), d.conn.Close(), d.read.Close(), d.write.Close())
}

func (d *sqliteDB) migrate(ctx context.Context) (int, error) {
	return migrate(ctx, goose.DialectSQLite3, d.write, "sqlite")
}

func (d *sqliteDB) pendingMigrations(ctx context.Context) (int, error) {
	return pending(ctx, goose.DialectSQLite3, d.write, "sqlite")
}
