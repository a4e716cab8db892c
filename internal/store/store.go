package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// ErrNotFound says that no such record exists, no matter who asks.
var ErrNotFound = database.ErrNotFound

// ErrExists says that a name is taken.
var ErrExists = database.ErrExists

// Options says where the data is.
type Options struct {
	// URL is postgres://… for PostgreSQL; empty for SQLite.
	URL string
	// FollowerURL is a copy of PostgreSQL's database that follows it, to read from;
	// empty for none.
	FollowerURL string
	// Path is the SQLite file. Its folder must exist.
	Path string
	// Places lists where tenants lie, where they lie apart.
	Places database.Places
	// Stage is what SQLite runs on in a simulation.
	Stage  *database.Stage
	Logger *slog.Logger
	// Pages bounds the memory of an embedded database's pages, in bytes; zero chooses.
	Pages int64
	// MaxConns bounds the connections to PostgreSQL; zero chooses.
	MaxConns int
	// Now is the process's clock. With it, leases on PostgreSQL are by the server's
	// clock, however far the processes' differ; without it they are by the times
	// that callers give, who may steer them.
	Now func() time.Time
	// Temporary says that the SQLite file will be removed: it need not outlast a power cut.
	Temporary bool
	// Unbounded lets statements on PostgreSQL take as long as they need.
	Unbounded bool
	// Trace is called with every statement; it is for tests.
	Trace func(database.Statement)
	// Present is the clock by which shares expire; the real one where it is nil.
	Present func() time.Time
	// NoCache reads every record from the database.
	NoCache bool
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	Accounts account.Reader
	SignIn   account.SignInReader
	Fleet    FleetReader
	Shares   SharesReader
	Vehicles VehiclesReader
	Drivers  DriversReader
	Trips    TripsReader
	Webhooks WebhooksReader
	Feed     work.Feed
	Jobs     work.Jobs
	History  *history.History

	queries
	queue    *work.Queue
	database database.DB
	follower *follower // nil where there is none
}

// Tx is a transaction that may write, as handles for what it touches: a function takes
// the handle that it uses, and the whole transaction only where it needs several.
type Tx struct {
	Accounts account.Editor
	SignIn   account.SignInEditor
	Fleet    FleetTx
	Shares   SharesTx
	Vehicles VehiclesTx
	Drivers  DriversTx
	Trips    TripsTx
	Webhooks WebhooksTx
	Feed     work.FeedTx
	Jobs     work.JobsTx
	History  history.Writer

	writer
}

// The handles read within a transaction or outside of any.
type (
	// FleetReader reads connections with their jobs and devices, and what counts or finds them.
	FleetReader struct{ queries }
	// SharesReader reads what tenants share with each other.
	SharesReader struct{ queries }
	// VehiclesReader reads readings, faults, safety events and notes.
	VehiclesReader struct{ queries }
	// DriversReader reads drivers.
	DriversReader struct{ queries }
	// TripsReader reads trips, stops, days, roads and milestones.
	TripsReader struct{ queries }
	// WebhooksReader reads webhooks.
	WebhooksReader struct{ queries }
)

// FleetTx changes connections and devices as part of a transaction.
type FleetTx struct {
	FleetReader
	writer
	feed work.FeedTx
	jobs work.JobsTx
}

// SharesTx changes shares as part of a transaction.
type SharesTx struct {
	SharesReader
	writer
	// offered are the tenants whom something is shared with from the commit on.
	offered *[]string
}

// VehiclesTx changes readings, faults, safety events and notes as part of a transaction.
type VehiclesTx struct {
	VehiclesReader
	writer
}

// DriversTx changes drivers as part of a transaction.
type DriversTx struct {
	DriversReader
	writer
}

// TripsTx changes trips, stops, days, roads and milestones as part of a transaction.
type TripsTx struct {
	TripsReader
	writer
}

// WebhooksTx changes webhooks as part of a transaction.
type WebhooksTx struct {
	WebhooksReader
	writer
	feed work.FeedTx
}

// writer is the transaction that the handles share.
type writer struct{ tx *database.Tx }

// write declares that a table is about to be changed, and changes it.
func (w writer) write(table string) database.Writer { return w.tx.Write(table) }

// Changed reports whether the transaction has changed anything so far.
func (tx *Tx) Changed() bool { return tx.tx.Changed() }

// Statements is the number of statements that the transaction has run.
func (tx *Tx) Statements() int { return tx.tx.Statements() }

// queries are the statements that Store and Tx share.
type queries struct {
	db    database.Reader
	d     database.Dialect
	on    specific
	now   func() time.Time
	whose directory.Reader
	// sharers are those who share something with a tenant; nil in a transaction.
	sharers *lru.Cache[string, sharers]
	gathered
}

// source is where records are read by their ids.
func (q queries) source() batch.Source {
	from := batch.Source{DB: q.db, Now: q.now}
	if q.d.Distributed() {
		from.Owners = q.whose.Owners
		from.At = func(ctx context.Context, owner string) context.Context { return database.Ask(ctx, q.d.PlaceOf(owner)) }
	}
	return from
}

// gathered is what is read by its id all the time. A transaction has none of it:
// it reads what it has written itself.
type gathered struct {
	devices    *batch.Gather[Device]
	trips      *batch.Gather[Trip]
	milestones *batch.Gather[Milestone]
	few        database.Cache[fewConnections]
}

//go:embed migration/*.sql
var migrationFiles embed.FS

func migrations() fs.FS {
	files, err := fs.Sub(migrationFiles, "migration")
	if err != nil {
		panic(err) // the name is no path
	}
	return files
}

// Open connects to the database. It does not migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o, false)
	if err != nil || o.FollowerURL == "" {
		return s, err
	}
	if err := s.follow(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open the copy to read from: %w", err), s.Close())
	}
	return s, nil
}

// open connects, or, lazily, leaves that to the first statement.
func open(ctx context.Context, o Options, lazy bool) (*Store, error) {
	cached := append([]string{deviceByID.Table(), tripByID.Table(), milestoneByID.Table()}, connectionTables()...)
	if o.NoCache {
		cached = nil
	}
	db, err := database.Open(ctx, database.Options{
		URL: o.URL, Path: o.Path, Temporary: o.Temporary, Pages: o.Pages, Stage: o.Stage,
		MaxConns: o.MaxConns, Unbounded: o.Unbounded, Trace: o.Trace, Cached: cached, Lazy: lazy, Places: o.Places,
	})
	if err != nil {
		return nil, err
	}
	if o.Present == nil {
		o.Present = time.Now //nolint:forbidigo // who opens a store without a clock means the real one
	}
	q := queries{db: db.Reader(), d: db, on: newSpecific(db), now: o.Present, whose: directory.New(db.Reader())}
	q.sharers, _ = lru.New[string, sharers](sharersKept) // it fails for a size of zero
	q.gathered = gathered{
		devices: batch.NewGather(db, q.now, deviceByID), trips: batch.NewGather(db, q.now, tripByID),
		milestones: batch.NewGather(db, q.now, milestoneByID),
		few:        database.NewCache[fewConnections](db, fewKept, connectionTables()...),
	}
	queue := work.New(db, o.Now)
	accounts := account.New(db, o.Present)
	return &Store{
		Accounts: accounts, SignIn: accounts.SignIn(), Fleet: FleetReader{q}, Shares: SharesReader{q}, Vehicles: VehiclesReader{q},
		Drivers: DriversReader{q}, Trips: TripsReader{q}, Webhooks: WebhooksReader{q}, Feed: queue.Feed(), Jobs: queue.Jobs(),
		History: history.New(db, o.Present), queries: q, queue: queue, database: db,
	}, nil
}

// Close ends all connections.
func (s *Store) Close() error {
	if s.follower == nil {
		return s.database.Close()
	}
	return errors.Join(s.follower.Close(), s.database.Close())
}

// Database names the database in use: sqlite or postgres.
func (s *Store) Database() string { return s.database.Name() }

// EachPlace runs f for every place, with a context by which work is looked for there alone, until
// ctx is done.
func (s *Store) EachPlace(ctx context.Context, f func(ctx context.Context)) {
	database.EachPlace(ctx, s.database, f)
}

// Silent reports whether an error says no more than that a place does not answer, as others have said
// before: who looks for work again and again need not tell.
func Silent(err error) bool { return errors.Is(err, database.ErrPlace) }

// At has work looked for at one place alone, and Places names the places.
func At(ctx context.Context, place string) context.Context { return database.At(ctx, place) }

// Places names them, in order; where there is one its name is empty.
func (s *Store) Places() []string { return s.database.Places() }

// Answering says of each place whether it answers; nothing where there is one.
func (s *Store) Answering() map[string]bool { return s.database.Answering() }

// AtNone has what names no tenant asked of the database itself, also by those who look at a place.
func AtNone(ctx context.Context) context.Context { return database.AtNone(ctx) }

// AtPlace names the place for which a context is, nothing where there is but one.
func AtPlace(ctx context.Context) string { return database.AtPlace(ctx) }

// IsHere reports whether a tenant is at the place for which a context is, if it is for one.
func (s *Store) IsHere(ctx context.Context, tenantID string) bool {
	return database.IsHere(ctx, s.database, tenantID)
}

// ByPlace does something with rows of several tenants, those of each place by themselves and at the same
// time, so that a place that does not answer holds up no other.
func ByPlace[R any](s *Store, rows []R, tenant func(R) string, do func(rows []R) error) error {
	parts := map[string][]R{}
	for _, row := range rows {
		place := s.PlaceOf(tenant(row))
		parts[place] = append(parts[place], row)
	}
	var all errgroup.Group
	for _, part := range parts {
		all.Go(func() error { return do(part) })
	}
	return all.Wait()
}

// PlaceOf names the place of a tenant; all have the same where there is one.
func (s *Store) PlaceOf(tenantID string) string { return s.database.PlaceOf(tenantID) }

// Stats says how the connections are used.
func (s *Store) Stats() sql.DBStats { return s.database.Stats() }

// Statements is the number of statements that are kept prepared for reading; zero
// where the driver keeps them.
func (s *Store) Statements() int { return s.database.Statements() }

// Migrate brings the schema up to date and returns the number of steps taken.
func (s *Store) Migrate(ctx context.Context) (int, error) {
	return s.database.Migrate(ctx, migrations())
}

// Distribute gives the tables to the servers of a Citus by their tenants, in so many parts.
func (s *Store) Distribute(ctx context.Context, shards int) (database.Distribution, error) {
	return s.database.Distribute(ctx, shards)
}

// Distributed reports whether tenants lie on several servers.
func (s *Store) Distributed() bool { return s.database.Distributed() }

// PendingMigrations returns the number of steps that Migrate would take.
func (s *Store) PendingMigrations(ctx context.Context) (int, error) {
	return s.database.Pending(ctx, migrations())
}

// Ping makes the cheapest read there is.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.db.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// Unavailable reports whether err is trouble of the database that may pass.
func Unavailable(err error) bool { return database.Unavailable(err) }

// ErrNewer says that the schema is that of a newer drover.
var ErrNewer = database.ErrNewer

// MaxSkew is by how much a process's clock may differ from the database's before
// its times are not to be trusted.
const MaxSkew = 5 * time.Second

// Skew is by how much a clock is ahead of the database's; an embedded one has none.
func (s *Store) Skew(ctx context.Context, now func() time.Time) (time.Duration, error) {
	return s.database.Skew(ctx, now)
}

// ProbeWrite writes and commits something of no meaning: whether a write is possible
// cannot be known otherwise.
func (s *Store) ProbeWrite(ctx context.Context, now drover.Time) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.probeWrite(ctx, now) })
}

// CheckWrites is ProbeWrite for all tables: it fails where someone keeps one of them
// locked, and LockedTable says which.
func (s *Store) CheckWrites(ctx context.Context, now drover.Time) error {
	return s.Update(ctx, func(tx *Tx) error {
		if err := tx.tx.CheckLocks(ctx); err != nil {
			return err
		}
		return tx.probeWrite(ctx, now)
	})
}

func (tx *Tx) probeWrite(ctx context.Context, now drover.Time) error {
	if _, err := tx.write("write_probe").ExecContext(ctx, `UPDATE write_probe SET at = $1 WHERE one = 1`, now); err != nil {
		return fmt.Errorf("write to the database: %w", err)
	}
	return nil
}

// LockedTable is the table for whose lock CheckWrites waited in vain.
func LockedTable(err error) (string, bool) { return database.LockedTable(err) }

// Update runs f in one transaction. Where it returns an error, nothing of it
// remains. It may be run more than once, so it must not change anything but
// through tx until it has returned.
func (s *Store) Update(ctx context.Context, f func(tx *Tx) error) error {
	return s.run(ctx, database.Urgent, f)
}

// UpdateBulk is Update for large transactions that no one waits for. Where there is
// one writer, the others go first.
func (s *Store) UpdateBulk(ctx context.Context, f func(tx *Tx) error) error {
	return s.run(ctx, database.Bulk, f)
}

func (s *Store) run(ctx context.Context, urgency database.Urgency, f func(tx *Tx) error) error {
	var queued *work.Tx
	var offered []string
	err := s.database.Update(ctx, urgency, func(t *database.Tx) error {
		queued, offered = s.queue.In(t), nil
		return f(s.in(t, queued, &offered))
	})
	if err == nil {
		for _, recipient := range offered {
			s.sharers.Remove(recipient)
		}
		s.queue.Committed(queued)
	}
	return err
}

func (s *Store) in(t *database.Tx, queued *work.Tx, offered *[]string) *Tx {
	q, w := queries{db: t, d: s.d, on: s.on, now: s.now, whose: s.whose.In(t)}, writer{t}
	accounts, feed, jobs := s.Accounts.In(t), queued.Feed(), queued.Jobs()
	return &Tx{
		Accounts: accounts, SignIn: accounts.SignIn(), Fleet: FleetTx{FleetReader{q}, w, feed, jobs},
		Shares: SharesTx{SharesReader{q}, w, offered}, Vehicles: VehiclesTx{VehiclesReader{q}, w}, Drivers: DriversTx{DriversReader{q}, w},
		Trips: TripsTx{TripsReader{q}, w}, Webhooks: WebhooksTx{WebhooksReader{q}, w, feed},
		Feed: feed, Jobs: jobs, History: s.History.In(t), writer: w,
	}
}

// NewID makes an id: a UUIDv7, so that ids sort by the time they were made.
func NewID() string { return database.NewID() }
