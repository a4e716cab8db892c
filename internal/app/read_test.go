package app_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// BenchmarkRead is the read path without the network: from a parsed request to
// the bytes of the answer.
func BenchmarkRead(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			c := config.Store{Data: b.TempDir()}
			if database == "postgres" {
				c.Database = freshPostgres(b)
			}
			w, err := world.Make(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			handler := newApp(b, c).API
			token := logIn(b, handler)
			for name, path := range map[string]string{
				"device": "/device/" + w.Devices[0].ID, "connections": "/connection", "account": "/account/summary",
				"activity": "/account/activity-summary",
			} {
				b.Run(name, func(b *testing.B) { benchmarkGet(b, handler, path, token) })
			}
		})
	}
}

func newApp(b *testing.B, c config.Store) *app.App {
	b.Helper()
	a, err := app.New(b.Context(), config.Serve{
		Store: c, Role: "api", AllowNetwork: []netip.Prefix{world.Loopback()}, MaxInFlight: 512,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MilestoneTimeout: time.Hour, MilestoneRadius: 200,
	}, app.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Close() })
	return a
}

func logIn(b *testing.B, handler http.Handler) string {
	b.Helper()
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, world.Admin, world.Password)
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/token", strings.NewReader(body)))
	match := regexp.MustCompile(`"access_token":"([^"]*)`).FindStringSubmatch(rec.Body.String())
	if match == nil {
		b.Fatalf("log in: %d %s", rec.Code, rec.Body)
	}
	return match[1]
}

// sink is a response writer that costs nothing.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }

func benchmarkGet(b *testing.B, handler http.Handler, path, token string) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(16) // as many callers as a busy server has
	before := cpuTime(b)
	defer func() { b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") }()
	b.RunParallel(func(pb *testing.PB) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := &sink{header: http.Header{}}
		for pb.Next() {
			clear(w.header)
			handler.ServeHTTP(w, r)
			if w.status != http.StatusOK {
				b.Errorf("GET %s: %d", path, w.status)
				return
			}
		}
	})
}

// cpuTime is what this process has used. Neighbours on the machine change it
// little.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func freshPostgres(b *testing.B) string {
	b.Helper()
	s, err := storetest.StartServer(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Stop(); err != nil {
			b.Error(err)
		}
	})
	if err := s.Create(b.Context(), "bench", ""); err != nil {
		b.Fatal(err)
	}
	return s.URL("bench")
}
