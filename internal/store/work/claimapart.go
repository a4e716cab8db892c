package work

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const (
	// claimAhead is how many connections are looked for at a place at the least, and claimKept for
	// how long those are kept of which no one has asked for as many: looking asks each part of the
	// tables, and claiming those of one tenant.
	claimAhead = 200
	claimKept  = 500 * time.Millisecond
)

// found are connections that are due at places, the longest due first.
type found struct {
	mu sync.Mutex
	at map[string]*foundAt
}

type foundAt struct {
	when   drover.Time
	except []string // tenants that were left out
	due    []drover.Target
}

// take removes up to n of those that were found at a place. What has become due since comes after them.
func (f *found) take(place string, except []string, now drover.Time, n int) []drover.Target {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.at[place]
	if at == nil || now.Before(at.when.Time) || now.Sub(at.when.Time) > claimKept || !slices.Equal(at.except, except) {
		return nil
	}
	n = min(n, len(at.due))
	taken := at.due[:n:n]
	at.due = at.due[n:]
	return taken
}

func (f *found) put(place string, at foundAt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == nil {
		f.at = map[string]*foundAt{}
	}
	f.at[place] = &at
}

// claimApart is claimDue where tenants lie at several places: it looks without a lock, and claims by
// tenant what is due still. What fails for one tenant is left to the next time.
func (q Jobs) claimApart(ctx context.Context, as Claim, now drover.Time, limit int, except []string) ([]Claim, error) {
	place := database.AtPlace(ctx)
	claims, err := q.claimFound(ctx, q.found.take(place, except, now, limit), as, now)
	if err != nil || len(claims) == limit {
		return claims, err
	}
	rest := limit - len(claims)
	due, err := q.lookForDue(ctx, now, max(rest, claimAhead), except)
	if err != nil {
		return claims, err
	}
	n := min(rest, len(due))
	q.found.put(place, foundAt{now, except, due[n:]})
	more, err := q.claimFound(ctx, due[:n:n], as, now)
	return append(claims, more...), err
}

// lookForDue finds connections that are due, of tenants that are not suspended.
func (q Jobs) lookForDue(ctx context.Context, now drover.Time, limit int, except []string) ([]drover.Target, error) {
	c := q.clock
	others, args := exceptTenants(except, []any{c.sent(now), limit})
	here, args := database.Here(ctx, q.words, "tenant_id", args)
	rows, err := q.db.QueryContext(ctx, `SELECT tenant_id, connection_id FROM collection WHERE due_at <= `+c.param(1)+` AND leased_until <= `+c.param(1)+
		` AND `+notSuspended+others+here+` ORDER BY due_at LIMIT $2`, args...)
	return database.ReadAll(rows, err, "look for connections", scanTarget)
}

// claimFound claims those of some connections that are due still. A statement on one table alone is
// what a server plans once: whether the tenant is suspended was asked when they were found.
func (q Jobs) claimFound(ctx context.Context, due []drover.Target, as Claim, now drover.Time) ([]Claim, error) {
	c := q.clock
	var claims []Claim
	err := eachTenant(due, func(tenantID string, ids []string) error {
		var of []Claim
		err := q.update(ctx, func(tx *Tx) (err error) {
			rows, err := tx.tx.Write("collection").QueryContext(ctx, `UPDATE collection SET due_at = `+c.param(3)+`, leased_until = `+c.param(3)+
				`, leased_by = $4, scheduled_at = `+c.param(2)+`, woken = FALSE WHERE tenant_id = $1 AND connection_id `+tx.reader.words.InList(5)+
				` AND due_at <= `+c.param(2)+` AND leased_until <= `+c.param(2)+` RETURNING tenant_id, connection_id`,
				tenantID, c.sent(now), c.sent(as.LeasedUntil), as.Owner, tx.reader.words.List(ids))
			of, err = database.ReadAll(rows, err, "claim connections", func(row database.Scanner) (Claim, error) {
				claim := as
				return claim, row.Scan(&claim.TenantID, &claim.ConnectionID)
			})
			return err
		})
		if err == nil {
			claims = append(claims, of...)
		}
		return err
	})
	return claims, err
}
