package contract_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// TestLastingAnswersAreNotSlow opens what takes as long as its receiver wants: none of it is
// among the latencies, which would otherwise alert those who run the service.
func TestLastingAnswersAreNotSlow(t *testing.T) {
	t.Parallel()
	s := newService(t, settings(t, "sqlite"))
	s.app.Streams.Start(t.Context())
	t.Cleanup(s.app.Streams.Stop)
	served := func(metric, route string) (n int) {
		t.Helper()
		w := httptest.NewRecorder()
		s.app.Operator.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
		line := regexp.MustCompile(`(?m)^` + metric + `\{[^}]*route="` + regexp.QuoteMeta(route) + `"[^}]*\} (\d+)`)
		for _, found := range line.FindAllStringSubmatch(w.Body.String(), -1) {
			count, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			n += count
		}
		return n
	}
	const latency, requests = "drover_http_request_duration_seconds_count", "drover_http_requests_total"
	for route, path := range map[string]string{
		"/stream":                            "/stream?last_event_id=2",
		"/public/share/{share_token}/stream": "/public/share/" + s.ids["share_token"] + "/stream",
		"/event":                             "/event?wait=30&type=milestone.started",
		"/export/{export_id}/file":           "/export/" + s.ids["export"] + "/file",
	} {
		slow, before := served(latency, route), served(requests, route)
		ctx, end := context.WithCancel(t.Context())
		resp, err := s.client.Do(s.newRequest(t, ctx, s.server.URL, request{method: http.MethodGet, path: path, header: s.authorized(t, alice)}))
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		end()
		_ = resp.Body.Close() // it is cut
		for deadline := time.Now().Add(2 * time.Minute); served(requests, route) == before && time.Now().Before(deadline); {
			<-time.After(5 * time.Millisecond)
		}
		if n := served(requests, route); n != before+1 {
			t.Errorf("%s: %d requests were counted, not one", route, n-before)
		}
		if n := served(latency, route); n != slow {
			t.Errorf("%s is among the latencies", route)
		}
	}
	if served(latency, "/device") == 0 {
		s.send(t, request{method: http.MethodGet, path: "/device", header: s.authorized(t, alice)})
		if served(latency, "/device") != 1 {
			t.Error("a short answer is not among the latencies")
		}
	}
}
