package contract_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	ssoSecret = "a client secret that no answer shows"
	ssoUnset  = `{"enabled":false,"issuer":null,"client_id":null,"has_client_secret":false,"scopes":["profile","email"],"role_claim":null,"roles":[],` +
		`"default_role":null,"new_users":"invited","email_domains":[],"trust_email":false,"session_hours":12,"end_provider_session":false,` +
		`"password_login":true,"redirect_uri":null,"sign_in_url":null}`
)

// ssoRows are single sign-on as far as it needs no provider.
func ssoRows() []row {
	const path = "/account/sso"
	ask := func(name, user, method, body string, status int, want string, then ...row) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want, then: then}
	}
	patch := func(name, body string, status int, want string, then ...row) row {
		return ask(name, wanda, "PATCH", body, status, want, then...)
	}
	refused := func(name, body, msg string, loc ...any) row {
		return patch(name, body, 422, invalid("value_error", "Value error, "+msg, append([]any{"body"}, loc...)...))
	}
	start := func(name, body string, status int, want string) row {
		return row{name: name, method: "POST", path: "/session/sso/start", body: body, status: status, want: want}
	}
	end := func(name, body string, status int, want string) row {
		return row{name: name, method: "POST", path: "/session/sso", body: body, status: status, want: want}
	}
	key := func(name, secret string) row {
		r := ask(name, "", "PATCH", `{}`, 403, forbidden)
		r.header = map[string]string{"Authorization": "Bearer $" + secret}
		return r
	}
	foreign := start("StartFromOtherOrigin", `{"code":"x"}`, 403, refusal(403, "Requests from another origin are refused"))
	foreign.header = map[string]string{"Sec-Fetch-Site": "cross-site"}
	foreignEnd := end("EndFromOtherOrigin", `{"tenant_id":"x","code":"x","state":"x"}`, 403, foreign.want)
	foreignEnd.header = foreign.header
	set := with(ssoUnset, "issuer", `"https://93.184.216.34"`, "client_id", `"drover"`, "has_client_secret", "true", "email_domains", `["mail.example"]`)
	const noBrowser = "Single sign-on failed: it was not begun in this browser, or has taken too long"
	return []row{
		ask("Unset", alice, "GET", "", 200, data(ssoUnset)),
		ask("ForMember", mark, "GET", "", 403, forbidden),
		ask("ForViewer", vera, "GET", "", 403, forbidden),
		ask("SetByMember", will, "PATCH", `{}`, 403, forbidden),
		key("SetByKeyOfFewRights", "keeper_key_secret"),
		patch("Set", `{"issuer":"https://93.184.216.34","client_id":"drover","client_secret":"`+ssoSecret+`","email_domains":[" MAIL.example"]}`, 200,
			data(set),
			patch("", `{"new_users":"automatic","roles":[{"value":"a","role":"admin"}],"role_claim":"groups","default_role":"viewer"}`, 200,
				data(with(set, "new_users", `"automatic"`, "roles", `[{"value":"a","role":"admin"}]`, "role_claim", `"groups"`, "default_role", `"viewer"`))),
			patch("", `{"issuer":"https://93.184.216.35"}`, 200, `{"data":"<any>"}`),
			patch("", `{"issuer":null,"client_id":null,"new_users":"invited","roles":[],"role_claim":null,"default_role":null,"email_domains":[]}`, 200,
				data(ssoUnset))),
		refused("EnabledWithoutIssuer", `{"enabled":true}`, "single sign-on needs an issuer and a client_id", "enabled"),
		refused("IssuerWithoutTLS", `{"issuer":"http://93.184.216.34"}`, "issuer must be an https address", "issuer"),
		refused("IssuerWithQuery", `{"issuer":"https://93.184.216.34/?a=b"}`, "issuer must be an https address without a query", "issuer"),
		refused("IssuerInside", `{"issuer":"https://169.254.169.254"}`,
			"the address is in a private network (link-local); the operator can open it with --allow-network", "issuer"),
		refused("ScopeWithSpace", `{"scopes":["a b"]}`, "a scope has no spaces and no quotes", "scopes", 0),
		refused("DomainOfNothing", `{"email_domains":["example"]}`, "a domain is such as example.com", "email_domains", 0),
		refused("TrustWithoutDomains", `{"trust_email":true,"email_domains":[]}`,
			"trust_email needs email_domains, in which the provider alone gives addresses", "trust_email"),
		refused("NoPasswordsAlone", `{"password_login":false}`, "without single sign-on no one could sign in", "password_login"),
		patch("SessionOf0", `{"session_hours":0}`, 422,
			invalid("greater_than_equal", "Input should be greater than or equal to 1", "body", "session_hours")),
		patch("SessionOf721", `{"session_hours":721}`, 422,
			invalid("less_than_equal", "Input should be less than or equal to 720", "body", "session_hours")),
		{name: "TestOfNothing", as: alice, method: "POST", path: path + "/test", status: 409, want: refusal(409, "No issuer is set")},
		start("StartUnknown", `{"code":"unknown"}`, 404, refusal(404, "Single sign-on is not available at this address")),
		start("StartElsewhere", `{"code":"unknown","return_to":"https://evil.example/"}`, 422,
			invalid("value_error", "Value error, return_to must be a path under /console/", "body", "return_to")),
		foreign, foreignEnd,
		end("EndWithoutCookie", `{"tenant_id":"$work","code":"x","state":"x"}`, 401, refusal(401, noBrowser)),
		{
			name: "SignOut", method: "DELETE", path: "/session/sso", header: map[string]string{"Authorization": "Bearer $new_access"},
			status: 200, want: data(`{"url":null}`),
			then: []row{{
				method: "GET", path: "/session", header: map[string]string{"Authorization": "Bearer $new_access"}, status: 401,
				want: unauthenticated,
			}},
		},
	}
}

// signOn is one person's way through a sign-in.
type signOn struct {
	s      *service
	idp    *issuer
	cookie *http.Cookie
	url    string     // where the person signs in
	back   url.Values // what the provider sends the browser back with
	tenant string
}

// withSSO runs f with a service whose tenant work has a provider.
func withSSO(t *testing.T, f func(t *testing.T, s *service, idp *issuer)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			c := settings(t, database)
			c.PublicURL = "https://fleet.example"
			s := newService(t, c)
			idp := newIssuer(t, issuerURL, s.clock.Now)
			s.serveAt(issuerHost, idp)
			s.setSSO(t, wanda, `{"enabled":true,"issuer":"`+issuerURL+`","client_id":"drover","client_secret":"`+ssoSecret+`",
				"new_users":"automatic","default_role":"viewer"}`)
			f(t, s, idp)
		})
	}
}

// setSSO changes single sign-on as an admin.
func (s *service) setSSO(t *testing.T, admin, body string) drover.SingleSignOn {
	t.Helper()
	resp := s.send(t, request{http.MethodPatch, "/account/sso", s.authorized(t, admin), body})
	var out struct{ Data drover.SingleSignOn }
	if err := json.Unmarshal([]byte(resp.body), &out); err != nil || resp.status != http.StatusOK {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	return out.Data
}

// begin goes to the provider.
func (s *service) begin(t *testing.T, admin string, idp *issuer) *signOn {
	t.Helper()
	sso, _ := get[drover.SingleSignOn](t, s, admin, "/account/sso")
	_, code, _ := strings.Cut(*sso.SignInURL, "?code=")
	body := jsonText(map[string]string{"code": code, "return_to": "/console/device"})
	resp := s.send(t, request{method: http.MethodPost, path: "/session/sso/start", body: body})
	var start struct{ Data drover.SignInStart }
	cookies := (&http.Response{Header: resp.header}).Cookies()
	if err := json.Unmarshal([]byte(resp.body), &start); err != nil || resp.status != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("%d %s, cookies %v", resp.status, resp.body, cookies)
	}
	_, tenant, _ := strings.Cut(*sso.RedirectURI, "/console/sso/")
	return &signOn{s: s, idp: idp, cookie: cookies[0], url: start.Data.URL, tenant: tenant}
}

// person are the claims of someone.
func person(name string, extra ...any) jwt.MapClaims {
	claims := jwt.MapClaims{"sub": "subject-of-" + name, "email": name + "@mail.example", "email_verified": true, "preferred_username": name}
	for i := 0; i < len(extra); i += 2 {
		claims[extra[i].(string)] = extra[i+1]
	}
	return claims
}

// end comes back from the provider.
func (o *signOn) end(t *testing.T) response {
	t.Helper()
	body := map[string]any{"tenant_id": o.tenant, "code": o.back.Get("code"), "state": o.back.Get("state")}
	if o.back.Has("iss") {
		body["iss"] = o.back.Get("iss")
	}
	header := map[string]string{"Sec-Fetch-Site": "same-origin"}
	if o.cookie != nil {
		header["Cookie"] = o.cookie.Name + "=" + o.cookie.Value
	}
	return o.s.send(t, request{http.MethodPost, "/session/sso", header, jsonText(body)})
}

// signOn signs someone in, who must be let in, and returns the cookie and who it is.
func (s *service) signOn(t *testing.T, idp *issuer, who jwt.MapClaims) (map[string]string, drover.Profile) {
	t.Helper()
	o := s.begin(t, wanda, idp)
	o.back = idp.login(o.url, who)
	resp := o.end(t)
	var view struct {
		Data struct {
			drover.Profile
			ReturnTo string `json:"return_to"`
		}
	}
	if err := json.Unmarshal([]byte(resp.body), &view); err != nil || resp.status != http.StatusOK || view.Data.ReturnTo != "/console/device" {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	for _, c := range (&http.Response{Header: resp.header}).Cookies() {
		if c.Name == "__Host-drover" {
			if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("the cookie is %+v", c)
			}
			return map[string]string{"Cookie": c.Name + "=" + c.Value}, view.Data.Profile
		}
	}
	t.Fatalf("no cookie in %v", resp.header)
	return nil, drover.Profile{}
}

// TestSingleSignOn follows people who sign in by a provider.
func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		cookie, nina := s.signOn(t, idp, person("nina"))
		if nina.User.Username != "nina" || nina.User.Role != drover.RoleViewer || nina.Tenant.Name != "work" {
			t.Errorf("made %+v of %s", nina.User, nina.Tenant.Name)
		}
		if resp := s.send(t, request{http.MethodGet, "/device", cookie, ""}); resp.status != http.StatusOK {
			t.Errorf("the session reads: %d %s", resp.status, resp.body)
		}
		// The same person is the same user, whatever its name and address are now, and with a
		// key that the provider has made meanwhile.
		idp.rotate()
		if _, again := s.signOn(t, idp, person("nina", "email", "other@mail.example", "email_verified", false)); again.User.ID != nina.User.ID {
			t.Errorf("another user: %+v", again.User)
		}
		// A name that another tenant's user has is not shown to be taken, and not taken over.
		if _, alicia := s.signOn(t, idp, person("alice", "sub", "2", "email", "alicia@mail.example")); !strings.HasPrefix(alicia.User.Username, "alice-") {
			t.Errorf("made %+v", alicia.User)
		}
		// A user whom an admin made is known by its verified address, once.
		if _, known := s.signOn(t, idp, person("will", "email", "WILL@mail.example")); known.User.ID != s.ids["will_sub"] || known.User.Role != drover.RoleMember {
			t.Errorf("will is %+v", known.User)
		}
		// Roles follow a claim, at each sign-in.
		s.setSSO(t, wanda, `{"role_claim":"realm_access.roles","roles":[{"value":"boss","role":"admin"},{"value":"crew","role":"member"}]}`)
		for _, c := range []struct {
			role   drover.Role
			groups []string
		}{{drover.RoleMember, []string{"crew"}}, {drover.RoleAdmin, []string{"crew", "boss"}}, {drover.RoleViewer, []string{"x"}}} {
			access := map[string]any{"roles": c.groups}
			if _, got := s.signOn(t, idp, person("nina", "realm_access", access)); got.User.Role != c.role {
				t.Errorf("%v gave the role %s, want %s", c.groups, got.User.Role, c.role)
			}
		}
		// What the token does not say is asked of the userinfo endpoint, and nothing is asked where it says all.
		idp.userinfo = person("nina", "realm_access", map[string]any{"roles": []string{"boss"}})
		for _, c := range []struct {
			who  jwt.MapClaims
			role drover.Role
			asks bool
		}{
			{person("nina", "email", nil), drover.RoleAdmin, true},
			{person("nina", "realm_access", map[string]any{"roles": []string{"crew"}}), drover.RoleMember, false},
		} {
			idp.calls = nil
			if _, got := s.signOn(t, idp, c.who); got.User.Role != c.role || slices.Contains(idp.calls, "/userinfo") != c.asks {
				t.Errorf("of %v nina is %+v after %v", c.who, got.User, idp.calls)
			}
		}
		idp.userinfo = nil
		// A session of a provider ends when the provider is to be asked again.
		s.setSSO(t, wanda, `{"session_hours":2,"end_provider_session":true}`)
		cookie, _ = s.signOn(t, idp, person("nina"))
		for after, want := range map[time.Duration]int{2*time.Hour - time.Second: 200, 2 * time.Hour: 401} {
			s.clock.Set(present.Add(after))
			if resp := s.send(t, request{http.MethodGet, "/session", cookie, ""}); resp.status != want {
				t.Errorf("after %s: %d %s", after, resp.status, resp.body)
			}
		}
		s.clock.Set(present)
		cookie["Sec-Fetch-Site"] = "same-origin"
		out := s.send(t, request{http.MethodDelete, "/session/sso", cookie, ""})
		if !strings.Contains(out.body, issuerURL+`/logout?client_id=drover&post_logout_redirect_uri=https%3A%2F%2Ffleet.example%2Fconsole%2F`) {
			t.Errorf("sign-out: %d %s", out.status, out.body)
		}
		if resp := s.send(t, request{http.MethodGet, "/session", cookie, ""}); resp.status != http.StatusUnauthorized {
			t.Errorf("signed out: %d", resp.status)
		}
		s.checkSSOAudit(t, nina.User.ID)
	})
}

// checkSSOAudit expects what was done to be written down as for a login with a password,
// and the secret nowhere.
func (s *service) checkSSOAudit(t *testing.T, userID string) {
	t.Helper()
	entries, _ := get[[]drover.Audit](t, s, wanda, "/audit?limit=1000&actor_id="+userID)
	actions := map[string]int{}
	for _, a := range entries {
		actions[a.Action]++
	}
	if actions["session.sso.create"] != 8 || actions["user.create"] != 1 || actions["user.update"] != 6 {
		t.Errorf("the audit has %v", actions)
	}
	for _, path := range []string{"/account/sso", "/audit?limit=1000"} {
		if resp := s.send(t, request{http.MethodGet, path, s.authorized(t, wanda), ""}); strings.Contains(resp.body, ssoSecret) {
			t.Errorf("%s shows the secret", path)
		}
	}
	stored, err := s.app.Store.SignIn.SingleSignOn(t.Context(), s.ids["work"])
	if err != nil || strings.Contains(string(stored.Sealed), ssoSecret) || strings.Contains(jsonText(stored.Settings), ssoSecret) {
		t.Errorf("the secret is stored as it is: %v", err)
	}
	if _, err := s.app.Vault.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.app.Vault.Verify(t.Context()); err != nil || n == 0 {
		t.Errorf("after a change of keys %d values open: %v", n, err)
	}
}

// TestPasswordLoginOff holds that a tenant can refuse passwords, and cannot lock itself out.
func TestPasswordLoginOff(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		off := request{http.MethodPatch, "/account/sso", s.authorized(t, wanda), `{"password_login":false}`}
		const locked = "An admin must have signed in by the provider before password login is switched off"
		if resp := s.send(t, off); resp.status != http.StatusConflict || !strings.Contains(resp.body, locked) {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		s.signOn(t, idp, person("wanda"))
		if resp := s.send(t, off); resp.status != http.StatusOK {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		login := func(path, user string) int {
			return s.send(t, request{method: http.MethodPost, path: path, body: jsonText(map[string]string{"username": user, "password": password})}).status
		}
		check := func(when string, want map[string]int) {
			t.Helper()
			for user, status := range want {
				for _, path := range []string{"/token", "/session"} { // drover login uses the first
					if got := login(path, user); got != status {
						t.Errorf("%s: POST %s as %s: %d, want %d", when, path, user, got, status)
					}
				}
			}
		}
		check("Off", map[string]int{wanda: 401, will: 401, alice: 200})
		// Nor can single sign-on be switched off, or be moved to where no admin is known.
		for _, body := range []string{`{"enabled":false}`, `{"issuer":"` + otherURL + `"}`} {
			if resp := s.send(t, request{http.MethodPatch, "/account/sso", s.authorized(t, wanda), body}); resp.status != 422 && resp.status != 409 {
				t.Errorf("%s: %d %s", body, resp.status, resp.body)
			}
		}
		s.update(t, func(tx *store.Tx) error {
			return tx.Accounts.SetBreakGlass(t.Context(), drover.User{TenantID: s.ids["work"], ID: s.ids["wanda_sub"]}, true)
		})
		check("BreakGlass", map[string]int{wanda: 200, will: 401})
		s.setSSO(t, wanda, `{"password_login":true}`)
		check("OnAgain", map[string]int{will: 200})
	})
}
