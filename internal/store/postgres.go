package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgresDB is one PostgreSQL database that any number of processes share.
type postgresDB struct {
	db         *sql.DB
	config     *pgx.ConnConfig
	announcer  *announcer
	partitions sync.Map // week → made
}

const (
	postgresConns = 16
	// postgresTries bounds how often a transaction is run again after a
	// conflict with another.
	postgresTries = 10
	// postgresWrite bounds a transaction, so that a database that does not answer
	// holds nobody for ever.
	postgresWrite = 30 * time.Second
	// postgresRead bounds a read that several wait for.
	postgresRead = 10 * time.Second
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
	conns := o.MaxConns
	if conns <= 0 {
		conns = postgresConns
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to PostgreSQL: %w", err), db.Close())
	}
	return &postgresDB{db: db, config: config, announcer: newAnnouncer(db)}, nil
}

func (d *postgresDB) name() string                    { return "postgres" }
func (d *postgresDB) reader() querier                 { return d.db }
func (d *postgresDB) forUpdate() string               { return " FOR UPDATE" }
func (d *postgresDB) byBytes() string                 { return ` COLLATE "C"` }
func (d *postgresDB) forUpdateOf(alias string) string { return " FOR UPDATE OF " + alias }
func (d *postgresDB) skipLocked() string              { return " FOR UPDATE SKIP LOCKED" }
func (d *postgresDB) list(values []string) any        { return values }
func (d *postgresDB) inList(n int) string             { return fmt.Sprintf("= ANY($%d)", n) }
func (d *postgresDB) stats() sql.DBStats              { return d.db.Stats() }

func (d *postgresDB) together(n int) int { return n }

// wanted looks each record up by its key: a join would read all of a table that
// is small.
func (d *postgresDB) wanted(k kind, _ int) string {
	return `SELECT wanted.number - 1, found.* FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted(asker, id, number)
		CROSS JOIN LATERAL (SELECT ` + k.own() + k.from() + ` WHERE ` + k.is("wanted.asker", "wanted.id") + ` LIMIT 1) found`
}

// wantedArgs are written as PostgreSQL's own text: the driver would try other ways
// first.
func (d *postgresDB) wantedArgs(askers, ids []string) []any {
	return []any{"{" + strings.Join(askers, ",") + "}", "{" + strings.Join(ids, ",") + "}"}
}

func (d *postgresDB) table(string) *table { return nil }

func (d *postgresDB) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, postgresRead)
}

func (d *postgresDB) close() error {
	d.announcer.close()
	return d.db.Close()
}

func (d *postgresDB) exists(err error) bool { return sqlState(err) == uniqueViolation }

func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// update runs f in a transaction, and again where PostgreSQL says that it
// conflicted with another, lost a deadlock, or missed a partition.
func (d *postgresDB) update(ctx context.Context, f func(querier) error) error {
	for try := 1; ; try++ {
		err := d.once(ctx, f)
		switch state := sqlState(err); {
		case state == serializationFailure, state == deadlockDetected:
		case state == checkViolation: // how PostgreSQL reports a missing partition
			d.partitions.Clear()
		case errors.Is(err, errBegin) && errors.Is(err, driver.ErrBadConn):
			// Others who gave up in the middle left broken connections in the
			// pool. Nothing has been done yet.
		default:
			return err
		}
		if try == postgresTries {
			return err
		}
		select {
		case <-time.After(rand.N(time.Duration(try) * 10 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// updateBulk is update: there are many writers.
func (d *postgresDB) updateBulk(ctx context.Context, f func(querier) error) error {
	return d.update(ctx, f)
}

// errBegin says that a transaction did not even begin.
var errBegin = errors.New("begin")

// The states of PostgreSQL's errors that the store knows.
const (
	uniqueViolation      = "23505"
	checkViolation       = "23514"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
)

// once runs f in a transaction. The caller may give up waiting for a connection;
// what has begun is brought to its end.
func (d *postgresDB) once(ctx context.Context, f func(querier) error) error {
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
	if err := f(steady{tx, ctx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (d *postgresDB) migrate(ctx context.Context) (int, error) {
	// Several processes may start at once: one migrates, the others wait.
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return migrate(ctx, goose.DialectPostgres, d.db, "postgres", goose.WithSessionLocker(locker))
}

func (d *postgresDB) pendingMigrations(ctx context.Context) (int, error) {
	return pending(ctx, goose.DialectPostgres, d.db, "postgres")
}
