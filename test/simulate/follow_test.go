package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
)

// sighting is an event that came by a stream.
type sighting struct {
	drover.Event
	at time.Time
}

// follow reads the tenant's stream from its beginning, comes back where it ends, and
// leaves now and then by itself.
func (t *tenant) follow(ctx context.Context) {
	r := stream(t.world.seed, "follower of "+t.name)
	last := int64(0)
	for ctx.Err() == nil {
		stay, leave := context.WithTimeout(ctx, time.Duration(20+r.IntN(300))*time.Second)
		t.world.bus.wait(t.name + " follows")
		if p := t.world.process(); p != nil {
			last = t.listen(stay, p, last)
		}
		leave()
		sleep(ctx, 2*time.Second)
	}
}

// listen takes a stream until one side ends it.
func (t *tenant) listen(ctx context.Context, p *process, last int64) int64 {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/stream", nil)
	req.Header.Set("Authorization", "Bearer "+t.token)
	req.Header.Set("Last-Event-Id", strconv.FormatInt(last, 10))
	s := &listener{tenant: t, process: p, header: http.Header{}, last: last, status: http.StatusOK}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.app.API.ServeHTTP(s, req)
	}()
	select {
	case <-done:
	case <-p.died:
		cancel()
		<-done
	}
	if s.status == http.StatusConflict {
		t.world.fail("%s: the feed ends before %d, which was there", t.name, last)
	}
	return s.last
}

// listener is a stream as its receiver sees it.
type listener struct {
	tenant  *tenant
	process *process
	header  http.Header
	status  int

	mu   sync.Mutex
	last int64
	rest []byte
}

func (s *listener) Header() http.Header { return s.header }

// WriteHeader notes the status.
func (s *listener) WriteHeader(status int) { s.status = status }

// Flush implements http.Flusher.
func (s *listener) Flush() {}

// Write takes whole events as they come.
func (s *listener) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process.dead.Load() {
		return 0, errDead
	}
	if s.status != http.StatusOK {
		return len(b), nil
	}
	s.rest = append(s.rest, b...)
	for {
		frame, rest, whole := bytes.Cut(s.rest, []byte("\n\n"))
		if !whole {
			return len(b), nil
		}
		s.rest = rest
		s.take(string(frame))
	}
}

// take notes the event of a frame, if there is one. Its number follows those before.
func (s *listener) take(frame string) {
	head, data, ok := strings.Cut(frame, "data: ")
	if !ok { // a heartbeat, which says how far the stream has come
		if _, id, reported := strings.Cut(head, "id: "); reported {
			n, _ := strconv.ParseInt(strings.TrimSpace(id), 10, 64)
			s.last = max(s.last, n)
		}
		return
	}
	e := &sighting{at: time.Now()}
	if err := json.Unmarshal([]byte(data), &e.Event); err != nil {
		s.tenant.world.fail("%s: a stream holds %q", s.tenant.name, frame)
		return
	}
	if e.Sequence <= s.last {
		s.tenant.world.fail("%s: a stream sent %d after %d", s.tenant.name, e.Sequence, s.last)
	}
	s.last = e.Sequence
	s.tenant.seen = append(s.tenant.seen, e)
}
