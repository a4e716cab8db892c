package database

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// eventChannel is where processes tell each other of feeds that have grown.
const eventChannel = "drover_event"

// announcer sends the announcements of a process. It does so beside the
// transactions and many at once: a NOTIFY within a transaction takes a lock of
// the whole database until its commit is on disk, which would let PostgreSQL
// commit only one transaction with events at a time.
type announcer struct {
	db   *sql.DB
	stop context.CancelFunc
	done chan struct{}
	kick chan struct{}

	mu      sync.Mutex
	pending map[string]bool
}

func newAnnouncer(db *sql.DB) *announcer {
	ctx, stop := context.WithCancel(context.Background())
	a := &announcer{db: db, stop: stop, done: make(chan struct{}), kick: make(chan struct{}, 1), pending: map[string]bool{}}
	go a.run(ctx)
	return a
}

func (a *announcer) add(tenantIDs []string) {
	a.mu.Lock()
	for _, id := range tenantIDs {
		a.pending[id] = true
	}
	a.mu.Unlock()
	select {
	case a.kick <- struct{}{}:
	default:
	}
}

// run sends what has gathered while the one before was under way. What cannot
// be sent is dropped: the others look every second anyway.
func (a *announcer) run(ctx context.Context) {
	defer close(a.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.kick:
		}
		a.mu.Lock()
		tenants := slices.Collect(maps.Keys(a.pending))
		clear(a.pending)
		a.mu.Unlock()
		_, _ = a.db.ExecContext(ctx, `SELECT pg_notify($1, tenant) FROM unnest($2::text[]) AS tenant`, eventChannel, tenants)
	}
}

func (a *announcer) close() {
	a.stop()
	<-a.done
}

// Announce sends names to the other processes, soon.
func (d *postgresDB) Announce(tenantIDs []string) { d.announcer.add(tenantIDs) }

// Listen takes a connection of its own: a shared one would lose what arrives
// while someone else uses it.
func (d *postgresDB) Listen(ctx context.Context, f func(string)) error {
	conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
	if err != nil {
		return fmt.Errorf("listen for events: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is written on it
	if _, err := conn.Exec(ctx, `LISTEN `+eventChannel); err != nil {
		return fmt.Errorf("listen for events: %w", err)
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listen for events: %w", err)
		}
		f(n.Payload)
	}
}

// Announce has no one to tell.
func (d *sqliteDB) Announce([]string) {}

// Listen hears nothing until ctx is done.
func (d *sqliteDB) Listen(ctx context.Context, _ func(string)) error {
	<-ctx.Done()
	return nil
}
