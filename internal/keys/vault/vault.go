// Package vault keeps the service's own keys: those that sign tokens and those
// that seal credentials. Both lie in the database, sealed with the operator's
// master key, so that all processes share them; each process holds them opened
// and looks again and again whether another has changed them.
package vault

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// WatchInterval is how long a process may take to notice what another changed.
const WatchInterval = 400 * time.Millisecond

// Options are what a Vault works with.
type Options struct {
	Store  *store.Store
	Master *secret.Master
	Now    func() time.Time
	Logger *slog.Logger
	// KeepSigningKeys is how long a retired signing key goes on verifying: at
	// least as long as a token lives.
	KeepSigningKeys time.Duration
}

// Vault is the opened keys. It is safe for concurrent use.
type Vault struct {
	Options
	state  atomic.Pointer[state]
	reload sync.Mutex
	// Work watches for changes made by other processes.
	background.Work
}

// state is a consistent reading of the keys.
type state struct {
	version int64
	tokens  *auth.KeySet
	ring    *secret.Ring
}

// Open reads the keys and makes the first ones where there are none.
func Open(ctx context.Context, o Options) (*Vault, error) {
	v := &Vault{Options: o}
	v.Run = v.watch
	if err := v.ensureKeys(ctx); err != nil {
		return nil, err
	}
	return v, v.Reload(ctx)
}

// ensureKeys makes a signing key and a data key where there are none. The lock
// keeps two processes that start together from making two each.
func (v *Vault) ensureKeys(ctx context.Context) error {
	return v.Store.Update(ctx, func(tx *store.Tx) error {
		signing, err := tx.Accounts.Keys(ctx, account.SigningKeys)
		if err != nil {
			return err
		}
		data, err := tx.Accounts.Keys(ctx, account.DataKeys)
		if err != nil {
			return err
		}
		if len(signing) > 0 && len(data) > 0 {
			return nil
		}
		if err := tx.Accounts.LockAuth(ctx); err != nil {
			return err
		}
		if signing, err = tx.Accounts.Keys(ctx, account.SigningKeys); err != nil {
			return err
		}
		if len(signing) > 0 {
			return nil
		}
		return errors.Join(v.addSigningKey(ctx, tx.Accounts), v.addDataKey(ctx, tx.Accounts))
	})
}

func (v *Vault) addSigningKey(ctx context.Context, tx account.Editor) error {
	k, err := auth.NewKey(store.NewID(), rand.Reader, v.Now())
	if err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	sealed, err := v.Master.Seal(k.Secret, signingBind(k.ID))
	if err != nil {
		return fmt.Errorf("seal signing key: %w", err)
	}
	return tx.AddActiveKey(ctx, account.SigningKeys, account.SealedKey{ID: k.ID, Sealed: sealed, CreatedAt: drover.At(v.Now())})
}

func (v *Vault) addDataKey(ctx context.Context, tx account.Editor) error {
	k, err := secret.NewDataKey(v.Master, store.NewID(), v.Now())
	if err != nil {
		return fmt.Errorf("make data key: %w", err)
	}
	return tx.AddActiveKey(ctx, account.DataKeys, account.SealedKey{ID: k.ID, Sealed: k.Sealed, CreatedAt: k.CreatedAt})
}

func signingBind(id string) []byte { return []byte("signing key " + id) }

// Reload reads the keys again.
func (v *Vault) Reload(ctx context.Context) error {
	v.reload.Lock()
	defer v.reload.Unlock()
	// The version is read first: a change in between is noticed the next time.
	version, err := v.Store.Accounts.AuthVersion(ctx)
	if err != nil {
		return err
	}
	tokens, err := v.readSigningKeys(ctx)
	if err != nil {
		return err
	}
	ring, err := v.readDataKeys(ctx)
	if err != nil {
		return err
	}
	v.state.Store(&state{version: version, tokens: tokens, ring: ring})
	return nil
}

func (v *Vault) readSigningKeys(ctx context.Context) (*auth.KeySet, error) {
	stored, err := v.Store.Accounts.Keys(ctx, account.SigningKeys)
	if err != nil {
		return nil, err
	}
	keys := make([]auth.Key, len(stored))
	for i, k := range stored {
		plain, err := v.Master.Open(k.Sealed, signingBind(k.ID))
		if err != nil {
			return nil, fmt.Errorf("open signing key: %w: is this the master key that the database was made with?", err)
		}
		keys[i] = auth.Key{ID: k.ID, Secret: plain, CreatedAt: k.CreatedAt, Active: k.Active}
	}
	return auth.NewKeySet(keys)
}

func (v *Vault) readDataKeys(ctx context.Context) (*secret.Ring, error) {
	stored, err := v.Store.Accounts.Keys(ctx, account.DataKeys)
	if err != nil {
		return nil, err
	}
	keys := make([]secret.DataKey, len(stored))
	for i, k := range stored {
		keys[i] = secret.DataKey(k)
	}
	ring, err := secret.OpenRing(v.Master, keys)
	if err != nil {
		return nil, fmt.Errorf("open data keys: %w: is this the master key that the database was made with?", err)
	}
	return ring, nil
}

// Tokens signs tokens.
func (v *Vault) Tokens() *auth.KeySet { return v.state.Load().tokens }

// VerifyAccess returns what an access token says.
func (v *Vault) VerifyAccess(ctx context.Context, token string, now time.Time) (auth.Claims, error) {
	return v.verify(ctx, func(keys *auth.KeySet) (auth.Claims, error) { return keys.VerifyAccess(token, now) })
}

// VerifyRefresh returns what a refresh token says.
func (v *Vault) VerifyRefresh(ctx context.Context, token string, now time.Time) (auth.Claims, error) {
	return v.verify(ctx, func(keys *auth.KeySet) (auth.Claims, error) { return keys.VerifyRefresh(token, now) })
}

// verify looks for changed keys before it refuses a token: another process may
// have signed it with a key that it has just made.
func (v *Vault) verify(ctx context.Context, check func(keys *auth.KeySet) (auth.Claims, error)) (auth.Claims, error) {
	known := v.state.Load()
	claims, refusal := check(known.tokens)
	if refusal == nil || drover.ErrorKind(refusal) != drover.KindUnauthenticated {
		return claims, refusal
	}
	if err := v.Refresh(ctx); err != nil {
		return auth.Claims{}, err
	}
	if v.state.Load() == known {
		return claims, refusal
	}
	return check(v.Tokens())
}

// Version grows whenever a key, a user's state or a session has changed. It is
// at most as old as WatchInterval.
func (v *Vault) Version() int64 { return v.state.Load().version }

// Seal seals plain for what bind names.
func (v *Vault) Seal(plain []byte, bind ...string) ([]byte, error) {
	return v.state.Load().ring.Seal(plain, bind...)
}

// Open opens what Seal made. A key that another process has just made is read
// from the database.
func (v *Vault) Open(ctx context.Context, sealed []byte, bind ...string) ([]byte, error) {
	plain, err := v.state.Load().ring.Open(sealed, bind...)
	if !errors.Is(err, secret.ErrUnknownKey) {
		return plain, err
	}
	if err := v.Reload(ctx); err != nil {
		return nil, err
	}
	return v.state.Load().ring.Open(sealed, bind...)
}

// watch looks for changes made by other processes.
func (v *Vault) watch(ctx context.Context) {
	background.Every(ctx, WatchInterval, func(ctx context.Context) {
		if err := v.Refresh(ctx); err != nil && ctx.Err() == nil {
			v.Logger.ErrorContext(ctx, "read keys again", "err", err)
		}
	})
}

// Refresh reads the keys again where something has changed.
func (v *Vault) Refresh(ctx context.Context) error {
	version, err := v.Store.Accounts.AuthVersion(ctx)
	if err != nil {
		return err
	}
	if version == v.Version() {
		return nil
	}
	return v.Reload(ctx)
}
