package middle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/drover-fleet/drover/internal/api/middle"
)

func TestIdentify(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sent string
		kept bool
	}{
		"Kept":      {"Abc-1.2_3", true},
		"Longest":   {strings.Repeat("a", 128), true},
		"TooLong":   {strings.Repeat("a", 129), false},
		"Absent":    {"", false},
		"Space":     {"a b", false},
		"LineBreak": {"a\nlevel=ERROR", false},
		"NotASCII":  {"é", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen string
			h := middle.Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				seen = middle.InfoFrom(r.Context()).RequestID
			}))
			w := send(t, h, http.MethodGet, "/", "", "x-request-id", tt.sent)
			if got := w.Header().Get("x-request-id"); got != seen {
				t.Errorf("response names %q, context %q", got, seen)
			}
			if (seen == tt.sent) != tt.kept {
				t.Errorf("sent %q, got %q", tt.sent, seen)
			}
			if !regexp.MustCompile(`^[A-Za-z0-9._-]{20,128}$`).MatchString(seen) && !tt.kept {
				t.Errorf("made the id %q", seen)
			}
		})
	}
}

func TestInfoOutsideOfARequest(t *testing.T) {
	t.Parallel()
	middle.InfoFrom(t.Context()).TenantID = "a"
	if got := *middle.InfoFrom(t.Context()); got != (middle.Info{}) {
		t.Errorf("got %+v, want nothing kept", got)
	}
	if got := middle.InfoFrom(context.Background()).RequestID; got != "" {
		t.Errorf("request id %q", got)
	}
}

// logged serves one request under Log and returns its line, nil without one.
func logged(t *testing.T, level slog.Level, inner http.Handler) map[string]any {
	t.Helper()
	var out bytes.Buffer
	log := middle.Log(middle.LogConfig{
		Logger: slog.New(slog.NewJSONHandler(&out, nil)), Level: level, Now: clock(),
	})
	h := middle.Chain(inner, middle.Identify, log)
	send(t, h, http.MethodPost, "/device/7?token=secret", "body-secret", "x-request-id", "id-1", "Authorization", "Bearer secret")
	if strings.Contains(out.String(), "secret") {
		t.Errorf("the log shows a secret: %s", &out)
	}
	if out.Len() == 0 {
		return nil
	}
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("log %q: %v", &out, err)
	}
	delete(line, "time")
	return line
}

func TestLog(t *testing.T) {
	t.Parallel()
	fill := func(status int, err error) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			info := middle.InfoFrom(r.Context())
			info.TenantID, info.UserID, info.Route, info.Err = "t1", "u1", "/device/{id}", err
			answer(status, "hello").ServeHTTP(w, r)
		})
	}
	line := func(level string, status float64) map[string]any {
		return map[string]any{
			"level": level, "msg": "request", "method": "POST", "route": "/device/{id}", "status": status, "bytes": 5.0,
			"duration": 1e6, "request_id": "id-1", "tenant": "t1", "user": "u1", "remote": "192.0.2.1:1234",
		}
	}
	t.Run("Success", func(t *testing.T) {
		t.Parallel()
		if diff := cmp.Diff(line("INFO", 201), logged(t, slog.LevelInfo, fill(201, nil))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("RefusalKeepsItsErrorToItself", func(t *testing.T) {
		t.Parallel()
		if diff := cmp.Diff(line("INFO", 404), logged(t, slog.LevelInfo, fill(404, errors.New("no row")))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("FailureTellsItsError", func(t *testing.T) {
		t.Parallel()
		want := line("ERROR", 503)
		want["err"] = "database is gone"
		if diff := cmp.Diff(want, logged(t, slog.LevelDebug, fill(503, errors.New("database is gone")))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("BelowTheLevel", func(t *testing.T) {
		t.Parallel()
		if got := logged(t, slog.LevelDebug, fill(200, nil)); got != nil {
			t.Errorf("logged %v", got)
		}
	})
	t.Run("UnknownRoute", func(t *testing.T) {
		t.Parallel()
		if got := logged(t, slog.LevelInfo, ok())["route"]; got != "unknown" {
			t.Errorf("route %v", got)
		}
	})
}

// TestMetricsLeaveOutLasting: an open stream must not look like a slow service, not even
// where its receiver takes nothing and is cut.
func TestMetricsLeaveOutLasting(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	metrics, err := middle.NewMetrics(reg, clock())
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.URL.Query().Get("wait") != "" {
			_ = control.SetWriteDeadline(time.Time{}) // the writer of the test has none
		}
		if r.URL.Query().Get("stuck") != "" {
			_ = control.SetWriteDeadline(time.Unix(1, 0))
			go func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) }() // a timer that comes last
		}
	})
	h := middle.Chain(middle.Routes(mux), middle.Identify, metrics.Wrap)
	send(t, h, http.MethodGet, "/event", "")
	send(t, h, http.MethodGet, "/event?wait=30", "")
	send(t, h, http.MethodGet, "/event?wait=30&stuck=1", "")
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			counts[f.GetName()] += m.GetHistogram().GetSampleCount() + uint64(m.GetCounter().GetValue())
		}
	}
	if counts["drover_http_request_duration_seconds"] != 1 || counts["drover_http_requests_total"] != 3 {
		t.Errorf("counted %v", counts)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	metrics, err := middle.NewMetrics(reg, clock())
	if err != nil {
		t.Fatal(err)
	}
	const during = `
# HELP drover_http_requests_in_flight Requests that are being answered.
# TYPE drover_http_requests_in_flight gauge
drover_http_requests_in_flight 1
`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /device/{id}", func(http.ResponseWriter, *http.Request) {
		if err := testutil.GatherAndCompare(reg, strings.NewReader(during), "drover_http_requests_in_flight"); err != nil {
			t.Error(err)
		}
	})
	h := middle.Chain(middle.Routes(mux), middle.Identify, metrics.Wrap)
	send(t, h, http.MethodGet, "/device/1", "")
	send(t, h, http.MethodGet, "/device/2", "")
	send(t, h, http.MethodGet, "/random/1", "")
	send(t, h, "BREW", "/random/2", "")
	const after = `
# HELP drover_http_requests_in_flight Requests that are being answered.
# TYPE drover_http_requests_in_flight gauge
drover_http_requests_in_flight 0
# HELP drover_http_requests_total Requests answered, by route, method and status.
# TYPE drover_http_requests_total counter
drover_http_requests_total{method="GET",route="/device/{id}",status="200"} 2
drover_http_requests_total{method="GET",route="unknown",status="404"} 1
drover_http_requests_total{method="OTHER",route="unknown",status="404"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(after), "drover_http_requests_in_flight",
		"drover_http_requests_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(reg, "drover_http_request_duration_seconds"); err != nil || n != 2 {
		t.Errorf("%d histograms (%v), want one per route", n, err)
	}
	if _, err := middle.NewMetrics(reg, clock()); err == nil {
		t.Error("registered twice")
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	serve := func(t *testing.T, inner http.HandlerFunc) (w *httptest.ResponseRecorder, logs string, caught error) {
		t.Helper()
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		h := middle.Chain(inner, middle.Identify, middle.Log(middle.LogConfig{Logger: log, Now: clock()}), middle.Recover(log), middle.Gzip())
		defer func() {
			caught, _ = recover().(error)
			logs = out.String()
		}()
		w = send(t, h, http.MethodGet, "/", "", "Accept-Encoding", "gzip", "x-request-id", "id-1")
		return w, "", nil
	}
	t.Run("BecomesA500", func(t *testing.T) {
		t.Parallel()
		w, logs, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("held back by Gzip"))
			panic("broken invariant")
		})
		wantError(t, w, http.StatusInternalServerError, "Internal error")
		for _, want := range []string{"broken invariant", "observe_test.go", "request_id=id-1", "status=500"} {
			if !strings.Contains(logs, want) {
				t.Errorf("no %q in the log: %s", want, logs)
			}
		}
	})
	t.Run("CutsAHalfSentAnswer", func(t *testing.T) {
		t.Parallel()
		_, logs, caught := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 5000))
			panic("broken invariant")
		})
		if !errors.Is(caught, http.ErrAbortHandler) || !strings.Contains(logs, "broken invariant") {
			t.Errorf("caught %v, logged %s", caught, logs)
		}
	})
	t.Run("LetsAbortPass", func(t *testing.T) {
		t.Parallel()
		_, logs, caught := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		if !errors.Is(caught, http.ErrAbortHandler) || strings.Contains(logs, "stack=") {
			t.Errorf("caught %v, logged %s", caught, logs)
		}
	})
}
