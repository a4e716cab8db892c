package contract_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/keys/auth"
)

var named = regexp.MustCompile(`\$\w+`)

// TestRights holds the table of rights, which `drover rights` prints, to what the service
// answers: each kind of caller calls each operation, about a record that does not exist.
func TestRights(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		rights := map[string]openapi.Operation{}
		for _, o := range api.Operations() {
			rights[o.Method+" "+o.Path] = o
		}
		operations := s.doc().operations()
		if len(rights) != len(operations) {
			t.Errorf("the table has %d operations, the document %d", len(rights), len(operations))
		}
		for _, caller := range openapi.Callers() {
			header := s.callerHeader(t, caller)
			for _, o := range operations {
				known, ok := rights[o.String()]
				if !ok {
					t.Errorf("%s is not in the table", o)
					continue
				}
				s.checkRight(t, caller, header, o, known)
				if endsSession(o) && header["Authorization"] != "" && !caller.Key {
					header = s.callerHeader(t, caller)
				}
			}
		}
	})
}

// endsSession reports whether an operation ends the session of its caller.
func endsSession(o operation) bool {
	return o.path == "/logout" || (o.path == "/session" || o.path == "/session/sso") && o.method == http.MethodDelete
}

// callerHeader lets a caller of alpha in.
func (s *service) callerHeader(t *testing.T, c openapi.Caller) map[string]string {
	t.Helper()
	switch {
	case c.Operator != "":
		_, secret, err := s.app.Fleet.Identity.CreateOperatorKey(t.Context(),
			drover.OperatorKey{Name: c.Name, Scopes: []drover.OperatorScope{c.Operator}})
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"Authorization": "Bearer " + secret}
	case len(c.Permissions) == 0:
		return map[string]string{}
	case !c.Key:
		// A session of its own: it is ended.
		user := map[string]string{"admin": alice, "member": mark, "viewer": vera}[c.Name]
		login := jsonText(map[string]string{"username": user, "password": password})
		resp := s.send(t, request{method: http.MethodPost, path: "/token", body: login})
		var tokens struct {
			Data struct {
				AccessToken string `json:"access_token"`
			}
		}
		if err := json.Unmarshal([]byte(resp.body), &tokens); err != nil || resp.status != http.StatusOK {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		return map[string]string{"Authorization": "Bearer " + tokens.Data.AccessToken}
	}
	var made struct{ Data drover.APIKeyCreated }
	body := jsonText(map[string]any{"name": c.Name, "scopes": c.Permissions})
	resp := s.send(t, request{http.MethodPost, "/api-key", s.authorized(t, alice), body})
	if err := json.Unmarshal([]byte(resp.body), &made); err != nil || resp.status != http.StatusOK {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	return map[string]string{"Authorization": "Bearer " + made.Data.Key}
}

func (s *service) checkRight(t *testing.T, caller openapi.Caller, header map[string]string, o operation, known openapi.Operation) {
	t.Helper()
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	path, query, _ := strings.Cut(pathOf(t, o), "?")
	if path = named.ReplaceAllString(path, s.ids["unknown"]); query != "" {
		path += "?" + names.resolve(query)
	}
	if caller.Operator != "" && !o.operator() {
		header = map[string]string{"Authorization": header["Authorization"], drover.TenantHeader: s.ids["alpha"]}
	}
	// A stream is not read: only its beginning counts.
	req := s.newRequest(t, t.Context(), s.server.URL, request{o.method, path, header, names.resolve(o.example())})
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error struct{ Message string }
	}
	if resp.StatusCode >= http.StatusBadRequest {
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
	}
	scope := resp.Header.Get("X-Required-Scope")
	refused := resp.StatusCode == http.StatusForbidden && (scope != "" || known.Person && caller.Key || o.operator()) ||
		resp.StatusCode == http.StatusUnauthorized && answer.Error.Message == auth.ErrUnauthenticated().Message
	if allowed := known.Allows(caller); refused == allowed {
		t.Errorf("%s by %s: allowed is %t, the answer %d %q, scope %q", o, caller.Name, allowed, resp.StatusCode, answer.Error.Message, scope)
	}
	if scope != "" && !slices.Contains(known.Needs, drover.Permission(scope)) &&
		!slices.Contains(append(known.Operator, drover.OperatorAct), drover.OperatorScope(scope)) {
		t.Errorf("%s by %s: the scope %q is not in the table, which has %v", o, caller.Name, scope, known.Needs)
	}
}
