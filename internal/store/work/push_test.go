package work_test

import (
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestPush has a push of a vendor under one claim, and then another.
func TestPush(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		f.update(func(tx *store.Tx) error { return tx.Jobs.AddCollection(ctx, f.own, f.connection, noon) })
		minute := func(n int) drover.Time { return drover.At(noon.Add(time.Duration(n) * time.Minute)) }
		shows := func(at drover.Time, want drover.Push) {
			f.t.Helper()
			check(f.t, must[drover.Push](f.t)(f.Jobs.Push(ctx, f.own, f.connection, at)), want)
		}
		claim := func(owner string, at, until drover.Time) work.Claim {
			f.t.Helper()
			c := work.Claim{TenantID: f.own, ConnectionID: f.connection, Owner: owner, LeasedUntil: until}
			must[drover.Time](f.t)(f.Jobs.ClaimCollection(ctx, c, at))
			return c
		}
		closed := drover.Push{State: drover.PushClosed}
		shows(minute(0), closed)

		first := claim("first", minute(0), minute(2))
		shows(minute(0), closed)
		f.update(func(tx *store.Tx) error { return tx.Jobs.PushOpened(ctx, first, minute(1)) })
		shows(minute(1), drover.Push{State: drover.PushOpen, Since: new(minute(1))})
		shows(minute(3), closed) // its process has died

		second := claim("second", minute(3), minute(9))
		shows(minute(3), closed)
		f.update(func(tx *store.Tx) error { return tx.Jobs.PushOpened(ctx, first, minute(3)) }) // it comes too late
		shows(minute(3), closed)
		f.update(func(tx *store.Tx) error { return tx.Jobs.PushOpened(ctx, second, minute(4)) })
		f.update(func(tx *store.Tx) error { return tx.Jobs.PushEnded(ctx, first, minute(5), nil) })
		shows(minute(5), drover.Push{State: drover.PushOpen, Since: new(minute(4))})
		f.update(func(tx *store.Tx) error { return tx.Jobs.PushEnded(ctx, second, minute(6), new("it was cut")) })
		ended := drover.Push{State: drover.PushClosed, Since: new(minute(6)), Message: new("it was cut")}
		shows(minute(6), ended)
		f.update(func(tx *store.Tx) error { return tx.Jobs.ReleaseLease(ctx, second, minute(7)) })
		shows(minute(7), ended)

		if _, err := f.Jobs.Push(ctx, f.other, f.connection, minute(7)); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("of another tenant: %v", err)
		}
	})
}
