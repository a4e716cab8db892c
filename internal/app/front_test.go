package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// settings are those of a service on a free port.
func settings(t *testing.T, database string) config.Serve {
	t.Helper()
	return config.Serve{
		Store: config.Store{Data: t.TempDir(), Database: database}, Role: "all", Listen: anyPort, MaxInFlight: 8, MaxStreams: 8,
		ShutdownTimeout:     3 * time.Minute,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MilestoneTimeout: time.Hour, MilestoneRadius: 200,
		CollectionLease: time.Minute,
	}
}

// run starts a service, and returns where it listens and what ends it.
func run(t *testing.T, c config.Serve) (address net.Addr, stop func()) {
	t.Helper()
	a, err := New(t.Context(), c, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	ended, ready := make(chan error, 1), make(chan net.Addr)
	go func() { ended <- a.Run(ctx, func(address net.Addr) { ready <- address }) }()
	return <-ready, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// get asks an address and returns the status, a header and the text.
func get(t *testing.T, address net.Addr, path string) (status int, header http.Header, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address.String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Timeout: 3 * time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text json.RawMessage
	if err := json.NewDecoder(answer.Body).Decode(&text); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// TestAnswersWhileMigrating holds a migration up: the process can be seen to live
// and not to be ready.
func TestAnswersWhileMigrating(t *testing.T) {
	t.Parallel()
	server, err := storetest.StartServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `SELECT pg_advisory_lock($1)`, lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	c, o := settings(t, server.URL("postgres")), Options{Logger: slog.New(slog.DiscardHandler), Version: "test"}
	front, err := Listen(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	o.Front = front
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := New(ctx, c, o)
		ended <- err
	}()
	address := front.servers[0].listener.Addr()
	if status, _, _ := get(t, address, "/healthz"); status != http.StatusOK {
		t.Errorf("health answers %d", status)
	}
	if status, _, body := get(t, address, "/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "migrating") {
		t.Errorf("readiness answers %d %s", status, body)
	}
	if status, header, _ := get(t, address, "/device"); status != http.StatusServiceUnavailable || header.Get("Retry-After") != "5" {
		t.Errorf("the interface answers %d with Retry-After %q", status, header.Get("Retry-After"))
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was given up ended with %v", err)
	}
}

// stuck is work that never ends.
type stuck struct{}

func (stuck) Start(context.Context) {}
func (stuck) Stop()                 { select {} }

// TestStuckWorkEndsNothing stops a service whose background work does not end, as
// that of a database that does not answer: it ends in time all the same.
func TestStuckWorkEndsNothing(t *testing.T) {
	t.Parallel()
	a := newTestApp(t, "all", anyPort, "")
	a.Config.ShutdownTimeout = time.Second
	a.services = append(a.services, stuck{})
	ctx, cancel := context.WithCancel(t.Context())
	err := a.Run(ctx, func(net.Addr) { cancel() })
	if !errors.Is(err, ErrStuck) {
		t.Errorf("it ended with %v", err)
	}
}

// TestOneServiceForAFolder starts a second service on a folder.
func TestOneServiceForAFolder(t *testing.T) {
	t.Parallel()
	c, o := settings(t, ""), Options{Logger: slog.New(slog.DiscardHandler)}
	first, err := Listen(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Listen(t.Context(), c, o); err == nil {
		second.Close()
		t.Error("two services have one folder")
	} else if !strings.Contains(err.Error(), "another drover process uses") {
		t.Errorf("the second was refused with %v", err)
	}
	first.Close()
	again, err := Listen(t.Context(), c, o)
	if err != nil {
		t.Fatalf("the folder is still held: %v", err)
	}
	again.Close()
}

// TestDatabaseTrouble stops the server below a service: that is reported as what it is.
func TestDatabaseTrouble(t *testing.T) {
	t.Parallel()
	server, err := storetest.StartServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := settings(t, server.URL("postgres"))
	c.Role = "api"
	address, stop := run(t, c)
	await(t, address, http.StatusOK, `"ready":true`)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if status, _, body := get(t, address, "/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("it is ready without a database: %d %s", status, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address.String()+"/token",
		strings.NewReader(`{"username":"a","password":"b"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "5" {
		t.Errorf("a login answers %d with Retry-After %q", answer.StatusCode, answer.Header.Get("Retry-After"))
	}
	stop()
}
