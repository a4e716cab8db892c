package api_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// service is a running drover with one tenant.
type service struct {
	t      *testing.T
	app    *app.App
	url    string
	tenant string
	token  string
	clock  *clocktest.Clock
	config config.Serve
	logger *slog.Logger
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
	places database.Places
}

func onBoth(t *testing.T, f func(s *service)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			f(run(t, database))
		})
	}
}

func run(t *testing.T, database string, change ...func(*config.Serve)) *service {
	t.Helper()
	s := newService(t, database, change...)
	s.begin()
	return s
}

// newService is a service that has not begun.
func newService(t *testing.T, database string, change ...func(*config.Serve)) *service {
	t.Helper()
	o := storetest.Options(t, database)
	c := config.Serve{
		Store: config.Store{Data: t.TempDir(), Database: o.URL}, Listen: "127.0.0.1:0", Role: "all",
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: 24 * time.Hour, MaxInFlight: 2, MaxStreams: 5000,
		MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200, ShutdownTimeout: 3 * time.Minute, StreamHeartbeat: 300 * time.Millisecond,
	}
	for _, f := range change {
		f(&c)
	}
	return &service{
		t: t, clock: clocktest.New(time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)), tenant: store.NewID(), config: c,
		logger: slog.New(slog.DiscardHandler), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
	}
}

// begin starts a service with a user.
func (s *service) begin() {
	s.t.Helper()
	s.open()
	s.addUser()
	s.serve()
}

// beside is another process on the same database.
func (s *service) beside() *service {
	s.t.Helper()
	other := *s
	other.open()
	other.serve()
	return &other
}

func (s *service) open() {
	s.t.Helper()
	var err error
	s.app, err = app.New(s.t.Context(), s.config, app.Options{Logger: s.logger, Version: "test", Now: s.clock.Now, Places: s.places})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) serve() {
	t := s.t
	t.Helper()
	s.ended = make(chan error, 1)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	s.stop = stop
	ready := make(chan string, 1)
	go func() { s.ended <- s.app.Run(ctx, func(a net.Addr) { ready <- "http://" + a.String() }) }()
	select {
	case s.url = <-ready:
	case err := <-s.ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-s.ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := s.app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func (s *service) addUser() {
	s.t.Helper()
	ctx, now := s.t.Context(), drover.At(s.clock.Now())
	hash, err := auth.Hash("a password to test", rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.app.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: s.tenant, Name: "own", CreatedAt: now}); err != nil {
			return err
		}
		return tx.Accounts.AddUser(ctx, drover.User{
			ID: store.NewID(), TenantID: s.tenant, Username: "u", Email: "u@own.example",
			Role: drover.RoleAdmin, CreatedAt: now,
		}, hash)
	}); err != nil {
		s.t.Fatal(err)
	}
	tokens, err := s.app.Fleet.Identity.LogIn(ctx, "10.0.0.1:1", identity.Credentials{Name: "u", Password: "a password to test"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = tokens.AccessToken
}

func (s *service) append(n int) {
	s.t.Helper()
	for range n {
		e, err := drover.NewEvent(drover.EventDeviceUpdated, drover.At(s.clock.Now()),
			drover.Device{ID: store.NewID(), ConnectionID: store.NewID()})
		if err != nil {
			s.t.Fatal(err)
		}
		if err := s.app.Store.Update(s.t.Context(), func(tx *store.Tx) error {
			return journal.Append(s.t.Context(), tx, s.tenant, []drover.Event{e})
		}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// reply is an answer whose body is closed with the test.
type reply struct {
	StatusCode int
	Header     http.Header
	Body       io.ReadCloser
}

func (s *service) get(path string, header ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	return reply{resp.StatusCode, resp.Header, resp.Body}
}

// frame is one server-sent event.
type frame struct {
	id, event, data string
}

// frames reads a stream.
type frames struct {
	*bufio.Reader
	body io.Closer
	last string
}

func (s *service) stream(query string, header ...string) *frames {
	s.t.Helper()
	resp := s.get("/stream"+query, append(header, "Accept", "text/event-stream")...)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("GET /stream: %d %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
	}
	return &frames{Reader: bufio.NewReader(resp.Body), body: resp.Body}
}

// next reads the next block that is more than a comment.
func (f *frames) next() (frame, error) {
	var out frame
	for {
		line, err := f.ReadString('\n')
		if err != nil {
			return out, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			out.id = value
		case "event":
			out.event = value
		case "data":
			out.data = value
		case "":
			if out.id != "" {
				f.last = out.id
				return out, nil
			}
		}
	}
}

// events reads n events, and remembers the id of the last block.
func (f *frames) events(t *testing.T, n int) []int64 {
	t.Helper()
	var out []int64
	for len(out) < n {
		block, err := f.next()
		if err != nil {
			t.Fatalf("after %d events: %v", len(out), err)
		}
		if block.event == "" {
			continue
		}
		var e drover.Event
		if err := json.Unmarshal([]byte(block.data), &e); err != nil {
			t.Fatal(err)
		}
		if block.id != strconv.FormatInt(e.Sequence, 10) || block.event != string(e.Type) {
			t.Errorf("the frame %s %s holds event %d %s", block.id, block.event, e.Sequence, e.Type)
		}
		out = append(out, e.Sequence)
	}
	return out
}

func span(from, to int64) []int64 {
	var out []int64
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func check[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

// A client that is cut and comes back misses nothing and sees nothing twice.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		s.append(2)
		f := s.stream("")
		s.append(3)
		check(s.t, f.events(s.t, 3), span(3, 5))
		_ = f.body.Close()
		s.append(4)
		f = s.stream("?last_event_id=1", "Last-Event-ID", f.last) // the header goes first
		check(s.t, f.events(s.t, 4), span(6, 9))
		check(s.t, s.stream("?last_event_id=0").events(s.t, 9), span(1, 9))
	})
}

// Streams take no slot of short requests, of which this service serves two.
func TestStreamTakesNoSlot(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		for range 5 {
			s.stream("")
		}
		if resp := s.get("/account/summary"); resp.StatusCode != http.StatusOK {
			s.t.Errorf("a request beside five streams: %d", resp.StatusCode)
		}
	})
}

// A heart-beat carries the place of a receiver whose filter lets nothing pass.
func TestStreamHeartbeat(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		f := s.stream("?type=webhook.disabled")
		s.append(3)
		for f.last != "3" {
			block, err := f.next()
			if err != nil || block.event != "" {
				s.t.Fatalf("want heart-beats: %+v, %v", block, err)
			}
		}
	})
}

func TestStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		f := s.stream("")
		s.clock.Advance(time.Hour)
		for range 10 { // heart-beats, of which one or two may be on their way
			if _, err := f.next(); err != nil {
				return
			}
		}
		s.t.Error("an idle stream goes on after the end of its token")
	})
}

// A long poll in which nothing happens ends with its key too.
func TestPollEndsWithItsKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		ctx, admin := s.t.Context(), drover.Principal{TenantID: s.tenant, Role: drover.RoleAdmin}
		key, err := s.app.Fleet.Identity.CreateAPIKey(ctx, admin, drover.APIKeyInput{Name: "poll", Role: new(drover.RoleViewer)})
		if err != nil {
			s.t.Fatal(err)
		}
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second) // by itself the poll ends after 30
		defer cancel()
		done := make(chan int, 1)
		req, err := http.NewRequestWithContext(bounded, http.MethodGet, s.url+"/event?from=now&wait=30", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key.Key)
		go func() {
			resp, err := s.client.Do(req)
			if err != nil {
				done <- 0
				return
			}
			_ = resp.Body.Close()
			done <- resp.StatusCode
		}()
		for { // until the key was let in
			used, err := s.app.Store.SignIn.APIKey(ctx, s.tenant, key.ID)
			if err != nil {
				s.t.Fatal(err)
			}
			if used.LastUsedAt != nil {
				break
			}
		}
		if err := s.app.Fleet.Identity.DeleteAPIKey(ctx, admin, key.ID); err != nil {
			s.t.Fatal(err)
		}
		if status := <-done; status != http.StatusUnauthorized {
			s.t.Errorf("an idle poll ends with %d after its key was revoked, want 401", status)
		}
	})
}

func TestStreamEndsWithTheService(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		f := s.stream("")
		s.stop()
		for {
			if _, err := f.next(); err != nil {
				break
			}
		}
	})
}

func TestStreamRefuses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		for query, want := range map[string]string{
			"?type=x":           `"loc":["query","type"]`,
			"?last_event_id=x":  `"loc":["query","last_event_id"]`,
			"?last_event_id=-1": `"loc":["query","last_event_id"]`,
		} {
			resp := s.get("/stream" + query)
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(body), want) {
				s.t.Errorf("%s: %d %s", query, resp.StatusCode, body)
			}
		}
	})
}

// Two thousand clients on one process see the same events in the same order.
func TestStreamManyClients(t *testing.T) {
	t.Parallel()
	s := run(t, "sqlite", func(c *config.Serve) { c.StreamHeartbeat = time.Minute }) // the events are what it is about
	const clients, events = 2000, 20
	s.limitStreams(clients)
	var opened, done sync.WaitGroup
	opened.Add(clients)
	door := make(chan struct{}, 32) // where more come at once, some may be refused
	failures := make(chan string, clients)
	for range clients {
		done.Go(func() {
			door <- struct{}{}
			resp := s.get("/stream", "Accept", "text/event-stream")
			<-door
			opened.Done()
			if resp.StatusCode != http.StatusOK {
				failures <- fmt.Sprint("status ", resp.StatusCode)
				return
			}
			f := &frames{Reader: bufio.NewReaderSize(resp.Body, 512), body: resp.Body}
			for want := int64(1); want <= events; {
				block, err := f.next()
				if err != nil {
					failures <- err.Error()
					return
				}
				if block.event == "" {
					continue
				}
				if block.id != strconv.FormatInt(want, 10) {
					failures <- fmt.Sprintf("want %d, got %s", want, block.id)
					return
				}
				want++
			}
		})
	}
	opened.Wait()
	s.append(events)
	done.Wait()
	close(failures)
	for f := range failures {
		t.Fatalf("%d of %d clients failed, one with: %s", len(failures)+1, clients, f)
	}
}
