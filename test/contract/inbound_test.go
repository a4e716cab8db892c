package contract_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// inboundRows are the addresses that providers call. TestNotice sees what depends on
// an address that was made.
func inboundRows() []row {
	const noInbound = "Unknown inbound address of connection %s"
	ask := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "POST", path: path, status: status, want: want}
	}
	return []row{
		ask("OfSilentProvider", wanda, "/connection/$new_conn/inbound", 422,
			invalid("value_error", "Value error, Traccar sends no notices", "path", "connection_id")),
		ask("ForMember", will, "/connection/$new_conn/inbound", 403, forbidden),
		ask("OfShared", carol, "/connection/$conn/inbound", 403, forbidden),
		ask("OfUnknown", wanda, "/connection/$unknown/inbound", 404, notFound(noConnection, "$unknown")),
		ask("NoticeWithoutAddress", "", "/inbound/$conn/x", 404, notFound(noInbound, "$conn")),
		ask("NoticeOfUnknown", "", "/inbound/$unknown/x", 404, notFound(noInbound, "$unknown")),
		ask("NoticeOfNoUUID", "", "/inbound/x/y", 404, notFound(noInbound, "x")),
	}
}

// TestNotice makes an address for a provider's notices, as an admin does, and sends
// what a provider and others may send.
func TestNotice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		post := func(path, body string, header map[string]string) response {
			t.Helper()
			return s.send(t, request{method: http.MethodPost, path: path, body: body, header: header})
		}
		var conn drover.Connection
		read(t, post("/connection", `{"integration_name":"motive","business_name":"Hauler","credentials":{"api_key":"k","webhook_secret":"s"}}`,
			s.authorized(t, wanda)), &conn)
		var made drover.InboundAddress
		read(t, post("/connection/"+conn.ID+"/inbound", "", s.authorized(t, wanda)), &made)
		address := made.URL[strings.Index(made.URL, "/inbound/"):]
		body := `{"action":"vehicle_location_updated"}`
		mac := hmac.New(sha1.New, []byte("s"))
		mac.Write([]byte(body))
		signed := map[string]string{"X-KT-Webhook-Signature": hex.EncodeToString(mac.Sum(nil)), "Content-Type": "text/plain; charset=UTF-8"}
		for _, c := range []struct {
			name, path, body string
			header           map[string]string
			status           int
		}{
			{"Signed", address, body, signed, 204},
			{"Again", address, body, signed, 204},
			{"OtherBody", address, "{}", signed, 403},
			{"Unsigned", address, body, nil, 403},
			{"OtherToken", address + "x", body, signed, 404},
			{"Of1MiB", address, padded(1 << 20), signed, 403},
			{"TooLarge", address, padded(1<<20 + 1), signed, 413},
		} {
			if resp := post(c.path, c.body, c.header); resp.status != c.status {
				t.Errorf("%s: status %d, want %d: %.300s", c.name, resp.status, c.status, resp.body)
			}
		}
		var health drover.ConnectionDiagnosis
		read(t, s.send(t, request{method: http.MethodGet, path: "/connection/" + conn.ID + "/health", header: s.authorized(t, wanda)}), &health)
		if !made.Signed || health.Inbound == nil || health.Inbound.LastNoticeAt == nil {
			t.Errorf("the address is %+v and the health shows %+v", made, health.Inbound)
		}
		if health.Push != nil {
			t.Errorf("a provider without streams shows %+v", health.Push)
		}
		if text, err := json.Marshal(health); err != nil || strings.Contains(string(text), address[len(address)-20:]) {
			t.Errorf("the health shows the token: %s, %v", text, err)
		}
	})
}

func read(t *testing.T, resp response, to any) {
	t.Helper()
	body := struct {
		Data any `json:"data"`
	}{to}
	if err := json.Unmarshal([]byte(resp.body), &body); err != nil || resp.status != http.StatusOK {
		t.Fatalf("status %d: %s", resp.status, resp.body)
	}
}

// TestNoticeThrottle holds that one address cannot guess without end.
func TestNoticeThrottle(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	statuses := map[int]int{}
	for range 501 {
		statuses[s.send(t, request{
			method: http.MethodPost, path: "/inbound/" + s.ids["conn"] + "/guess",
			header: map[string]string{fromHeader: "192.0.2.1:1"},
		}).status]++
	}
	if statuses[http.StatusNotFound] != 500 || statuses[http.StatusTooManyRequests] != 1 {
		t.Errorf("501 guesses are answered %v", statuses)
	}
}
