package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// LoginKeys are hashes of what a login is counted by: the name from the address, the
// address, and the name.
type LoginKeys struct{ Pair, Address, Name string }

// Tries is what all processes have seen of one key.
type Tries struct {
	Failures int
	FailedAt drover.Time // when the latest failed
	KnownAt  drover.Time // when one last succeeded; long ago where none has
}

// Tries reads what was counted, by key. One that is missing has nothing.
func (q Reader) Tries(ctx context.Context, k LoginKeys) (map[string]Tries, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT key, failures, failed_at, known_at FROM login_try WHERE key IN ($1, $2, $3)`,
		k.Pair, k.Address, k.Name)
	found := map[string]Tries{}
	_, err = database.ReadAll(rows, err, "read failed logins", func(row database.Scanner) (key string, err error) {
		var t Tries
		err = row.Scan(&key, &t.Failures, &t.FailedAt, &t.KnownAt)
		found[key] = t
		return key, err
	})
	return found, err
}

// AddFailure counts a failed login for each key. A count whose latest failure was not after
// since begins again. The keys come in one order, so that no two wait for each other.
func (tx Editor) AddFailure(ctx context.Context, k LoginKeys, now, since drover.Time) error {
	for _, key := range []string{k.Pair, k.Address, k.Name} {
		_, err := tx.tx.Write("login_try").ExecContext(ctx, `INSERT INTO login_try AS l (key, failures, failed_at, known_at) VALUES ($1, 1, $2, 0)
			ON CONFLICT (key) DO UPDATE SET failures = CASE WHEN l.failed_at <= $3 THEN 1 ELSE l.failures + 1 END, failed_at = excluded.failed_at`,
			key, now, since)
		if err != nil {
			return fmt.Errorf("count a failed login: %w", err)
		}
	}
	return nil
}

// AddSuccess forgets the failures of the name, and notes that it is known at the address.
// The failures of the address stay.
func (tx Editor) AddSuccess(ctx context.Context, k LoginKeys, now drover.Time) error {
	_, err := tx.tx.Write("login_try").ExecContext(ctx, `INSERT INTO login_try (key, failures, failed_at, known_at) VALUES ($1, 0, 0, $2)
		ON CONFLICT (key) DO UPDATE SET failures = 0, known_at = excluded.known_at`, k.Pair, now)
	if err == nil {
		_, err = tx.tx.Write("login_try").ExecContext(ctx, `DELETE FROM login_try WHERE key = $1`, k.Name)
	}
	if err != nil {
		return fmt.Errorf("note a login: %w", err)
	}
	return nil
}

// DropTries forgets what failed and was known before.
func (tx Editor) DropTries(ctx context.Context, failed, known drover.Time) error {
	_, err := tx.tx.Write("login_try").ExecContext(ctx, `DELETE FROM login_try WHERE failed_at < $1 AND known_at < $2`, failed, known)
	if err != nil {
		return fmt.Errorf("drop failed logins: %w", err)
	}
	return nil
}
