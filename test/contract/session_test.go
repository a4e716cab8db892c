package contract_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	aliceSession = `{"user":{"id":"$alice_sub","tenant_id":"$alpha","username":"alice","email":"alice@Mail.example","role":"admin","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"},"api_key":null,
		"tenant":{"id":"$alpha","name":"alpha"},"role":"admin","permissions":["read","write","secrets","admin","push"],"preferences":{},"factor_step":null,"version":"test","system":{"database":"<any>","role":"all"}}`
	veraSession = `{"user":{"id":"$vera_sub","tenant_id":"$alpha","username":"vera","email":"vera@Mail.example","role":"viewer","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"},"api_key":null,
		"tenant":{"id":"$alpha","name":"alpha"},"role":"viewer","permissions":["read"],"preferences":{},"factor_step":null,"version":"test","system":{"database":"<any>","role":"all"}}`
	willSession = `{"user":{"id":"$will_sub","tenant_id":"$work","username":"will","email":"will@Mail.example","role":"member","disabled":false,"second_factor":false,"created_at":"2024-05-02T10:15:30Z"},"api_key":null,
		"tenant":{"id":"$work","name":"work"},"role":"member","permissions":["read","write","push"],"preferences":{},"factor_step":null,"version":"test","system":{"database":"<any>","role":"all"}}`
)

// sessionRows are the sessions of the console.
func sessionRows() []row {
	post := func(name, body string, status int, want string) row {
		return row{name: name, method: "POST", path: "/session", body: body, status: status, want: want}
	}
	otherOrigin := post("FromOtherOrigin", `{"username":"alice","password":"`+password+`"}`, 403,
		refusal(403, "Requests from another origin are refused"))
	otherOrigin.header = map[string]string{"Sec-Fetch-Site": "cross-site"}
	return []row{
		post("Create", `{"username":"alice","password":"`+password+`"}`, 200, data(aliceSession)),
		post("CreateByEmail", `{"username":"VERA@mail.example","password":"`+password+`"}`, 200, data(veraSession)),
		post("WrongPassword", `{"username":"alice","password":"wrong"}`, 401, refusal(401, "Invalid username or password")),
		post("UnknownUser", `{"username":"nobody","password":"`+password+`"}`, 401, refusal(401, "Invalid username or password")),
		post("Disabled", `{"username":"dora","password":"`+password+`"}`, 403, forbidden),
		post("Suspended", `{"username":"sam","password":"`+password+`"}`, 403, forbidden),
		post("NoPassword", `{"username":"alice"}`, 422, invalid("missing", "Field required", "body", "password")),
		otherOrigin,
		{name: "GetAdmin", as: alice, method: "GET", path: "/session", status: 200, want: data(aliceSession)},
		{name: "GetViewer", as: vera, method: "GET", path: "/session", status: 200, want: data(veraSession)},
		{name: "GetMember", as: will, method: "GET", path: "/session", status: 200, want: data(willSession)},
		{
			name: "DeleteEndsTokens", method: "DELETE", path: "/session", header: map[string]string{"Authorization": "Bearer $new_access"},
			status: 204,
			then: []row{{
				method: "GET", path: "/session", header: map[string]string{"Authorization": "Bearer $new_access"}, status: 401,
				want: unauthenticated,
			}},
		},
	}
}

// signIn opens a session of the console and returns its cookie.
func (s *service) signIn(t *testing.T, user string) *http.Cookie {
	t.Helper()
	resp := s.send(t, request{
		method: http.MethodPost, path: "/session",
		body: jsonText(map[string]string{"username": user, "password": password}),
	})
	cookies := (&http.Response{Header: resp.header}).Cookies()
	if resp.status != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("status %d, cookies %v: %s", resp.status, cookies, resp.body)
	}
	return cookies[0]
}

// TestConsoleSession follows the cookie of a session through its life.
func TestConsoleSession(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		ask := func(name string, after time.Duration, want int, method, path string, header map[string]string) {
			t.Helper()
			s.clock.Set(present.Add(after))
			defer s.clock.Set(present)
			if resp := s.send(t, request{method: method, path: path, header: header}); resp.status != want {
				t.Errorf("%s: status %d, want %d: %s", name, resp.status, want, resp.body)
			}
		}
		c := s.signIn(t, vera)
		if c.Name != "drover" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.MaxAge != 30*24*3600 {
			t.Errorf("the cookie is %+v", c)
		}
		with := func(extra ...string) map[string]string {
			h := map[string]string{"Cookie": c.Name + "=" + c.Value}
			for i := 0; i < len(extra); i += 2 {
				h[extra[i]] = extra[i+1]
			}
			return h
		}
		ask("Reads", 0, 200, "GET", "/device", with())
		ask("ViewerWritesNot", 0, 403, "POST", "/account/webhook-secret", with())
		ask("TokenFirst", 0, 400, "GET", "/device", with("Authorization", "Bearer a.b.c"))
		ask("OtherSiteReads", 0, 200, "GET", "/device", with("Sec-Fetch-Site", "cross-site"))
		ask("OtherSiteWritesNot", 0, 403, "DELETE", "/session", with("Sec-Fetch-Site", "cross-site"))
		ask("OtherOriginWritesNot", 0, 403, "DELETE", "/session", with("Origin", "https://evil.example"))
		ask("Forged", 0, 401, "GET", "/device", map[string]string{"Cookie": c.Name + "=" + strings.Repeat("A", len(c.Value))})
		ask("OtherName", 0, 401, "GET", "/device", map[string]string{"Cookie": "__Host-drover=" + c.Value})
		// It lasts for 12 hours without a request, and each moves its end.
		ask("JustInTime", 12*time.Hour-time.Second, 200, "GET", "/device", with())
		ask("MovedOn", 24*time.Hour-2*time.Second, 200, "GET", "/device", with())
		ask("TooLate", 36*time.Hour, 401, "GET", "/device", with())

		c = s.signIn(t, vera)
		for at := time.Duration(0); at < 30*24*time.Hour; at += 11 * time.Hour {
			ask("InUse", at, 200, "GET", "/session", with())
		}
		ask("AtMost30Days", 30*24*time.Hour, 401, "GET", "/session", with())

		c = s.signIn(t, vera)
		ask("SignOut", 0, 204, "DELETE", "/session", with("Sec-Fetch-Site", "same-origin"))
		ask("SignedOut", 0, 401, "GET", "/session", with())
	})
}

// TestSecureCookie holds that behind TLS the cookie is bound to the host and to TLS.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.PublicURL = "https://fleet.example"
	s := newService(t, c)
	cookie := s.signIn(t, vera)
	if cookie.Name != "__Host-drover" || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("the cookie is %+v", cookie)
	}
	resp := s.send(t, request{method: http.MethodGet, path: "/device", header: map[string]string{"Cookie": cookie.Name + "=" + cookie.Value}})
	if resp.status != http.StatusOK {
		t.Errorf("status %d: %s", resp.status, resp.body)
	}
}
