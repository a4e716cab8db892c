package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Unavailable reports whether err is trouble of the database that may pass: it is
// down, full, read-only, locked or does not answer. The same statement may succeed
// later.
func Unavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return slices.Contains([]int{
			sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
			sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		}, e.Code()&0xff)
	}
	if state := State(err); state != "" {
		return unavailableState(state)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, known := range []error{
		driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, net.ErrClosed, ErrPlace,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return pgconn.SafeToRetry(err)
}

// unavailableState tells the states of PostgreSQL that pass.
func unavailableState(state string) bool {
	switch state {
	case "25006", // a read-only transaction: a standby, or a server that was set so
		LockNotAvailable,
		statementTimeout,
		serializationFailure, deadlockDetected:
		return true
	}
	switch state[:2] {
	case "08", // the connection
		"53", // out of disk, memory or connections
		"58": // the system below it
		return true
	}
	return len(state) > 3 && state[:3] == "57P" // it is stopping or starting
}

// explained adds to an error of SQLite which file it is about, and what helps: its own
// words name neither.
func explained(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: run this as the user of the service, or give this user the file and its folder", err)
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s cannot be written (does this user own it and its folder, and is its disk mounted for writing?): %w", path, err)
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s cannot be opened (does this user own it, its folder, and the files beside it that end in -wal and -shm?): %w",
			path, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk of %s is full (free some space; the service then continues): %w", path, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s is damaged (move it away and restore a backup with drover restore): %w", path, err)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not an SQLite database: %w", path, err)
	}
	return err
}
