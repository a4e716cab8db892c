// Package database is the layer below the store: one SQLite file or one PostgreSQL, with
// transactions, prepared statements, a cache of records, and the words of SQL in which the two
// differ. It knows no tables and no rules.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Options says where the data is.
type Options struct {
	// URL is postgres://… for PostgreSQL; empty for SQLite.
	URL string
	// Path is the SQLite file. Its folder must exist.
	Path string
	// Temporary says that the SQLite file will be removed: it need not outlast a power cut.
	Temporary bool
	// Unbounded lets statements on PostgreSQL take as long as they need: for checks
	// that read everything.
	Unbounded bool
	// Lazy leaves connecting to PostgreSQL to the first statement.
	Lazy bool
	// Pages bounds the memory of an embedded database's pages, in bytes; zero chooses.
	Pages int64
	// Places lists where tenants lie, where they lie apart.
	Places Places
	// Stage is what SQLite runs on in a simulation; nil is the real world.
	Stage *Stage
	// MaxConns bounds the connections to PostgreSQL; zero chooses.
	MaxConns int
	// Trace is called with every statement before it is run, unless it is nil. It is for
	// tests that hold statements to rules.
	Trace func(Statement)
	// Cached names the tables whose records a Cache may keep, where this process
	// knows of every change: that is SQLite. Without any, nothing is kept.
	Cached []string
}

// Stage is what a simulation puts below SQLite.
type Stage struct {
	// Driver names the database/sql driver, whose statements may fail.
	Driver string
	// Enter is called before a transaction is handed to the writer.
	Enter func()
	// Readers is the number of connections for reading: where they are few, those
	// who wait for one get it in an order that no one decides.
	Readers int
}

// Statement is one that is about to be run.
type Statement struct {
	// Tx numbers the transaction; 0 is outside of any.
	Tx int64
	// Table is what a write has declared; empty for a read.
	Table string
	Query string
	Args  []any
}

// DB is an open database. It is safe for concurrent use.
type DB interface {
	Dialect
	peers

	// Reader runs statements that change nothing, outside of any transaction.
	Reader() Reader
	// Update runs f in a transaction and commits it. It may run f again. Bulk
	// waits behind those who do not.
	Update(ctx context.Context, urgency Urgency, f func(*Tx) error) error
	// Alone runs f outside of any transaction on a connection of its own, where statements
	// may take long, unless another process does so at this moment. It is for the upkeep of
	// PostgreSQL; an embedded database has none that could wait.
	Alone(ctx context.Context, f func(Upkeep) error) error
	// View runs f on one state of the database, whatever is committed meanwhile.
	View(ctx context.Context, f func(Reader) error) error
	// Migrate takes the numbered steps of a folder that were not taken yet, and
	// Pending counts them.
	Migrate(ctx context.Context, steps fs.FS) (int, error)
	Pending(ctx context.Context, steps fs.FS) (int, error)
	// Version is the number of the last step that was taken.
	Version(ctx context.Context, steps fs.FS) (int64, error)
	// Distribute gives the tables to the servers of a Citus, in so many parts.
	Distribute(ctx context.Context, shards int) (Distribution, error)
	// CopyTo copies an embedded database, as it is at one moment, into a new file.
	CopyTo(ctx context.Context, path string) error
	// Skew is by how much a clock is ahead of the database's.
	Skew(ctx context.Context, now func() time.Time) (time.Duration, error)
	// Stats says how the connections for reading are used, and Statements how many
	// statements are kept prepared for it; zero where the driver keeps them.
	Stats() sql.DBStats
	Statements() int
	Close() error

	// table counts the commits to a table, where this process knows of all of
	// them; nil where it does not.
	table(name string) *table
}

// Dialect is the words in which the two databases differ.
type Dialect interface {
	// Name is sqlite or postgres.
	Name() string
	// ForUpdate is appended to a SELECT whose rows are about to be changed: those
	// of the aliases given, or all.
	ForUpdate(aliases ...string) string
	// SkipLocked is appended to a SELECT that claims work: rows that another
	// process is claiming are passed over.
	SkipLocked() string
	// ByBytes is appended to an ORDER BY of text, so that both databases sort it
	// alike.
	ByBytes() string
	// InList compares a column with a list that is one parameter, made by List.
	InList(parameter int) string
	List(values []string) any
	// Numbers is List of whole numbers.
	Numbers(values []int64) any
	// HasEntry compares an entry of a column that holds an object of texts as JSON:
	// its key and its value are parameters.
	HasEntry(column string, key, value int) string
	// Tuples are the parameters of n rows of a VALUES list, numbered from 1.
	Tuples(n, width int) string
	// Distributed reports whether tenants lie at several places, Places names those, and
	// PlaceOf is that of a tenant.
	Distributed() bool
	Places() []string
	PlaceOf(tenantID string) string
	// Answering says of each place whether it answers; nothing where there is one.
	Answering() map[string]bool
	// TenantsHere are the tenants of the place that the caller looks at, unless it looks at all.
	TenantsHere(ctx context.Context) (tenants []string, some bool)
	// IsDuplicate reports whether err is a violation of a unique key.
	IsDuplicate(err error) bool
	// rowSource is a SELECT of the first n rows that are inserted in bulk, with its
	// parameters.
	rowSource(columns []Column, rows [][]any) (query string, args []any, n int)
}

// peers is how the processes on one database know of each other. An embedded one
// has no other process.
type peers interface {
	// Announce tells other processes of names, and Listen calls f with what they
	// announce until ctx is done or the line is lost. What is announced can get
	// lost.
	Announce(names []string)
	Listen(ctx context.Context, f func(name string)) error
	// HoldOwner shows others that owner is alive, until ctx is done or the line is
	// lost; held is called once it does. DeadOwners returns those who do not show it.
	HoldOwner(ctx context.Context, owner string, held func()) error
	DeadOwners(ctx context.Context, owners []string) ([]string, error)
}

// Urgency says whether someone waits for a transaction.
type Urgency bool

// A Bulk transaction is large and no one waits for it.
const (
	Urgent Urgency = false
	Bulk   Urgency = true
)

// ErrAgain asks Update to run the transaction once more on PostgreSQL.
var ErrAgain = errors.New("to be run again")

// AgainAfter is ErrAgain for a transaction that needs something which it cannot do itself: it
// is done before the transaction runs again.
func AgainAfter(do func(ctx context.Context) error) error { return againAfter(do) }

type againAfter func(ctx context.Context) error

func (againAfter) Error() string        { return ErrAgain.Error() }
func (againAfter) Is(target error) bool { return target == ErrAgain }

// Open connects to the database that the options name. It does not migrate.
func Open(ctx context.Context, o Options) (DB, error) {
	var db DB
	var err error
	switch {
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		db, err = openPostgres(ctx, o)
	case o.URL == "":
		db, err = openSQLite(ctx, o)
	default:
		err = errors.New("the database URL must start with postgres://")
	}
	if err != nil {
		return nil, err
	}
	db = spanned{db}
	if o.Trace != nil {
		db = &traced{DB: db, trace: o.Trace}
	}
	return db, nil
}

// Reader runs statements that change nothing.
type Reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Writer runs statements that change something.
type Writer interface {
	Reader
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// view runs f in a transaction that changes nothing.
func view(ctx context.Context, db *sql.DB, o *sql.TxOptions, f func(Reader) error) error {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // there is nothing to undo
	return f(tx)
}
