package collect

import (
	"context"
	"maps"
	"sync"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// runs counts the runs under way. The zero value is ready for use.
type runs struct {
	mu       sync.Mutex
	all      int
	byTenant map[string]int
}

// add counts runs of a tenant, and returns how many there were of all.
func (v *runs) add(tenantID string, n int) (before int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byTenant == nil {
		v.byTenant = map[string]int{}
	}
	if v.byTenant[tenantID] += n; v.byTenant[tenantID] == 0 {
		delete(v.byTenant, tenantID)
	}
	before, v.all = v.all, v.all+n
	return before
}

func (v *runs) count() (all int, byTenant map[string]int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.all, maps.Clone(v.byTenant)
}

// share is how many workers a tenant may have before others go first. A vendor
// that accepts calls and never answers occupies a worker for long: without shares a
// tenant with many connections to it would stop the collection for all.
func (c *Collector) share() int { return max(1, c.opts.Workers/4) }

func (c *Collector) shares() (all int, shares work.Shares) {
	all, held := c.runs.count()
	return all, work.Shares{Each: c.share(), Held: held, Reserve: c.share()}
}

// claim takes up to n connections that are due, each of which is to be left. Other workers that are free
// are a reserve already.
func (c *Collector) claim(ctx context.Context, n, free int) ([]work.Claim, error) {
	if n == 0 {
		return nil, nil
	}
	_, shares := c.shares()
	shares.Reserve = max(0, shares.Reserve-free)
	claims, err := c.opts.Store.Jobs.ClaimCollections(ctx, c.opts.Owner+"/"+store.NewID(), c.now(), c.leaseEnd(), n, shares)
	for _, claim := range claims {
		c.runs.add(claim.TenantID, 1)
	}
	return claims, err
}

// leave ends a run. Where all workers were lent, one can be lent again.
func (c *Collector) leave(claim work.Claim) {
	if c.runs.add(claim.TenantID, -1) >= c.opts.Workers {
		c.Wake()
	}
}

// heldBack are the tenants that get no worker now, whatever of theirs is due.
func (c *Collector) heldBack() []string {
	if all, shares := c.shares(); all >= c.opts.Workers {
		return shares.Full()
	}
	return nil
}
