package vault_test

import (
	"fmt"
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

// records is more than one page of a rotation.
const records = 450

// addSealed stores connections with credentials that say which one they are of.
func addSealed(t *testing.T, s *store.Store, v *vault.Vault) (tenant string, ids []string) {
	t.Helper()
	at := drover.At(noon)
	tenant = store.NewID()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		ids = nil
		if err := tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: tenant, Name: tenant, CreatedAt: at}); err != nil {
			return err
		}
		for i := range records {
			c := drover.Connection{ID: store.NewID(), TenantID: tenant, IntegrationName: drover.Traccar, CollectionStartTime: at}
			sealed, err := v.Seal(fmt.Append(nil, i), tenant, c.ID)
			if err != nil {
				return err
			}
			if err := tx.Fleet.AddConnection(t.Context(), c, sealed, at); err != nil {
				return err
			}
			ids = append(ids, c.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tenant, ids
}

func TestRotateSealsEverythingAgain(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		v := open(t, s)
		tenant, ids := addSealed(t, s, v)
		done := rotate(t, v)
		if done.Resealed != records {
			t.Errorf("%d records were sealed again, want %d", done.Resealed, records)
		}
		for i, id := range ids {
			sealed, err := s.Fleet.Credentials(t.Context(), tenant, id)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := v.Open(t.Context(), sealed, tenant, id)
			if err != nil || string(plain) != fmt.Sprint(i) || secret.KeyID(sealed) != done.DataKey {
				t.Fatalf("record %d holds %q, %v, sealed with %s; want itself, sealed with %s", i, plain, err, secret.KeyID(sealed), done.DataKey)
			}
		}
	})
}

// TestRotateWhileServing writes with the old key while the records are sealed
// again: nothing becomes unreadable.
func TestRotateWhileServing(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		serving, rotating := open(t, s), open(t, s)
		written := make(chan string, 1)
		go func() {
			tenant, _ := addSealed(t, s, serving)
			written <- tenant
		}()
		rotate(t, rotating)
		tenant := <-written
		rotate(t, rotating)
		connections, err := s.Fleet.Connections(t.Context(), tenant, "")
		if err != nil || len(connections) != records {
			t.Fatalf("%d connections, %v", len(connections), err)
		}
		for _, c := range connections {
			sealed, err := s.Fleet.Credentials(t.Context(), tenant, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := serving.Open(t.Context(), sealed, tenant, c.ID); err != nil {
				t.Fatalf("sealed with key %s: %v", secret.KeyID(sealed), err)
			}
		}
	})
}

// TestOldKeysAreDropped keeps a signing key for as long as its tokens live, and
// a data key until every process has noticed the next.
func TestOldKeysAreDropped(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		now := noon
		v := openAt(t, s, masterKey(t, "a"), func() time.Time { return now })
		first := token(t, v, auth.Access)
		for _, step := range []struct {
			later         time.Duration
			signing, data int
		}{
			{later: 0, signing: 2, data: 2},
			{later: 9 * time.Minute, signing: 3, data: 3},
			{later: 2 * time.Minute, signing: 4, data: 3},
			{later: 2 * lifetime, signing: 2, data: 2},
		} {
			now = now.Add(step.later)
			rotate(t, v)
			if signing, data := count(t, s, account.SigningKeys), count(t, s, account.DataKeys); signing != step.signing || data != step.data {
				t.Errorf("%s later there are %d signing keys and %d data keys, want %d and %d", step.later, signing, data, step.signing, step.data)
			}
		}
		if _, err := v.VerifyAccess(t.Context(), first, noon); err == nil {
			t.Error("a token of a dropped key passes")
		}
	})
}

// TestReplaceMasterKey seals the keys with the new master key, so that the old
// one can be taken away.
func TestReplaceMasterKey(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		clock := func() time.Time { return noon }
		first := open(t, s)
		access, sealed := token(t, first, auth.Access), seal(t, first)
		both, err := secret.ParseMaster(masterText("b") + "," + masterText("a"))
		if err != nil {
			t.Fatal(err)
		}
		rotate(t, openAt(t, s, both, clock))
		last := openAt(t, s, masterKey(t, "b"), clock)
		if _, err := last.VerifyAccess(t.Context(), access, noon); err != nil {
			t.Errorf("an old token is refused: %v", err)
		}
		if plain, err := last.Open(t.Context(), sealed, "tenant", "record"); err != nil || string(plain) != "plain" {
			t.Errorf("what was sealed before is %q, %v", plain, err)
		}
	})
}
