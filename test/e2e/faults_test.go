//go:build faults

package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// buildTags give the program a clock that can be set wrong.
const buildTags = "faults"

var (
	faultsLength = flag.Duration("length", 5*time.Minute, "for how long faults are made")
	faultsSeed   = flag.Uint64("seed", uint64(time.Now().UnixNano()), "which faults, in which order")
)

// battle is two processes on one PostgreSQL, and all that is done to them.
type battle struct {
	t         *testing.T
	site      site
	server    *storetest.Server
	proxy     *proxy
	random    *rand.Rand
	processes [2]*process
	clocks    [2]string // files with the error of each clock
	counts    map[string]int
}

// TestFaults makes faults around two real processes and their database for a while,
// and then holds every register write, position, event and delivery against what
// was answered, served and received.
func TestFaults(t *testing.T) { //nolint:paralleltest // it stops the database of all
	b := newBattle(t)
	f, rc := newFeed(t, collectCustomers), newDeliveryReceiver(t)
	rc.wrongClocks = true
	c := logIn(t, b.processes[0], "demo")
	made := rc.subscribe(t, c)
	f.connect(t, c)
	w := newChronicle(b, c)
	w.start(t.Context())
	for end := time.Now().Add(*faultsLength); time.Now().Before(end); {
		b.fault()
	}
	t.Logf("seed %d, faults: %s", *faultsSeed, sorted(b.counts))
	w.stop()
	f.finish()
	b.settle(f, made.ID)
	w.check(t)
	got := rc.settle(t)
	b.checkDeliveries(made.ID, got)
	t.Logf("%d deliveries were signed by a clock that was set wrong, and refused", rc.refused)
	for _, p := range b.processes {
		p.kill()
	}
	checkCollected(t, b.site, f)
	b.verify()
}

func newBattle(t *testing.T) *battle {
	t.Helper()
	b := &battle{
		t: t, random: rand.New(rand.NewPCG(*faultsSeed, 1)), counts: map[string]int{}, site: newSite(t, "postgres"),
		server: shared.postgres,
	}
	b.proxy = newProxy(t, filepath.Join(b.server.Dir(), ".s.PGSQL.5432"))
	name, _, _ := strings.Cut(strings.TrimPrefix(b.site.database, "postgres://drover@/"), "?")
	direct := b.site.database
	b.site.database = fmt.Sprintf("postgres://drover@%s/%s?sslmode=disable", b.proxy.address(), name)
	t.Cleanup(func() { b.site.database = direct })
	for i := range b.processes {
		b.clocks[i] = filepath.Join(t.TempDir(), "clock")
		b.serve(i)
	}
	return b
}

// serve starts a process.
func (b *battle) serve(i int) {
	b.t.Helper()
	args := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--allow-network", "127.0.0.0/8", "--log-level", "info", "--poll-interval",
		"500ms", "--collection-lease", "5s", "--access-token-lifetime", "24h",
	}, b.site.flags()...)
	p := startWith(b.t, []string{"TEST_CLOCK_OF_DROVER=" + b.clocks[i]}, args...)
	p.address = p.await(b.t, p.log, readyLine)
	b.processes[i] = p
}

// fault makes one, lets it last, and puts it right.
func (b *battle) fault() {
	b.t.Helper()
	faults := []struct {
		name string
		make func(i int, lasts time.Duration) error
	}{
		{"process stopped", b.stopProcess},
		{"process killed", b.killProcess},
		{"database frozen", b.freeze},
		{"database read-only", b.readOnly},
		{"tables locked", b.lock},
		{"connections cut", b.cut},
		{"clock stepped", b.step},
	}
	f := faults[b.random.IntN(len(faults))]
	i, lasts := b.random.IntN(len(b.processes)), time.Duration(1+b.random.IntN(20))*time.Second
	b.counts[f.name]++
	if err := f.make(i, lasts); err != nil {
		b.t.Fatalf("%s: %v", f.name, err)
	}
	pause(time.Duration(b.random.IntN(4000)) * time.Millisecond)
}

// pause lets time pass, which is what faults are about.
func pause(d time.Duration) { <-time.After(d) }

func (b *battle) stopProcess(i int, lasts time.Duration) error {
	p := b.processes[i].command.Process
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	pause(lasts * 2) // beyond leases
	return p.Signal(syscall.SIGCONT)
}

func (b *battle) killProcess(i int, _ time.Duration) error {
	b.processes[i].kill()
	b.serve(i)
	return nil
}

func (b *battle) freeze(_ int, lasts time.Duration) error {
	if err := b.server.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	pause(lasts)
	return b.server.Signal(syscall.SIGCONT)
}

// admin runs statements beside the proxy.
func (b *battle) admin(f func(ctx context.Context, conn *pgx.Conn) error) error {
	ctx := context.Background()
	name := b.site.database[strings.LastIndex(b.site.database, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	conn, err := pgx.Connect(ctx, b.server.URL(name))
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, conn), conn.Close(ctx))
}

func (b *battle) readOnly(_ int, lasts time.Duration) error {
	set := func(value string) error {
		return b.admin(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "ALTER SYSTEM SET default_transaction_read_only = "+value)
			if err != nil {
				return err
			}
			_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
			return err
		})
	}
	if err := set("on"); err != nil {
		return err
	}
	pause(lasts)
	return set("off")
}

func (b *battle) lock(_ int, lasts time.Duration) error {
	return b.admin(func(ctx context.Context, conn *pgx.Conn) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		tables := []string{"device", "delivery", "event_sequence", "collection", "job"}
		_, err = tx.Exec(ctx, "SET lock_timeout = '20s'; LOCK TABLE "+tables[b.random.IntN(len(tables))]+" IN ACCESS EXCLUSIVE MODE")
		if err == nil {
			pause(lasts)
		}
		return tx.Rollback(ctx)
	})
}

func (b *battle) cut(int, time.Duration) error {
	b.proxy.cut()
	return nil
}

func (b *battle) step(i int, lasts time.Duration) error {
	seconds := []int{-3600, -120, -10, 10, 120, 3600}[b.random.IntN(6)]
	if err := os.WriteFile(b.clocks[i], []byte(fmt.Sprint(seconds)), 0o600); err != nil {
		return err
	}
	pause(lasts)
	return os.WriteFile(b.clocks[i], []byte("0"), 0o600)
}

// settle waits until all is collected and delivered.
func (b *battle) settle(f *feed, webhook string) {
	b.t.Helper()
	c := logIn(b.t, b.processes[0], "demo")
	awaitCollected(b.t, f, c, 10*time.Minute) // what failed often is tried after minutes
	within(b.t, 10*time.Minute, func() error {
		var waiting int
		err := b.admin(func(ctx context.Context, conn *pgx.Conn) error {
			// What failed waits for hours: it is due now.
			if _, err := conn.Exec(ctx, "UPDATE delivery SET due_at = 0 WHERE state = 'pending' AND target_id = $1 AND due_at > (EXTRACT(EPOCH FROM now()) * 1000 + 10000)::bigint", webhook); err != nil {
				return err
			}
			return conn.QueryRow(ctx, "SELECT COUNT(*) FROM delivery WHERE state = 'pending' AND target_id = $1", webhook).Scan(&waiting)
		})
		if err == nil && waiting > 0 {
			err = fmt.Errorf("%d deliveries wait", waiting)
		}
		return err
	})
}

// checkDeliveries wants every event of the feed to have reached its receiver.
func (b *battle) checkDeliveries(webhook string, got map[string]int) {
	b.t.Helper()
	states, again, lost := map[string]int{}, 0, 0
	err := b.admin(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT event_id::text, state FROM delivery WHERE target_id = $1", webhook)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, state string
			if err := rows.Scan(&id, &state); err != nil {
				return err
			}
			states[state]++
			if got[id] > 1 {
				again += got[id] - 1
			}
			if state == "delivered" && got[id] == 0 {
				lost++
			}
		}
		return rows.Err()
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("deliveries: %s; %d were received again", sorted(states), again)
	if lost > 0 || states["failed"]+states["skipped"] > 0 || states["delivered"] == 0 {
		b.t.Errorf("%d deliveries count as delivered and were not received; %s", lost, sorted(states))
	}
}

// verify runs the program's own check of the database.
func (b *battle) verify() {
	b.t.Helper()
	b.t.Log("verify: " + strings.TrimSpace(b.site.drover(b.t, "", "verify")))
}

func sorted(counts map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(out, ", ")
}
