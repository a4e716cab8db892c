package vault_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// lifetime is that of a token.
const lifetime = 24 * time.Hour

func masterText(filling string) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(filling), 32))
}

func masterKey(t *testing.T, filling string) *secret.Master {
	t.Helper()
	m, err := secret.ParseMaster(masterText(filling))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// openAt opens a vault as a process would that has a clock of its own.
func openAt(t *testing.T, s *store.Store, m *secret.Master, now func() time.Time) *vault.Vault {
	t.Helper()
	v, err := vault.Open(t.Context(), vault.Options{
		Store: s, Master: m, Now: now, Logger: slog.New(slog.DiscardHandler),
		KeepSigningKeys: lifetime,
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func open(t *testing.T, s *store.Store) *vault.Vault {
	t.Helper()
	return openAt(t, s, masterKey(t, "a"), func() time.Time { return noon })
}

func rotate(t *testing.T, v *vault.Vault) vault.Rotation {
	t.Helper()
	done, err := v.Rotate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func count(t *testing.T, s *store.Store, table account.KeyTable) int {
	t.Helper()
	keys, err := s.Accounts.Keys(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

// token signs a token of an hour.
func token(t *testing.T, v *vault.Vault, typ auth.TokenType) string {
	t.Helper()
	text, err := v.Tokens().Sign(auth.Claims{
		Subject: store.NewID(), TenantID: store.NewID(), SessionID: store.NewID(), TokenID: store.NewID(),
		IssuedAt: noon.Unix(), ExpiresAt: noon.Add(time.Hour).Unix(), Type: typ,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFirstKeys(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		master := masterKey(t, "a")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { openAt(t, s, master, time.Now) })
		}
		all.Wait()
		if signing, data := count(t, s, account.SigningKeys), count(t, s, account.DataKeys); signing != 1 || data != 1 {
			t.Errorf("processes that started together made %d signing keys and %d data keys, want one of each", signing, data)
		}
	})
}

func TestWrongMasterKey(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		open(t, s)
		_, err := vault.Open(t.Context(), vault.Options{Store: s, Master: masterKey(t, "b"), Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "is this the master key that the database was made with?") {
			t.Errorf("the error is %v", err)
		}
		if n := count(t, s, account.SigningKeys); n != 1 {
			t.Errorf("there are %d signing keys now, want the one from before", n)
		}
	})
}

// TestRotationIsKnownElsewhere holds between two processes, without waiting for
// the next look at the database.
func TestRotationIsKnownElsewhere(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		here, there := open(t, s), open(t, s)
		oldAccess, oldSealed := token(t, there, auth.Access), seal(t, there)
		rotate(t, here)
		newAccess, newRefresh, newSealed := token(t, here, auth.Access), token(t, here, auth.Refresh), seal(t, here)

		if _, err := there.VerifyAccess(t.Context(), newAccess, noon); err != nil {
			t.Errorf("a token of the new key is refused: %v", err)
		}
		if _, err := open(t, s).VerifyRefresh(t.Context(), newRefresh, noon); err != nil {
			t.Errorf("a refresh token of the new key is refused: %v", err)
		}
		if _, err := there.VerifyAccess(t.Context(), newRefresh, noon); err == nil {
			t.Error("a refresh token passes for an access token")
		}
		for _, v := range []*vault.Vault{here, there} {
			if _, err := v.VerifyAccess(t.Context(), oldAccess, noon); err != nil {
				t.Errorf("a token of the old key is refused: %v", err)
			}
			for _, sealed := range [][]byte{oldSealed, newSealed} {
				if plain, err := v.Open(t.Context(), sealed, "tenant", "record"); err != nil || string(plain) != "plain" {
					t.Errorf("sealed with key %s: %q, %v", secret.KeyID(sealed), plain, err)
				}
			}
		}
	})
}

func seal(t *testing.T, v *vault.Vault) []byte {
	t.Helper()
	sealed, err := v.Seal([]byte("plain"), "tenant", "record")
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// TestForeignToken looks at the database before it refuses, and still refuses.
func TestForeignToken(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		v := open(t, s)
		other := open(t, storetest.Open(t, storetest.Options(t, "sqlite")))
		if _, err := v.VerifyAccess(t.Context(), token(t, other, auth.Access), noon); drover.ErrorKind(err) != drover.KindUnauthenticated {
			t.Errorf("a token of another installation: %v", err)
		}
		if _, err := v.VerifyAccess(t.Context(), "no token", noon); drover.ErrorKind(err) != drover.KindMalformed {
			t.Errorf("no token at all: %v", err)
		}
		if _, err := v.VerifyAccess(t.Context(), token(t, v, auth.Access), noon.Add(time.Hour)); err == nil ||
			err.Error() != auth.ErrExpired().Error() {
			t.Errorf("an expired token: %v", err)
		}
	})
}

// TestRefresh notices what another process changed.
func TestRefresh(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		here, there := open(t, s), open(t, s)
		before := there.Version()
		if err := there.Refresh(t.Context()); err != nil || there.Version() != before {
			t.Errorf("version %d became %d without a change, %v", before, there.Version(), err)
		}
		done := rotate(t, here)
		if err := there.Refresh(t.Context()); err != nil || there.Version() <= before {
			t.Errorf("version %d became %d after a change, %v", before, there.Version(), err)
		}
		if got := there.Tokens().Active(); got != done.SigningKey {
			t.Errorf("%s signs, want %s", got, done.SigningKey)
		}
	})
}
