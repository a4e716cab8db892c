package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestListOfConnections asks for lists of connections twice after each change, with the
// lists kept in memory and without: a change is seen at once, also the end of a share,
// which no one writes.
func TestListOfConnections(t *testing.T) {
	t.Parallel()
	for _, noCache := range []bool{false, true} {
		t.Run(fmt.Sprint("without cache ", noCache), func(t *testing.T) {
			t.Parallel()
			now := noon.Time
			o := storetest.Options(t, "sqlite")
			o.Present, o.NoCache = func() time.Time { return now }, noCache
			f := newFixture(t, storetest.Open(t, o))
			lists := func(doing, asker string, want ...string) {
				t.Helper()
				for range 2 {
					all, err := f.Fleet.Connections(t.Context(), asker, "")
					if err != nil {
						t.Fatal(err)
					}
					check(t, doing+": "+fmt.Sprint(names(all)), doing+": "+fmt.Sprint(append([]string{}, want...)))
				}
			}
			lists("at first", f.own, "Haulage pending")
			lists("at first", f.other)
			f.update(func(tx *store.Tx) error {
				return tx.Fleet.SetConnectionState(t.Context(), f.own, f.connection, drover.ConnectionHealthy, noon)
			})
			lists("with another state", f.own, "Haulage healthy")
			lists("not shared yet", f.other)
			f.update(func(tx *store.Tx) error {
				s := drover.Share{
					ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon,
					ExpiresAt: new(drover.At(now.Add(time.Hour))),
				}
				return errors.Join(tx.Shares.AddShare(t.Context(), s, drover.FullGrant), tx.Shares.AcceptShare(t.Context(), s, noon))
			})
			lists("shared", f.other, "Haulage healthy")
			f.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(t.Context(), f.own, true) })
			lists("suspended", f.other)
			f.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(t.Context(), f.own, false) })
			lists("resumed", f.other, "Haulage healthy")
			now = now.Add(time.Hour)
			lists("no longer shared", f.other)
		})
	}
}

// TestPagesOfConnections reads the list of a tenant that comes to have many connections in
// pages, and by provider.
func TestPagesOfConnections(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		t := f.t
		want := []string{"Haulage pending"}
		for n := range 40 {
			name := fmt.Sprint("business ", n)
			f.addConnection(name)
			want = append(want, name+" pending")
			var got []string
			for after := ""; ; {
				page, err := f.Fleet.ConnectionPage(t.Context(), f.own, "", after, 7)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, names(page)...)
				if len(page) < 7 {
					break
				}
				after = page[6].ID
			}
			check(t, fmt.Sprint(got), fmt.Sprint(want))
			other, err := f.Fleet.ConnectionPage(t.Context(), f.own, drover.Navixy, "", 100)
			check(t, fmt.Sprint(names(other), err), fmt.Sprint(want[1:], nil))
			none, err := f.Fleet.ConnectionPage(t.Context(), f.own, "", "no id", 100)
			check(t, fmt.Sprint(none, err), fmt.Sprint([]drover.Connection{}, nil))
		}
	})
}

func (f fixture) addConnection(name string) {
	f.t.Helper()
	f.update(func(tx *store.Tx) error {
		return tx.Fleet.AddConnection(f.t.Context(), drover.Connection{
			ID: store.NewID(), TenantID: f.own, IntegrationName: drover.Navixy, BusinessName: name, Active: true, CollectionStartTime: noon,
			Configuration: drover.Configuration{Health: drover.ConnectionPending, Trips: drover.TripsNative, PollIntervalSeconds: 30},
		}, []byte("sealed"), noon)
	})
}

func names(list []drover.Connection) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.BusinessName+" "+string(c.Configuration.Health))
	}
	return out
}
