package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// aloneLock is the advisory lock of the one who runs upkeep.
	aloneLock = 0x64726f766572
	// aloneWait bounds how long upkeep waits for a lock: someone may hold it for hours, and
	// others queue behind anyone who waits.
	aloneWait = "10s"
)

// Upkeep runs statements outside of any transaction that change no rows.
type Upkeep struct {
	Reader
	conn *sql.Conn
}

// Run runs a statement.
func (u Upkeep) Run(ctx context.Context, statement string) error {
	_, err := u.conn.ExecContext(ctx, statement)
	return err
}

// Alone has a pool of its own, as Migrate has: the bounds of other statements are too short.
// The lock goes with the connection, which is to the place that the caller looks at.
func (d *postgresDB) Alone(ctx context.Context, f func(Upkeep) error) (err error) {
	config := d.config
	if d.places != nil {
		if at := d.places.now.Load().pools[AtPlace(ctx)]; at != nil {
			config = at.config
		}
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect for upkeep: %w", err)
	}
	defer conn.Close()
	var mine bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, int64(aloneLock)).Scan(&mine); err != nil || !mine {
		return err
	}
	// The tables on Citus' servers, which are its parts, are there for those who ask to see them.
	if _, err := conn.ExecContext(ctx, `SET lock_timeout = '`+aloneWait+`'; SET citus.override_table_visibility = off`); err != nil {
		return fmt.Errorf("prepare the upkeep: %w", err)
	}
	return f(Upkeep{conn, conn})
}
