package contract_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

// addTokens makes tokens that are wrong in one way each, out of a genuine one.
func (w *world) addTokens(tb testing.TB) {
	tb.Helper()
	genuine := w.tokens[carol].AccessToken
	header, rest, _ := strings.Cut(genuine, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	key := w.service.app.Vault.Tokens().Active()
	headed := func(text string) string { return encode(text) + "." + rest }
	w.ids["token_alg_none"] = encode(`{"alg":"none","kid":"`+key+`","typ":"JWT"}`) + "." + payload + "."
	w.ids["token_alg_other"] = headed(`{"alg":"HS384","kid":"` + key + `","typ":"JWT"}`)
	w.ids["token_unknown_key"] = headed(`{"alg":"HS256","kid":"` + store.NewID() + `","typ":"JWT"}`)
	w.ids["token_no_key"] = headed(`{"alg":"HS256","typ":"JWT"}`)
	w.ids["token_wrong_signature"] = header + "." + payload + "." + strings.Repeat("A", len(signature))
	claims, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		tb.Fatal(err)
	}
	changed := strings.Replace(string(claims), w.ids["gamma"], w.ids["alpha"], 1)
	w.ids["token_changed_payload"] = header + "." + encode(changed) + "." + signature

	w.ids["token_unknown_session"] = w.sign(tb, "gamma", carol, store.NewID(), auth.Access, time.Hour)
	w.ids["token_disabled_user"] = w.openSession(tb, "alpha", dora).AccessToken
	w.ids["token_suspended_tenant"] = w.openSession(tb, "closed", sam).AccessToken
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// openSession gives a user the tokens of a login, without the cost of hashing a
// password.
func (w *world) openSession(tb testing.TB, tenant, user string) identity.Tokens {
	tb.Helper()
	session := w.addSession(tb, tenant, user)
	w.ids[user+"_session"] = session
	return identity.Tokens{
		Subject:      w.ids[user+"_sub"],
		AccessToken:  w.sign(tb, tenant, user, session, auth.Access, time.Hour),
		RefreshToken: w.sign(tb, tenant, user, session, auth.Refresh, refreshLifetime),
	}
}

// refreshLifetime is that of the settings.
const refreshLifetime = 30 * 24 * time.Hour

func (w *world) addSession(tb testing.TB, tenant, user string) string {
	tb.Helper()
	session := drover.Session{
		ID: store.NewID(), TenantID: w.ids[tenant], UserID: w.ids[user+"_sub"],
		CreatedAt: drover.At(present), ExpiresAt: drover.At(present.Add(refreshLifetime)),
	}
	w.update(tb, func(tx *store.Tx) error { return tx.SignIn.AddSession(tb.Context(), session, "") })
	return session.ID
}

// sign makes a genuine token.
func (w *world) sign(tb testing.TB, tenant, user, session string, typ auth.TokenType, lifetime time.Duration) string {
	tb.Helper()
	token, err := w.service.app.Vault.Tokens().Sign(auth.Claims{
		Subject: w.ids[user+"_sub"], TenantID: w.ids[tenant], SessionID: session, IssuedAt: present.Unix(),
		ExpiresAt: present.Add(lifetime).Unix(),
		TokenID:   store.NewID(), Type: typ,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return token
}
