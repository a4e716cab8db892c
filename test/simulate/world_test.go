package simulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/rules/road"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// begin is when every simulation begins: vehicles are on the road then.
var begin = time.Date(2026, 3, 10, 7, 0, 0, 0, time.UTC)

// installation is an empty one with three tenants, of which every world has a copy.
type installation struct {
	folder  string
	tenants []tenantKey
}

// tenantKey is a tenant and the token of its admin.
type tenantKey struct{ id, token string }

var (
	installOnce sync.Once
	installed   installation
	errInstall  error
)

// install makes the installation, once for the test binary. Passwords are of no
// interest here, and take long: tokens are signed directly.
func install(t *testing.T) installation {
	t.Helper()
	registerDisk()
	installOnce.Do(func() {
		folder, err := os.MkdirTemp("", "drover-simulate-")
		if err != nil {
			errInstall = err
			return
		}
		installed.folder = folder
		errInstall = installed.make(context.Background())
	})
	if errInstall != nil {
		t.Fatal(errInstall)
	}
	return installed
}

func (i *installation) make(ctx context.Context) error {
	// What is made once for the process must be made outside of any bubble.
	if _, err := pack.OpenText(pack.Text([]byte(`{}`))); err != nil {
		return err
	}
	if _, err := road.Open(nil, road.NewCells().Pack()); err != nil {
		return err
	}
	a, err := app.New(ctx, settings(i.folder), app.Options{Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return begin }})
	if err != nil {
		return err
	}
	for n := range fleets {
		key, err := addTenant(ctx, a, n)
		if err != nil {
			return errors.Join(err, a.Close())
		}
		i.tenants = append(i.tenants, key)
	}
	return a.Close()
}

func addTenant(ctx context.Context, a *app.App, n int) (tenantKey, error) {
	at := drover.At(begin)
	t := drover.Tenant{ID: store.NewID(), Name: fmt.Sprintf("tenant %d", n), CreatedAt: at}
	u := drover.User{ID: store.NewID(), TenantID: t.ID, Username: fmt.Sprintf("admin%d", n), Role: drover.RoleAdmin, CreatedAt: at}
	u.Email = u.Username + "@drover.example"
	s := drover.Session{ID: store.NewID(), TenantID: t.ID, UserID: u.ID, CreatedAt: at, ExpiresAt: drover.At(begin.AddDate(0, 0, 29))}
	err := a.Store.Update(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.Accounts.AddTenant(ctx, t), tx.Accounts.AddUser(ctx, u, "-"), tx.SignIn.AddSession(ctx, s, ""))
	})
	if err != nil {
		return tenantKey{}, err
	}
	token, err := a.Vault.Tokens().Sign(auth.Claims{
		Subject: u.ID, TenantID: t.ID, SessionID: s.ID, TokenID: store.NewID(), Type: auth.Access,
		IssuedAt: begin.Unix(), ExpiresAt: begin.AddDate(0, 0, 29).Unix(),
	})
	return tenantKey{t.ID, token}, err
}

// world is one simulation.
type world struct {
	seed    uint64
	plan    plan
	trace   *trace
	bus     *bus
	root    string
	horizon time.Time // when faults, and the vendors' time, end
	faults  atomic.Bool
	ahead   atomic.Int64 // of the processes' clock, in nanoseconds
	hosts   map[string]host
	vendors []*vendor
	tenants []*tenant
	access  *access
	starts  int // of processes
	stopped chan *process
	graves  sync.WaitGroup // of processes that died

	mu         sync.Mutex
	running    *process // nil while there is none
	next       string   // the folder that the next one starts on
	troubles   []span
	violations []string
}

// simulate runs the world of a seed and returns it when all is over.
func simulate(t *testing.T, seed uint64, full bool) *world {
	t.Helper()
	home := install(t)
	root, err := os.MkdirTemp(memory(), "drover-world-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root) //nolint:errcheck // what is left is the machine's to sweep
	var w *world
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(begin))
		w = newWorld(home, seed, root, full)
		w.live(t.Context())
	})
	return w
}

// memory is a folder in memory where the machine has one: syncing a real disk would
// take most of the time, and what it is for is simulated.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func newWorld(home installation, seed uint64, root string, full bool) *world {
	w := &world{
		seed: seed, plan: newPlan(stream(seed, "plan")), root: root, hosts: map[string]host{}, trace: newTrace(begin, full),
		access: newAccess(), stopped: make(chan *process, 1),
	}
	w.bus = newBus(seed, w.trace)
	w.horizon = begin.Add(w.plan.length)
	for i, key := range home.tenants {
		v := newVendor(w, i)
		w.vendors, w.hosts[v.host] = append(w.vendors, v), v
		t := newTenant(w, i, key)
		w.trace.add("%s is %s", t.name, t.id)
		w.tenants, w.hosts[t.receiverHost()] = append(w.tenants, t), t.receiver
	}
	if err := copyDisk(home.folder, filepath.Join(root, "1")); err != nil {
		w.fail("copy the installation: %v", err)
	}
	return w
}

// live is the life of the world: a calm beginning, a time of faults, and a calm end
// in which everything that was begun is finished.
func (w *world) live(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan struct{})
	var machinery sync.WaitGroup
	machinery.Go(func() { w.bus.run(stopped) })
	if w.first(ctx) {
		w.storm(ctx)
		w.calm(ctx)
		w.mu.Lock()
		p := w.running
		w.mu.Unlock()
		p.stop()
		w.graves.Wait()
		w.check(p.folder)
	}
	close(stopped)
	machinery.Wait()
}

// first starts the first process and connects the tenants, without faults.
func (w *world) first(ctx context.Context) bool {
	p, err := w.boot(ctx, filepath.Join(w.root, "1"))
	if err != nil {
		w.fail("start: %v", err)
		return false
	}
	w.running = p
	for _, t := range w.tenants {
		if err := t.connect(ctx); err != nil {
			w.fail("connect: %v", err)
			p.stop()
			return false
		}
	}
	time.Sleep(4 * pollInterval)
	return true
}

// storm lets everyone act until the horizon.
func (w *world) storm(ctx context.Context) {
	w.faults.Store(true)
	acting, end := context.WithDeadline(ctx, w.horizon)
	defer end()
	following, leave := context.WithCancel(ctx)
	var actors, followers sync.WaitGroup
	for _, t := range w.tenants {
		actors.Go(func() { t.act(acting) })
		followers.Go(func() { t.follow(following) })
	}
	actors.Go(func() { w.chaos(acting) })
	actors.Go(func() { w.operate(acting) })
	stop := make(chan struct{})
	var supervisor sync.WaitGroup
	supervisor.Go(func() { w.supervise(ctx, stop) })
	<-acting.Done()
	w.faults.Store(false)
	actors.Wait()
	w.mend()
	w.settle(ctx)
	leave()
	followers.Wait()
	close(stop)
	supervisor.Wait()
}

// mend puts everything right that was wrong with the process.
func (w *world) mend() {
	w.trace.add("faults end")
	w.mu.Lock()
	p := w.running
	w.mu.Unlock()
	if p != nil {
		p.with(func(p *process) { p.points, p.full, p.failing, p.frozen = 0, false, 0, time.Time{} })
	}
	w.setClock(p, 0)
}

// calm checks that the one process is there that the checks need.
func (w *world) calm(context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		panic("no process runs though nothing is wrong")
	}
}

// process is the one that runs, nil where none does.
func (w *world) process() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil || w.running.dead.Load() {
		return nil
	}
	return w.running
}

// fail notes what must not be.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violations = append(w.violations, fmt.Sprintf(format, args...))
}

// span is a time of trouble.
type span struct{ from, to time.Time }

// trouble notes that results may be lost, from now on for a while, that were not
// committed.
func (w *world) trouble(length time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.troubles = append(w.troubles, span{time.Now(), time.Now().Add(length)})
}

// troubled reports whether there was trouble between two moments.
func (w *world) troubled(from, to time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.troubles, func(s span) bool { return !s.to.Before(from) && !s.from.After(to) })
}
