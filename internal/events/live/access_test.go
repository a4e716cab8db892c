package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
)

// TestShareEndsWhileAMessageWaits ends a share when its event lies in the queue of a
// receiver already: it is not sent any more.
func TestShareEndsWhileAMessageWaits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.hub = live.New(live.Options{Store: r.store, Logger: slog.New(slog.DiscardHandler), Stale: time.Nanosecond})
		r.t.Cleanup(r.hub.Close)
		ctx := r.t.Context()
		share, e := r.foreign()
		r.update(func(tx *store.Tx) error {
			return errors.Join(tx.Shares.AddShare(ctx, share, drover.FullGrant), tx.Shares.AcceptShare(ctx, share, noon))
		})
		waiting, other := r.subscribe(live.Filter{}, nil), r.subscribe(live.Filter{}, nil)
		r.append(e)
		receive(r.t, other, 1)
		r.subscribe(live.Filter{}, nil) // who joins comes after what was handed out
		r.update(func(tx *store.Tx) error {
			_, err := tx.Shares.DropShare(ctx, share)
			return err
		})
		if messages, err := waiting.Next(ctx); err != nil || len(messages) != 0 {
			r.t.Errorf("%d messages are sent after the share has ended, %v", len(messages), err)
		}
		r.append(event(drover.EventDeviceUpdated))
		if got := receive(r.t, waiting, 2); len(got) != 1 {
			r.t.Errorf("%d events, want the tenant's own alone", len(got))
		}
	})
}

// TestShareEndsBeforeAnEventIsRead has an event in a feed whose share has ended before
// the feed is read for those who follow it.
func TestShareEndsBeforeAnEventIsRead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		_, e := r.foreign()
		sub := r.subscribe(live.Filter{}, nil)
		r.append(e)
		r.append(event(drover.EventDeviceUpdated))
		if got := receive(r.t, sub, 2); len(got) != 1 {
			r.t.Errorf("%d events, want the tenant's own alone", len(got))
		}
	})
}

// foreign makes a connection of another tenant, and returns a share of it that could be
// given, and an event about it.
func (r *rig) foreign() (drover.Share, drover.Event) {
	r.t.Helper()
	ctx, owner := r.t.Context(), store.NewID()
	conn := drover.Connection{
		ID: store.NewID(), TenantID: owner, IntegrationName: drover.Traccar, BusinessName: "x", Active: true,
		CollectionStartTime: noon,
	}
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: owner, Name: owner, CreatedAt: noon})
	})
	r.update(func(tx *store.Tx) error { return tx.Fleet.AddConnection(ctx, conn, []byte("x"), noon) })
	e, err := drover.NewEvent(drover.EventConnectionUpdated, noon, conn)
	if err != nil {
		r.t.Fatal(err)
	}
	return drover.Share{ID: store.NewID(), ConnectionID: conn.ID, OwnerTenantID: owner, TenantID: r.tenant, CreatedAt: noon}, e
}

// TestCatchingUpTakesTurns has many receivers catch up with a memory for one of them
// at a time: each gets everything.
func TestCatchingUpTakesTurns(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		memory := quota.New(quota.Config{Size: 4 << 20, Share: 1, Queue: 100, Wait: time.Minute})
		r.hub = live.New(live.Options{Store: r.store, Logger: slog.New(slog.DiscardHandler), Memory: memory})
		r.t.Cleanup(r.hub.Close)
		r.appendMany(120)
		done := make(chan error)
		for range 5 {
			sub := r.subscribe(live.Filter{}, new(int64))
			go func() { done <- readTo(r.t.Context(), sub, 120) }()
		}
		for range 5 {
			if err := <-done; err != nil {
				r.t.Error(err)
			}
		}
		if held := memory.Held(r.tenant); held != 0 {
			r.t.Errorf("%d bytes are still held", held)
		}
	})
}

// readTo reads all events up to a sequence, and comes back for more.
func readTo(ctx context.Context, sub *live.Subscription, last int64) error {
	for next := int64(1); next <= last; {
		messages, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.Event.Sequence != next {
				return fmt.Errorf("event %d, want %d", m.Event.Sequence, next)
			}
			next++
		}
	}
	sub.Close()
	return nil
}
