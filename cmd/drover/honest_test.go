package main

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
)

// TestPlainErrors holds that what is wrong on a command line is reported with what to
// write instead.
func TestPlainErrors(t *testing.T) {
	t.Parallel()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "drover.db"), []byte(strings.Repeat("this is no database ", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		`--listen must be HOST:PORT such as 127.0.0.1:8080, not "8080"`:        {"serve", "--listen", "8080"},
		`--listen must be HOST:PORT such as 127.0.0.1:8080, not "localhost:"`:  {"serve", "--listen", "localhost:"},
		`--listen must be HOST:PORT such as 127.0.0.1:8080, not "127.0.0.1"`:   {"sandbox", "traccar", "--listen", "127.0.0.1"},
		`--listen must be HOST:PORT such as 127.0.0.1:8080, not "localhost"`:   {"webhook", "listen", "--listen", "localhost"},
		`--listen must be HOST:PORT such as 127.0.0.1:8080, not "127.0.0.1:x"`: {"demo", "--listen", "127.0.0.1:x"},
		"--allow-network: a network needs a mask, such as 10.0.0.0/8":          {"serve", "--allow-network", "10.0.0.0"},
		"--shutdown-timeout: a duration needs a unit, such as 30s, 5m or 2h":   {"serve", "--shutdown-timeout", "15"},
	} {
		misuse(t, want, "", args...)
	}
	refuse(t, "drover.db is not an SQLite database", "", "tenant", "list", "--data", broken)
}

// TestMistypedVariable is not parallel: it sets one.
func TestMistypedVariable(t *testing.T) {
	t.Setenv("DROVER_LISTN", "127.0.0.1:1")
	misuse(t, "DROVER_LISTN is not a setting; did you mean DROVER_LISTEN?", "", "version")
}

// TestDoctorFindsDamage overwrites pages in the middle of the file.
func TestDoctorFindsDamage(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	path := filepath.Join(data, "drover.db")
	page := rootPage(t, path, "trip")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const size = 4096
	if _, err := file.WriteAt([]byte(strings.Repeat("damage ", size/7)), (page-1)*size); err != nil {
		t.Fatal(err)
	}
	r := execute(t.Context(), "", "doctor", "--data", data)
	if r.code != 1 || !strings.Contains(r.out, "FAIL  pages") {
		t.Errorf("exit code %d:\n%s", r.code, r.out)
	}
}

// rootPage is the page of the file at which a table begins, counted from 1.
func rootPage(t *testing.T, path, table string) (page int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := db.QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_master WHERE name = $1`, table).Scan(&page); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestDoctorFindsWhatIsOverdue adds a connection that no one reads.
func TestDoctorFindsWhatIsOverdue(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	s, err := app.OpenStore(t.Context(), config.Store{Data: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = s.Update(ctx, func(tx *store.Tx) error {
		return tx.Jobs.AddCollection(ctx, store.NewID(), store.NewID(), drover.At(time.Now().Add(-time.Hour)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out := examine(t, []string{"--data", data}, "collection"); !strings.Contains(out, "1 connections were due") {
		t.Errorf("the reason is missing:\n%s", out)
	}
}

// TestDoctorFindsNamesOfOthers names a user like another tenant's user.
func TestDoctorFindsNamesOfOthers(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	s, err := app.OpenStore(t.Context(), config.Store{Data: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, at := context.Background(), drover.At(time.Now())
	err = s.Update(ctx, func(tx *store.Tx) error {
		for i, u := range []drover.User{
			{Username: "vera", Email: "Viewer@acme.example"},
			{Username: "ben", Email: "b@beta.example"},
		} {
			u.ID, u.TenantID, u.Role, u.CreatedAt = store.NewID(), store.NewID(), drover.RoleViewer, at
			if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: u.TenantID, Name: string(rune('a' + i)), CreatedAt: at}); err != nil {
				return err
			}
			if err := tx.Accounts.AddUser(ctx, u, "hash"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(data, "drover.db"))
	if err != nil {
		t.Fatal(err)
	}
	// As if it was named in a release that compared names otherwise.
	_, err = db.ExecContext(ctx, `UPDATE account_user SET username = 'VERA', login_name = 'VERA' WHERE username = 'ben'`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if out := examine(t, []string{"--data", data}, "user names"); !strings.Contains(out, "has to be named again") ||
		!strings.Contains(out, "has the name or the address of user") {
		t.Errorf("the reason is missing:\n%s", out)
	}
}

// TestDoctorFindsAReadableKey opens the master key to others.
func TestDoctorFindsAReadableKey(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	if err := os.Chmod(filepath.Join(data, "master.key"), 0o644); err != nil { // that is the trouble
		t.Fatal(err)
	}
	if out := examine(t, []string{"--data", data}, "key file", "keys"); !strings.Contains(out, "mode 644") {
		t.Errorf("the reason is missing:\n%s", out)
	}
}
