package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Shares keep the connections of one tenant from occupying all workers of a
// process: beyond its share a tenant gets what no other tenant waits for. The zero
// value leaves all to the due times.
type Shares struct {
	// Each is how many connections of a tenant are held before others go first; zero
	// is any number.
	Each int
	// Held is how many the process holds, by tenant.
	Held map[string]int
	// Reserve is how many of the free workers are not lent beyond a share, so that
	// what becomes due next need not wait for the end of another run.
	Reserve int
}

// Full are the tenants that have their share.
func (s Shares) Full() []string {
	full, _ := s.room()
	return full
}

// room returns the tenants that have their share, and how many connections may be
// claimed of the others before one of them can be past it.
func (s Shares) room() (full []string, room int) {
	if s.Each == 0 {
		return nil, math.MaxInt
	}
	room = s.Each
	for tenant, n := range s.Held {
		if n >= s.Each {
			full = append(full, tenant)
		} else {
			room = min(room, s.Each-n)
		}
	}
	slices.Sort(full) // the same tenants are the same statement
	return full, room
}

// ClaimCollections takes up to limit connections that are due and that no one
// holds, the longest due first within the shares, and then beyond them. Two
// processes never get the same one. Owner must be new with each call.
//
// While a connection is held it counts as due when the lease ends.
func (q Jobs) ClaimCollections(ctx context.Context, owner string, now, until drover.Time, limit int, shares Shares) ([]Claim, error) {
	if err := q.mendSchedule(ctx, now); err != nil {
		return nil, err
	}
	as := Claim{Owner: owner, LeasedUntil: until}
	if q.database.Distributed() {
		return claimShares(limit, shares, func(n int, except []string) ([]Claim, error) { return q.claimApart(ctx, as, now, n, except) })
	}
	var claims []Claim
	err := q.update(ctx, func(tx *Tx) (err error) {
		claims, err = claimShares(limit, shares, func(n int, except []string) ([]Claim, error) { return tx.claimDue(ctx, as, now, n, except) })
		return err
	})
	return claims, err
}

// claimShares claims in steps so small that none takes a tenant past its share, and
// lends what is left when no other tenant waits.
func claimShares(limit int, shares Shares, claim func(n int, except []string) ([]Claim, error)) ([]Claim, error) {
	held := map[string]int{}
	maps.Copy(held, shares.Held)
	shares.Held = held
	var all []Claim
	for len(all) < limit {
		full, room := shares.room()
		step := min(limit-len(all), room)
		claims, err := claim(step, full)
		all = append(all, claims...)
		if err != nil {
			return all, err
		}
		for _, c := range claims {
			held[c.TenantID]++
		}
		if len(claims) < step {
			break
		}
	}
	spare := limit - len(all) - shares.Reserve
	if spare <= 0 || len(shares.Full()) == 0 {
		return all, nil
	}
	lent, err := claim(spare, nil)
	return append(all, lent...), err
}

// eachTenant calls f with what is a tenant's, in the order in which tenants come first.
func eachTenant(list []drover.Target, f func(tenantID string, ids []string) error) error {
	var order []string
	byTenant := map[string][]string{}
	for _, t := range list {
		if byTenant[t.TenantID] == nil {
			order = append(order, t.TenantID)
		}
		byTenant[t.TenantID] = append(byTenant[t.TenantID], t.ID)
	}
	var failed []error
	for _, tenantID := range order {
		failed = append(failed, f(tenantID, byTenant[tenantID]))
	}
	return errors.Join(failed...)
}

// claimDue claims the connections that have been due for longest, but for those of
// some tenants.
func (tx *Tx) claimDue(ctx context.Context, as Claim, now drover.Time, limit int, except []string) ([]Claim, error) {
	c := tx.reader.clock
	others, args := exceptTenants(except, []any{c.sent(now), c.sent(as.LeasedUntil), as.Owner, limit})
	rows, err := tx.tx.Write("collection").QueryContext(ctx,
		`UPDATE collection SET due_at = `+c.param(2)+`, leased_until = `+c.param(2)+`, leased_by = $3,
		scheduled_at = `+c.param(1)+`, woken = FALSE WHERE (tenant_id, connection_id) IN (
		SELECT tenant_id, connection_id FROM collection WHERE due_at <= `+c.param(1)+` AND leased_until <= `+c.param(1)+` AND `+notSuspended+
			others+` ORDER BY due_at LIMIT $4`+tx.reader.words.SkipLocked()+`)
		RETURNING tenant_id, connection_id`, args...)
	return database.ReadAll(rows, err, "claim connections", func(row database.Scanner) (Claim, error) {
		claim := as
		return claim, row.Scan(&claim.TenantID, &claim.ConnectionID)
	})
}

// exceptTenants is a condition that leaves out some tenants, and args with theirs.
func exceptTenants(tenants []string, args []any) (string, []any) {
	if len(tenants) == 0 {
		return "", args
	}
	marks := make([]string, len(tenants))
	for i, tenant := range tenants {
		args = append(args, tenant)
		marks[i] = fmt.Sprintf("$%d", len(args))
	}
	return ` AND tenant_id NOT IN (` + strings.Join(marks, ", ") + `)`, args
}

// claimFirst claims what has been due for longest and no one else takes meanwhile. Look finds
// what is due at $1, as its tenant, in the column named, and its id, and locks nothing: it goes over
// all tenants, and what is claimed is one tenant's. Claim is ErrNotFound where it came too late.
func (q Jobs) claimFirst(
	ctx context.Context, look, tenant, order string, now drover.Time, claim func(tx *Tx, tenantID, id string) error,
) error {
	for {
		here, args := database.Here(ctx, q.words, tenant, []any{now})
		rows, err := q.db.QueryContext(ctx, look+here+` ORDER BY `+order+` LIMIT 8`, args...)
		found, err := database.ReadAll(rows, err, "look for work", scanTarget)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return database.ErrNotFound
		}
		for _, f := range found {
			err := q.update(ctx, func(tx *Tx) error { return claim(tx, f.TenantID, f.ID) })
			if !errors.Is(err, database.ErrNotFound) {
				return err
			}
		}
	}
}
