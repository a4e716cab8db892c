package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/history"
)

var errStopped = errors.New("stopped")

// TestListsKeepFewStatements walks lists with thousands of limits and filters, as
// one caller can: what is kept prepared for them stays bounded.
func TestListsKeepFewStatements(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		if f.Database() != "sqlite" {
			return // the driver keeps PostgreSQL's, with a bound of its own
		}
		ctx, device, yes := f.t.Context(), f.addDevice().ID, true
		const lists, each = 7, 3 // trips are looked for in slices of time, by up to three statements
		before := f.Statements()
		for limit := 1; limit <= 100; limit++ {
			for _, filter := range []drover.TripFilter{{}, {DeviceID: device}, {Valid: &yes}, {From: &noon}, {To: &noon, DeviceID: device}} {
				must[[]drover.Trip](f.t)(f.Trips.Trips(ctx, f.own, filter, nil, limit))
			}
			must[[]drover.Device](f.t)(f.Fleet.Devices(ctx, f.own, drover.DeviceFilter{}, "", limit))
			must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, history.Range{TenantID: f.own, DeviceID: device, To: noon, Limit: limit}))
		}
		if added := f.Statements() - before; added > lists*each {
			f.t.Errorf("%d statements are kept for %d lists", added, lists)
		}
	})
}

// TestReadsOfOneRowCanBeCancelled ends a read that is given up before it begins.
func TestReadsOfOneRowCanBeCancelled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, cancel := context.WithTimeout(f.t.Context(), time.Hour)
		cancel()
		if _, err := f.Accounts.Tenant(ctx, f.own); !errors.Is(err, context.Canceled) {
			f.t.Errorf("a read that was cancelled got %v", err)
		}
	})
}
