package storetest

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Places are servers with some tenants each: one PostgreSQL behind several addresses, of which one
// can be stopped, or hang, for the tenants that are there. What names no tenant goes past them.
type Places struct {
	tb      testing.TB
	servers map[string]*place
	mu      sync.Mutex
	tenants map[string][]string
}

// The places.
const (
	Near = "near"
	Far  = "far"
	Away = "away"
)

// OpenApart opens a store whose tenants lie at several places.
func OpenApart(tb testing.TB) (*store.Store, *Places) {
	tb.Helper()
	o, places := Apart(tb)
	return Open(tb, o), places
}

// Apart names a fresh database whose tenants lie at several places.
func Apart(tb testing.TB) (store.Options, *Places) {
	tb.Helper()
	o := Options(tb, "postgres")
	at, err := url.Parse(o.URL)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Places{tb: tb, servers: map[string]*place{}, tenants: map[string][]string{}}
	for _, name := range []string{Near, Far, Away} {
		s := &place{tb: tb, socket: at.Query().Get("host") + "/.s.PGSQL.5432", address: "127.0.0.1:0", conns: map[net.Conn]bool{}}
		s.flow = sync.NewCond(&s.mu)
		s.start()
		if s.listener == nil {
			tb.FailNow()
		}
		s.address = s.listener.Addr().String() // it comes again at the same one
		p.servers[name] = s
	}
	o.Places = func(context.Context, database.Reader) (list []database.Place, _ error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for name, s := range p.servers {
			list = append(list, database.Place{Name: name, Address: s.address, Tenants: slices.Clone(p.tenants[name])})
		}
		return list, nil
	}
	o.Trace = func(s database.Statement) {
		query := oneLine(s.Query)
		if reason := refusal(query, overAll(query)); reason != "" {
			tb.Errorf("where tenants lie apart, a statement %s: %s", reason, query)
		}
	}
	tb.Cleanup(func() {
		for _, s := range p.servers {
			s.stop()
		}
	})
	return o, p
}

// Put has a tenant at a place from now on, and waits until a store knows it.
func (p *Places) Put(s *store.Store, tenantID, place string) {
	p.tb.Helper()
	p.mu.Lock()
	p.tenants[place] = append(p.tenants[place], tenantID)
	p.mu.Unlock()
	Until(p.tb, "the store knows the place of a tenant", func() bool { return s.PlaceOf(tenantID) == place })
}

// AwaitPlace waits until a store knows where a tenant lies, where tenants lie apart: what is told of it
// before is found by looking.
func AwaitPlace(tb testing.TB, s *store.Store, tenantID string) {
	tb.Helper()
	if s.Distributed() {
		Until(tb, "the store knows the place of a tenant", func() bool { return s.PlaceOf(tenantID) != "" })
	}
}

// Stop ends the server of a place, Hang has it answer no one, and Resume ends either.
func (p *Places) Stop(place string) { p.servers[place].stop() }

// Hang leaves connections as they are.
func (p *Places) Hang(place string) { p.servers[place].hang(true) }

// Resume has it answer again.
func (p *Places) Resume(place string) {
	p.servers[place].hang(false)
	p.servers[place].start()
}

// Until waits for what is to come.
func Until(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !is() {
		select {
		case <-again.C:
		case <-ctx.Done():
			tb.Fatalf("%s: it did not come", what)
		}
	}
}

// place passes on what goes to a server.
type place struct {
	tb              testing.TB
	socket, address string

	mu       sync.Mutex
	flow     *sync.Cond
	listener net.Listener // nil where it is stopped
	conns    map[net.Conn]bool
	hangs    bool
}

func (s *place) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return
	}
	var err error
	if s.listener, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", s.address); err != nil {
		s.tb.Error(err)
		return
	}
	go s.accept(s.listener)
}

func (s *place) accept(l net.Listener) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := (&net.Dialer{}).Dial("unix", s.socket)
		if err != nil {
			_ = from.Close()
			return
		}
		s.mu.Lock()
		if s.listener != l {
			_, _ = from.Close(), to.Close()
		}
		s.conns[from], s.conns[to] = true, true
		s.mu.Unlock()
		go s.pass(from, to)
		go s.pass(to, from)
	}
}

// pass copies from one end to the other, unless the place hangs.
func (s *place) pass(from, to net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		s.mu.Lock()
		for s.hangs {
			s.flow.Wait()
		}
		s.mu.Unlock()
		if n > 0 {
			_, failed := to.Write(buffer[:n])
			err = errors.Join(err, failed)
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			s.mu.Lock()
			delete(s.conns, from)
			s.mu.Unlock()
			return
		}
	}
}

func (s *place) stop() {
	s.hang(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return
	}
	_ = s.listener.Close()
	s.listener = nil
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *place) hang(hangs bool) {
	s.mu.Lock()
	s.hangs = hangs
	s.mu.Unlock()
	s.flow.Broadcast()
}
