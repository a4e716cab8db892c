package contract_test

import (
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

const forbiddenWords = "You do not have access to this resource"

// lie makes a provider sign claims that differ from the true ones.
func lie(name string, value any) func(o *signOn) {
	return func(o *signOn) {
		o.idp.forge = func(i *issuer, claims jwt.MapClaims) string {
			claims[name] = value
			return i.sign(claims)
		}
	}
}

// skewed sets the clock of the provider forward, or back.
func skewed(by time.Duration) func(o *signOn) {
	return func(o *signOn) { o.idp.now = func() time.Time { return o.s.clock.Now().Add(by) } }
}

// ssoRefusal is a sign-in that must fail: what is wrong with it, before the person signs
// in or after, what the browser is answered, and what the tenant's audit says.
type ssoRefusal struct {
	name          string
	who           jwt.MapClaims // nina where it is nil
	settings      string
	before, after func(o *signOn)
	status        int // 200 where it must pass
	words         string
	audit         string
}

// ssoRefusals are all ways in which a sign-in is refused, and those next to them that pass.
func ssoRefusals() []ssoRefusal {
	const failed = "Single sign-on failed: "
	protocol := func(name, reason, words string, after func(o *signOn)) ssoRefusal {
		return ssoRefusal{name: name, after: after, status: 401, words: failed + words, audit: reason}
	}
	person403 := func(name, reason string, who jwt.MapClaims, settings string, after func(o *signOn)) ssoRefusal {
		return ssoRefusal{name: name, who: who, settings: settings, after: after, status: 403, words: forbiddenWords, audit: reason}
	}
	passes := func(name string, after func(o *signOn)) ssoRefusal {
		return ssoRefusal{name: name, after: after, status: 200}
	}
	const otherToken, badSignature = "the token is for another client", "the token's signature is wrong"
	const algorithm = "the token is signed with an algorithm that is not accepted"
	const foreignAnswer, notBegun = "the answer belongs to another sign-in", "it was not begun in this browser, or has taken too long"
	return slices.Concat(userinfoRefusals(), []ssoRefusal{
		passes("Honest", func(*signOn) {}),
		protocol("WrongIssuer", "wrong_issuer", "the answer is from another issuer", lie("iss", otherURL)),
		protocol("WrongAudience", "wrong_audience", otherToken, lie("aud", "another")),
		protocol("SeveralAudiencesWithoutParty", "wrong_audience", otherToken, lie("aud", []string{"drover", "another"})),
		protocol("WrongParty", "wrong_audience", otherToken, lie("azp", "another")),
		protocol("AlgorithmNone", "wrong_algorithm", algorithm, func(o *signOn) {
			o.idp.forge = func(_ *issuer, claims jwt.MapClaims) string {
				text, _ := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
				return text
			}
		}),
		protocol("HS256WithThePublicKey", "wrong_algorithm", algorithm, func(o *signOn) {
			o.idp.forge = func(i *issuer, claims jwt.MapClaims) string {
				public, _ := i.key.PublicKey.Bytes()
				text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(public)
				return text
			}
		}),
		protocol("HS256AsDiscoveryOffers", "wrong_algorithm", algorithm, func(o *signOn) {
			o.idp.discoed = func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"HS256"} }
			o.idp.forge = func(_ *issuer, claims jwt.MapClaims) string {
				text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(ssoSecret))
				return text
			}
		}),
		protocol("AlgorithmNotOffered", "wrong_algorithm", algorithm, func(o *signOn) {
			o.idp.discoed = func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"RS256"} }
		}),
		protocol("KeyOfAnother", "bad_signature", badSignature, func(o *signOn) {
			o.idp.forge = func(i *issuer, claims jwt.MapClaims) string {
				other := newIssuer(i.tb, i.url, i.now)
				other.keyID = i.keyID
				return other.sign(claims)
			}
		}),
		protocol("WithdrawnKey", "bad_signature", badSignature, func(o *signOn) {
			old := &issuer{tb: o.idp.tb, key: o.idp.key, keyID: o.idp.keyID}
			o.idp.rotate()
			o.idp.forge = func(_ *issuer, claims jwt.MapClaims) string { return old.sign(claims) }
		}),
		passes("RotatedKey", func(o *signOn) { o.idp.rotate() }),
		protocol("WrongNonce", "wrong_nonce", "the token belongs to another sign-in", lie("nonce", "another")),
		protocol("NoNonce", "wrong_nonce", "the token belongs to another sign-in", lie("nonce", "")),
		protocol("NoSubject", "bad_subject", "the token has no usable subject", lie("sub", "")),
		protocol("SubjectWithNUL", "bad_subject", "the token has no usable subject", lie("sub", "a\x00b")),
		protocol("NoToken", "no_id_token", "it sent no ID token", func(o *signOn) {
			o.idp.forge = func(*issuer, jwt.MapClaims) string { return "" }
		}),
		protocol("Expired", "token_expired", "the token has expired", lie("exp", present.Add(-61*time.Second).Unix())),
		passes("ExpiredWithinTheSkew", lie("exp", present.Add(-59*time.Second).Unix())),
		protocol("ClockAhead", "token_from_the_future", "the token is from the future: one of the clocks is wrong", skewed(61*time.Second)),
		passes("ClockAheadWithinTheSkew", skewed(59*time.Second)),
		passes("ClockBehindWithinTheSkew", skewed(-59*time.Second)),
		protocol("ClockBehind", "token_expired", "the token has expired", skewed(-5*time.Minute-61*time.Second)),
		protocol("NotYetValid", "token_from_the_future", "the token is from the future: one of the clocks is wrong",
			lie("nbf", present.Add(2*time.Minute).Unix())),
		protocol("UnknownCode", "code_refused", "it refused the code", func(o *signOn) { o.back.Set("code", "guessed") }),
		protocol("WrongState", "foreign_answer", foreignAnswer, func(o *signOn) { o.back.Set("state", "guessed") }),
		protocol("OtherTenantsAddress", "foreign_answer", foreignAnswer, func(o *signOn) { o.tenant = o.s.ids["alpha"] }),
		protocol("LoginCSRF", "", notBegun, func(o *signOn) { o.cookie = nil }),
		protocol("ForgedCookie", "", notBegun, func(o *signOn) { o.cookie.Value = strings.Repeat("A", len(o.cookie.Value)) }),
		protocol("TooLate", "too_late", notBegun, func(o *signOn) { o.s.clock.Set(present.Add(10 * time.Minute)) }),
		protocol("MixedUpProviders", "wrong_issuer", "the answer is from another issuer", func(o *signOn) { o.back.Set("iss", otherURL) }),
		{
			name: "IssuerNotNamed", before: func(o *signOn) { o.idp.names = true }, after: func(o *signOn) { o.back.Del("iss") }, status: 401,
			words: failed + "the answer does not say which issuer it is from", audit: "answer_without_issuer",
		},
		{name: "IssuerNamed", before: func(o *signOn) { o.idp.names = true }, status: 200},
		protocol("SettingsChangedMeanwhile", "settings_changed", "the settings have changed meanwhile", func(o *signOn) {
			o.s.setSSO(o.idp.tb.(*testing.T), wanda, `{"client_id":"other"}`)
		}),
		{
			name: "WrongSecret", settings: `{"client_secret":"wrong"}`, status: 409, audit: "client_refused",
			words: "The identity provider cannot be used: it refused the client id or the client secret",
		},
		{
			name: "ProviderGone", after: func(o *signOn) { o.s.serveAt(issuerHost, http.NotFoundHandler()) }, status: 409, audit: "bad_discovery",
			words: "The identity provider cannot be used: its discovery document cannot be used",
		},
		{
			name: "DiscoveryOfAnother", after: func(o *signOn) { o.idp.discoed = func(d map[string]any) { d["issuer"] = otherURL } }, status: 409,
			audit: "issuer_mismatch", words: "The identity provider cannot be used: its discovery document names another issuer",
		},
		{
			name: "KeysWithoutTLS", after: func(o *signOn) {
				o.idp.discoed = func(d map[string]any) { d["jwks_uri"] = "http://" + issuerHost + "/keys" }
			}, status: 409, audit: "bad_discovery", words: "The identity provider cannot be used: its discovery document cannot be used",
		},
		{
			name: "HugeAnswer", after: func(o *signOn) {
				o.idp.discoed = func(d map[string]any) { d["more"] = strings.Repeat("x", 1<<20) }
			}, status: 409, audit: "bad_discovery", words: "The identity provider cannot be used: its discovery document cannot be used",
		},
		{
			name: "Redirected", after: func(o *signOn) {
				o.s.serveAt(issuerHost, http.RedirectHandler(otherURL+"/.well-known/openid-configuration", http.StatusFound))
			}, status: 409, audit: "bad_discovery", words: "The identity provider cannot be used: its discovery document cannot be used",
		},
		person403("AddressOfAnotherTenant", "address_taken", person("alice"), "", nil),
		person403("AddressOfAnotherTenantInOtherLetters", "address_taken", person("x", "email", "ALICE@mail.EXAMPLE"), "", nil),
		person403("AddressNotVerified", "address_not_verified", person("nina", "email_verified", false), "", nil),
		person403("AddressOfAnAdminNotVerified", "address_not_verified", person("wanda", "email_verified", false), "", nil),
		person403("AddressNotSaidToBeVerified", "address_not_verified", person("nina", "email_verified", nil), "", nil),
		{name: "AddressTrusted", who: person("nina", "email_verified", nil), settings: `{"trust_email":true,"email_domains":["mail.example"]}`, status: 200},
		person403("TrustedAddressNotVerified", "address_outside_the_domains", person("nina", "email_verified", false),
			`{"trust_email":true,"email_domains":["mail.example"]}`, nil),
		person403("NoAddress", "address_not_verified", person("nina", "email", ""), "", nil),
		person403("AddressIsNone", "bad_address", person("nina", "email", "nina at home"), "", nil),
		person403("AddressIsAUsername", "bad_address", person("x", "email", wanda), "", nil),
		person403("AddressWithAName", "bad_address", person("x", "email", "wanda <wanda@mail.example>"), "", nil),
		person403("AddressThatLooksLikeAnAdmins", "address_taken", person("x", "email", "\uff57anda@mail.example"), "", nil),
		person403("OutsideTheDomains", "address_outside_the_domains", person("nina"), `{"email_domains":["northern.example"]}`, nil),
		person403("DomainNotVerified", "address_outside_the_domains", person("nina", "email_verified", false), `{"email_domains":["mail.example"]}`, nil),
		person403("NotInvited", "not_invited", person("nina"), `{"new_users":"invited"}`, nil),
		{name: "Invited", who: person("will"), settings: `{"new_users":"invited","default_role":null}`, status: 200},
		person403("NoRole", "no_role", person("nina"), `{"role_claim":"groups","default_role":null}`, nil),
		person403("RoleOfAnotherClaim", "no_role", person("nina", "Groups", "boss"),
			`{"role_claim":"groups","roles":[{"value":"boss","role":"admin"}],"default_role":null}`, nil),
		person403("DisabledUser", "user_disabled", person("will"), "", func(o *signOn) {
			o.s.update(o.idp.tb, func(tx *store.Tx) error {
				return tx.Accounts.DisableUser(o.idp.tb.Context(), drover.User{TenantID: o.s.ids["work"], ID: o.s.ids["will_sub"]}, true)
			})
		}),
		person403("SuspendedTenant", "tenant_suspended", nil, "", func(o *signOn) {
			o.s.update(o.idp.tb, func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(o.idp.tb.Context(), o.s.ids["work"], true) })
		}),
		person403("NoPlaceForMoreUsers", "limit_reached", person("nina"), "", func(o *signOn) {
			o.s.update(o.idp.tb, func(tx *store.Tx) error {
				return tx.Accounts.SetLimit(o.idp.tb.Context(), o.s.ids["work"], drover.QuotaUsers, 2)
			})
		}),
	})
}

// userinfoRefusals are the ways in which a sign-in is refused whose ID token says less than is
// needed, and those next to them that pass.
func userinfoRefusals() []ssoRefusal {
	const roles = `{"role_claim":"realm.roles","roles":[{"value":"boss","role":"admin"}],"default_role":null}`
	boss := map[string]any{"roles": []string{"boss"}}
	thin := func(extra ...any) jwt.MapClaims {
		return person("nina", append([]any{"email", nil, "email_verified", nil}, extra...)...)
	}
	answers := func(userinfo any) func(o *signOn) { return func(o *signOn) { o.idp.userinfo = userinfo } }
	failed := func(name, reason, words string, who jwt.MapClaims, userinfo any, after func(o *signOn)) ssoRefusal {
		return ssoRefusal{
			name: name, who: who, settings: roles, before: answers(userinfo), after: after, status: 401,
			words: "Single sign-on failed: " + words, audit: reason,
		}
	}
	const unsaid, another = "its userinfo endpoint does not say who it is", "the userinfo is of another person"
	refused := func(status int) func(o *signOn) { return func(o *signOn) { o.idp.status = status } }
	return []ssoRefusal{
		{name: "AddressAndRoleOfUserinfo", who: thin(), settings: roles, before: answers(person("nina", "realm", boss)), status: 200},
		{
			name: "RoleOfUserinfo", who: person("nina", "realm", map[string]any{}), settings: roles,
			before: answers(person("nina", "realm", boss)), status: 200,
		},
		failed("UserinfoOfAnother", "wrong_userinfo", another, thin(), person("wanda", "realm", boss), nil),
		failed("UserinfoWithoutSubject", "wrong_userinfo", another, thin(), person("nina", "sub", nil, "realm", boss), nil),
		failed("UserinfoRefused", "bad_userinfo", unsaid, thin(), person("nina", "realm", boss), refused(http.StatusForbidden)),
		failed("UserinfoRedirected", "bad_userinfo", unsaid, thin(), person("nina", "realm", boss), refused(http.StatusFound)),
		failed("UserinfoIsNoObject", "bad_userinfo", unsaid, thin(), "signed.by.no-one", nil),
		failed("UserinfoTooLarge", "bad_userinfo", unsaid, thin(), person("nina", "realm", boss, "x", strings.Repeat("x", 1<<20)), nil),
		failed("AccessTokenOfAnother", "wrong_access_token", "the access token does not belong to the ID token",
			thin("at_hash", "b3RoZXIgdG9rZW4tLS0tLQ"), person("nina", "realm", boss), nil),
		{
			name: "UserinfoVerifiesNoOtherAddress", who: person("nina", "email", "wanda@mail.example", "email_verified", nil), settings: roles,
			before: answers(person("nina", "realm", boss)), status: 403, words: forbiddenWords, audit: "address_not_verified",
		},
		{
			name: "UserinfoAddsNoRole", who: person("nina", "realm", map[string]any{"roles": []string{}}), settings: roles,
			before: answers(person("nina", "realm", boss)), status: 403, words: forbiddenWords, audit: "no_role",
		},
		{
			name: "UserinfoWithoutTLS", who: thin(), settings: roles, before: func(o *signOn) {
				o.idp.userinfo = person("nina", "realm", boss)
				o.idp.discoed = func(d map[string]any) { d["userinfo_endpoint"] = "http://" + issuerHost + "/userinfo" }
			}, status: 403, words: forbiddenWords, audit: "no_role",
		},
	}
}

// TestSingleSignOnRefusals is the table of all that a sign-in is refused for.
func TestSingleSignOnRefusals(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		for _, r := range ssoRefusals() {
			t.Run(r.name, func(t *testing.T) { r.run(t, s, idp) })
		}
	})
}

func (r ssoRefusal) run(t *testing.T, s *service, honest *issuer) {
	t.Helper()
	idp := newIssuer(t, honest.url, s.clock.Now)
	s.serveAt(issuerHost, idp)
	defer s.restoreSSO(t)
	if r.settings != "" {
		s.setSSO(t, wanda, r.settings)
	}
	if r.before != nil {
		r.before(&signOn{s: s, idp: idp})
	}
	audited := s.ssoRefused(t, r.audit)
	o := s.begin(t, wanda, idp)
	who := r.who
	if who == nil {
		who = person("nina")
	}
	o.back = idp.login(o.url, who)
	if r.after != nil {
		r.after(o)
	}
	resp := o.end(t)
	if resp.status != r.status || r.status != http.StatusOK && strings.TrimSpace(resp.body) != refusal(r.status, r.words) {
		t.Fatalf("%d %s, want %d %s", resp.status, resp.body, r.status, r.words)
	}
	if r.status != http.StatusOK && strings.Contains(strings.Join(resp.header.Values("Set-Cookie"), ";"), "__Host-drover=") {
		t.Error("a session was opened")
	}
	s.restoreSSO(t)
	if got := s.ssoRefused(t, r.audit); r.audit != "" && got != audited+1 {
		t.Errorf("%s is %d times in the audit, want once more than %d", r.audit, got, audited)
	}
}

// ssoRefused counts how often the audit has a sign-in refused for a reason.
func (s *service) ssoRefused(t *testing.T, reason string) (count int64) {
	t.Helper()
	entries, _ := get[[]drover.Audit](t, s, wanda, "/audit?limit=1000")
	for _, a := range entries {
		if a.Action == "session.sso."+reason && a.Outcome == drover.AuditRefused {
			count += a.Count
		}
	}
	return count
}

// restoreSSO brings the tenant back to what withSSO made, without the users of the tests.
func (s *service) restoreSSO(t *testing.T) {
	t.Helper()
	s.clock.Set(present)
	work := s.ids["work"]
	s.update(t, func(tx *store.Tx) error {
		users, err := tx.Accounts.Users(t.Context(), work)
		if err != nil {
			return err
		}
		for _, u := range users {
			if u.Username != wanda && u.Username != will {
				err = tx.Accounts.DropUser(t.Context(), u)
			} else if u.Disabled {
				err = tx.Accounts.DisableUser(t.Context(), u, false)
			}
			if err != nil {
				return err
			}
		}
		if err := tx.Accounts.UnsetLimit(t.Context(), work, drover.QuotaUsers); err != nil {
			return err
		}
		return tx.Accounts.SuspendTenant(t.Context(), work, false)
	})
	if err := s.app.Vault.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.setSSO(t, wanda, `{"enabled":true,"issuer":"`+issuerURL+`","client_id":"drover","client_secret":"`+ssoSecret+`","new_users":"automatic",
		"default_role":"viewer","role_claim":null,"roles":[],"email_domains":[],"trust_email":false}`)
}

// TestSignInOnce holds that neither a code nor a state is good twice, in another browser or
// for another tenant.
func TestSignInOnce(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		expect := func(name string, o *signOn, words string) {
			t.Helper()
			if resp := o.end(t); resp.status != http.StatusUnauthorized || !strings.Contains(resp.body, words) {
				t.Errorf("%s: %d %s", name, resp.status, resp.body)
			}
		}
		first := s.begin(t, wanda, idp)
		first.back = idp.login(first.url, person("nina"))
		used := first.back.Get("code")
		if resp := first.end(t); resp.status != http.StatusOK {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
		expect("ReplayedState", first, "the answer was used before")

		second := s.begin(t, wanda, idp)
		second.back = url.Values{"code": {used}, "state": idp.login(second.url, person("nina"))["state"]}
		expect("ReplayedCode", second, "it refused the code")

		// The code of another browser's sign-in does not fit this one's verifier.
		theirs, ours := s.begin(t, wanda, idp), s.begin(t, wanda, idp)
		stolen := idp.login(theirs.url, person("nina"))
		ours.back = url.Values{"code": stolen["code"], "state": idp.login(ours.url, person("nina"))["state"]}
		expect("StolenCode", ours, "it refused the code")

		// One tenant's provider sends its people on to another's: the code comes back at the
		// other's address, and goes to neither.
		evil := newIssuer(t, otherURL, s.clock.Now)
		s.serveAt(otherHost, evil)
		s.setSSO(t, bob, `{"enabled":true,"issuer":"`+otherURL+`","client_id":"drover","client_secret":"`+ssoSecret+`"}`)
		mixed := s.begin(t, bob, evil)
		mixed.back = idp.login(mixed.url, person("nina"))
		mixed.tenant = s.ids["work"]
		evil.calls = nil
		expect("MixedUp", mixed, "the answer belongs to another sign-in")
		if slices.Contains(evil.calls, "/token") {
			t.Error("the code went to the other provider")
		}
	})
}

// TestSignInStart holds what a person is sent to the provider with, and that no page of
// elsewhere is come back to.
func TestSignInStart(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		o := s.begin(t, wanda, idp)
		u, err := url.Parse(o.url)
		if err != nil || u.Host != issuerHost {
			t.Fatal(u, err)
		}
		q := u.Query()
		for name, want := range map[string]string{
			"response_type": "code", "client_id": "drover", "redirect_uri": "https://fleet.example/console/sso/" + s.ids["work"],
			"scope": "openid profile email", "code_challenge_method": "S256",
		} {
			if q.Get(name) != want {
				t.Errorf("%s is %q, want %q", name, q.Get(name), want)
			}
		}
		for _, name := range []string{"state", "nonce", "code_challenge"} {
			if len(q.Get(name)) < 26 {
				t.Errorf("%s is %q", name, q.Get(name))
			}
		}
		if c := o.cookie; c.Name != "__Host-drover-sign-in" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 600 {
			t.Errorf("the cookie is %+v", c)
		}
		for _, page := range []string{
			"//evil.example", "https://evil.example", "/console//evil.example", "/console/../evil", `/console/\evil.example`, "javascript:alert(1)",
			"/evil", "/console/\nx", "console/",
		} {
			body := jsonText(map[string]string{"code": "x", "return_to": page})
			if resp := s.send(t, request{method: http.MethodPost, path: "/session/sso/start", body: body}); resp.status != 422 {
				t.Errorf("return_to %q: %d %s", page, resp.status, resp.body)
			}
		}
		// A tenant that is suspended, or has switched it off, is as unknown as one that is not there.
		s.setSSO(t, wanda, `{"enabled":false}`)
		sso, _ := get[drover.SingleSignOn](t, s, wanda, "/account/sso")
		_, code, _ := strings.Cut(*sso.SignInURL, "?code=")
		known := s.send(t, request{method: http.MethodPost, path: "/session/sso/start", body: jsonText(map[string]string{"code": code})})
		unknown := s.send(t, request{method: http.MethodPost, path: "/session/sso/start", body: `{"code":"x"}`})
		if known.status != http.StatusNotFound || known.body != unknown.body {
			t.Errorf("%d %s and %s", known.status, known.body, unknown.body)
		}
	})
}

// TestIssuerTrial holds what an admin learns of a provider.
func TestIssuerTrial(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		try := func() string {
			return s.send(t, request{http.MethodPost, "/account/sso/test", s.authorized(t, wanda), ""}).body
		}
		want := `{"data":{"ok":true,"error":null,"authorization_endpoint":"` + issuerURL + `/authorize","keys":1,"algorithms":["ES256"],"names_issuer":false,"ends_sessions":true}}`
		if got := strings.TrimSpace(try()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.serveAt(issuerHost, http.NotFoundHandler())
		if got := try(); !strings.Contains(got, `"ok":false,"error":"its discovery document cannot be used"`) {
			t.Error(got)
		}
		s.serveAt(issuerHost, idp)
		if resp := s.send(t, request{http.MethodPost, "/account/sso/test", s.authorized(t, will), ""}); resp.status != http.StatusForbidden {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	})
}

// TestLastAdminStays holds that a provider cannot take a tenant's last admin away.
func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		s.setSSO(t, wanda, `{"role_claim":"groups","roles":[{"value":"boss","role":"admin"}]}`)
		if _, got := s.signOn(t, idp, person("wanda")); got.User.ID != s.ids["wanda_sub"] || got.User.Role != drover.RoleAdmin {
			t.Errorf("wanda is %+v", got.User)
		}
		// The address of a user who is known by another subject is no way to become it.
		o := s.begin(t, wanda, idp)
		o.back = idp.login(o.url, person("wanda", "sub", "another"))
		if resp := o.end(t); resp.status != http.StatusForbidden {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	})
}
