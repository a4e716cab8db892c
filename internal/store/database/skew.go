package database

import (
	"context"
	"fmt"
	"time"
)

// Skew is 0: the file has no clock.
func (d *sqliteDB) Skew(context.Context, func() time.Time) (time.Duration, error) { return 0, nil }

// Skew asks the server for its time, and takes half of the way for each direction.
func (d *postgresDB) Skew(ctx context.Context, now func() time.Time) (time.Duration, error) {
	var server time.Time
	begun := now()
	if err := d.db.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&server); err != nil {
		return 0, fmt.Errorf("ask for the database's time: %w", err)
	}
	return begun.Add(now().Sub(begun) / 2).Sub(server), nil
}
