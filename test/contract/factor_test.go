package contract_test

import (
	"encoding/base32"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/keys/auth"
)

const (
	noFactor    = `{"enabled":false,"required":false,"app":false,"passkeys":[],"recovery_codes":0,"confirmed_until":null}`
	noRule      = `{"required_roles":[],"include_sso":false}`
	factorPath  = "/user/me/second-factor"
	needsFactor = "A second factor is required"
)

// factorRows are second factors of users who have none. Those who have one are followed
// through its life by the tests below.
func factorRows() []row {
	me := func(name, method, path, body string, status int, want string) row {
		return row{name: name, as: will, method: method, path: factorPath + path, body: body, status: status, want: want}
	}
	rule := func(name, user, method, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: "/account/second-factor", body: body, status: status, want: want}
	}
	reset := func(name, user, id string, status int, want string) row {
		return row{name: name, as: user, method: "DELETE", path: "/user/" + id + "/second-factor", status: status, want: want}
	}
	byKey := me("ByKey", "POST", "", `{}`, 403, forbidden)
	byKey.as, byKey.header = "", map[string]string{"Authorization": "Bearer $writer_key_secret"}
	nothing := refusal(409, "No second factor is set up")
	return []row{
		byKey,
		me("None", "GET", "", "", 200, data(noFactor)),
		me("WithoutPassword", "POST", "", `{}`, 422, invalid("missing", "Field required", "body", "password")),
		me("WrongPassword", "POST", "", `{"password":"wrong"}`, 422,
			invalid("value_error", "Value error, the password is wrong", "body", "password")),
		me("ConfirmNothing", "POST", "/confirm", `{"code":"123456"}`, 409, refusal(409, "No second factor is being set up")),
		me("VerifyNothing", "POST", "/verify", `{"code":"123456"}`, 409, nothing),
		me("CodesOfNothing", "POST", "/recovery-code", "", 409, nothing),
		me("RemoveNothing", "DELETE", "", "", 409, nothing),
		reset("ResetNothing", wanda, "$will_sub", 409, nothing),
		reset("ResetByMember", will, "$wanda_sub", 403, forbidden),
		reset("ResetForeign", bob, "$will_sub", 403, forbidden),
		reset("ResetUnknown", wanda, "$unknown", 404, notFound(noUser, "$unknown")),
		rule("Rule", wanda, "GET", "", 200, data(noRule)),
		rule("RuleByMember", will, "GET", "", 403, forbidden),
		rule("RuleSetByMember", will, "PATCH", `{}`, 403, forbidden),
		rule("RuleOfNothing", wanda, "PATCH", `{}`, 200, data(noRule)),
		rule("RuleOfOtherRole", wanda, "PATCH", `{"required_roles":["owner"]}`, 422,
			invalid("enum", "Input should be 'admin', 'member' or 'viewer'", "body", "required_roles", 0)),
		rule("RuleBeforeAnyone", wanda, "PATCH", `{"required_roles":["admin"]}`, 409,
			refusal(409, "An admin must have set up a second factor before it is required")),
		{
			name: "CodeIsNotLookedAt", method: "POST", path: "/token", status: 200, want: loggedIn,
			body: loginBody(alice, "123456"),
		},
	}
}

// enrolled is a user with a second factor, in the session that set it up.
type enrolled struct {
	s      *service
	name   string
	header map[string]string
	secret []byte
	codes  []string
}

// enrol sets up a second factor of a user by a session of its own.
func (s *service) enrol(t *testing.T, user string) *enrolled {
	t.Helper()
	e := &enrolled{s: s, name: user}
	e.header = s.logIn(t, user, "")
	var begun struct{ Data drover.FactorSecret }
	e.ask(t, "POST", factorPath, jsonText(map[string]string{"password": password}), 200, &begun)
	var err error
	if e.secret, err = base32.StdEncoding.DecodeString(begun.Data.Secret); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(begun.Data.URI, begun.Data.Secret) {
		t.Errorf("the address is %s", begun.Data.URI)
	}
	e.ask(t, "POST", factorPath+"/confirm", `{"code":"`+e.wrong()+`"}`, 422, nil)
	var confirmed struct{ Data drover.RecoveryCodes }
	e.ask(t, "POST", factorPath+"/confirm", `{"code":"`+e.code()+`"}`, 200, &confirmed)
	if e.codes = confirmed.Data.Codes; len(e.codes) != 10 {
		t.Fatalf("there are %d recovery codes", len(e.codes))
	}
	s.later(time.Minute)
	return e
}

// later moves the clock on, past the codes of before.
func (s *service) later(by time.Duration) { s.clock.Set(s.clock.Now().Add(by)) }

// code is what the authenticator app shows.
func (e *enrolled) code() string { return auth.CodeAt(e.secret, e.s.clock.Now()) }

// wrong is a code that the app shows at no time around.
func (e *enrolled) wrong() string { return auth.CodeAt(e.secret, e.s.clock.Now().Add(time.Hour)) }

// ask sends a request in the session of the user.
func (e *enrolled) ask(t *testing.T, method, path, body string, status int, into any) response {
	t.Helper()
	resp := e.s.send(t, request{method, path, e.header, body})
	if resp.status != status {
		t.Fatalf("%s %s by %s: status %d, want %d: %s", method, path, e.name, resp.status, status, resp.body)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(resp.body), into); err != nil {
			t.Fatal(err)
		}
	}
	return resp
}

func loginBody(user, code string) string {
	body := map[string]string{"username": user, "password": password}
	if code != "" {
		body["code"] = code
	}
	return jsonText(body)
}

// logIn opens a session of tokens.
func (s *service) logIn(t *testing.T, user, code string) map[string]string {
	t.Helper()
	resp := s.send(t, request{method: "POST", path: "/token", body: loginBody(user, code)})
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

// refuseLogin wants a login to be refused at both doors, and asked for the second factor.
func (s *service) refuseLogin(t *testing.T, name, user, code string, status int, message string) {
	t.Helper()
	for _, path := range []string{"/token", "/session"} {
		resp := s.send(t, request{method: "POST", path: path, body: loginBody(user, code)})
		if resp.status != status || !strings.Contains(resp.body, message) {
			t.Errorf("%s at %s: %d %s, want %d %s", name, path, resp.status, resp.body, status, message)
		}
		if status == 401 && resp.header.Get("X-Second-Factor") != "required" {
			t.Errorf("%s at %s: the second factor is not asked for: %v", name, path, resp.header)
		}
	}
}

// TestSecondFactor follows an authenticator app through its life, with those who try to get
// in without it.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		const invalidCode = "Invalid code of the second factor"
		before := s.logIn(t, will, "")
		e, other := s.enrol(t, will), s.enrol(t, wanda)
		if resp := s.send(t, request{"GET", "/session", before, ""}); resp.status != 401 {
			t.Errorf("a session from before goes on: %d", resp.status)
		}
		s.refuseLogin(t, "NoCode", will, "", 401, needsFactor)
		s.refuseLogin(t, "WrongCode", will, e.wrong(), 401, invalidCode)
		s.refuseLogin(t, "CodeOfAnother", will, other.code(), 401, invalidCode)
		s.refuseLogin(t, "RecoveryCodeOfAnother", will, other.codes[0], 401, invalidCode)
		s.refuseLogin(t, "NoCodeAtAll", will, "or 1=1", 401, invalidCode)
		code := e.code()
		s.logIn(t, will, code[:3]+" "+code[3:])
		s.refuseLogin(t, "Replayed", will, code, 401, invalidCode)
		s.later(time.Minute)
		s.refuseLogin(t, "TooOld", will, auth.CodeAt(e.secret, s.clock.Now().Add(-time.Minute)), 401, invalidCode)
		s.refuseLogin(t, "TooNew", will, auth.CodeAt(e.secret, s.clock.Now().Add(time.Minute)), 401, invalidCode)
		s.logIn(t, will, auth.CodeAt(e.secret, s.clock.Now().Add(-30*time.Second)))
		s.logIn(t, will, auth.CodeAt(e.secret, s.clock.Now().Add(30*time.Second)))
		s.refuseLogin(t, "OlderThanTheLast", will, e.code(), 401, invalidCode)
		s.logIn(t, will, strings.ToUpper(e.codes[0]))
		s.refuseLogin(t, "RecoveryCodeTwice", will, e.codes[0], 401, invalidCode)
		s.later(10 * time.Minute)

		// Someone at a session that was left open.
		for _, o := range []struct{ method, path string }{{"DELETE", factorPath}, {"POST", factorPath + "/recovery-code"}} {
			if resp := e.ask(t, o.method, o.path, "", 403, nil); resp.header.Get("X-Second-Factor") != "required" {
				t.Errorf("%s %s does not ask for the second factor: %v", o.method, o.path, resp.header)
			}
		}
		e.ask(t, "POST", factorPath, jsonText(map[string]string{"password": password}), 409, nil)
		e.ask(t, "POST", factorPath+"/confirm", `{"code":"`+e.code()+`"}`, 409, nil)
		e.ask(t, "POST", factorPath+"/verify", `{"code":"`+e.wrong()+`"}`, 422, nil)
		e.ask(t, "POST", factorPath+"/verify", `{"code":"`+e.code()+`"}`, 200, nil)
		var codes struct{ Data drover.RecoveryCodes }
		e.ask(t, "POST", factorPath+"/recovery-code", "", 200, &codes)
		s.refuseLogin(t, "ReplacedRecoveryCode", will, e.codes[1], 401, invalidCode)
		s.logIn(t, will, codes.Data.Codes[0])
		var state struct{ Data drover.SecondFactor }
		e.ask(t, "GET", factorPath, "", 200, &state)
		if got := state.Data; !got.Enabled || got.Required || got.RecoveryCodes != 9 || got.ConfirmedUntil == nil {
			t.Errorf("the second factor is %+v", got)
		}
		e.ask(t, "DELETE", factorPath, "", 204, nil)
		s.logIn(t, will, "")

		// An admin resets it: one who has shown its own, and of the same tenant.
		e = s.enrol(t, will)
		if resp := s.send(t, request{"DELETE", "/user/" + s.ids["will_sub"] + "/second-factor", s.authorized(t, bob), ""}); resp.status != 403 &&
			(!onCitus(t) || !notFoundApart(resp.status, resp.body)) {
			t.Errorf("another tenant's admin: %d", resp.status)
		}
		s.later(10 * time.Minute)
		other.ask(t, "DELETE", "/user/"+s.ids["will_sub"]+"/second-factor", "", 403, nil)
		other.ask(t, "DELETE", "/user/"+s.ids["wanda_sub"]+"/second-factor", "", 403, nil)
		other.ask(t, "POST", factorPath+"/verify", `{"code":"`+other.code()+`"}`, 200, nil)
		other.ask(t, "DELETE", "/user/"+s.ids["will_sub"]+"/second-factor", "", 204, nil)
		e.ask(t, "GET", "/session", "", 401, nil)
		s.logIn(t, will, "")
	})
}

// TestFactorRequired holds that a session which needs a step of the second factor can do
// nothing but that step, at whichever operation: those that may be called are listed here.
func TestFactorRequired(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		admin := s.enrol(t, wanda)
		cookie := s.signIn(t, will)
		token := s.logIn(t, will, "")
		key := map[string]string{"Authorization": "Bearer " + s.ids["writer_key_secret"]}
		admin.ask(t, "PATCH", "/account/second-factor", `{"required_roles":["member","admin"]}`, 200, nil)
		steps := map[string]int{
			"GET /session": 200, "GET " + factorPath: 200, "POST " + factorPath: 422, "POST " + factorPath + "/confirm": 409,
			"POST " + factorPath + "/verify": 409, "POST " + factorPath + "/passkey": 409, "POST " + passkeyPath + "/start": 422,
			"POST " + passkeyPath: 422, "DELETE /session": 204, "DELETE /session/sso": 200, "POST /logout": 204,
		}
		for name, header := range map[string]map[string]string{"cookie": {"Cookie": cookie.Name + "=" + cookie.Value}, "token": token} {
			for _, o := range s.doc().operations() {
				if o.public() || o.operator() || endsSession(o) {
					continue
				}
				names := &names{t: t, world: s.world, fresh: map[string]string{}}
				resp := s.send(t, request{o.method, names.resolve(pathOf(t, o)), header, names.resolve(o.example())})
				want, step := steps[o.String()]
				if step && resp.status != want || !step && (resp.status != 403 || resp.header.Get("X-Second-Factor") != "enrol") {
					t.Errorf("%s with the %s: status %d, %q", o, name, resp.status, resp.header.Get("X-Second-Factor"))
				}
			}
		}
		if resp := s.send(t, request{"POST", "/mcp", token, `{}`}); resp.status != 403 {
			t.Errorf("a tool answers %d: %s", resp.status, resp.body)
		}
		if resp := s.send(t, request{"GET", "/device", key, ""}); resp.status != 200 {
			t.Errorf("a key is refused: %d %s", resp.status, resp.body)
		}
		var session struct{ Data drover.Profile }
		resp := s.send(t, request{"GET", "/session", token, ""})
		err := json.Unmarshal([]byte(resp.body), &session)
		if step := session.Data.FactorStep; err != nil || step == nil || *step != drover.StepEnrol {
			t.Errorf("the session says %s", resp.body)
		}
		member := s.enrol(t, will)
		member.ask(t, "GET", "/device", "", 200, nil)
		member.ask(t, "POST", factorPath+"/verify", `{"code":"`+member.code()+`"}`, 200, nil)
		member.ask(t, "DELETE", factorPath, "", 204, nil)
		member.ask(t, "GET", "/device", "", 403, nil)
		member.ask(t, "POST", "/logout", "", 204, nil)
	})
}

// notAskedAgain are operations of a kind that asks for the second factor again which do not, with
// the reason. Those that do are in one table of package api.
var notAskedAgain = map[string]string{
	"PATCH /account/brand":                                 "a name and a picture",
	"POST /account/sso/test":                               "changes nothing",
	"DELETE /connection/{connection_id}/share/{tenant_id}": "takes access back",
	"DELETE /share/{share_id}":                             "takes access back",
	"POST /share/{share_id}/accept":                        "is given something",
	"POST /share-code":                                     "lets someone offer something",
	"DELETE /api-key/{api_key_id}":                         "takes access back",
	"DELETE /connection-link/{link_id}":                    "takes access back",
	"DELETE /milestone/{milestone_id}/share/{link_id}":     "takes access back",
	"DELETE /session":                                      "ends a session",
	"DELETE /session/sso":                                  "ends a session",
	"DELETE /user/me/session/{session_id}":                 "ends a session",
	"DELETE /connection/{connection_id}/sync/{job_id}":     "stops work",
	"DELETE /trip-recompute/{recompute_id}":                "stops work",
	"POST /user/me/second-factor":                          "asks for the password, or for the second factor by itself",
	"POST /user/me/second-factor/confirm":                  "needs what the one before gave",
	"POST /user/me/second-factor/verify":                   "shows it",
	"POST /user/me/second-factor/passkey":                  "begins to show it",
	"POST /user/me/passkey/start":                          "asks for the password, or for the second factor by itself",
	"PATCH /user/me/passkey/{passkey_id}":                  "a name",
	"DELETE /milestone/{milestone_id}":                     "everyday work: what was driven stays",
	"DELETE /webhook/{webhook_id}":                         "everyday work: the feed stays",
	"DELETE /device/{device_id}/note/{note_id}":            "everyday work: a note",
	"DELETE /export/{export_id}":                           "a copy",
}

// sensitive reports whether an operation is of a kind that asks again: it has to do with secrets,
// changes what only admins may, deletes, or changes the user's own ways in.
func sensitive(o openapi.Operation) bool {
	changes := o.Method != http.MethodGet
	wayIn := strings.HasPrefix(o.Path, factorPath) || strings.HasPrefix(o.Path, passkeyPath)
	return !o.Public && len(o.Operator) == 0 && (slices.Contains(o.Needs, drover.PermissionSecrets) ||
		changes && (slices.Contains(o.Needs, drover.PermissionAdmin) || wayIn) || o.Method == http.MethodDelete)
}

// TestFactorAskedAgain holds which operations ask a user for its second factor again, and that all of
// them do.
func TestFactorAskedAgain(t *testing.T) {
	t.Parallel()
	left := maps.Clone(notAskedAgain)
	asks := map[string]bool{}
	for _, o := range api.Operations() {
		name := o.Method + " " + o.Path
		asks[name] = o.Fresh
		_, excepted := left[name]
		if sensitive(o) && o.Fresh == excepted {
			t.Errorf("%s: asks again is %t: put it in the table, or say here why not", name, o.Fresh)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%s is not an operation", name)
	}
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		e := s.enrol(t, wanda)
		credentials := "/connection/" + s.ids["work_conn"] + "/credentials"
		key := `{"name":"Nightly","scopes":["read"]}`
		e.ask(t, "GET", credentials, "", 200, nil)
		s.later(10 * time.Minute)
		for _, o := range s.doc().operations() {
			if !asks[o.String()] {
				continue
			}
			names := &names{t: t, world: s.world, fresh: map[string]string{}}
			resp := e.ask(t, o.method, names.resolve(pathOf(t, o)), names.resolve(o.example()), 403, nil)
			if resp.header.Get("X-Second-Factor") != "required" || resp.body != refusal(403, needsFactor) {
				t.Errorf("%s: %v %s", o, resp.header, resp.body)
			}
		}
		e.ask(t, "GET", "/connection/"+s.ids["work_conn"], "", 200, nil)
		e.ask(t, "POST", factorPath+"/verify", `{"code":"`+e.code()+`"}`, 200, nil)
		e.ask(t, "GET", credentials, "", 200, nil)
		e.ask(t, "POST", "/api-key", key, 200, nil)
		// A session elsewhere has not shown it.
		s.later(10 * time.Minute)
		elsewhere := &enrolled{s: s, name: wanda, header: s.logIn(t, wanda, e.code())}
		elsewhere.ask(t, "GET", credentials, "", 200, nil)
		e.ask(t, "GET", credentials, "", 403, nil)
		// Users without one, and keys, are as before.
		row{as: bob, method: "POST", path: "/api-key", body: key, status: 200, want: `{"data":"<any>"}`}.run(t, s)
		admin := map[string]string{"Authorization": "Bearer " + s.ids["admin_key_secret"]}
		if resp := s.send(t, request{"GET", credentials, admin, ""}); resp.status != 200 {
			t.Errorf("a key is refused: %d %s", resp.status, resp.body)
		}
	})
}

// TestGuessedCodes holds how often a code can be guessed: by someone at one address, and in
// all, however many ask at once.
func TestGuessedCodes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		e := s.enrol(t, will)
		guess := func(from string) int {
			return s.send(t, request{"POST", "/token", map[string]string{fromHeader: from}, loginBody(will, e.wrong())}).status
		}
		for range 5 {
			if got := guess("192.0.2.1:80"); got != 401 {
				t.Fatalf("a guess is answered %d", got)
			}
		}
		if got := guess("192.0.2.1:80"); got != 429 {
			t.Errorf("the sixth guess from one address is answered %d", got)
		}
		// The same session guesses without a password, past every delay, and two at once.
		var wrong, locked atomic.Int64
		wrong.Add(5)
		for range 100 {
			s.later(31 * time.Second)
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() {
					switch s.send(t, request{"POST", factorPath + "/verify", e.header, `{"code":"` + e.wrong() + `"}`}).status {
					case 422:
						wrong.Add(1)
					case 403:
						locked.Add(1)
					}
				})
			}
			if both.Wait(); locked.Load() > 0 {
				break
			}
		}
		if wrong.Load() != 100 {
			t.Errorf("%d wrong codes were looked at", wrong.Load())
		}
		s.later(time.Hour)
		s.refuseLogin(t, "LockedOut", will, e.code(), 403, "Too many wrong codes")
		s.logIn(t, will, e.codes[0])
		s.later(time.Minute)
		s.logIn(t, will, e.code())
	})
}

// TestFactorAfterSingleSignOn holds that the second factor of people whom a provider sends is
// the provider's matter, unless the tenant wants one here too.
func TestFactorAfterSingleSignOn(t *testing.T) {
	t.Parallel()
	withSSO(t, func(t *testing.T, s *service, idp *issuer) {
		t.Helper()
		s.addUser(t, drover.User{Username: "abby", TenantID: s.ids["work"], Role: drover.RoleAdmin})
		admin := s.enrol(t, "abby")
		nina := func() *enrolled {
			header, _ := s.signOn(t, idp, person("nina"))
			header["Sec-Fetch-Site"] = "same-origin"
			return &enrolled{s: s, name: "nina", header: header}
		}
		admin.ask(t, "PATCH", "/account/second-factor", `{"required_roles":["viewer"]}`, 200, nil)
		nina().ask(t, "GET", "/device", "", 200, nil)
		admin.ask(t, "PATCH", "/account/second-factor", `{"include_sso":true}`, 200, nil)
		e := nina()
		e.ask(t, "GET", "/device", "", 403, nil)
		s.later(10 * time.Minute)
		e.ask(t, "POST", factorPath, `{}`, 403, nil) // it was not the person's own sign-in a moment ago
		e = nina()
		var begun struct{ Data drover.FactorSecret }
		e.ask(t, "POST", factorPath, `{}`, 200, &begun)
		var err error
		if e.secret, err = base32.StdEncoding.DecodeString(begun.Data.Secret); err != nil {
			t.Fatal(err)
		}
		e.ask(t, "POST", factorPath+"/confirm", `{"code":"`+e.code()+`"}`, 200, nil)
		e.ask(t, "GET", "/device", "", 200, nil)
		s.later(time.Minute)
		again := nina()
		again.secret = e.secret
		for _, o := range []struct{ method, path, body string }{
			{"GET", "/device", ""}, {"DELETE", factorPath, ""}, {"GET", "/user/me/session", ""},
		} {
			if resp := again.ask(t, o.method, o.path, o.body, 403, nil); resp.header.Get("X-Second-Factor") != "required" {
				t.Errorf("%s %s: %v", o.method, o.path, resp.header)
			}
		}
		again.ask(t, "POST", factorPath, `{}`, 409, nil)
		again.ask(t, "POST", factorPath+"/verify", `{"code":"`+again.wrong()+`"}`, 422, nil)
		again.ask(t, "POST", factorPath+"/verify", `{"code":"`+again.code()+`"}`, 200, nil)
		again.ask(t, "GET", "/device", "", 200, nil)
	})
}
