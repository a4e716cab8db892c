package simulate

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/database"
)

// process is the service from a start to its end, which may come at any statement.
type process struct {
	world  *world
	number int
	folder string
	app    *app.App
	random *rand.Rand // of its disk
	pauses *rand.Rand
	ahead  atomic.Int64 // of its clock, in nanoseconds

	dead atomic.Bool
	died chan struct{} // closed when it is

	mu      sync.Mutex
	points  int // until it dies; 0 never
	frozen  time.Time
	full    bool
	failing float64 // share of the writes that fail
}

// errDead is what a process that has ended hears from everything.
var errDead = errors.New("the process is dead")

// diskError is trouble of the disk, which may pass.
type diskError struct{}

func (diskError) Error() string   { return "disk I/O error" }
func (diskError) Timeout() bool   { return false }
func (diskError) Temporary() bool { return true }

// masterKey opens all simulated installations.
var masterKey = strings.Repeat("5a", 32)

const pollInterval = 10 * time.Second

func settings(folder string) config.Serve {
	return config.Serve{
		Store: config.Store{Data: folder, MasterKey: masterKey}, Role: "all", AllowNetwork: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		AccessTokenLifetime: 700 * time.Hour, RefreshTokenLifetime: 700 * time.Hour, MaxInFlight: 512, MaxStreams: 100,
		StreamHeartbeat: 15 * time.Second,
		PollInterval:    pollInterval, CollectionLease: time.Minute, MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200,
	}
}

// boot starts a process on a folder. It may die on the way.
func (w *world) boot(ctx context.Context, folder string) (*process, error) {
	w.starts++
	p := &process{
		world: w, number: w.starts, folder: folder, random: stream(w.seed, fmt.Sprintf("process %d", w.starts)),
		died: make(chan struct{}),
	}
	p.pauses = stream(w.seed, fmt.Sprintf("pauses %d", w.starts))
	p.ahead.Store(w.ahead.Load())
	if w.faults.Load() && w.plan.has(crash) && p.random.IntN(6) == 0 {
		p.points = 1 + p.random.IntN(60)
	}
	disks.Store(folder, p)
	w.trace.add("process %d starts", p.number)
	a, err := app.New(ctx, settings(folder), app.Options{
		Logger: slog.New(slog.DiscardHandler), Version: "simulated", Now: p.now, Network: &network{world: w, process: p}, Rand: p.draw,
		Stage: &database.Stage{Driver: driverName, Enter: p.enter, Readers: 100},
	})
	if err != nil {
		return p, err
	}
	p.app = a
	a.Start(ctx)
	return p, nil
}

// now is the process's clock, which may be wrong.
func (p *process) now() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }

// draw is the process's own randomness.
func (p *process) draw() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pauses.Float64()
}

// stop ends it, in order where it is alive.
func (p *process) stop() {
	if p.app != nil {
		p.app.Stop()
		_ = p.app.Close() // one that died cannot close what it has lost
	}
	disks.Delete(p.folder)
}

// statement waits for its turn. It fails where the disk does, and for ever where the
// process dies.
func (p *process) statement(ctx context.Context, query string, args []driver.NamedValue) error {
	if p.dead.Load() {
		return errDead
	}
	if !underLock(query) {
		p.turn(ctx.Done(), func() string { return p.world.trace.statement(query, args) })
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if p.point() || p.dead.Load() {
		return errDead
	}
	if p.fails(query) {
		p.world.trace.add("it fails")
		return diskError{}
	}
	return nil
}

// turn waits until it is the process's turn, or done.
func (p *process) turn(done <-chan struct{}, describe func() string) {
	p.world.bus.waitFor(p, done, func() string { return fmt.Sprintf("%d %s", p.number, describe()) })
}

// enter waits before a transaction.
func (p *process) enter() {
	if !p.dead.Load() {
		p.turn(nil, func() string { return "transaction" })
	}
}

// freezes is for how long the process stands still. One that is dead does not.
func (p *process) freezes() time.Duration {
	if p == nil || p.dead.Load() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.frozen)
}

// underLock reports whether a statement is read while a lock is held that others
// wait for: time would stand still for all if it waited as well.
func underLock(query string) bool {
	return strings.HasPrefix(query, "SELECT version FROM auth_version") || strings.HasPrefix(query, "SELECT id, sealed, active")
}

// committed is a point at which the process may die: its work is done, and no one
// knows.
func (p *process) committed() error {
	if p.point() {
		return errDead
	}
	return nil
}

// point is a moment at which the process may die.
func (p *process) point() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.points == 0 {
		return false
	}
	if p.points--; p.points > 0 {
		return false
	}
	p.world.trace.add("process %d dies", p.number)
	if err := copyDisk(p.folder, p.world.nextFolder(p)); err != nil {
		p.world.fail("copy the disk: %v", err)
	}
	p.dead.Store(true)
	close(p.died)
	return true
}

// fails reports whether the disk refuses a write.
func (p *process) fails(query string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing == 0 || strings.HasPrefix(query, "SELECT") || strings.HasPrefix(query, "PRAGMA") || strings.HasPrefix(query, "ROLLBACK") {
		return false
	}
	return p.random.Float64() < p.failing
}

func (p *process) isFull() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full
}

// with changes what is wrong with the process.
func (p *process) with(change func(*process)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// nextFolder is where the process that follows finds what this one has written.
func (w *world) nextFolder(p *process) string {
	return filepath.Join(w.root, fmt.Sprint(p.number+1))
}
