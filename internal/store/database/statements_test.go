package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

func openTest(t *testing.T) *sqliteDB {
	t.Helper()
	d, err := openSQLite(t.Context(), Options{Path: filepath.Join(t.TempDir(), "drover.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// steps are migrations that do nothing.
func steps(names ...string) fs.FS {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("SELECT 1;")}
	}
	return files
}

// TestStatementsAreBounded prepares more texts than are kept, from several sides at
// once: each gets its answer, also where its statement was dropped meanwhile.
func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	var readers sync.WaitGroup
	for reader := range 4 {
		readers.Go(func() {
			for n := range maxStatements {
				want, got := reader*maxStatements+n, -1
				if err := d.Reader().QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d", want)).Scan(&got); err != nil || got != want {
					t.Errorf("got %d and %v, want %d", got, err, want)
				}
			}
		})
	}
	readers.Wait()
	if n := d.cached.count(); n != maxStatements {
		t.Errorf("%d statements are kept, want %d", n, maxStatements)
	}
}

// TestDroppedStatementKeepsItsRows drops a statement while its rows are read.
func TestDroppedStatementKeepsItsRows(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	rows, err := d.Reader().QueryContext(t.Context(), "SELECT value FROM json_each('[0,1,2]')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for n := range maxStatements {
		var got int
		if err := d.Reader().QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d", n)).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for rows.Next() {
		var got int
		if err := rows.Scan(&got); err != nil || got != n {
			t.Errorf("row %d is %d, %v", n, got, err)
		}
		n++
	}
	if err := rows.Err(); err != nil || n != 3 {
		t.Errorf("%d rows and %v", n, err)
	}
}

// TestPreparingWaitsForNoOne has more readers than there are connections, each with
// statements that are new: anyone who waits for a connection must not hold up those who
// have one.
func TestPreparingWaitsForNoOne(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	var readers sync.WaitGroup
	for reader := range 4 * sqliteReaders {
		readers.Go(func() {
			for n := range 50 {
				if err := readAll(t.Context(), d, fmt.Sprintf("SELECT value, %d FROM json_each('[0,1,2]')", reader*50+n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		readers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		t.Fatal("readers wait for each other")
	}
}

// TestOneRowCanBeCancelled ends a read of one row that would take for ever.
func TestOneRowCanBeCancelled(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		var n int
		ended <- d.Reader().QueryRowContext(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n`).Scan(&n)
	}()
	cancel()
	select {
	case err := <-ended:
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(3 * time.Minute):
		t.Fatal("it goes on")
	}
}

// readAll reads all rows of a query.
func readAll(ctx context.Context, d *sqliteDB, query string) error {
	rows, err := d.Reader().QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // the rows themselves do not matter
	}
	return rows.Err()
}

// recorder prepares on a database and notes the texts.
type recorder struct {
	preparer
	texts []string
}

func (r *recorder) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	r.texts = append(r.texts, query)
	return r.preparer.PrepareContext(ctx, query)
}

// TestLimitIsNoReasonToCompile: SQLite must not see a bare parameter as a limit.
func TestLimitIsNoReasonToCompile(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r := &recorder{preparer: db}
	s := newStatements(r)
	for limit := range 3 {
		const query = `SELECT COUNT(*) FROM (SELECT value FROM json_each('[1,2,3,4]') WHERE value > $1 LIMIT $2)`
		var got int
		if err := s.QueryRowContext(t.Context(), query, 1, limit).Scan(&got); err != nil || got != limit {
			t.Errorf("%d rows and %v for a limit of %d", got, err, limit)
		}
	}
	if want := []string{`SELECT COUNT(*) FROM (SELECT value FROM json_each('[1,2,3,4]') WHERE value > $1 LIMIT +$2)`}; !slices.Equal(r.texts, want) {
		t.Errorf("prepared %q, want %q", r.texts, want)
	}
}
