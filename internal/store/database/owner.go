package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// HoldOwner has no one to show it to.
func (d *sqliteDB) HoldOwner(ctx context.Context, _ string, held func()) error {
	held()
	<-ctx.Done()
	return nil
}

// DeadOwners finds none: there is one process.
func (d *sqliteDB) DeadOwners(context.Context, []string) ([]string, error) { return nil, nil }

// ownerLocks is the class of the locks by which owners show that they live.
const ownerLocks = 0x64726f76

// HoldOwner holds a lock with a connection of its own. However the process ends,
// the database notices it by the connection, and frees the lock.
func (d *postgresDB) HoldOwner(ctx context.Context, owner string, held func()) error {
	conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
	if err != nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is written on it
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1, hashtext($2))`, ownerLocks, owner); err != nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	held()
	// Nothing is sent on this line: it only ends.
	if _, err := conn.WaitForNotification(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("show that %s lives: %w", owner, err)
	}
	return nil
}

// DeadOwners looks for owners whose lock no one holds.
func (d *postgresDB) DeadOwners(ctx context.Context, owners []string) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT owner FROM unnest($1::text[]) AS owner WHERE NOT EXISTS (
		SELECT 1 FROM pg_locks l JOIN pg_database b ON b.oid = l.database
		WHERE l.locktype = 'advisory' AND l.granted AND b.datname = current_database()
		AND l.classid::bigint = $2 AND l.objid::bigint = (hashtext(owner)::bigint & 4294967295))`, owners, ownerLocks)
	if err != nil {
		return nil, fmt.Errorf("look for dead owners: %w", err)
	}
	defer rows.Close()
	var dead []string
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, fmt.Errorf("look for dead owners: %w", err)
		}
		dead = append(dead, owner)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for dead owners: %w", err)
	}
	return dead, nil
}
