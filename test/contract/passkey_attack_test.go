package contract_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// refusePasskey wants a sign-in without a password to be refused.
func (s *service) refusePasskey(t *testing.T, name string, proof drover.PasskeyProof, status int) {
	t.Helper()
	resp := s.send(t, request{method: "POST", path: "/session/passkey", body: jsonText(proof)})
	if resp.status != status || resp.header.Get("Set-Cookie") != "" || status == 401 && resp.body != refusal(401, passkeyRefused) {
		t.Errorf("%s: %d %s, cookie %q", name, resp.status, resp.body, resp.header.Get("Set-Cookie"))
	}
}

// passwordLogin switches it on or off for a tenant.
func (s *service) passwordLogin(t *testing.T, tenant string, on bool) {
	t.Helper()
	s.update(t, func(tx *store.Tx) error {
		set, err := tx.SignIn.SingleSignOn(t.Context(), s.ids[tenant])
		if err != nil {
			return err
		}
		set.PasswordLogin, set.Sealed = on, []byte{}
		return tx.SignIn.SetSingleSignOn(t.Context(), set)
	})
}

// TestPasskeyAttacks holds what a passkey must not do, and what must not be done with one.
func TestPasskeyAttacks(t *testing.T) {
	t.Parallel()
	withPasskeys(t, func(t *testing.T, s *service) {
		t.Helper()
		e, key := s.enrolPasskey(t, wanda)
		member, other := s.enrolPasskey(t, will)
		foreign, theirs := s.enrolPasskey(t, bob)
		sign := func(change func(a *authenticator)) drover.PasskeyProof {
			a := *key
			change(&a)
			key.counter++
			a.counter = max(a.counter, key.counter)
			return a.get(t, s.signInChallenge(t))
		}
		for name, proof := range map[string]drover.PasskeyProof{
			"OtherPage":      sign(func(a *authenticator) { a.page = `"origin":"https://fleet.example.evil.example"` }),
			"WithinAnother":  sign(func(a *authenticator) { a.page += `,"crossOrigin":true` }),
			"OtherSite":      sign(func(a *authenticator) { a.site = "evil.example" }),
			"NotVerified":    sign(func(a *authenticator) { a.flags = 1 }),
			"NoPerson":       sign(func(a *authenticator) { a.flags = 4 }),
			"BackupAppears":  sign(func(a *authenticator) { a.flags |= 8 }),
			"OtherKey":       sign(func(a *authenticator) { a.key = other.key }),
			"OtherUser":      sign(func(a *authenticator) { a.handle = other.handle }),
			"NoUser":         sign(func(a *authenticator) { a.handle = "" }),
			"OtherPasskey":   sign(func(a *authenticator) { a.credential = other.credential }),
			"UnknownPasskey": sign(func(a *authenticator) { a.credential = []byte("unknown") }),
			"ForgedChallenge": func() drover.PasskeyProof {
				return key.get(t, passkeyText([]byte("a challenge that the service has not made, and that is as long as one")))
			}(),
			"ChallengeToAdd":    key.get(t, e.challenge(t, passkeyPath+"/start", `{}`).Challenge),
			"ChallengeToVerify": key.get(t, e.challenge(t, factorPath+"/passkey", "").Challenge),
			"Garbage":           {CredentialID: passkeyText(key.credential), ClientData: "e30", AuthenticatorData: "AAAA", Signature: "AAAA"},
		} {
			s.refusePasskey(t, name, proof, 401)
		}
		create := sign(func(*authenticator) {})
		create.ClientData = passkeyText(key.clientData("create", s.signInChallenge(t)))
		s.refusePasskey(t, "OtherCeremony", create, 401)

		// What was signed is good once, for five minutes, and its counter grows.
		proof := key.get(t, s.signInChallenge(t))
		late := s.signInChallenge(t)
		if resp := s.send(t, request{method: "POST", path: "/session/passkey", body: jsonText(proof)}); resp.status != 200 {
			t.Fatalf("status %d: %s", resp.status, resp.body)
		}
		s.refusePasskey(t, "Replayed", proof, 401)
		copied := *key
		key.get(t, late)
		s.passkeySession(t, key)
		s.refusePasskey(t, "Copied", copied.get(t, s.signInChallenge(t)), 401)
		var entries struct{ Data []drover.Audit }
		e.ask(t, "GET", "/audit?outcome=refused&action=user.passkey.copied", "", 200, &entries)
		if len(entries.Data) != 1 {
			t.Errorf("the copy is written down %d times", len(entries.Data))
		}
		s.later(5 * time.Minute)
		s.refusePasskey(t, "Late", key.get(t, late), 401)

		// As a second factor it is the user's own, of whichever tenant the other is.
		for name, a := range map[string]*authenticator{"OfAnotherUser": other, "OfAnotherTenant": theirs} {
			resp := s.send(t, request{method: "POST", path: "/token", body: passkeyLogin(wanda, a.get(t, s.signInChallenge(t)))})
			if resp.status != 401 || resp.header.Get("X-Second-Factor") != "required" {
				t.Errorf("%s: %d %s", name, resp.status, resp.body)
			}
			e.verify(t, a, 422)
		}
		// A challenge is that of one session, and of one purpose.
		for _, challenge := range []string{s.signInChallenge(t), member.challenge(t, factorPath+"/passkey", "").Challenge} {
			e.ask(t, "POST", factorPath+"/verify", jsonText(map[string]any{"passkey": key.get(t, challenge)}), 422, nil)
		}
		e.verify(t, key, 200)

		// Adding: in the session that asked for it, once, with a name that no one's passkey has.
		fresh := newAuthenticator(t)
		start := func(e *enrolled) drover.PasskeyChallenge { return e.challenge(t, passkeyPath+"/start", `{}`) }
		member.verify(t, other, 200)
		foreign.verify(t, theirs, 200)
		e.ask(t, "POST", passkeyPath, fresh.create(t, "Stolen", start(foreign)), 422, nil)
		e.ask(t, "POST", passkeyPath, fresh.create(t, "NotToAdd", e.challenge(t, factorPath+"/passkey", "")), 422, nil)
		unverified := newAuthenticator(t)
		unverified.flags = 1
		e.ask(t, "POST", passkeyPath, unverified.create(t, "NotVerified", start(e)), 422, nil)
		taken := newAuthenticator(t)
		taken.credential = theirs.credential
		e.ask(t, "POST", passkeyPath, taken.create(t, "OfAnotherTenant", start(e)), 409, nil)
		c := start(e)
		e.ask(t, "POST", passkeyPath, fresh.create(t, "Once", c), 200, nil)
		again := newAuthenticator(t)
		e.ask(t, "POST", passkeyPath, again.create(t, "Twice", c), 422, nil)
		s.passkeySession(t, theirs) // it still is theirs

		// Someone who may not sign in with a password may not with a passkey alone.
		s.passwordLogin(t, "work", false)
		s.refusePasskey(t, "PasswordLoginIsOff", fresh.get(t, s.signInChallenge(t)), 401)
		s.passwordLogin(t, "work", true)
		u := drover.User{TenantID: s.ids["work"], ID: s.ids["will_sub"]}
		s.update(t, func(tx *store.Tx) error { return tx.Accounts.SetPassword(t.Context(), u, "") })
		s.refusePasskey(t, "WithoutPassword", other.get(t, s.signInChallenge(t)), 401)
		s.update(t, func(tx *store.Tx) error { return tx.Accounts.DisableUser(t.Context(), u, true) })
		s.refusePasskey(t, "Disabled", other.get(t, s.signInChallenge(t)), 403)
		// A page of another site has the browser send it.
		resp := s.send(t, request{"POST", "/session/passkey", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, jsonText(proof)})
		if resp.status != 403 {
			t.Errorf("from another site: %d", resp.status)
		}
	})
}

// TestPasskeyOnce holds that of many who send the same at once a single one is let in, and that those
// who guess are slowed down.
func TestPasskeyOnce(t *testing.T) {
	t.Parallel()
	withPasskeys(t, func(t *testing.T, s *service) {
		t.Helper()
		_, key := s.enrolPasskey(t, wanda)
		body := jsonText(key.get(t, s.signInChallenge(t)))
		var in atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if s.send(t, request{method: "POST", path: "/session/passkey", body: body}).status == 200 {
					in.Add(1)
				}
			})
		}
		if all.Wait(); in.Load() != 1 {
			t.Errorf("one signature let in %d", in.Load())
		}
		from := map[string]string{fromHeader: "192.0.2.1:80"}
		for i := range 6 {
			want := 401
			if i == 5 {
				want = 429
			}
			if got := s.send(t, request{"POST", "/session/passkey", from, body}).status; got != want {
				t.Errorf("guess %d is answered %d", i, got)
			}
		}
	})
}
