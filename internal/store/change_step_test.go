package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

func (f *copied) findDriver() {
	if len(f.drivers) > 12 {
		return
	}
	d := store.Driver{Driver: drover.Driver{
		ID: store.NewID(), ConnectionID: f.connection, SystemDriverID: store.NewID(), Active: true, Keys: []drover.DriverKey{},
		Tags: []string{},
	}, Access: store.Access{TenantID: f.own}}
	f.write(func(tx *store.Tx) error {
		return tx.Fleet.AddDrivers(f.t.Context(), f.own, []drover.Driver{d.Driver}, noon)
	})
	f.drivers = append(f.drivers, d)
}

func (f *copied) editDriver() {
	if len(f.drivers) == 0 {
		return
	}
	d := &f.drivers[f.random.IntN(len(f.drivers))]
	d.Phone, d.Keys = new(fmt.Sprint(f.random.IntN(100))), []drover.DriverKey{{Type: drover.KeyRFID, Value: fmt.Sprint(f.random.IntN(100))}}
	f.write(func(tx *store.Tx) error { return tx.Fleet.SetDriver(f.t.Context(), *d, noon) })
}

func (f *copied) dropDrivers() {
	if f.random.IntN(4) > 0 {
		return
	}
	f.write(func(tx *store.Tx) error {
		_, err := tx.Fleet.EraseDrivers(f.t.Context(), f.own, f.connection)
		return err
	})
	f.drivers = nil
}

func (f *copied) editConnection() {
	f.write(func(tx *store.Tx) error {
		c, err := tx.Fleet.ConnectionForUpdate(f.t.Context(), f.own, f.connection)
		c.BusinessName = fmt.Sprint(f.random.IntN(100))
		return cmp.Or(err, tx.Fleet.SetConnection(f.t.Context(), c, noon))
	})
}

func (f *copied) shareOrNot() {
	ctx := f.t.Context()
	if s := f.shared; s != nil {
		f.write(func(tx *store.Tx) error { _, err := tx.Fleet.DropShare(ctx, *s); return err })
		f.shared = nil
		return
	}
	f.shared = &drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
	grant := []drover.Grant{drover.FullGrant, drover.FullGrant &^ drover.GrantDrivers}[f.random.IntN(2)]
	f.write(func(tx *store.Tx) error {
		return errors.Join(tx.Fleet.AddShare(ctx, *f.shared, grant), tx.Fleet.AcceptShare(ctx, *f.shared, noon))
	})
}

// forget makes copies too old that were not read for a while.
func (f *copied) forget() {
	f.now = f.now.Add(time.Hour)
	f.write(func(tx *store.Tx) error {
		_, err := tx.Fleet.MarkChanges(f.t.Context(), drover.At(f.now), 4*time.Hour)
		return err
	})
}
