package account_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// TestTries holds that failures add up, begin again after a while, and are forgotten with a
// login and with time.
func TestTries(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		k := account.LoginKeys{Pair: "p", Address: "a", Name: "n"}
		at := func(minutes int) drover.Time { return drover.At(noon.Add(time.Duration(minutes) * time.Minute)) }
		fail := func(k account.LoginKeys, now, since drover.Time) {
			f.update(func(tx *store.Tx) error { return tx.Accounts.AddFailure(ctx, k, now, since) })
		}
		read := func() map[string]account.Tries { return must[map[string]account.Tries](f.t)(f.Accounts.Tries(ctx, k)) }
		never := drover.At(time.UnixMilli(0))
		check(f.t, read(), map[string]account.Tries{})
		fail(k, at(0), at(-15))
		fail(account.LoginKeys{Pair: "q", Address: "a", Name: "m"}, at(1), at(-14))
		check(f.t, read(), map[string]account.Tries{"p": {1, at(0), never}, "a": {2, at(1), never}, "n": {1, at(0), never}})
		fail(k, at(15), at(0)) // the latest of the first and the third is too long ago
		check(f.t, read(), map[string]account.Tries{"p": {1, at(15), never}, "a": {3, at(15), never}, "n": {1, at(15), never}})
		f.update(func(tx *store.Tx) error { return tx.Accounts.AddSuccess(ctx, k, at(16)) })
		check(f.t, read(), map[string]account.Tries{"p": {0, at(15), at(16)}, "a": {3, at(15), never}})
		f.update(func(tx *store.Tx) error { return tx.Accounts.DropTries(ctx, at(16), at(16)) })
		check(f.t, read(), map[string]account.Tries{"p": {0, at(15), at(16)}})
		f.update(func(tx *store.Tx) error { return tx.Accounts.DropTries(ctx, at(16), at(17)) })
		check(f.t, read(), map[string]account.Tries{})
	})
}
