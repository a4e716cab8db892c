package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// apart is a store with a tenant at each of two places, and a connection of each.
type apart struct {
	*store.Store
	t         *testing.T
	places    *storetest.Places
	near, far string
}

func openApart(t *testing.T) apart {
	t.Helper()
	s, places := storetest.OpenApart(t)
	near, far, first := storetest.TwoTenants(t, s, noon)
	places.Put(s, near, storetest.Near)
	places.Put(s, far, storetest.Far)
	a := apart{s, t, places, near, far}
	for tenant, connection := range map[string]string{near: first, far: store.NewID()} {
		err := s.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.AddCollection(t.Context(), tenant, connection, noon) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// does reads, writes and claims what is a tenant's, at its place.
func (a apart) does(tenantID, place string) error {
	ctx := a.t.Context()
	_, read := a.Feed.LastEvent(ctx, tenantID)
	written := a.Update(ctx, func(tx *store.Tx) error { return tx.Feed.ReceiversChanged(ctx, tenantID) })
	now := drover.At(time.Now())
	claims, claimed := a.Jobs.ClaimCollections(database.At(ctx, place), store.NewID(), now, now, 10, work.Shares{})
	if claimed == nil && (len(claims) != 1 || claims[0].TenantID != tenantID) {
		claimed = errors.New("another was claimed")
	}
	return errors.Join(read, written, claimed, a.misses(tenantID))
}

// misses reads by ids what no one has: no one else is asked for it.
func (a apart) misses(tenantID string) error {
	ctx, id := a.t.Context(), store.NewID()
	_, trip := a.Trips.Trip(ctx, tenantID, id)
	_, driver := a.Drivers.Driver(ctx, tenantID, id)
	others, user := a.Accounts.OtherUser(ctx, tenantID, id)
	if others {
		user = errors.New("it is another's")
	}
	for _, err := range []error{trip, driver} {
		if !errors.Is(err, store.ErrNotFound) {
			return errors.Join(errors.New("it was looked for elsewhere"), err)
		}
	}
	return user
}

// TestPlaceFails has one place stop, and then hang while many ask it: the tenants of the other
// do what they do, its own learn that it does not answer, and both go on afterwards.
func TestPlaceFails(t *testing.T) {
	t.Parallel()
	a := openApart(t)
	for name, fail := range map[string]func(place string){"stopped": a.places.Stop, "hung": a.places.Hang} {
		if err := errors.Join(a.does(a.near, storetest.Near), a.does(a.far, storetest.Far)); err != nil {
			t.Fatal(err)
		}
		fail(storetest.Far)
		const many = 100 // more than there are connections
		failed := make([]error, many)
		var asking, began sync.WaitGroup
		began.Add(many)
		for i := range failed {
			asking.Go(func() {
				began.Done()
				_, failed[i] = a.Trips.Trip(t.Context(), a.far, store.NewID())
			})
		}
		began.Wait()
		for range 20 {
			if err := a.does(a.near, storetest.Near); err != nil {
				t.Errorf("%s, with the other place: %v", name, err)
			}
		}
		if err := a.does(a.far, storetest.Far); !store.Unavailable(err) {
			t.Errorf("%s: its own tenant: %v", name, err)
		}
		asking.Wait()
		for _, err := range failed {
			if !store.Unavailable(err) {
				t.Errorf("%s: its own tenant reads: %v", name, err)
			}
		}
		a.places.Resume(storetest.Far)
		storetest.Until(t, name+" and there again", func() bool { return a.does(a.far, storetest.Far) == nil })
	}
}
