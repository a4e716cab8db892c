// Package store keeps everything that drover knows, in SQLite or in PostgreSQL.
//
// One concrete Store serves both. The SQL text is shared wherever it can be;
// what truly differs is a method of dialect. Reads are methods of Store and of
// Tx alike; changes are methods of Tx, so that whatever belongs together is
// committed together. The store checks no rights: it says whose a record is and
// with whom it is shared, and package fleet decides.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
)

// ErrNotFound says that no such record exists, whoever asks.
var ErrNotFound = errors.New("not found")

// ErrExists says that a name is taken.
var ErrExists = errors.New("already exists")

// Options says where the data is.
type Options struct {
	// URL is postgres://… for PostgreSQL; empty for SQLite.
	URL string
	// Path is the SQLite file. Its folder must exist.
	Path   string
	Logger *slog.Logger
	// MaxConns bounds the connections to PostgreSQL; zero chooses.
	MaxConns int
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	queries
	d       dialect
	signals signals
	woken   atomic.Pointer[func([]Added, []Target)]
	// What is read by its id all the time is gathered.
	devices    *gather[Device]
	trips      *gather[Trip]
	milestones *gather[Milestone]
}

// Tx is a transaction that may write.
type Tx struct {
	queries
	// told are the tenants whose feed has grown.
	told []string
	// added are new events with their deliveries, woken the targets that others
	// were made due for.
	added []Added
	woken []Target
}

// queries are the statements that Store and Tx share.
type queries struct {
	db querier
	d  dialect
}

// querier is a *sql.DB, a *sql.Tx, or a cache of prepared statements.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// dialect is what differs between the two databases.
type dialect interface {
	name() string
	reader() querier
	// update runs f in a transaction and commits it. It may run f again.
	update(ctx context.Context, f func(querier) error) error
	// updateBulk is the same, behind those who wait for update.
	updateBulk(ctx context.Context, f func(querier) error) error
	// forUpdate is appended to a SELECT whose row is about to be changed.
	forUpdate() string
	// forUpdateOf is the same for one table of several.
	forUpdateOf(alias string) string
	// skipLocked is appended to a SELECT that claims work: rows that another
	// process is claiming are passed over.
	skipLocked() string
	// inList compares a column with a list that is one parameter, made by list.
	inList(parameter int) string
	list(values []string) any
	// together is how many of n records one query reads at the most.
	together(n int) int
	// wanted reads n records of their owners: the place in the list of those that
	// are wanted, from 0, and the columns. wantedArgs are its parameters.
	wanted(k kind, n int) string
	wantedArgs(askers, ids []string) []any
	// table counts the commits to a table, where this process knows of all of them;
	// nil where it does not.
	table(name string) *table
	// bounded bounds a read that nobody could end: a database that does not answer
	// must not hold it for ever.
	bounded(ctx context.Context) (context.Context, context.CancelFunc)
	// tuples are the parameters of n rows of a VALUES list, numbered from 1.
	tuples(n, width int) string
	// setStates stores device states.
	setStates(ctx context.Context, q querier, tenantID string, rows []stateRow) error
	// byBytes is appended to an ORDER BY of text, so that both databases sort it
	// alike, by its bytes.
	byBytes() string
	// exists reports whether err is a violation of a unique key.
	exists(err error) bool
	// selectPositions begins a query of a device's positions.
	selectPositions(r PositionRange) (query string, args []any)
	// addPositions inserts positions and tells which were new.
	addPositions(ctx context.Context, q querier, tenantID string, positions []Position) ([]bool, error)
	// markPositions changes the marks of positions.
	markPositions(ctx context.Context, q querier, tenantID string, marks []PositionMark) error
	// forgetPositions forgets the positions before cuts that are starts of weeks.
	forgetPositions(ctx context.Context, cuts []PositionCut) (Forgotten, error)
	// dueTargets begins a query with a table waiting of the targets, of one tenant
	// or all, that deliveries wait for, each with its first due time.
	dueTargets(tenantID string) (query string, args []any)
	addAttempts(ctx context.Context, q querier, attempts []Attempt) error
	// holdOwner shows other processes that an owner of leases lives, and deadOwners
	// tells which do not show it.
	holdOwner(ctx context.Context, owner string, held func()) error
	deadOwners(ctx context.Context, owners []string) ([]string, error)
	// announce tells other processes that tenants' feeds have grown, and listen
	// calls f with what they announce until ctx is done or the line is lost.
	announce(tenantIDs []string)
	listen(ctx context.Context, f func(tenantID string)) error
	migrate(ctx context.Context) (int, error)
	pendingMigrations(ctx context.Context) (int, error)
	stats() sql.DBStats
	close() error
}

// Open connects to the database. It does not migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	var d dialect
	var err error
	switch {
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		d, err = openPostgres(ctx, o)
	case o.URL == "":
		d, err = openSQLite(ctx, o)
	default:
		err = errors.New("the database URL must start with postgres://")
	}
	if err != nil {
		return nil, err
	}
	q := queries{db: d.reader(), d: d}
	return &Store{
		queries: q, d: d,
		devices: newGather(q, deviceByID), trips: newGather(q, tripByID), milestones: newGather(q, milestoneByID),
	}, nil
}

// Close ends all connections.
func (s *Store) Close() error { return s.d.close() }

// Database names the database in use: sqlite or postgres.
func (s *Store) Database() string { return s.d.name() }

// Stats tells how the connections are used.
func (s *Store) Stats() sql.DBStats { return s.d.stats() }

// Migrate brings the schema up to date and returns the number of steps taken.
func (s *Store) Migrate(ctx context.Context) (int, error) { return s.d.migrate(ctx) }

// PendingMigrations returns the number of steps that Migrate would take.
func (s *Store) PendingMigrations(ctx context.Context) (int, error) {
	return s.d.pendingMigrations(ctx)
}

// Ping makes the cheapest read there is.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.db.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// Update runs f in one transaction. Where it returns an error, nothing of it
// remains. It may be run more than once, so it must not change anything but
// through tx until it has returned.
func (s *Store) Update(ctx context.Context, f func(tx *Tx) error) error {
	return s.run(ctx, s.d.update, f)
}

// UpdateBulk is Update for large transactions that nobody waits for. Where there is
// one writer, the others go first.
func (s *Store) UpdateBulk(ctx context.Context, f func(tx *Tx) error) error {
	return s.run(ctx, s.d.updateBulk, f)
}

func (s *Store) run(ctx context.Context, update func(context.Context, func(querier) error) error, f func(tx *Tx) error) error {
	var told []string
	var added []Added
	var woken []Target
	err := update(ctx, func(q querier) error {
		tx := &Tx{queries: queries{db: q, d: s.d}}
		err := f(tx)
		told, added, woken = tx.told, tx.added, tx.woken
		return err
	})
	if err == nil && len(told) > 0 {
		s.signals.send(told)
		s.d.announce(told)
	}
	if err == nil {
		s.tellDeliveries(added, woken)
	}
	return err
}

// NewID makes an id: a UUIDv7, so that ids sort by the time they were made.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// validID reports whether id could be one of ours, in the one form that we
// print. PostgreSQL refuses to compare anything else with an id.
func validID(id string) bool {
	return len(id) == 36 && uuid.Validate(id) == nil && id == strings.ToLower(id)
}

// found turns the absence of a row into ErrNotFound.
func found(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface {
	Scan(dest ...any) error
}

// collect reads all rows with scan. The result is never nil.
func collect[T any](rows *sql.Rows, err error, doing string, scan func(scanner) (T, error)) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return out, nil
}
