package contract_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

const (
	passkeyPath    = "/user/me/passkey"
	passkeyRefused = "The passkey was not accepted"
	noPasskey      = "Passkey with ID %s not found"
)

// passkeyRows are those of a service without a public address. The passkey of alice is there to be
// named: it signs nothing.
func passkeyRows() []row {
	needsSite := refusal(409, "Passkeys need a public address with a name and TLS, which the operator has to set first")
	proof := `{"credential_id":"YWxpY2U","client_data":"e30","authenticator_data":"AAAA","signature":"AAAA","user_handle":"AAAA"}`
	own := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: passkeyPath + path, body: body, status: status, want: want}
	}
	byKey := own("ByKey", "", "POST", "/start", `{}`, 403, forbidden)
	byKey.header = map[string]string{"Authorization": "Bearer $writer_key_secret"}
	return []row{
		byKey,
		own("Start", will, "POST", "/start", jsonText(map[string]string{"password": password}), 409, needsSite),
		own("StartWithoutPassword", will, "POST", "/start", `{}`, 422, invalid("missing", "Field required", "body", "password")),
		own("StartWithWrongPassword", will, "POST", "/start", `{"password":"wrong"}`, 422,
			invalid("value_error", "Value error, the password is wrong", "body", "password")),
		own("AddNothing", will, "POST", "", `{"name":"a","credential_id":"","client_data":"","authenticator_data":"","public_key":""}`, 422,
			invalid("value_error", "Value error, the passkey was not accepted: the answer is not well formed", "body")),
		own("AddWithoutName", will, "POST", "", `{"name":" ","credential_id":"","client_data":"","authenticator_data":"","public_key":""}`, 422,
			invalid("string_too_short", "String should have at least 1 character", "body", "name")),
		own("Rename", alice, "PATCH", "/$passkey", `{"name":"Laptop"}`, 200,
			data(`{"id":"$passkey","name":"Laptop","backed_up":false,"created_at":"2024-05-02T10:15:30Z","last_used_at":null}`)),
		own("RenameByMember", mark, "PATCH", "/$passkey", `{"name":"Mine"}`, 403, forbidden),
		own("RenameUnknown", will, "PATCH", "/$unknown", `{"name":"Mine"}`, 404, notFound(noPasskey, "$unknown")),
		own("RemoveByMember", mark, "DELETE", "/$passkey", "", 403, forbidden),
		own("RemoveUnknown", will, "DELETE", "/$unknown", "", 404, notFound(noPasskey, "$unknown")),
		{
			name: "ShowNothing", as: will, method: "POST", path: factorPath + "/passkey", status: 409,
			want: refusal(409, "No second factor is set up"),
		},
		{name: "SignInStart", method: "POST", path: "/session/passkey/start", status: 409, want: needsSite},
		{name: "SignIn", method: "POST", path: "/session/passkey", body: proof, status: 401, want: refusal(401, passkeyRefused)},
		{
			name: "SignInWithLess", method: "POST", path: "/session/passkey", body: strings.Replace(proof, `"signature"`, `"other"`, 1), status: 422,
			want: invalid("missing", "Field required", "body", "signature"),
		},
	}
}

// authenticator is a device with one passkey, in a browser at a page.
type authenticator struct {
	key        *ecdsa.PrivateKey
	credential []byte
	handle     string
	counter    uint32
	flags      byte
	site       string
	page       string // the rest of what the browser says
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// The person is there and was verified.
	return &authenticator{key: key, credential: []byte(rand.Text()), flags: 1 | 4, site: "fleet.example", page: `"origin":"https://fleet.example"`}
}

func passkeyText(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func (a *authenticator) clientData(kind, challenge string) []byte {
	return []byte(`{"type":"webauthn.` + kind + `","challenge":"` + challenge + `",` + a.page + `}`)
}

func (a *authenticator) data(flags byte) []byte {
	site := sha256.Sum256([]byte(a.site))
	return binary.BigEndian.AppendUint32(append(site[:], a.flags|flags), a.counter)
}

// create makes the passkey.
func (a *authenticator) create(t *testing.T, name string, c drover.PasskeyChallenge) string {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(a.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	if c.UserHandle != nil {
		a.handle = *c.UserHandle
	}
	device := binary.BigEndian.AppendUint16(append(a.data(64), make([]byte, 16)...), uint16(len(a.credential)))
	device = append(append(device, a.credential...), 0xa5)
	return jsonText(drover.PasskeyInput{
		Name: name, CredentialID: passkeyText(a.credential), ClientData: passkeyText(a.clientData("create", c.Challenge)),
		AuthenticatorData: passkeyText(device), PublicKey: passkeyText(public),
	})
}

// get signs a challenge.
func (a *authenticator) get(t *testing.T, challenge string) drover.PasskeyProof {
	t.Helper()
	a.counter++
	client, device := a.clientData("get", challenge), a.data(0)
	about := sha256.Sum256(client)
	sum := sha256.Sum256(append(device, about[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return drover.PasskeyProof{
		CredentialID: passkeyText(a.credential), ClientData: passkeyText(client), AuthenticatorData: passkeyText(a.data(0)),
		Signature: passkeyText(signature), UserHandle: a.handle,
	}
}

func withPasskeys(t *testing.T, f func(t *testing.T, s *service)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			c := settings(t, database)
			c.PublicURL = "https://fleet.example"
			f(t, newService(t, c))
		})
	}
}

// challenge asks for one, in the session of a user or in none.
func (e *enrolled) challenge(t *testing.T, path, body string) drover.PasskeyChallenge {
	t.Helper()
	var out struct{ Data drover.PasskeyChallenge }
	e.ask(t, "POST", path, body, 200, &out)
	if out.Data.RPID != "fleet.example" || out.Data.Challenge == "" || !out.Data.ExpiresAt.Equal(e.s.clock.Now().Add(5*time.Minute)) {
		t.Errorf("the challenge is %+v", out.Data)
	}
	return out.Data
}

// signInChallenge asks for one before anyone is known.
func (s *service) signInChallenge(t *testing.T) string {
	t.Helper()
	return (&enrolled{s: s, name: "no one"}).challenge(t, "/session/passkey/start", "").Challenge
}

// addPasskey gives a user a passkey, in the session of e.
func (e *enrolled) addPasskey(t *testing.T, name string) (*authenticator, drover.PasskeyCreated) {
	t.Helper()
	a := newAuthenticator(t)
	c := e.challenge(t, passkeyPath+"/start", jsonText(map[string]string{"password": password}))
	var made struct{ Data drover.PasskeyCreated }
	e.ask(t, "POST", passkeyPath, a.create(t, name, c), 200, &made)
	return a, made.Data
}

// enrolPasskey gives a user a first passkey, by a session of its own.
func (s *service) enrolPasskey(t *testing.T, user string) (*enrolled, *authenticator) {
	t.Helper()
	e := &enrolled{s: s, name: user, header: s.logIn(t, user, "")}
	a, made := e.addPasskey(t, "Laptop")
	if e.codes = made.RecoveryCodes; len(e.codes) != 10 {
		t.Fatalf("there are %d recovery codes", len(e.codes))
	}
	return e, a
}

// verify shows a passkey in the session of e.
func (e *enrolled) verify(t *testing.T, a *authenticator, status int) {
	t.Helper()
	c := e.challenge(t, factorPath+"/passkey", "")
	e.ask(t, "POST", factorPath+"/verify", jsonText(map[string]any{"passkey": a.get(t, c.Challenge)}), status, nil)
}

// passkeyLogin is a login with the password and a passkey.
func passkeyLogin(user string, proof drover.PasskeyProof) string {
	return jsonText(map[string]any{"username": user, "password": password, "passkey": proof})
}

func (e *enrolled) factor(t *testing.T) drover.SecondFactor {
	t.Helper()
	var state struct{ Data drover.SecondFactor }
	e.ask(t, "GET", factorPath, "", 200, &state)
	return state.Data
}

// TestPasskey follows passkeys through their life, beside a password and without one.
func TestPasskey(t *testing.T) {
	t.Parallel()
	withPasskeys(t, func(t *testing.T, s *service) {
		t.Helper()
		s.addUser(t, drover.User{Username: "abby", TenantID: s.ids["work"], Role: drover.RoleAdmin})
		before := s.logIn(t, wanda, "")
		e, laptop := s.enrolPasskey(t, wanda)
		if resp := s.send(t, request{"GET", "/session", before, ""}); resp.status != 401 {
			t.Errorf("a session from before goes on: %d", resp.status)
		}
		phone, made := e.addPasskey(t, "Phone")
		if len(made.RecoveryCodes) != 0 || made.Name != "Phone" {
			t.Errorf("the second passkey is %+v", made)
		}
		if got := e.factor(t); !got.Enabled || got.App || len(got.Passkeys) != 2 || got.RecoveryCodes != 10 || got.ConfirmedUntil == nil {
			t.Errorf("the second factor is %+v", got)
		}

		// Beside the password, at both doors; a recovery code does too.
		s.refuseLogin(t, "PasswordAlone", wanda, "", 401, needsFactor)
		for _, path := range []string{"/token", "/session"} {
			resp := s.send(t, request{method: "POST", path: path, body: passkeyLogin(wanda, phone.get(t, s.signInChallenge(t)))})
			if resp.status != 200 {
				t.Errorf("%s: %d %s", path, resp.status, resp.body)
			}
		}
		s.logIn(t, wanda, e.codes[0])

		// Without a password. The session has shown a second factor.
		in := s.passkeySession(t, laptop)
		in.ask(t, "GET", "/connection/"+s.ids["work_conn"]+"/credentials", "", 200, nil)
		if got := in.factor(t); got.Passkeys[0].LastUsedAt == nil || got.RecoveryCodes != 9 {
			t.Errorf("the second factor is %+v", got)
		}

		// Again, after ten minutes; an app beside the passkeys needs that too.
		s.later(10 * time.Minute)
		path := passkeyPath + "/" + made.ID
		for _, o := range []struct{ method, path, body string }{
			{"DELETE", path, ""},
			{"POST", passkeyPath, phone.create(t, "Again", drover.PasskeyChallenge{})},
			{"POST", passkeyPath + "/start", jsonText(map[string]string{"password": password})},
			{"POST", factorPath, jsonText(map[string]string{"password": password})},
		} {
			if resp := e.ask(t, o.method, o.path, o.body, 403, nil); resp.header.Get("X-Second-Factor") != "required" {
				t.Errorf("%s %s: %v", o.method, o.path, resp.header)
			}
		}
		e.verify(t, phone, 200)
		e.ask(t, "PATCH", path, `{"name":"Old phone"}`, 200, nil)
		e.ask(t, "DELETE", path, "", 204, nil)
		e.ask(t, "DELETE", path, "", 404, nil)
		e.ask(t, "POST", factorPath, `{}`, 200, nil)

		// What was done is written down.
		admin := &enrolled{s: s, name: "abby", header: s.logIn(t, "abby", "")}
		for action, want := range map[string]int{
			"user.me.passkey.create": 2, "user.me.passkey.update": 1, "user.me.passkey.delete": 1, "session.passkey.create": 1,
			"user.me.second-factor.verify.create": 1,
		} {
			var entries struct{ Data []drover.Audit }
			admin.ask(t, "GET", "/audit?outcome=done&action="+action, "", 200, &entries)
			if len(entries.Data) != want {
				t.Errorf("%s: %d entries", action, len(entries.Data))
			}
		}

		// With the last one the second factor is gone, and an admin takes all from a user.
		e.ask(t, "DELETE", passkeyPath+"/"+e.factor(t).Passkeys[0].ID, "", 204, nil)
		if got := e.factor(t); got.Enabled || got.RecoveryCodes != 0 {
			t.Errorf("the second factor is %+v", got)
		}
		s.logIn(t, wanda, "")
		_, key := s.enrolPasskey(t, will)
		admin.ask(t, "DELETE", "/user/"+s.ids["will_sub"]+"/second-factor", "", 204, nil)
		s.logIn(t, will, "")
		s.refusePasskey(t, "Reset", key.get(t, s.signInChallenge(t)), 401)
	})
}

// passkeySession signs in without a password.
func (s *service) passkeySession(t *testing.T, a *authenticator) *enrolled {
	t.Helper()
	resp := s.send(t, request{method: "POST", path: "/session/passkey", body: jsonText(a.get(t, s.signInChallenge(t)))})
	cookie, _, _ := strings.Cut(resp.header.Get("Set-Cookie"), ";")
	if resp.status != 200 || cookie == "" {
		t.Fatalf("status %d: %s", resp.status, resp.body)
	}
	return &enrolled{s: s, name: "by passkey", header: map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}}
}

// TestPasskeyRequired holds that a passkey is a second factor where a tenant requires one, and that a
// user has ten at most.
func TestPasskeyRequired(t *testing.T) {
	t.Parallel()
	withPasskeys(t, func(t *testing.T, s *service) {
		t.Helper()
		admin, _ := s.enrolPasskey(t, wanda)
		admin.ask(t, "PATCH", "/account/second-factor", `{"required_roles":["member","admin"]}`, 200, nil)
		e := &enrolled{s: s, name: will, header: s.logIn(t, will, "")}
		e.ask(t, "GET", "/device", "", 403, nil)
		_, first := e.addPasskey(t, "1")
		e.ask(t, "GET", "/device", "", 200, nil)
		for range 9 {
			e.addPasskey(t, "another")
		}
		e.ask(t, "POST", passkeyPath+"/start", `{}`, 409, nil)
		e.ask(t, "DELETE", passkeyPath+"/"+first.ID, "", 204, nil)
		e.ask(t, "GET", "/device", "", 200, nil)
		e.ask(t, "DELETE", factorPath, "", 204, nil)
		if got := e.factor(t); got.Enabled || len(got.Passkeys) != 0 {
			t.Errorf("the second factor is %+v", got)
		}
		// A user without one can do nothing but set it up, as with an app.
		e.ask(t, "GET", "/device", "", 403, nil)
		e.addPasskey(t, "1")
		e.ask(t, "GET", "/device", "", 200, nil)
	})
}
