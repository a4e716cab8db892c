package contract_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// ownBodies are for operations whose example is about records that are not there, or
// has a secret: one that is sent replaces the one before, whatever it was.
var ownBodies = map[string]string{
	"patchConnection":   `{"business_name":"Other Haulage","configuration":{"trip_rules":{"gap_seconds":900},"units":{"speed":"mph"}},"tags":["b","a"]}`,
	"patchFactorRule":   `{"include_sso":true}`,
	"patchMilestone":    `{"radius_metres":300,"reference":"R-1","metadata":{"b":"1","a":"2"},"end_time":"2024-05-02T12:00:00Z"}`,
	"patchOwnUser":      `{"preferences":{"units":"metric"}}`,
	"patchSingleSignOn": `{"issuer":"https://login.contract.example","client_id":"drover","email_domains":["b.example","a.example"]}`,
	"patchTenant":       `{"name":"Gamma Ray","limits":[{"name":"devices","limit":7}]}`,
	"patchUser":         `{"role":"viewer"}`,
	"patchWebhook":      `{"enabled":false,"filters":{"tags":["north"]}}`,
}

// claims are the operations that change something by naming a field: what a tenant has
// sent, collection and the rules leave alone from then on.
var claims = []string{"patchDevice", "patchDriver", "patchTrip"}

// lists are what to read where a record cannot be read alone, and is not in a list of its own.
var lists = map[string]string{"/user/me": "/session", "/user/me/passkey": "/user/me/second-factor"}

// TestNothingChanged sends to each PATCH and PUT of the document what its GET answered,
// and then one change twice: what is so already is no change. The record stays as it was
// with its updated_at, and neither the audit nor the feed grows.
func TestNothingChanged(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		checked := 0
		for _, o := range s.doc().operations() {
			if o.method != http.MethodPatch && o.method != http.MethodPut || o.public() {
				continue
			}
			checked++
			t.Run(o.OperationID, func(t *testing.T) { checkUnchanged(t, s, o) })
		}
		if checked < 16 {
			t.Errorf("only %d operations were found", checked)
		}
	})
}

func checkUnchanged(t *testing.T, s *service, o operation) {
	t.Helper()
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	path := names.resolve(pathOf(t, o))
	header := s.authorized(t, readerOf(o.path))
	send := func(body string) {
		t.Helper()
		if got := s.send(t, request{o.method, path, header, body}); got.status != http.StatusOK {
			t.Fatalf("%s %s: status %d: %s", o, body, got.status, got.body)
		}
	}
	same := func(body string) {
		t.Helper()
		before := s.state(t, path, header)
		send(body)
		if diff := gocmp.Diff(before, s.state(t, path, header)); diff != "" {
			t.Errorf("%s %s changed (-before +after):\n%s", o, body, diff)
		}
	}
	change, ok := ownBodies[o.OperationID]
	if !ok {
		change = names.resolve(o.example())
	}
	if o.RequestBody == nil { // its path says all
		send("")
		same("")
		return
	}
	if o.OperationID != "patchPasskey" { // which needs its one field
		same("{}")
	}
	if slices.Contains(claims, o.OperationID) {
		send(s.sendable(t, o, path, header))
	}
	same(s.sendable(t, o, path, header))
	send(change)
	same(change)
	same(s.sendable(t, o, path, header))
}

// state is what a change would change: the record, and the newest of the audits and feeds.
func (s *service) state(t *testing.T, path string, header map[string]string) map[string]string {
	t.Helper()
	state := map[string]string{"record": jsonText(s.record(t, path, header))}
	for list, user := range map[string]string{
		"/audit?limit=1": alice, "/event?order=desc&limit=1": alice, "/operator/audit?limit=1": operator,
	} {
		newest, _ := get[[]struct{ ID, Type, Action string }](t, s, user, list)
		state[list] = jsonText(newest)
	}
	return state
}

// record reads what is at a path, or in the list above it where it cannot be read alone.
func (s *service) record(t *testing.T, path string, header map[string]string) any {
	t.Helper()
	path = cmp.Or(lists[path], path)
	read := func(path string) (data any) {
		resp := s.send(t, request{method: http.MethodGet, path: path, header: header})
		var answer struct{ Data any }
		if err := json.Unmarshal([]byte(resp.body), &answer); err != nil || resp.status != http.StatusOK {
			t.Fatalf("GET %s: status %d, %v: %s", path, resp.status, err, resp.body)
		}
		return answer.Data
	}
	if _, ok := s.doc().find(http.MethodGet, path); ok {
		return read(path)
	}
	last := strings.LastIndexByte(path, '/')
	above := read(cmp.Or(lists[path[:last]], path[:last]))
	if whole, ok := above.(map[string]any); ok {
		above = whole["passkeys"]
	}
	all, _ := above.([]any)
	for _, one := range all {
		if record, _ := one.(map[string]any); record["id"] == path[last+1:] || record["tenant_id"] == path[last+1:] {
			return record
		}
	}
	t.Fatalf("nothing answers what is at %s", path)
	return nil
}

// sendable is the part of a record that its operation takes.
func (s *service) sendable(t *testing.T, o operation, path string, header map[string]string) string {
	t.Helper()
	schema, _ := o.RequestBody.Content["application/json"].Schema.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = s.doc().Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
	}
	properties, _ := schema["properties"].(map[string]any)
	record, _ := s.record(t, path, header).(map[string]any)
	body := map[string]any{}
	for name := range properties {
		if value, ok := record[name]; ok {
			body[name] = value
		}
	}
	if len(body) == 0 {
		t.Fatalf("%s takes nothing of %v", o, record)
	}
	return jsonText(body)
}
