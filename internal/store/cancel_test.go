package store_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestCancelledWritesHarmNoOne mixes writers that give up at any moment with
// others that do not: those must not notice, though they may share a commit.
func TestCancelledWritesHarmNoOne(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		const writers, writes = 8, 30
		tenant := drover.Tenant{ID: store.NewID(), Name: "acme", CreatedAt: drover.At(time.Now())}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { return tx.Accounts.AddTenant(t.Context(), tenant) }); err != nil {
			t.Fatal(err)
		}
		var patient, hasty sync.WaitGroup
		done := make(chan struct{})
		for range writers {
			patient.Go(func() {
				for range writes {
					if err := appendSome(t.Context(), s, tenant.ID); err != nil {
						t.Errorf("a write failed that no one cancelled: %v", err)
						return
					}
				}
			})
			hasty.Go(func() {
				for !isClosed(done) {
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(3*time.Millisecond))
					_ = appendSome(ctx, s, tenant.ID) // it may succeed or not
					cancel()
				}
			})
		}
		patient.Wait()
		close(done)
		hasty.Wait()
	})
}

// appendSome makes a write of several statements.
func appendSome(ctx context.Context, s *store.Store, tenantID string) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		for range 5 {
			e := drover.Event{ID: store.NewID(), Type: drover.EventDeviceUpdated, Timestamp: drover.At(time.Now()), Data: []byte(`{}`)}
			if err := journal.Append(ctx, tx, tenantID, []drover.Event{e}); err != nil {
				return err
			}
		}
		return nil
	})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
