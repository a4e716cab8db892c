package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// HoldOwner shows other processes that owner is alive, until ctx is done or the
// line is lost. Held is called once it does. An embedded database has no other
// process to show it to.
func (s *Store) HoldOwner(ctx context.Context, owner string, held func()) error {
	return s.d.holdOwner(ctx, owner, held)
}

// DeadOwners returns those of the owners that do not show that they are alive.
func (s *Store) DeadOwners(ctx context.Context, owners []string) ([]string, error) {
	return s.d.deadOwners(ctx, owners)
}

func (d *sqliteDB) holdOwner(ctx context.Context, _ string, held func()) error {
	held()
	<-ctx.Done()
	return nil
}

func (d *sqliteDB) deadOwners(context.Context, []string) ([]string, error) { return nil, nil }

// ownerLocks is the class of the locks by which owners show that they live.
const ownerLocks = 0x64726f76

// holdOwner holds a lock with a connection of its own. However the process ends,
// the database notices it by the connection, and frees the lock.
func (d *postgresDB) holdOwner(ctx context.Context, owner string, held func()) error {
	conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
	if err != nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is written on it
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1, hashtext($2))`, ownerLocks, owner); err != nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	held()
	// Nothing is told on this line: it only ends.
	if _, err := conn.WaitForNotification(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	return nil
}

func (d *postgresDB) deadOwners(ctx context.Context, owners []string) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT owner FROM unnest($1::text[]) AS owner WHERE NOT EXISTS (
		SELECT 1 FROM pg_locks l JOIN pg_database b ON b.oid = l.database
		WHERE l.locktype = 'advisory' AND l.granted AND b.datname = current_database()
		AND l.classid::bigint = $2 AND l.objid::bigint = (hashtext(owner)::bigint & 4294967295))`, owners, ownerLocks)
	return collect(rows, err, "look for dead owners", func(row scanner) (string, error) {
		var owner string
		return owner, row.Scan(&owner)
	})
}
