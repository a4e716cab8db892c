package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestUnavailable tells trouble that may pass from faults.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	state := func(code string) error { return &pgconn.PgError{Code: code} }
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"none":                {nil, false},
		"a fault":             {errors.New("no such column"), false},
		"no row":              {sql.ErrNoRows, false},
		"given up":            {context.Canceled, false},
		"took too long":       {fmt.Errorf("read: %w", context.DeadlineExceeded), true},
		"cut":                 {io.ErrUnexpectedEOF, true},
		"refused":             {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"disk full":           {state("53100"), true},
		"read-only":           {state("25006"), true},
		"shutting down":       {state("57P01"), true},
		"statement timeout":   {state("57014"), true},
		"lock timeout":        {state("55P03"), true},
		"duplicate":           {state(uniqueViolation), false},
		"a fault of ours":     {state("42703"), false},
		"damaged":             {state("XX001"), false},
		"connection exceeded": {fmt.Errorf("x: %w", state("53300")), true},
	} {
		if got := Unavailable(test.err); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestReadOnlySQLite writes on a connection that may not.
func TestReadOnlySQLite(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	_, err := d.read.ExecContext(t.Context(), `CREATE TABLE x (y)`)
	if err == nil || !Unavailable(err) {
		t.Errorf("a write on a connection for reading: %v", err)
	}
}

// TestExplainedSQLite breaks files in the ways that operators meet: each error names the file,
// and what helps.
func TestExplainedSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "drover.db")
	d, err := openSQLite(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Update(t.Context(), Urgent, func(tx *Tx) error {
		for _, statement := range []string{
			`CREATE TABLE filler (x TEXT)`, `PRAGMA max_page_count = 4`,
			`INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT HEX(RANDOMBLOB(1000)) FROM n`,
		} {
			if _, err := tx.Write("filler").ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	expectWords(t, "full", err, path, "free some space")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content string
		help    string
	}{
		"malformed": {"SQLite format 3\x00" + strings.Repeat("\xff", 8000), path},
		"foreign":   {strings.Repeat("no database ", 1000), "is not an SQLite database"},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := openSQLite(t.Context(), Options{Path: path})
		expectWords(t, name, err, path, c.help)
	}
	expectWords(t, "permission", explained(path, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}), path,
		"as the user of the service")
}

func expectWords(t *testing.T, name string, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q in it", name, err, w)
		}
	}
}

// TestStepsOutOfOrder takes a step whose number is lower than that of the last one.
func TestStepsOutOfOrder(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	for _, names := range [][]string{{"00001_a.sql", "00030_c.sql"}, {"00001_a.sql", "00017_b.sql", "00030_c.sql"}} {
		if _, err := d.Migrate(t.Context(), steps(names...)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := d.Pending(t.Context(), steps("00001_a.sql", "00017_b.sql", "00030_c.sql")); err != nil || n != 0 {
		t.Errorf("%d steps are pending, %v", n, err)
	}
}

// TestNewerSchema opens a database that a newer drover has made.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	d := openTest(t)
	newer, older := steps("00001_a.sql", "00002_b.sql"), steps("00001_a.sql")
	if _, err := d.Migrate(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context(), older); !errors.Is(err, ErrNewer) {
		t.Errorf("migrating it: %v", err)
	}
	if _, err := d.Pending(t.Context(), older); !errors.Is(err, ErrNewer) {
		t.Errorf("looking at it: %v", err)
	}
}
