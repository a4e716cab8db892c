// Package live serves the events of tenants' feeds to live streams and long polls.
//
// Each tenant with subscribers has one reader in a process, for any number of subscribers. It
// reads new events once and fans them out. It reads when the store signals a commit of this
// process, when the database signals one of another process, and every second, because a signal
// can be lost.
//
// A subscription that resumes reads the events that it has missed from the store and then joins
// the reader, so that it gets every event once and in order.
package live

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
)

// Why a subscription ended.
var (
	// ErrSlow says that the receiver did not keep up. It can resume where it is.
	ErrSlow = errors.New("the receiver is too slow")
	// ErrClosed says that the process is about to stop.
	ErrClosed = errors.New("the service is stopping")
)

const (
	// lookInterval is how long a lost signal can hold an event up.
	lookInterval = time.Second
	// queueSize is by how many events a receiver may lag before it is cut.
	queueSize = 256
	// pageSize is how many events are read at once.
	pageSize = 200
	// catchUpSize is how many events a receiver that catches up reads at once, and
	// catchUpMemory what they may take.
	catchUpSize   = 50
	catchUpMemory = 4 << 20
	defaultStale  = 100 * time.Millisecond
	// endOfFeed is beyond every sequence.
	endOfFeed = 1<<63 - 1
)

// Options are what a Hub works with.
type Options struct {
	Store  *store.Store
	Logger *slog.Logger
	// Memory is what streams draw on that catch up; nil does not bound them.
	Memory *quota.Pool
	// Stale is how long a message may lie in a queue before it is asked again whether
	// the receiver may read it; zero chooses.
	Stale time.Duration
}

// Hub serves all who wait in this process. It works before it is started, and
// then hears only of what this process commits.
type Hub struct {
	Options
	background.Work

	ctx    context.Context //nolint:containedctx // the life of the readers, which no caller's context bounds
	close  context.CancelFunc
	silent func()

	mu    sync.Mutex
	feeds map[string]*feed
}

// New makes a Hub. Close it when no one is to wait any more.
func New(o Options) *Hub {
	o.Stale = cmp.Or(o.Stale, defaultStale)
	h := &Hub{Options: o, feeds: map[string]*feed{}}
	h.ctx, h.close = context.WithCancel(context.Background())
	h.Run = h.run
	h.silent = o.Store.Jobs.OnEvents(h.wake)
	return h
}

// Close ends all subscriptions and refuses further ones. It is safe twice.
func (h *Hub) Close() {
	h.silent()
	h.close()
}

// run listens to other processes and looks for what they did not tell.
func (h *Hub) run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { h.listen(ctx) })
	background.Every(ctx, lookInterval, h.look)
}

// listen hears what other processes announce, and tries again where the line is
// lost: until then there is the look every second.
func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := h.Store.Jobs.ListenEvents(ctx, h.wake); err != nil && ctx.Err() == nil {
			h.Logger.WarnContext(ctx, "events of other processes come with delay", "err", err)
		}
		select {
		case <-time.After(lookInterval):
		case <-ctx.Done():
		}
	}
}

// look wakes the readers whose feed has grown unnoticed, with one query for all.
func (h *Hub) look(ctx context.Context) {
	h.mu.Lock()
	tenants := make([]string, 0, len(h.feeds))
	for id := range h.feeds {
		tenants = append(tenants, id)
	}
	h.mu.Unlock()
	if len(tenants) == 0 {
		return
	}
	last, err := h.Store.Feed.LastEvents(ctx, tenants)
	if err != nil {
		if ctx.Err() == nil {
			h.Logger.ErrorContext(ctx, "look for events", "err", err)
		}
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, sequence := range last {
		if f := h.feeds[id]; f != nil && f.head.Load() < sequence {
			f.wake()
		}
	}
}

func (h *Hub) wake(tenantID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.feeds[tenantID]; f != nil {
		f.wake()
	}
}

// acquire returns the reader of a tenant, which lives until it is released as
// often as it was acquired.
func (h *Hub) acquire(ctx context.Context, tenantID string) (*feed, error) {
	h.mu.Lock()
	if h.ctx.Err() != nil {
		h.mu.Unlock()
		return nil, ErrClosed
	}
	f := h.feeds[tenantID]
	if f == nil {
		f = newFeed(h, tenantID)
		h.feeds[tenantID] = f
	}
	f.users++
	h.mu.Unlock()
	if err := f.start(ctx); err != nil {
		h.release(f)
		return nil, err
	}
	return f, nil
}

func (h *Hub) release(f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.users--; f.users == 0 {
		delete(h.feeds, f.tenantID)
		f.stop()
	}
}

// Await returns true once the feed of a tenant goes beyond after, and false
// where ctx is done or the hub is closed before.
func (h *Hub) Await(ctx context.Context, tenantID string, after int64) (bool, error) {
	f, err := h.acquire(ctx, tenantID)
	if errors.Is(err, ErrClosed) || ctx.Err() != nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer h.release(f)
	for {
		grown := f.grown()
		if f.head.Load() > after {
			return true, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return false, nil
		case <-h.ctx.Done():
			return false, nil
		}
	}
}
