package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// lockAll takes a writer's lock on each table, as an insert would, and waits a second
// for it at most: less than anyone waits for the outcome. Partitions follow their
// table. Of tables on several servers no lock is taken: one server that does not answer would
// stop everyone.
const lockAll = `DO $$
	DECLARE name text;
	BEGIN
		PERFORM set_config('lock_timeout', '1s', true);
		FOR name IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
		AND NOT relispartition ORDER BY relname LOOP
			EXECUTE format('LOCK TABLE ONLY %I IN ROW EXCLUSIVE MODE', name);
		END LOOP;
	EXCEPTION WHEN lock_not_available THEN
		RAISE EXCEPTION 'a table is locked' USING ERRCODE = 'lock_not_available', TABLE = name;
	END $$`

// CheckLocks fails where a table takes no writes because someone keeps it locked;
// LockedTable says which. SQLite has one lock for all tables, which a transaction
// holds.
func (tx *Tx) CheckLocks(ctx context.Context) error {
	if tx.words.Name() != (postgresWords{}).Name() {
		return nil
	}
	statement := lockAll
	if tx.words.Distributed() {
		statement = strings.Replace(lockAll, `NOT relispartition`, `NOT relispartition AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)`, 1)
	}
	if _, err := (writing{tx, ""}).ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("lock tables: %w", err)
	}
	return nil
}

// LockedTable is the table that CheckLocks could not lock.
func LockedTable(err error) (string, bool) {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || e.Code != LockNotAvailable {
		return "", false
	}
	return e.TableName, e.TableName != ""
}
