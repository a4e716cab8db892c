//go:build faults

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

// chronicle is what writers were answered. Each has registers of its own, writes through
// either process and goes on whatever the answer is.
type chronicle struct {
	battle *battle
	client *client
	ended  context.CancelFunc
	all    sync.WaitGroup

	mu       sync.Mutex
	possible map[string][]string // by path: what was acknowledged, and what may have been written since
	written  int
	unknown  int
	refused  map[int]int
}

func newChronicle(b *battle, c *client) *chronicle {
	return &chronicle{battle: b, client: c, possible: map[string][]string{}, refused: map[int]int{}}
}

func (h *chronicle) start(ctx context.Context) {
	ctx, h.ended = context.WithCancel(ctx)
	for i, d := range h.battle.site.world.Devices {
		h.all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				h.write(ctx, (i+n)%2, "/device/"+d.ID, fmt.Sprintf("writer %d, write %d", i, n))
			}
		})
	}
}

func (h *chronicle) stop() {
	h.ended()
	h.all.Wait()
}

// write sets a description. A request that got no answer, or a 5xx, may have been
// carried out, even later: so the next value is written once that is impossible.
func (h *chronicle) write(ctx context.Context, process int, path, value string) {
	h.mu.Lock()
	c := *h.client
	// Anyone who gives up on a request cannot know when it is carried out.
	c.http = &http.Client{Transport: h.client.http.Transport}
	c.base = "http://" + h.battle.processes[process].address
	h.mu.Unlock()
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	a, err := c.do(call, http.MethodPatch, path, fmt.Sprintf(`{"description":%q}`, value))
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil && a.status == http.StatusOK:
		h.possible[path] = []string{value}
		h.written++
	case err == nil && a.status/100 == 4:
		h.refused[a.status]++
	default:
		h.possible[path] = append(h.possible[path], value)
		h.unknown++
	}
}

// check wants each register to have the value that was acknowledged last, or one
// that may have been written since.
func (h *chronicle) check(t *testing.T) {
	t.Helper()
	c := logIn(t, h.battle.processes[0], "demo")
	t.Logf("register writes: %d acknowledged, %d without an answer, refused %v", h.written, h.unknown, h.refused)
	delete(h.refused, http.StatusUnauthorized) // a clock that is far off sees tokens that are not valid yet
	if h.written < 100 || len(h.refused) > 0 {
		t.Errorf("%d writes were acknowledged, refused were %v", h.written, h.refused)
	}
	for path, possible := range h.possible {
		var d drover.Device
		c.must(t, &d, http.MethodGet, path, "")
		if d.Description == nil || !slices.Contains(possible, *d.Description) {
			t.Errorf("%s is %v, want one of %q", path, d.Description, possible)
		}
	}
}

// proxy stands between the processes and PostgreSQL, so that their connections can
// be cut.
type proxy struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	open map[net.Conn]bool
}

func newProxy(t *testing.T, socket string) *proxy {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: socket, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
	})
	go p.accept()
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return // the test is over
		}
		go p.carry(in)
	}
}

func (p *proxy) carry(in net.Conn) {
	defer in.Close()
	out, err := (&net.Dialer{}).DialContext(context.Background(), "unix", p.to)
	if err != nil {
		return
	}
	defer out.Close()
	p.note(in, true)
	defer p.note(in, false)
	go func() {
		_, _ = io.Copy(out, in) // either side may end it
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
}

func (p *proxy) note(c net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.open[c] = true
		return
	}
	delete(p.open, c)
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}
