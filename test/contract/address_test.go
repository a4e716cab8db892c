package contract_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// TestAddressesHideTheirQueries holds that the query of a webhook's address, which may be a
// secret, is for those with the right to secrets; and that a member who sends a record back
// as it was shown does not take the query away.
func TestAddressesHideTheirQueries(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		const address = "https://hooks.example/x?token=hidden"
		created := s.send(t, request{method: http.MethodPost, path: "/webhook", body: `{"url":"` + address + `"}`, header: s.authorized(t, mark)})
		var hook struct{ Data drover.Webhook }
		var m struct{ Data drover.Milestone }
		made := s.send(t, request{
			method: http.MethodPost, path: "/milestone", header: s.authorized(t, mark),
			body: `{"device_id":"` + s.ids["device"] + `","start_point":{"latitude":1,"longitude":1},"end_point":{"latitude":2,"longitude":2},` +
				`"start_time":"2024-05-02T10:00:00Z","webhook_url":"` + address + `"}`,
		})
		if err := errors.Join(json.Unmarshal([]byte(created.body), &hook), json.Unmarshal([]byte(made.body), &m)); err != nil {
			t.Fatal(err)
		}
		for what, body := range map[string]string{"a webhook that is made": created.body, "a milestone that is made": made.body} {
			if strings.Contains(body, "hidden") {
				t.Errorf("%s shows its query to a member: %s", what, body)
			}
		}
		paths := map[string]bool{ // and whether those with the right to secrets see it
			"/webhook/" + hook.Data.ID:                      true,
			"/webhook?limit=1000":                           true,
			"/webhook?include=stats&limit=1000":             true,
			"/milestone/" + m.Data.ID:                       true,
			"/milestone?limit=1000":                         true,
			"/milestone?sort=updated_at&limit=1000":         true,
			"/event?limit=1000&type=milestone.created":      false,
			"/milestone/" + m.Data.ID + "/event?limit=1000": false,
			"/milestone/" + m.Data.ID + "/update":           false,
			"/delivery?milestone_id=" + m.Data.ID:           false,
			"/search?q=hooks.example&limit=10":              false,
			"/audit?limit=1000":                             false,
			"/milestone/update?limit=1000":                  false,
		}
		for path, secrets := range paths {
			for user, sees := range map[string]bool{alice: secrets, mark: false, vera: false} {
				resp := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, user)})
				if resp.status != 200 && (resp.status != 403 || path != "/audit?limit=1000") {
					t.Errorf("%s: %s: %d %s", path, user, resp.status, cut(resp.body))
				}
				if got := strings.Contains(resp.body, "hidden"); got != sees {
					t.Errorf("%s: %s sees the query: %t, want %t: %s", path, user, got, sees, cut(resp.body))
				}
			}
		}
		for _, tool := range []string{"list_milestones", "get_milestone"} {
			session, err := agentSession(t, s.server.URL, s.token(t, mark))
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := use(t, session, tool, `{"milestone_id":"`+m.Data.ID+`"}`); strings.Contains(text, "hidden") {
				t.Errorf("%s shows the query to a member: %s", tool, cut(text))
			}
		}
		for path, field := range map[string]string{"/webhook/" + hook.Data.ID: "url", "/milestone/" + m.Data.ID: "webhook_url"} {
			seen := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, mark)})
			header := s.authorized(t, mark)
			header["If-Match"] = seen.header.Get("ETag")
			for _, body := range []string{`{"` + field + `":"https://hooks.example/x"}`, `{"` + field + `":"https://hooks.example/x"}`} {
				if resp := s.send(t, request{method: http.MethodPatch, path: path, body: body, header: header}); resp.status != 200 ||
					strings.Contains(resp.body, "hidden") {
					t.Errorf("PATCH %s: %d %s", path, resp.status, cut(resp.body))
				}
			}
			kept := s.send(t, request{method: http.MethodGet, path: path, header: s.authorized(t, alice)})
			if !strings.Contains(kept.body, "hidden") {
				t.Errorf("%s lost its query: %s", path, cut(kept.body))
			}
			body := `{"` + field + `":"https://hooks.example/y"}`
			if resp := s.send(t, request{method: http.MethodPatch, path: path, body: body, header: s.authorized(t, mark)}); resp.status != 200 ||
				!strings.Contains(resp.body, "hooks.example/y") {
				t.Errorf("another address: %d %s", resp.status, cut(resp.body))
			}
		}
	})
}
