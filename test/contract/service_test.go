// Package contract_test holds the running service to its interface: every
// operation, status, message and limit, over HTTP and on both databases.
//
// The tables are in the files named after a resource. What holds for every
// operation alike is generated from the served OpenAPI document, so that a new
// operation cannot be forgotten.
package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// present is where every clock starts.
var present = time.Date(2024, 5, 2, 10, 15, 30, 0, time.UTC)

// service is a served drover with a world of records in it.
type service struct {
	*world
	app    *app.App
	clock  *clocktest.Clock
	server *httptest.Server
	client *http.Client
	doc    func() *document
	// addresses numbers the callers: each request comes from an address of its
	// own, so that the failures of one do not throttle another.
	addresses atomic.Int64
	// receiver is what answers at receiverHost.
	receiver atomic.Pointer[http.Handler]
	// issuers are what answers at the hosts of identity providers.
	issuers [2]atomic.Pointer[http.Handler]
	// broken says that the test has taken the database away.
	broken bool
}

// onBoth runs f as a subtest on each database, with a service of its own.
func onBoth(t *testing.T, f func(t *testing.T, s *service)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			f(t, newService(t, settings(t, database)))
		})
	}
}

// settings are the defaults of the command line, on a fresh database.
func settings(t *testing.T, database string) config.Serve {
	t.Helper()
	o := storetest.Options(t, database)
	c := defaults(t.TempDir())
	if o.Path != "" {
		c.Data = filepath.Dir(o.Path)
	}
	c.Database = o.URL
	return c
}

func defaults(folder string) config.Serve {
	return config.Serve{
		Store:               config.Store{Data: folder},
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: refreshLifetime,
		EventRetention: config.Age(90 * 24 * time.Hour), PositionEventRetention: config.Age(30 * 24 * time.Hour),
		MaxInFlight: 512, MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200,
	}
}

func newService(tb testing.TB, c config.Serve) *service {
	tb.Helper()
	s := &service{clock: clocktest.New(present)}
	var err error
	s.app, err = app.New(tb.Context(), c, app.Options{
		Logger: slog.New(slog.DiscardHandler), Version: "test", Now: s.clock.Now,
		Vendors: s.hosts(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.server = httptest.NewServer(cameFrom(s.app.API))
	s.client = s.server.Client()
	tb.Cleanup(func() {
		s.server.Close()
		if err := s.app.Close(); err != nil && !s.broken {
			tb.Errorf("close the service: %v", err)
		}
	})
	s.doc = sync.OnceValue(func() *document { return s.readDocument(tb) })
	s.world = newWorld(tb, s)
	return s
}

// receiverHost receives webhooks within the process.
const receiverHost = "hooks.contract.invalid"

// hosts are those that are served within the process.
func (s *service) hosts() map[string]http.Handler {
	hosts := vendors(s.clock.Now)
	hosts[receiverHost] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := s.receiver.Load(); h != nil {
			(*h).ServeHTTP(w, r)
		}
	})
	for i, host := range issuerHosts {
		hosts[host] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := s.issuers[i].Load(); h != nil {
				(*h).ServeHTTP(w, r)
				return
			}
			http.NotFound(w, r)
		})
	}
	return hosts
}

// issuerHosts are those of identity providers.
var issuerHosts = [2]string{issuerHost, otherHost}

// serveAt lets an identity provider answer at its host.
func (s *service) serveAt(host string, h http.Handler) {
	s.issuers[slices.Index(issuerHosts[:], host)].Store(&h)
}

// fromHeader carries the address that a test request pretends to come from.
const fromHeader = "X-Test-From"

func cameFrom(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from := r.Header.Get(fromHeader); from != "" {
			r.RemoteAddr = from
			r.Header.Del(fromHeader)
		}
		next.ServeHTTP(w, r)
	})
}

// request is what is sent. A body that is empty is not sent at all.
type request struct {
	method, path string
	header       map[string]string
	body         string
}

// response is what came back.
type response struct {
	status int
	header http.Header
	body   string
}

func (s *service) send(tb testing.TB, q request) response {
	tb.Helper()
	req := s.newRequest(tb, tb.Context(), s.server.URL, q)
	resp, err := s.client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, string(body)}
}

func (s *service) newRequest(tb testing.TB, ctx context.Context, base string, q request) *http.Request {
	tb.Helper()
	var body io.Reader
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, base+q.path, body)
	if err != nil {
		tb.Fatal(err)
	}
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	n := s.addresses.Add(1)
	req.Header.Set(fromHeader, fmt.Sprintf("10.%d.%d.%d:4000", n>>16&255, n>>8&255, n&255))
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	return req
}

// get reads path as a user and returns the data of the answer.
func get[T any](t *testing.T, s *service, user, path string) (T, http.Header) {
	t.Helper()
	resp := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, user)})
	if resp.status != http.StatusOK {
		t.Fatalf("GET %s: status %d, body %s", path, resp.status, resp.body)
	}
	var envelope struct {
		Data T `json:"data"`
	}
	if err := json.Unmarshal([]byte(resp.body), &envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Data, resp.header
}

// authorized is the header of a user's request.
func (s *service) authorized(tb testing.TB, user string) map[string]string {
	tb.Helper()
	return map[string]string{"Authorization": "Bearer " + s.token(tb, user)}
}

// token is an access token that is valid at the clock's present.
func (s *service) token(tb testing.TB, user string) string {
	tb.Helper()
	if user == operator {
		return s.ids["operator_secret"]
	}
	tokens, ok := s.tokens[user]
	if !ok {
		tb.Fatalf("no user %q", user)
	}
	if s.clock.Now().Before(present.Add(time.Hour)) {
		return tokens.AccessToken
	}
	fresh, err := s.app.Fleet.Identity.Refresh(tb.Context(), "10.0.0.0:1", tokens.Subject, tokens.RefreshToken)
	if err != nil {
		tb.Fatal(err)
	}
	return fresh.AccessToken
}
