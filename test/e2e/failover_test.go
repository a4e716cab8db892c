//go:build faults

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

const (
	failoverWriters = 4
	// failoverLoad is how many writes are acknowledged before the primary is killed, and after.
	failoverLoad = 300
	// failoverGoal is how long the service may take to write again once the standby is promoted.
	failoverGoal = 15 * time.Second
)

// TestFailover ends a primary under load, promotes its standby, and holds what the service has acknowledged against
// what is there: with synchronous replication nothing is lost. A primary that is frozen answers no one and keeps its
// connections, as a machine does whose network is gone.
func TestFailover(t *testing.T) { //nolint:paralleltest // it measures
	for _, c := range []struct {
		name        string
		end         syscall.Signal
		synchronous bool
	}{
		{"killed, synchronous", syscall.SIGKILL, true},
		{"killed, asynchronous", syscall.SIGKILL, false},
		{"frozen, synchronous", syscall.SIGSTOP, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			lost, recovered := failover(t, c.end, c.synchronous)
			if recovered > failoverGoal {
				t.Errorf("it takes %s until it writes again", recovered)
			}
			if c.synchronous && lost > 0 {
				t.Errorf("%d acknowledged writes are lost", lost)
			}
		})
	}
}

// failover returns how many acknowledged writes were lost, and how long after the promotion the service wrote again.
func failover(t *testing.T, end syscall.Signal, synchronous bool) (lost int, recovered time.Duration) {
	t.Helper()
	ctx := t.Context()
	primary, err := storetest.StartServer(ctx)
	noError(t, err)
	t.Cleanup(func() {
		_ = primary.Signal(syscall.SIGKILL) // it may have ended, or be frozen
		_ = primary.Stop()
	})
	standby, err := primary.Follow(ctx)
	noError(t, err)
	t.Cleanup(func() { _ = standby.Stop() })
	noError(t, primary.Create(ctx, "drover", ""))
	if synchronous {
		execute(t, primary.URL("postgres"), `ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`)
		eventually(t, func() error { return isSynchronous(ctx, primary.URL("postgres")) })
	}
	s := site{data: filepath.Join(t.TempDir(), "data"), database: "postgres://drover@/drover?host=" + primary.Dir() + "," + standby.Dir()}
	s.world, err = world.Make(ctx, config.Store{Data: s.data, Database: s.database})
	noError(t, err)
	s.drover(t, "", "tenant", "limit", s.world.Owner.Name, "--set", "connections=1000000")
	c := logIn(t, serve(t, s), world.Admin)

	w := &writers{client: c}
	stop := w.start(ctx)
	w.await(t, failoverLoad)
	began := time.Now()
	noError(t, primary.Signal(end))
	execute(t, standby.URL("postgres"), `SELECT pg_promote()`)
	promoted := time.Now()
	before := w.count.Load()
	w.await(t, before+1)
	recovered = time.Since(promoted)
	w.await(t, before+failoverLoad)
	stop()

	there := businesses(t, c)
	for name := range w.acknowledged {
		if !there[name] {
			lost++
		}
	}
	t.Logf("%d writes acknowledged, %d refused meanwhile; promoted after %s, writes again %s after that, %d lost",
		len(w.acknowledged), w.refused.Load(), promoted.Sub(began).Round(time.Millisecond), recovered.Round(time.Millisecond), lost)
	return lost, recovered
}

// isSynchronous wants a server to wait for its standby before it acknowledges a commit.
func isSynchronous(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var state string
	err = conn.QueryRow(ctx, `SELECT sync_state FROM pg_stat_replication`).Scan(&state)
	if err == nil && state != "sync" {
		err = fmt.Errorf("the standby is %s", state)
	}
	return err
}

// writers make connections, each with a name of its own, and remember which were acknowledged.
type writers struct {
	client       *client
	next, count  atomic.Int64
	refused      atomic.Int64
	mu           sync.Mutex
	acknowledged map[string]bool
}

// start writes until the function that it returns is called.
func (w *writers) start(ctx context.Context) (stop func()) {
	w.acknowledged = map[string]bool{}
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	for range failoverWriters {
		working.Go(func() {
			for ctx.Err() == nil {
				w.write(ctx)
			}
		})
	}
	return func() {
		cancel()
		working.Wait()
	}
}

func (w *writers) write(ctx context.Context) {
	name := fmt.Sprintf("business %d", w.next.Add(1))
	a, err := w.client.do(ctx, http.MethodPost, "/connection", `{"active":false,`+connectionBody(name, "token")[1:])
	if err != nil || a.status/100 != 2 {
		w.refused.Add(1)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acknowledged[name] = true
	w.count.Add(1)
}

// await waits until so many writes were acknowledged.
func (w *writers) await(t *testing.T, n int64) {
	t.Helper()
	eventually(t, func() error {
		if got := w.count.Load(); got < n {
			return fmt.Errorf("%d of %d writes were acknowledged, %d refused", got, n, w.refused.Load())
		}
		return nil
	})
}

// businesses are the names of all connections.
func businesses(t *testing.T, c *client) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for cursor := ""; ; {
		a, err := c.do(t.Context(), http.MethodGet, "/connection?limit=1000"+cursor, "")
		noError(t, err)
		var page struct {
			Data []struct {
				BusinessName string `json:"business_name"`
			} `json:"data"`
		}
		noError(t, json.Unmarshal([]byte(a.body), &page))
		for _, connection := range page.Data {
			found[connection.BusinessName] = true
		}
		next := a.header.Get("X-Next-Cursor")
		if next == "" {
			return found
		}
		cursor = "&cursor=" + next
	}
}

func execute(t *testing.T, address string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	noError(t, err)
	defer conn.Close(t.Context())
	for _, s := range statements {
		_, err := conn.Exec(t.Context(), s)
		noError(t, err)
	}
}
