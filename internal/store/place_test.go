package store_test

import (
	"errors"
	"slices"
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
		if got := a.Answering(); got[storetest.Far] || !got[storetest.Near] {
			t.Errorf("%s: those that answer are %v", name, got)
		}
		for _, err := range failed {
			if !store.Unavailable(err) {
				t.Errorf("%s: its own tenant reads: %v", name, err)
			}
		}
		a.places.Resume(storetest.Far)
		storetest.Until(t, name+" and there again", func() bool { return a.does(a.far, storetest.Far) == nil })
		if got := a.Answering(); !got[storetest.Far] {
			t.Errorf("%s, and there again: those that answer are %v", name, got)
		}
	}
}

// TestClaimsApart has two processes claim what is due at a place, few at a time: what was found for
// one is claimed in the order in which it is due, no connection twice, and each again in its turn.
func TestClaimsApart(t *testing.T) {
	t.Parallel()
	o, places := storetest.Apart(t)
	one, two := storetest.Open(t, o), storetest.Open(t, o)
	tenant, other, _ := storetest.TwoTenants(t, one, noon)
	for _, s := range []*store.Store{one, two} {
		places.Put(s, tenant, storetest.Near)
		places.Put(s, other, storetest.Near)
	}
	var due []string
	for n := range 12 {
		id := store.NewID()
		due = append(due, id)
		of := []string{tenant, other}[n%2]
		err := one.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Jobs.AddCollection(t.Context(), of, id, drover.At(noon.Add(time.Duration(n-20)*time.Second)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	claim := func(s *store.Store, now drover.Time, n int) (ids []string) {
		t.Helper()
		near, until := database.At(t.Context(), storetest.Near), drover.At(now.Add(time.Minute))
		claims, err := s.Jobs.ClaimCollections(near, store.NewID(), now, until, n, work.Shares{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range claims {
			ids = append(ids, c.ConnectionID)
		}
		slices.Sort(ids)
		return ids
	}
	sorted := func(ids ...string) []string { return slices.Sorted(slices.Values(ids)) }
	for _, step := range []struct {
		of   *store.Store
		n    int
		want []string
	}{
		{one, 2, sorted(due[:2]...)}, {two, 3, sorted(due[2:5]...)}, // it has found what the first took next
		{one, 2, sorted(due[5:7]...)}, {two, 1, due[7:8]}, {one, 9, sorted(due[8:]...)}, {two, 9, nil},
	} {
		if got := claim(step.of, noon, step.n); !slices.Equal(got, step.want) {
			t.Errorf("%d are claimed: %v, want %v", step.n, got, step.want)
		}
	}
	if got := claim(one, drover.At(noon.Add(2*time.Minute)), 20); !slices.Equal(got, sorted(due...)) {
		t.Errorf("in their next turn %v are claimed, want %v", got, due)
	}
}
