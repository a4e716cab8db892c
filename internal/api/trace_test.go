package api_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/trace/tracetest"
)

// said are all keys that a span may have. A key that is added here must hold nothing secret
// and nothing personal, whatever callers and vendors send.
var said = []string{
	"http.request.method", "http.route", "http.response.status_code", "db.system.name", "db.query.summary", "drover.tenant_id",
	"drover.connection_id", "drover.provider",
}

var (
	spanName = regexp.MustCompile(`^(run|transaction|statement|[A-Z]+( [a-z0-9_]+| /[a-z0-9/{}_.-]*| unknown)?)$`)
	uuid     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	place    = regexp.MustCompile(`\d\.\d`)
)

// TestTracesSayNothingPersonal collects from a vendor and asks for everything while all of it is traced, and walks
// through each name and each attribute.
func TestTracesSayNothingPersonal(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s, collector := tracedService(t, database)
			secrets := s.useTraced(t)
			defer s.app.Stop()
			spans := s.traced(collector)
			checkTree(t, spans)
			for _, span := range spans {
				checkSpan(t, span, secrets)
			}
			for _, want := range []string{"run", "POST /token", "GET /device", "GET /trip/{trip_id}/explanation", "transaction", "SELECT device", "GET"} {
				if !slices.ContainsFunc(spans, func(s tracetest.Span) bool { return s.Name == want }) {
					t.Errorf("there is no %s in %v", want, names(spans))
				}
			}
			if !slices.ContainsFunc(spans, func(s tracetest.Span) bool { return s.Says(trace.Provider) == "traccar" }) {
				t.Error("no run names its provider")
			}
		})
	}
}

// tracedService is a service all of whose work is traced.
func tracedService(t *testing.T, database string) (*service, *tracetest.Collector) {
	t.Helper()
	fleet := sim.New(sim.Options{Seed: 5, Vehicles: 3})
	s := &service{
		t: t, clock: clocktest.New(time.Date(2026, 5, 5, 9, 0, 0, 0, time.UTC)), tenant: store.NewID(), client: &http.Client{},
	}
	account := sim.NewAccount(fleet, s.clock.Now, map[string]string{"token": "hunter2"})
	collector := tracetest.NewCollector(t)
	var err error
	s.app, err = app.New(t.Context(), config.Serve{
		Store: config.Store{Data: t.TempDir(), Database: storetest.Options(t, database).URL}, Role: "api",
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: time.Hour, MaxInFlight: 16, MaxStreams: 16, MilestoneTimeout: time.Hour,
		MilestoneRadius: 200, CollectionLease: time.Minute, OTLPEndpoint: collector.URL, TraceRatio: 1,
	}, app.Options{
		Logger: slog.New(slog.DiscardHandler), Version: "test", Now: s.clock.Now,
		Vendors: map[string]http.Handler{vendorHost: traccartest.New(account)},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.app.API)
	t.Cleanup(func() {
		s.app.Streams.Close()
		server.Close()
		if err := s.app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.url = server.URL
	return s, collector
}

// useTraced uses the service, and returns what must be in no trace.
func (s *service) useTraced(t *testing.T) (secrets []string) {
	t.Helper()
	s.app.Start(t.Context())
	s.addUser()
	ctx, admin := t.Context(), drover.Principal{TenantID: s.tenant, Role: drover.RoleAdmin}
	start := drover.At(s.clock.Now().AddDate(0, 0, -1))
	if _, err := s.app.Fleet.Connections.CreateConnection(ctx, admin, drover.ConnectionInput{
		IntegrationName: drover.Traccar, BusinessName: "Northern Haulage", CollectionStartTime: &start,
		Credentials: map[string]string{"base_url": "https://" + vendorHost, "token": "hunter2"},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Collector.RunDue(ctx); err != nil {
		t.Fatal(err)
	}
	resp, err := s.client.Post(s.url+"/token", "application/json", strings.NewReader(`{"username":"ann@northern.example","password":"hunter2"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	secrets = append(secrets, "hunter2", "northern.example", "Northern", vendorHost, s.token)
	for _, path := range []string{
		"/device?search=ann", "/device", "/connection", "/position?bbox=1.5,2.5,3.5,4.5", "/trip", "/event", "/account/summary", "/hunter2",
		"/trip/hunter2/explanation",
	} {
		resp := s.get(path)
		var answer struct {
			Data json.RawMessage `json:"data"`
		}
		_ = json.NewDecoder(resp.Body).Decode(&answer) // some are refusals
		if path == "/device" {
			var devices []drover.Device
			if err := json.Unmarshal(answer.Data, &devices); err != nil || len(devices) == 0 {
				t.Fatalf("%v, %s", err, answer.Data)
			}
			for _, d := range devices {
				secrets = append(secrets, d.SystemDeviceID, deref(d.Registration), deref(d.Description))
			}
		}
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return len(s) < 4 })
}

// traced waits until the collector has all that was traced: spans are sent in the order in which they end.
func (s *service) traced(collector *tracetest.Collector) []tracetest.Span {
	s.t.Helper()
	_ = s.get("/account/limits").Body.Close()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for late := time.After(3 * time.Minute); ; {
		spans := collector.Spans()
		if slices.ContainsFunc(spans, func(s tracetest.Span) bool { return s.Name == "GET /account/limits" }) {
			return spans
		}
		select {
		case <-ticker.C:
		case <-late:
			s.t.Fatalf("the collector has %v", names(spans))
		}
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// checkTree wants each part to belong to a whole that is there.
func checkTree(t *testing.T, spans []tracetest.Span) {
	t.Helper()
	known := map[string]string{}
	for _, s := range spans {
		known[s.SpanID] = s.TraceID
	}
	for _, s := range spans {
		if s.ParentID != "" && known[s.ParentID] != s.TraceID {
			t.Errorf("%s hangs in the air", s.Name)
		}
	}
}

func checkSpan(t *testing.T, s tracetest.Span, secrets []string) {
	t.Helper()
	if !spanName.MatchString(s.Name) {
		t.Errorf("a span is called %q", s.Name)
	}
	for _, a := range s.Attributes {
		text := a.Value["stringValue"] + a.Value["intValue"]
		id := strings.HasSuffix(a.Key, "_id")
		switch {
		case !slices.Contains(said, a.Key):
			t.Errorf("%s says %s", s.Name, a.Key)
		case len(a.Value) != 1 || text == "" || len(text) > 128:
			t.Errorf("%s says %s as %v", s.Name, a.Key, a.Value)
		case id != uuid.MatchString(text):
			t.Errorf("%s says %s = %q", s.Name, a.Key, text)
		case place.MatchString(text) || strings.ContainsAny(text, "?&='\"@$"):
			t.Errorf("%s says %s = %q, which may be a place, a query or a parameter", s.Name, a.Key, text)
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) || strings.Contains(s.Name, secret) {
				t.Errorf("%s says %s = %q, and holds %q", s.Name, a.Key, text, secret)
			}
		}
	}
}

func names(spans []tracetest.Span) (all []string) {
	for _, s := range spans {
		if !slices.Contains(all, s.Name) {
			all = append(all, s.Name)
		}
	}
	return all
}
