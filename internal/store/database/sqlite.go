package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/drover-fleet/drover/internal/background"
)

// sqliteDB is one SQLite file: one writer, many readers.
type sqliteDB struct {
	sqliteWords
	path    string
	enter   func() // before each transaction
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
	changes int   // statements that write; the writer's own
	seen    int64 // of the changes that others made; the writer's own
	stop    context.CancelFunc
	once    sync.Once
}

const (
	sqliteReaders = 8
	// sqlitePages bounds the pages in memory, in bytes: one half is the writer's, the
	// other that of all readers. The writer's holds the newest positions of a large
	// fleet: each device's are on a page of their own.
	sqlitePages = 256 << 20
	// sqliteUpkeep is how often the log is emptied, and sqliteLog the number of its
	// pages, 512 MiB, at which the writer does what is left of it, so that the log
	// can begin again. It comes to that only where there is no pause: the larger the
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
	pages := sqlitePages >> 10
	if o.Pages > 0 {
		pages = int(min(o.Pages>>10, int64(pages)))
	}
	stage := Stage{Driver: "sqlite", Enter: func() {}, Readers: sqliteReaders}
	if o.Stage != nil {
		stage = *o.Stage
	}
	// One connection is the writer's; migrations and checkpoints use the other.
	write, err := openSQLiteFile(ctx, stage.Driver, o, 2,
		fmt.Sprintf("&_txlock=immediate&_pragma=cache_size(-%d)&_pragma=wal_autocheckpoint(%d)", pages/2, sqliteLog))
	if err != nil {
		return nil, err
	}
	read, err := openSQLiteFile(ctx, stage.Driver, o, stage.Readers,
		fmt.Sprintf("&_pragma=query_only(1)&_pragma=cache_size(-%d)", pages/2/sqliteReaders))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	conn, err := write.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open SQLite: %w", err), write.Close(), read.Close())
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	d := &sqliteDB{
		path: o.Path, enter: stage.Enter, read: read, write: write, cached: newStatements(read), conn: conn, writing: newStatements(conn),
		tables: newTables(o.Cached),
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
		if len(d.tables) > 0 {
			_ = d.Update(ctx, Urgent, func(tx *Tx) error { return d.lookForOthers(ctx, tx) })
		}
	})
}

// lookForOthers forgets what is cached where another connection has written:
// a command that an operator runs beside the service, say.
func (d *sqliteDB) lookForOthers(ctx context.Context, tx *Tx) error {
	var version int64
	if err := tx.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil || version == d.seen {
		return err
	}
	d.seen = version
	d.tables.touchAll()
	return nil
}

func (d *sqliteDB) table(name string) *table { return d.tables[name] }

// makeFile creates the database file for its owner alone: it holds personal
// data, and SQLite would use the umask.
func makeFile(path string) error {
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the database file: %w", explained(path, err))
	}
	return f.Close()
}

func openSQLiteFile(ctx context.Context, driver string, o Options, conns int, extra string) (*sql.DB, error) {
	sync := "full"
	if o.Temporary {
		sync = "off"
	}
	dsn := "file:" + (&url.URL{Path: o.Path}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(" + sync + ")" +
		"&_pragma=foreign_keys(1)&_pragma=temp_store(memory)" + extra
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open SQLite: %w", explained(o.Path, err)), db.Close())
	}
	return db, nil
}

// Reader runs reads on connections that cannot write.
func (d *sqliteDB) Reader() Reader { return d.cached }

// View begins with its first read, and sees what was committed until then.
func (d *sqliteDB) View(ctx context.Context, f func(Reader) error) error {
	return view(ctx, d.read, nil, f)
}

// Stats are those of the readers.
func (d *sqliteDB) Stats() sql.DBStats { return d.read.Stats() }

// Statements are those of the readers.
func (d *sqliteDB) Statements() int { return d.cached.count() }

// Close ends the writer and then all connections.
func (d *sqliteDB) Close() error {
	d.once.Do(func() {
		d.stop()
		<-d.stopped
		<-d.settled
	})
	d.cached.close()
	d.writing.close()
	return errors.Join(d.conn.Close(), d.read.Close(), d.write.Close())
}

// Migrate takes the steps on the connection beside the writer's.
func (d *sqliteDB) Migrate(ctx context.Context, steps fs.FS) (int, error) {
	return migrate(ctx, goose.DialectSQLite3, d.write, steps)
}

// Pending counts the steps that Migrate would take.
func (d *sqliteDB) Pending(ctx context.Context, steps fs.FS) (int, error) {
	return pending(ctx, goose.DialectSQLite3, d.write, steps)
}

// Version is the number of the last step that was taken.
func (d *sqliteDB) Version(ctx context.Context, steps fs.FS) (int64, error) {
	return version(ctx, goose.DialectSQLite3, d.write, steps)
}

// Alone does nothing.
func (d *sqliteDB) Alone(context.Context, func(Upkeep) error) error { return nil }

// CopyTo reads one moment of the database beside the writer. The file is for its
// owner alone before there is anything in it.
func (d *sqliteDB) CopyTo(ctx context.Context, path string) error {
	if err := makeFile(path); err != nil {
		return err
	}
	if _, err := d.write.ExecContext(ctx, `VACUUM INTO $1`, path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}
