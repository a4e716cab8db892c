package collect_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
)

// tapName is the provider of taps.
const tapName = drover.Wialon

// tap is a stub whose push says what a test says.
type tap struct {
	*stub
	opened chan struct{} // gets one for each push that is opened
	ended  chan error    // and why it ended
	says   chan []provider.Position
	cut    chan error
	refuse atomic.Pointer[provider.Error]
}

// Push implements provider.Pusher.
func (p *tap) Push(ctx context.Context, take func([]provider.Position) error) error {
	if err := p.refuse.Load(); err != nil {
		p.ended <- err
		return err
	}
	err := take(nil)
	p.opened <- struct{}{}
	for err == nil {
		select {
		case records := <-p.says:
			err = take(records)
		case err = <-p.cut:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	p.ended <- err
	return err
}

// tap connects to a new tap with one device.
func (r *rig) tap(name string) (*tap, drover.Connection) {
	r.t.Helper()
	if _, known := r.options.Providers[tapName]; !known {
		info := r.stubInfo()
		info.Name, info.Push = tapName, &provider.Push{Poll: 5 * time.Minute, Freshness: 5 * time.Second}
		info.New = func(c provider.Config) (provider.Provider, error) { return r.taps.get(c.Credentials["stub"]) }
		r.options.Providers[tapName] = info
	}
	p := &tap{
		stub: &stub{}, opened: make(chan struct{}, 16), ended: make(chan error, 16), says: make(chan []provider.Position),
		cut: make(chan error),
	}
	p.list("a")
	r.taps.set(name, p)
	return p, r.connect(tapName, noon, map[string]string{"stub": name})
}

// collecting runs a collector until the test ends.
func (r *rig) collecting(change ...func(*collect.Options)) *collect.Collector {
	r.t.Helper()
	c := r.another("live", append([]func(*collect.Options){func(o *collect.Options) { o.Lease = time.Hour }}, change...)...)
	c.Start(r.t.Context())
	r.t.Cleanup(c.Stop)
	return c
}

// reopens waits until the push is opened again, while a minute passes second by second: a
// pause is counted from when the run has ended, which may be after the test's last step.
func (r *rig) reopens(c *collect.Collector, p *tap) {
	r.t.Helper()
	passed := 0
	r.wakeUntil(c, "it is opened again", func() bool {
		if passed < 60 {
			passed++
			r.clock.Advance(time.Second)
		}
		return p.reopened()
	})
}

// reopened reports whether the push was opened again.
func (p *tap) reopened() bool {
	select {
	case <-p.opened:
		return true
	default:
		return false
	}
}
