//go:build citus

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

const (
	// citusAnswer bounds how long a tenant waits whose server is down.
	citusAnswer = 5 * time.Second
	// citusPause bounds how long a tenant waits that is moved.
	citusPause = 5 * time.Second
	// citusUsual bounds an answer to a tenant whose server is up, on a machine that is busy.
	citusUsual = 5 * time.Second
)

// warnings are what the service writes of what fails.
var warnings = regexp.MustCompile(`(?m)^.*level=(WARN|ERROR).*\n`)

// spread is an installation whose two tenants lie on two servers.
type spread struct {
	site
	t       *testing.T
	cluster *storetest.Cluster
	admin   *pgx.Conn // of the coordinator
	servers map[string]*storetest.Server
}

// newSpread distributes a database and fills it. Each of the two tenants has a server for itself.
func newSpread(t *testing.T) *spread {
	t.Helper()
	ctx := t.Context()
	cluster, err := storetest.StartCluster(ctx, 2)
	noError(t, err)
	t.Cleanup(func() {
		for _, s := range cluster.Servers() {
			_ = s.Signal(syscall.SIGCONT) // one may be stopped
		}
		_ = cluster.Stop()
	})
	noError(t, cluster.Create(ctx, "drover", ""))
	s := &spread{t: t, cluster: cluster, site: site{data: filepath.Join(t.TempDir(), "data"), database: cluster.URL("drover")}}
	t.Log(strings.TrimSpace(s.drover(t, "", "migrate", "--distribute", "--shards", "8")))
	s.world, err = world.Make(ctx, config.Store{Data: s.data, Database: s.database})
	noError(t, err)
	s.admin, err = pgx.Connect(ctx, s.database)
	noError(t, err)
	t.Cleanup(func() { _ = s.admin.Close(context.Background()) })
	owner, ownerShard := s.where(s.world.Owner.ID)
	if other, shard := s.where(s.world.Other.ID); other == owner {
		if shard == ownerShard { // the tenants' ids are new with each run
			_, err := s.admin.Exec(ctx, `SELECT isolate_tenant_to_new_shard('device', $1::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`,
				s.world.Other.ID)
			noError(t, err)
			other, shard = s.where(s.world.Other.ID)
		}
		s.move(shard, other, s.elsewhere(other), "block_writes")
	}
	return s
}

// where is the folder of the server that has a tenant, and the tenant's shard.
func (s *spread) where(tenant string) (server string, shard int64) {
	s.t.Helper()
	noError(s.t, s.admin.QueryRow(s.t.Context(), `SELECT n.nodename, p.shardid FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
		WHERE p.shardid = get_shard_id_for_distribution_column('device', $1::uuid)`, tenant).Scan(&server, &shard))
	return server, shard
}

func (s *spread) elsewhere(server string) string {
	for _, w := range s.cluster.Workers {
		if w.Dir() != server {
			return w.Dir()
		}
	}
	return ""
}

func (s *spread) move(shard int64, from, to, mode string) {
	s.t.Helper()
	_, err := s.admin.Exec(s.t.Context(), `SELECT citus_move_shard_placement($1, $2, 5432, $3, 5432, $4::citus.shard_transfer_mode)`, shard, from, to, mode)
	noError(s.t, err)
}

// server has a tenant.
func (s *spread) server(tenant string) *storetest.Server {
	dir, _ := s.where(tenant)
	for _, w := range s.cluster.Workers {
		if w.Dir() == dir {
			return w
		}
	}
	s.t.Fatalf("no worker is at %s", dir)
	return nil
}

// recipientLists are what a tenant reads of others that share something with it.
var recipientLists = []string{
	"/connection", "/device?limit=5", "/device?sort=description", "/device?sort=position_time&order=desc", "/position", "/trip", "/trip?tag=tag",
	"/trip/totals", "/trip/totals?tag=tag", "/stop", "/milestone", "/fault", "/safety-event", "/driver", "/reading", "/search?q=Truck", "/event",
	"/share", "/report/time-use?format=json",
}

// addRecipient adds a tenant at the server of the owner, who shares a connection with it.
func (s *spread) addRecipient(p *process) *client {
	s.t.Helper()
	at, _ := s.where(s.world.Owner.ID)
	for n := 0; ; n++ {
		name, id := fmt.Sprint("recipient-", n), ""
		s.drover(s.t, "", "tenant", "add", name)
		noError(s.t, s.admin.QueryRow(s.t.Context(), `SELECT id::text FROM tenant WHERE name = $1`, name).Scan(&id))
		if server, _ := s.where(id); server != at {
			continue
		}
		s.drover(s.t, world.Password+"\n", "user", "add", "--tenant", name, "--username", name, "--email", name+"@example.com", "--role", "admin")
		c := logIn(s.t, p, name)
		var share drover.Share
		logIn(s.t, p, "demo").must(s.t, &share, http.MethodPost, "/connection/"+s.world.Connections[0].ID+"/share",
			fmt.Sprintf(`{"tenant_id":%q,"scopes":["positions","drivers","readings","safety"]}`, id))
		c.must(s.t, nil, http.MethodPost, "/share/"+share.ID+"/accept", "")
		return c
	}
}

// timed sends a request, and fails the test where the answer comes late.
func (s *spread) timed(c *client, bound time.Duration, method, path, body string) int {
	s.t.Helper()
	began := time.Now()
	a, err := c.do(s.t.Context(), method, path, body)
	noError(s.t, err)
	if took := time.Since(began); took > bound+time.Second {
		s.t.Errorf("%s %s: %d after %s, want it within %s", method, path, a.status, took.Round(time.Millisecond), bound)
	}
	return a.status
}

// TestCitusFailure takes a worker away, and gives it back. Tenants of the other one notice
// nothing, and its own go on afterwards.
func TestCitusFailure(t *testing.T) { //nolint:paralleltest // it measures
	for _, c := range []struct {
		name       string
		down, back func(ctx context.Context, w *storetest.Server) error
	}{
		{
			"stopped", func(_ context.Context, w *storetest.Server) error { return w.Halt() },
			func(ctx context.Context, w *storetest.Server) error { return w.Restart(ctx) },
		},
		{
			"hung", func(_ context.Context, w *storetest.Server) error { return w.Signal(syscall.SIGSTOP) },
			func(_ context.Context, w *storetest.Server) error { return w.Signal(syscall.SIGCONT) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSpread(t)
			p := serve(t, s.site, collecting...)
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(warnings.FindAllString(p.log.String(), 30))
				}
			})
			own, other := logIn(t, p, "demo"), logIn(t, p, "other")
			f, g := newFeed(t, collectCustomers), newFeed(t, 1)
			g.customers[0].native = false
			f.connect(t, own)
			g.connect(t, other)
			awaitCalls(t, f, 20)
			awaitCalls(t, g, 10)

			hears, otherHears := newTold(t, own), newTold(t, other)
			otherDevice := hasDevice(t, other, g.customers[0].conn.ID)
			otherHears.change(other, otherDevice, 3)

			recipient := s.addRecipient(p)
			var shared []drover.Device
			recipient.must(t, &shared, http.MethodGet, "/device", "")
			if len(shared) == 0 {
				t.Error("nothing is shared")
			}

			worker := s.server(s.world.Other.ID)
			noError(t, c.down(t.Context(), worker))
			if status := s.timed(other, citusAnswer, http.MethodGet, "/connection/"+g.customers[0].conn.ID, ""); status < 500 {
				t.Errorf("a tenant whose server is down is answered %d", status)
			}
			for n := range 3 { // so that all of its connections have met the server that is down
				for range 8 {
					go func() { _, _ = other.do(t.Context(), http.MethodGet, "/connection/"+g.customers[0].conn.ID, "") }()
				}
				c := logIn(t, p, "demo")
				if status := s.timed(c, citusUsual, http.MethodGet, "/device?limit=5", ""); status != http.StatusOK {
					t.Errorf("a list of the other tenant is answered %d", status)
				}
				if status := s.timed(c, citusUsual, http.MethodPatch, "/device/"+s.world.Devices[0].ID, fmt.Sprintf(`{"description":"%d while a server is down"}`, n)); status != http.StatusOK {
					t.Errorf("a write of the other tenant is answered %d", status)
				}
				for _, list := range recipientLists {
					if status := s.timed(recipient, citusUsual, http.MethodGet, list, ""); status != http.StatusOK {
						t.Errorf("%s of a tenant with which the other one shares is answered %d", list, status)
					}
				}
				began := time.Now()
				awaitDelivered(t, c, hears.receiver)
				if took := time.Since(began); took > citusUsual {
					t.Errorf("the other tenant's receiver heard of it after %s, want within %s", took.Round(time.Millisecond), citusUsual)
				}
				if status := s.timed(c, citusUsual, http.MethodPost, "/connection", connectionBody("while a server is down", "t")); status != http.StatusOK {
					t.Errorf("a new connection of the other tenant is answered %d", status)
				}
				awaitCalls(t, f, 10)
			}
			if metrics := recipient.status(t, http.StatusOK, http.MethodGet, "/metrics", ""); !strings.Contains(metrics,
				`drover_database_place_answers{place="`+worker.Dir()+`:5432"} 0`) {
				t.Error("the metrics do not say that a server does not answer")
			}
			f.finish()
			awaitCollected(t, f, own, patience)
			late := serve(t, s.site) // such as one that was killed meanwhile
			up := logIn(t, late, "demo")
			if status := s.timed(up, citusUsual, http.MethodGet, "/device?limit=5", ""); status != http.StatusOK {
				t.Errorf("a process that starts while a server is down answers the other tenant %d", status)
			}
			elsewhere := *other
			elsewhere.base = up.base
			if status := s.timed(&elsewhere, citusAnswer, http.MethodGet, "/device?limit=5", ""); status != http.StatusServiceUnavailable {
				t.Errorf("a process that starts while a server is down answers its tenant %d", status)
			}
			late.terminate(t)
			late.wait(t)

			noError(t, c.back(t.Context(), worker))
			other.becomes(t, http.StatusOK, http.MethodGet, "/connection/"+g.customers[0].conn.ID)
			otherHears.change(logIn(t, p, "other"), otherDevice, 3)
			for c, told := range map[*client]*told{logIn(t, p, "demo"): hears, logIn(t, p, "other"): otherHears} {
				told.once(c)
			}
			g.finish()
			awaitCollected(t, g, logIn(t, p, "other"), patience)
			p.terminate(t)
			p.wait(t)
			t.Log("verify: " + strings.TrimSpace(s.drover(t, "", "verify")))
			checkCollected(t, s.site, f)
		})
	}
}

// told is a receiver of what happens to the devices of a tenant.
type told struct {
	t        *testing.T
	receiver *deliveryReceiver
	hook     drover.WebhookCreated
	changes  int
}

func newTold(t *testing.T, c *client) *told {
	t.Helper()
	rc := newDeliveryReceiver(t)
	return &told{t: t, receiver: rc, hook: rc.subscribe(t, c)}
}

// hasDevice is one of a connection's devices.
func hasDevice(t *testing.T, c *client, connection string) string {
	t.Helper()
	var devices []drover.Device
	eventually(t, func() error {
		c.must(t, &devices, http.MethodGet, "/device?limit=1&connection_id="+connection, "")
		if len(devices) == 0 {
			return errNotYet
		}
		return nil
	})
	return devices[0].ID
}

// change changes a device so often, and waits until the receiver has heard of it and that is stored.
func (w *told) change(c *client, device string, n int) {
	w.t.Helper()
	for range n {
		w.changes++
		c.status(w.t, http.StatusOK, http.MethodPatch, "/device/"+device, fmt.Sprintf(`{"description":"change %d"}`, w.changes))
	}
	awaitDelivered(w.t, c, w.receiver)
	eventually(w.t, func() error {
		for _, a := range deliveryLog(w.t, c, w.hook) {
			if a.Type == drover.EventDeviceUpdated && a.State != drover.DeliveryDelivered {
				return fmt.Errorf("delivery %s is %s", a.EventID, a.State)
			}
		}
		return nil
	})
}

// once holds that each change was delivered, and once.
func (w *told) once(c *client) {
	w.t.Helper()
	awaitDelivered(w.t, c, w.receiver)
	got := w.receiver.settle(w.t)
	for _, e := range changes(w.t, c) {
		if got[e.ID] != 1 {
			w.t.Errorf("event %s came %d times", e.ID, got[e.ID])
		}
	}
}

// TestCitusCoordinator takes the coordinator away: the service says that it is not ready, and
// goes on when it is back.
func TestCitusCoordinator(t *testing.T) { //nolint:paralleltest // it measures
	s := newSpread(t)
	p := serve(t, s.site)
	c := logIn(t, p, "demo")
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")
	noError(t, s.cluster.Coordinator.Halt())
	if body := c.becomes(t, http.StatusServiceUnavailable, http.MethodGet, "/readyz"); !strings.Contains(body, `"database"`) {
		t.Errorf("it is not ready because of %s", body)
	}
	noError(t, s.cluster.Coordinator.Restart(t.Context()))
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")
	c.becomes(t, http.StatusOK, http.MethodGet, "/device?limit=5") // connections of before are met first
}

// TestCitusMove moves a tenant to and fro while it is collected.
func TestCitusMove(t *testing.T) { //nolint:paralleltest // it measures
	s := newSpread(t)
	p := serve(t, s.site, collecting...)
	own := logIn(t, p, "demo")
	f := newFeed(t, collectCustomers)
	f.connect(t, own)
	awaitCalls(t, f, 20)

	ctx, cancel := context.WithCancel(t.Context())
	var writes atomic.Int64
	longest := make(chan time.Duration)
	go func() {
		var most time.Duration
		for n := 0; ctx.Err() == nil; n++ {
			began := time.Now()
			a, err := own.do(ctx, http.MethodPatch, "/device/"+s.world.Devices[0].ID, fmt.Sprintf(`{"description":"write %d"}`, n))
			if ctx.Err() != nil {
				break
			}
			if err != nil || a.status != http.StatusOK {
				t.Errorf("a write while the tenant is moved is answered %d %s, %v", a.status, a.body, err)
			}
			writes.Add(1)
			most = max(most, time.Since(began))
		}
		longest <- most
	}()
	for range 4 {
		from, shard := s.where(s.world.Owner.ID)
		began := time.Now()
		s.move(shard, from, s.elsewhere(from), "force_logical")
		t.Logf("moved in %s", time.Since(began).Round(time.Millisecond))
	}
	cancel()
	most := <-longest
	t.Logf("%d writes meanwhile, the longest took %s", writes.Load(), most.Round(time.Millisecond))
	if most > citusPause {
		t.Errorf("a write waited for %s, want at most %s", most, citusPause)
	}
	f.finish()
	awaitCollected(t, f, own, patience)
	p.terminate(t)
	p.wait(t)
	t.Log("verify: " + strings.TrimSpace(s.drover(t, "", "verify")))
	checkCollected(t, s.site, f)
}

func awaitCalls(t *testing.T, f *feed, n int) {
	t.Helper()
	select {
	case <-f.after(n):
	case <-time.After(patience):
		t.Fatal("the vendor is no longer asked")
	}
}
