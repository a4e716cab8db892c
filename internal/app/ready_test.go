package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestLockedTable keeps one table locked below a service: it is not ready and says why,
// and requests that do not need the table are answered.
func TestLockedTable(t *testing.T) {
	t.Parallel()
	url := storetest.Options(t, "postgres").URL
	c := settings(t, url)
	c.Role = "api"
	address, stop := run(t, c)
	await(t, address, http.StatusOK, `"writes":"ok"`)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, table := range []string{"device", "delivery", "position"} {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			t.Fatal(err)
		}
		await(t, address, http.StatusServiceUnavailable, `"writes":"writes check failed: table `+table+` is locked"`)
		if status := logIn(t, address); status != http.StatusUnauthorized {
			t.Errorf("while %s is locked a wrong login answers %d", table, status)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		await(t, address, http.StatusOK, `"writes":"ok"`)
	}
	stop()
}

// TestUpgradedBelow lets a newer drover upgrade the database of a service: it goes on
// until it is replaced, and no other of its version starts.
func TestUpgradedBelow(t *testing.T) {
	t.Parallel()
	url := storetest.Options(t, "postgres").URL
	c := settings(t, url)
	c.Role = "api"
	address, stop := run(t, c)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)`); err != nil {
		t.Fatal(err)
	}
	await(t, address, http.StatusOK, "a newer drover has upgraded the database")
	if status := logIn(t, address); status != http.StatusUnauthorized {
		t.Errorf("a wrong login answers %d", status)
	}
	if again, err := New(t.Context(), c, Options{Logger: slog.New(slog.DiscardHandler)}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("an older service starts on a newer schema: %v, %v", again, err)
	}
	stop()
}

// await asks until the service is as ready as it is to be.
func await(t *testing.T, address net.Addr, status int, text string) {
	t.Helper()
	deadline, tick := time.After(3*time.Minute), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		got, _, body := get(t, address, "/readyz")
		if got == status && strings.Contains(body, text) {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("readiness is %d %s, want %d with %s", got, body, status, text)
		case <-tick.C:
		}
	}
}

// logIn sends a login of no one and returns the status.
func logIn(t *testing.T, address net.Addr) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address.String()+"/token",
		strings.NewReader(`{"username":"a","password":"b"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(errors.Unwrap(err))
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
