package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgresDB is one PostgreSQL database that any number of processes share.
type postgresDB struct {
	postgresWords
	db        *sql.DB
	config    *pgx.ConnConfig
	announcer *announcer
	places    *places // nil where all tenants are at one
}

const (
	postgresConns = 16
	// postgresTries bounds how often a transaction is run again after a
	// conflict with another.
	postgresTries = 10
	// postgresWrite bounds a transaction, so that a database that does not answer
	// holds no one for ever.
	postgresWrite = 30 * time.Second
)

func openPostgres(ctx context.Context, o Options) (*postgresDB, error) {
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// The parser's own words may repeat the URL, which holds a password.
		return nil, errors.New("the database URL cannot be read")
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "drover"
	}
	if config.ValidateConnect == nil && !o.Lazy && severalHosts(config) {
		// One of several servers takes writes, and which one that is changes when it fails.
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	conns := o.MaxConns
	if conns <= 0 {
		conns = postgresConns
	}
	pool, options := config, onConnect(noteTimeline)
	if !o.Unbounded {
		pool, options = bounded(config)
	}
	db := stdlib.OpenDB(*pool, options...)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if o.Lazy {
		return &postgresDB{db: db, config: config, announcer: newAnnouncer(db)}, nil
	}
	distributed, err := isDistributed(ctx, db)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to PostgreSQL: %w", err), db.Close())
	}
	d := &postgresDB{db: db, config: config, announcer: newAnnouncer(db)}
	var is isServerOf
	if o.Places == nil && distributed {
		o.Places, is = citusPlaces, isServer
	}
	if o.Places != nil {
		if d.places, err = newPlaces(ctx, db, config, conns, o.Places, is); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return d, nil
}

// severalHosts reports whether an address names more than one server. The same one is named twice where it
// may be reached with TLS and without.
func severalHosts(c *pgx.ConnConfig) bool {
	return slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != c.Host || f.Port != c.Port })
}

// noteTimeline keeps the server's timeline with the connection, which a connection cannot outlive: a standby begins
// the next one when it is promoted, and so does a server that is restored to a point in time. A copy that follows has
// none of its own, and some services of others do not say.
const noteTimeline = `DO $$ BEGIN
	IF NOT pg_is_in_recovery() THEN
		PERFORM set_config('drover.timeline', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), false);
	END IF;
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR undefined_function OR object_not_in_prerequisite_state THEN
	NULL;
END $$`

// Timeline is an expression for the timeline that noteTimeline has found.
const Timeline = `COALESCE(current_setting('drover.timeline', true), '')`

// Reader reads on any connection of the pool.
func (d *postgresDB) Reader() Reader {
	if d.places != nil {
		return routed{d}
	}
	return d.db
}

// Stats are those of the pool.
func (d *postgresDB) Stats() sql.DBStats { return d.db.Stats() }

// Statements is 0: the driver keeps up to 512 for each connection.
func (d *postgresDB) Statements() int { return 0 }

// table is nil: other processes write too.
func (d *postgresDB) table(string) *table { return nil }

// Close ends all connections.
func (d *postgresDB) Close() error {
	d.announcer.close()
	var failed error
	if d.places != nil {
		failed = d.places.close()
	}
	return errors.Join(failed, d.db.Close())
}

// State is the code of an error of PostgreSQL; empty where it is none.
func State(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// View asks for one state: by default each statement would see what was committed
// before it.
func (d *postgresDB) View(ctx context.Context, f func(Reader) error) error {
	o := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	if d.places != nil {
		return d.viewAt(ctx, o, f)
	}
	return view(ctx, d.db, o, f)
}

// Update runs f in a transaction, and again where PostgreSQL says that it
// conflicted with another or lost a deadlock, or f asks for it. There are many
// writers, so that no one waits behind bulk.
func (d *postgresDB) Update(ctx context.Context, _ Urgency, f func(*Tx) error) error {
	for try := 1; ; try++ {
		err := d.once(ctx, f)
		switch state := State(err); {
		case state == serializationFailure, state == deadlockDetected, errors.Is(err, ErrAgain):
		case d.Distributed() && hasMoved(err): // nothing of it is committed
		case errors.Is(err, errBegin) && errors.Is(err, driver.ErrBadConn):
			// Others who gave up in the middle left broken connections in the
			// pool. Nothing has been done yet.
		default:
			return err
		}
		if try == postgresTries {
			return err
		}
		if after, ok := errors.AsType[againAfter](err); ok {
			if err := after(ctx); err != nil {
				return err
			}
		}
		select {
		case <-time.After(rand.N(time.Duration(try) * 10 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errBegin says that a transaction did not even begin.
var errBegin = errors.New("begin")

// The states of PostgreSQL's errors that are known here and in the store.
const (
	uniqueViolation      = "23505"
	CheckViolation       = "23514"
	UndefinedTable       = "42P01"
	UndefinedObject      = "42704"
	LockNotAvailable     = "55P03"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	statementTimeout     = "57014" // or it was cancelled
)

// once runs f in a transaction. The caller may give up waiting for a connection;
// what has begun is brought to its end.
func (d *postgresDB) once(ctx context.Context, f func(*Tx) error) error {
	if d.places != nil {
		return d.onceAt(ctx, f)
	}
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errBegin, err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgresWrite)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errBegin, err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it has nothing to do
	if err := f(&Tx{db: tx, ctx: ctx, words: d}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// A process that waits for another to migrate looks every second, since most of the time
// there is nothing to do, and for hours, since a step may rewrite a long history.
const (
	lockEvery = 1
	lockTries = 6 * 60 * 60
)

// Migrate takes the steps under a lock: where several processes start at once, one
// migrates and the others wait. A step may take long, so it has a pool of its own,
// without the bounds of other statements.
func (d *postgresDB) Migrate(ctx context.Context, steps fs.FS) (int, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockEvery, lockTries))
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	db := stdlib.OpenDB(*d.config)
	n, err := migrate(ctx, goose.DialectPostgres, db, steps, goose.WithSessionLocker(locker))
	if err == nil && n > 0 && d.Distributed() { // tables that a step has made
		_, err = distribute(ctx, db, 0)
	}
	return n, errors.Join(err, db.Close())
}

// Pending counts the steps that Migrate would take.
func (d *postgresDB) Pending(ctx context.Context, steps fs.FS) (int, error) {
	return pending(ctx, goose.DialectPostgres, d.db, steps)
}

// Version is the number of the last step that was taken.
func (d *postgresDB) Version(ctx context.Context, steps fs.FS) (int64, error) {
	return version(ctx, goose.DialectPostgres, d.db, steps)
}

// CopyTo is not for a server: its own tools copy it.
func (d *postgresDB) CopyTo(context.Context, string) error { return errors.ErrUnsupported }
