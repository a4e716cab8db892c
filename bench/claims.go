package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	claimTenants     = 8
	claimConnections = 250 // of each tenant
	claimAtOnce      = 50
	claimers         = 2 // two at one place, or one at each of two
)

// claims are connections that are due all the time, and a clock that their turns go by.
type claims struct {
	remove func() error
	store  *store.Store
	now    atomic.Int64
	url    string
}

func (b *bench) newClaims(ctx context.Context, database string) (*claims, error) {
	o, remove, err := b.newStore(ctx, database)
	if err != nil {
		return nil, err
	}
	c := &claims{remove: remove, url: o.URL}
	c.now.Store(time.Now().UnixMilli())
	if c.store, err = store.Open(ctx, o); err != nil {
		return nil, err
	}
	if _, err := c.store.Migrate(ctx); err != nil {
		return nil, err
	}
	var tenants []string
	for n := range claimTenants {
		id, now := store.NewID(), drover.Milli(c.now.Load())
		tenants = append(tenants, id)
		err := c.store.Update(ctx, func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: id, Name: fmt.Sprintf("bench %d", n), CreatedAt: now})
		})
		if err != nil {
			return nil, err
		}
		err = c.store.Update(ctx, func(tx *store.Tx) error {
			var failed error
			for range claimConnections {
				failed = errors.Join(failed, tx.Jobs.AddCollection(ctx, id, store.NewID(), now))
			}
			return failed
		})
		if err != nil {
			return nil, err
		}
	}
	awaitPlaces(c.store, tenants...)
	return c, nil
}

func (c *claims) close() error { return errors.Join(c.store.Close(), c.remove()) }

// claim claims for a while.
func (c *claims) claim(ctx context.Context) (slice, error) {
	bounded, stop := context.WithTimeout(ctx, citusRead)
	defer stop()
	var claimed atomic.Int64
	var mu sync.Mutex
	var failed error
	begun := time.Now()
	one := func(place context.Context) {
		for bounded.Err() == nil {
			now := c.now.Load()
			got, err := c.store.Jobs.ClaimCollections(context.WithoutCancel(place), store.NewID(), drover.Milli(now), drover.Milli(now+1),
				claimAtOnce, work.Shares{})
			if err != nil {
				mu.Lock()
				failed = errors.Join(failed, fmt.Errorf("claim: %w", err))
				mu.Unlock()
				return
			}
			if claimed.Add(int64(len(got))); len(got) == 0 {
				c.now.CompareAndSwap(now, now+2) // all were had: their turns come again
			}
		}
	}
	if c.store.Distributed() {
		c.store.EachPlace(bounded, one)
	} else {
		var all sync.WaitGroup
		for range claimers {
			all.Go(func() { one(ctx) })
		}
		all.Wait()
	}
	took := time.Since(begun)
	return slice{count: int(claimed.Load()), took: took, used: took}, failed
}

// citusClaims claims connections on both.
func (b *bench) citusClaims(ctx context.Context) error {
	return onBothInTurn(b, "claims of connections", citusClaimed,
		func(database string) (*claims, error) { return b.newClaims(ctx, database) },
		func(c *claims) (slice, error) { return c.claim(ctx) })
}
