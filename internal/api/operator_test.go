package api_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// records is a log that can be written to and read at once.
type records struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestOperatorKeyIsNowhere sends a key of the operator wherever a request has room for it, as
// one does by mistake: it is in no answer, no line of the log, and no audit.
func TestOperatorKeyIsNowhere(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s, log := newService(t, database), &records{}
			s.logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			s.begin()
			s.misplaceKey(log)
		})
	}
}

func (s *service) misplaceKey(log *records) {
	t := s.t
	t.Helper()
	ctx := t.Context()
	key, secret, err := s.app.Fleet.Identity.CreateOperatorKey(ctx, drover.OperatorKey{Name: "machine", Scopes: drover.OperatorScopes})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	ask := func(status int, method, path, body string, header ...string) {
		t.Helper()
		tried++
		answer := s.ask(method, path, body, header...)
		if answer.StatusCode != status {
			t.Errorf("%s %s: %d, want %d", method, strings.ReplaceAll(path, secret, "KEY"), answer.StatusCode, status)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range answer.Header {
			text = append(text, (name + ": " + strings.Join(values, " ") + "\n")...)
		}
		if found := shows(string(text), secret); found {
			t.Errorf("%s %s: the answer %d has the key", method, strings.ReplaceAll(path, secret, "KEY"), answer.StatusCode)
		}
	}
	bearer, own := []string{"Authorization", "Bearer " + secret}, []string{"Authorization", "Bearer " + s.token}
	in := func(tenant string) []string { return append([]string{drover.TenantHeader, tenant}, bearer...) }
	ask(200, "GET", "/operator/tenant", "", bearer...)
	ask(200, "GET", "/device", "", in(s.tenant)...)
	ask(400, "GET", "/device", "", bearer...)
	ask(400, "GET", "/device", "", in(secret)...)
	ask(400, "GET", "/device", "", in(store.NewID())...)
	ask(400, "GET", "/device", "", drover.TenantHeader, secret, "Authorization", "Bearer "+s.token)
	ask(404, "GET", "/"+secret, "", own...)
	ask(422, "GET", "/device?limit="+secret, "", own...)
	ask(422, "GET", "/device?cursor="+secret, "", own...)
	ask(422, "GET", "/operator/usage?start_date="+secret, "", bearer...)
	ask(422, "PATCH", "/operator/tenant/"+s.tenant, `{"limits":[{"name":"`+secret+`","limit":1}]}`, bearer...)
	ask(422, "POST", "/operator/tenant", `{"name":"x","admin":"`+secret+`"}`, bearer...)
	ask(401, "POST", "/token", `{"username":"u","password":"`+secret+`"}`)
	ask(401, "POST", "/token", `{"username":"`+secret+`","password":"x"}`)
	ask(401, "GET", "/device", "", "Cookie", "drover="+secret)
	ask(401, "GET", "/operator/tenant", "", "Authorization", "Bearer "+secret+"x")
	ask(401, "GET", "/operator/tenant", "", "Authorization", "Basic "+secret)
	for path, caller := range map[string][]string{"/operator/tenant/": bearer, "/device/": own} {
		if answer := s.ask("GET", path+secret, "", caller...); answer.StatusCode != 404 { // which names the id that was asked for
			t.Errorf("GET %sKEY: %d", path, answer.StatusCode)
		}
	}
	if err := s.app.Fleet.Identity.RevokeOperatorKey(ctx, key.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Vault.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	ask(401, "GET", "/operator/tenant", "", bearer...)
	if shows(log.String(), secret) {
		t.Error("the log has the key")
	}
	if lines := strings.Count(log.String(), "\n"); lines < tried/2 {
		t.Errorf("the log has %d lines of %d requests, and proves little", lines, tried)
	}
	audit := s.ask("GET", "/audit?limit=1000", "", own...)
	if text, err := io.ReadAll(audit.Body); err != nil || audit.StatusCode != http.StatusOK || shows(string(text), secret) {
		t.Errorf("the audit: %d, %v, and whether it has the key: %t", audit.StatusCode, err, shows(string(text), secret))
	}
}

// shows reports whether a text has a secret, or enough of it to try the rest.
func shows(text, secret string) bool {
	return strings.Contains(text, secret[len(secret)-12:]) || strings.Contains(text, url.QueryEscape(secret))
}

// ask sends a request with its header alone.
func (s *service) ask(method, path, body string, header ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
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
