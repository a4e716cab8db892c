package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// resealPage is the number of records that one transaction seals again.
const resealPage = 200

// Rotation says what Rotate did.
type Rotation struct {
	SigningKey string
	DataKey    string
	Resealed   int
	Dropped    int
}

// Rotate makes a new signing key and a new data key, seals everything with the
// new ones, and forgets keys that nothing needs any more. Other processes go on
// serving meanwhile: old keys verify and open until they are dropped.
func (v *Vault) Rotate(ctx context.Context) (Rotation, error) {
	err := v.Store.Update(ctx, func(tx *store.Tx) error {
		accounts := tx.Accounts
		return errors.Join(accounts.LockAuth(ctx), v.rewrap(ctx, accounts), v.addSigningKey(ctx, accounts), v.addDataKey(ctx, accounts))
	})
	if err != nil {
		return Rotation{}, fmt.Errorf("add keys: %w", err)
	}
	if err := v.Reload(ctx); err != nil {
		return Rotation{}, err
	}
	now := v.state.Load()
	done := Rotation{SigningKey: now.tokens.Active(), DataKey: now.ring.Active()}
	if done.Resealed, err = v.resealAll(ctx); err != nil {
		return done, err
	}
	done.Dropped, err = v.dropKeys(ctx)
	return done, err
}

// rewrap seals the keys themselves with the first master key, so that an older
// one can be taken away.
func (v *Vault) rewrap(ctx context.Context, tx account.Editor) error {
	for _, table := range []account.KeyTable{account.SigningKeys, account.DataKeys} {
		keys, err := tx.Keys(ctx, table)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.Sealed, err = v.rewrapped(table, k); err != nil {
				return fmt.Errorf("seal key %s again: %w", k.ID, err)
			}
			if err := tx.ReplaceKey(ctx, table, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *Vault) rewrapped(table account.KeyTable, k account.SealedKey) ([]byte, error) {
	if table == account.DataKeys {
		moved, err := secret.Rewrap(v.Master, v.Master, secret.DataKey(k))
		return moved.Sealed, err
	}
	plain, err := v.Master.Open(k.Sealed, signingBind(k.ID))
	if err != nil {
		return nil, err
	}
	return v.Master.Seal(plain, signingBind(k.ID))
}

// resealAll goes through the sealed records of every table, page by page, so
// that no transaction holds many rows for long.
func (v *Vault) resealAll(ctx context.Context) (int, error) {
	total := 0
	for _, table := range store.SealedTables {
		for after := ""; ; {
			last, n, err := v.resealPage(ctx, table, after)
			total += n
			if err != nil {
				return total, err
			}
			if last == "" {
				break
			}
			after = last
		}
	}
	return total, nil
}

func (v *Vault) resealPage(ctx context.Context, table store.SealedTable, after string) (last string, changed int, err error) {
	err = v.Store.Update(ctx, func(tx *store.Tx) error {
		last, changed = "", 0
		page, err := tx.Fleet.SealedAfter(ctx, table, after, resealPage)
		if err != nil {
			return err
		}
		for _, r := range page {
			last = r.ID
			if secret.KeyID(r.Sealed) == v.state.Load().ring.Active() {
				continue
			}
			plain, err := v.Open(ctx, r.Sealed, r.Bind()...)
			if err != nil {
				return fmt.Errorf("open %s %s: %w", table.Name, r.ID, err)
			}
			before := r.Sealed
			if r.Sealed, err = v.Seal(plain, r.Bind()...); err != nil {
				return fmt.Errorf("seal %s %s: %w", table.Name, r.ID, err)
			}
			if err := tx.Fleet.ReplaceSealed(ctx, table, r, before); err != nil {
				return err
			}
			changed++
		}
		return nil
	})
	return last, changed, err
}

// keepDataKeys is how long a data key stays after its successor was made: a
// process that has not yet noticed the new one may still seal with it. What it
// sealed then is sealed again by the next rotation.
const keepDataKeys = 10 * time.Minute

// dropKeys forgets the data keys that were replaced long enough ago, and the
// signing keys whose tokens have all expired.
func (v *Vault) dropKeys(ctx context.Context) (int, error) {
	dropped := 0
	keep := map[account.KeyTable]time.Duration{account.DataKeys: keepDataKeys, account.SigningKeys: v.KeepSigningKeys}
	err := v.Store.Update(ctx, func(tx *store.Tx) error {
		dropped = 0
		for table, age := range keep {
			keys, err := tx.Accounts.Keys(ctx, table)
			if err != nil {
				return err
			}
			for i, k := range keys {
				// A key was in use until the next one was made.
				if k.Active || i+1 == len(keys) || keys[i+1].CreatedAt.After(v.Now().Add(-age)) {
					continue
				}
				if err := tx.Accounts.DropKey(ctx, table, k.ID); err != nil {
					return err
				}
				dropped++
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("drop keys: %w", err)
	}
	return dropped, v.Reload(ctx)
}
