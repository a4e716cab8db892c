package store_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/store"
)

func TestDeviceLabels(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		plain, tagged := f.addDevice(), f.addDevice("own")
		f.update(func(tx *store.Tx) error {
			return tx.Accounts.TagConnection(ctx, f.own, f.connection, []string{"north"})
		})
		ids := []string{plain.ID, tagged.ID, store.NewID()}
		want := map[string]store.DeviceLabel{
			plain.ID:  {ConnectionID: f.connection, Tags: []string{"north"}},
			tagged.ID: {ConnectionID: f.connection, Tags: []string{"own", "north"}},
		}
		check(f.t, must[map[string]store.DeviceLabel](f.t)(f.Fleet.DeviceLabels(ctx, f.own, ids)), want)
		check(f.t, must[map[string]store.DeviceLabel](f.t)(f.Fleet.DeviceLabels(ctx, f.other, ids)), map[string]store.DeviceLabel{})
		check(f.t, must[[]string](f.t)(f.Fleet.ConnectionTagNames(ctx, f.own, f.connection)), []string{"north"})
		check(f.t, must[[]string](f.t)(f.Fleet.ConnectionTagNames(ctx, f.other, f.connection)), []string{})
		f.share()
		check(f.t, must[map[string]store.DeviceLabel](f.t)(f.Fleet.DeviceLabels(ctx, f.other, ids)), want)
	})
}
