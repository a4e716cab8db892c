package store_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestFailedWriteLeavesOthersWhole lets writes wait behind one that is held up, so
// that they share its transaction, and some of them fail after they have written.
func TestFailedWriteLeavesOthersWhole(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		const writers = 40
		ctx, boom := t.Context(), errors.New("boom")
		add := func(name string, then func() error) (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = boom
				}
			}()
			return s.Update(ctx, func(tx *store.Tx) error {
				if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: store.NewID(), Name: name + " " + store.NewID(), CreatedAt: noon}); err != nil {
					return err
				}
				return then()
			})
		}
		var all sync.WaitGroup
		begun, release := make(chan struct{}), make(chan struct{})
		all.Go(func() {
			var once sync.Once
			err := add("waits", func() error {
				once.Do(func() {
					close(begun)
					<-release
				})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-begun
		for n := range writers {
			all.Go(func() {
				switch n % 4 {
				case 0, 1:
					if err := add("passes", func() error { return nil }); err != nil {
						t.Error(err)
					}
				case 2:
					if err := add("fails", func() error { return boom }); !errors.Is(err, boom) {
						t.Errorf("a write that fails got %v", err)
					}
				case 3:
					if err := add("panics", func() error { panic("boom") }); err == nil {
						t.Error("a write that panics got no error")
					}
				}
			})
		}
		close(release)
		all.Wait()
		tenants, err := s.Accounts.Tenants(ctx)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, tenant := range tenants {
			name, _, _ := strings.Cut(tenant.Name, " ")
			counts[name]++
		}
		check(t, counts, map[string]int{"waits": 1, "passes": writers / 2})
	})
}
